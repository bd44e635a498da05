"""Judges one attempt by camera and beams (SM-38 … SM-41). If they disagree, people decide (AP-7)."""

from __future__ import annotations

from typing import Literal

import msgspec

from appliance.games.smugglers.referee.codes import DoubtCode
from hardware.readings import BeamPassage, PassageSeen, SphereOnTrack

SensedOutcome = Literal["passed", "stuck", "short", "astray"]

PATIENCE_S = 2.0
"""Seconds to wait for the second sensor's verdict. After that its silence counts as a contradiction."""

SAME_ROLL_S = 0.5
"""Tolerance between the start of a roll on camera and a beam edge of the same roll."""

LATE_STEP_S = 1.0
"""A busy table applies a proposal up to this long after its grace."""

RollReading = SphereOnTrack | PassageSeen | BeamPassage


class Verdict(msgspec.Struct, frozen=True):
    """The agreed outcome, and the sensors that support it."""

    outcome: SensedOutcome
    because: tuple[str, ...]


class Doubt(msgspec.Struct, frozen=True):
    """The reason why the sensors give no verdict: a code of the word catalogues (`question.<code>`)."""

    code: DoubtCode


class AttemptJudge:
    """Collects the evidence on one attempt and decides once it is complete.

    :param lane: the round's lane, 1–7.
    :param putty: the colour of the sphere that is due.
    :param pass_limit_s: SM-39, seconds from first contact after which a sphere at the fence is stuck.
    :param opened_s: when the attempt became due. Readings that began earlier belong to the previous attempt, except
        those of a roll during its grace (`take_over`).
    """

    def __init__(self, lane: int, putty: str, pass_limit_s: float, opened_s: float) -> None:
        self.lane = lane
        self.putty = putty
        self.pass_limit_s = pass_limit_s
        self.opened_s = opened_s
        self._began_s: float | None = None
        self._camera: PassageSeen | None = None
        self._beams: BeamPassage | None = None
        self._beams_at_s = 0.0
        self._beams_lost_s = float("-inf")
        self._told_s: float | None = None
        self._judged_until_s = 0.0
        """When the roll ended on which the told verdict rests."""
        self._after_told: list[RollReading] = []
        self._grace: tuple[float, float] | None = None
        """From when until when a roll of this attempt may have begun during the grace of the verdict before."""

    def told(self, now_s: float) -> None:
        """Record that the verdict was proposed at `now_s`. Readings from now on are kept for the next attempt."""
        self._told_s = now_s
        self._judged_until_s = self._camera.t_s if self._camera is not None else now_s
        self._after_told = []

    def take_over(self, before: AttemptJudge, grace_s: float) -> None:
        """Take the readings since the verdict of `before`, which was applied as proposed, with a grace of `grace_s`.

        A roll that began during that grace belongs to this attempt. Beams count only if the camera saw the roll begin:
        in a grace, hands reach for the sphere at the fence.
        """
        if before._told_s is None:
            return
        self._grace = before._judged_until_s, before._told_s + grace_s + LATE_STEP_S
        for reading in before._after_told:
            self.take(reading)

    def take(self, reading: RollReading) -> None:
        """Take a reading of a roll."""
        if self._told_s is not None:
            self._after_told.append(reading)
        match reading:
            case SphereOnTrack():
                self.began(reading)
            case PassageSeen():
                self.camera_says(reading)
            case BeamPassage():
                self.beams_say(reading)

    def beams_lost(self, t_s: float) -> None:
        """Record that the beams became faulty. The camera alone does not judge a roll that started before that."""
        self._beams_lost_s = t_s

    def began(self, reading: SphereOnTrack) -> None:
        """Record that a sphere started to roll. An earlier camera passage is dropped."""
        self._began_s = reading.t_s
        self._camera = None
        if self._in_grace(reading.t_s):
            self.opened_s = min(self.opened_s, reading.t_s - SAME_ROLL_S)

    def judge_anew(self, started_s: float) -> None:
        """Discard what the beams saw before the roll that started at `started_s`: people were asked about it."""
        if self._beams is not None and _of_an_earlier_roll(self._beams, started_s):
            self._beams = None

    def camera_says(self, reading: PassageSeen) -> None:
        """Store the camera's passage. A later one replaces it (a sphere that oozes through within the limit)."""
        if reading.started_s >= self.opened_s or self._in_grace(reading.started_s):
            self._camera = reading

    def beams_say(self, reading: BeamPassage) -> None:
        """Store the beams' passage. Later edges of the same sphere do not replace a pass."""
        if reading.first_broken_s < self.opened_s:
            return
        if self._beams is not None and self._beams.outcome == "passed" and reading.outcome != "passed":
            return
        self._beams = reading
        self._beams_at_s = reading.t_s

    def decide(self, now_s: float, *, camera_ok: bool, beams_ok: bool) -> Verdict | Doubt | None:
        """Return the verdict or the doubt at `now_s`, or None while more evidence may come."""
        camera = self._camera if camera_ok else None
        beams = self._beams if beams_ok else None
        if camera is not None and beams is not None and _of_an_earlier_roll(beams, camera.started_s):
            beams = None
        if camera is None and beams is None:
            return None
        if camera is None:
            assert beams is not None
            return self._beams_alone(beams, now_s, camera_ok=camera_ok)
        if camera.outcome == "unknown":
            return Doubt("camera_unsure")
        if camera.colour is not None and camera.colour != self.putty:
            return Doubt("wrong_sphere")
        if beams is None:
            return self._camera_alone(camera, now_s, beams_ok=beams_ok)
        return self._together(camera, beams, now_s)

    def votes(self, *, camera_ok: bool, beams_ok: bool) -> dict[str, str]:
        """Return the result of each sensor for the roll: its outcome, `silent`, or `off` for one that does not work.

        The camera may also give `other_lane`: the sphere passed, but not in the round's lane. Both may give `too_late`:
        the sphere passed, but after the limit.
        """
        camera: str = self._camera.outcome if self._camera is not None else "silent"
        if camera == "passed" and self._camera is not None and self._camera.lane != self.lane:
            camera = "other_lane"
        beams: str = self._beams.outcome if self._beams is not None else "silent"
        if camera_ok and beams_ok and self._oozed():
            camera = beams = "too_late"
        return {"camera": camera if camera_ok else "off", "beams": beams if beams_ok else "off"}

    def _in_grace(self, t_s: float) -> bool:
        return self._grace is not None and self._grace[0] <= t_s <= self._grace[1]

    def _together(self, camera: PassageSeen, beams: BeamPassage, now_s: float) -> Verdict | Doubt | None:
        both = ("camera", "beams")
        match camera.outcome, beams.outcome:
            case "passed", "passed":
                return Verdict("stuck", both) if self._oozed() else self._through(camera, both)
            case "stuck", "blocked" | "bounced":
                return Verdict("stuck", both) if now_s >= self._limit_s(camera, beams) else None
            case "astray", "blocked" | "bounced":
                return Verdict("astray", both)
            case _:
                # The slower sensor may still agree: wait before it counts as a contradiction.
                return Doubt("senses_disagree") if now_s >= self._latest_s(camera) + PATIENCE_S else None

    def _camera_alone(self, camera: PassageSeen, now_s: float, *, beams_ok: bool) -> Verdict | Doubt | None:
        one = ("camera",)
        if camera.outcome == "short":
            return Verdict("short", one)
        if camera.outcome == "astray":
            return Verdict("astray", one)
        if camera.outcome == "stuck" and now_s < self._limit_s(camera, None):
            return None
        if beams_ok or camera.started_s <= self._beams_lost_s:
            return Doubt("beams_silent") if now_s >= camera.t_s + PATIENCE_S else None
        return self._through(camera, one) if camera.outcome == "passed" else Verdict("stuck", one)

    def _beams_alone(self, beams: BeamPassage, now_s: float, *, camera_ok: bool) -> Verdict | Doubt | None:
        if camera_ok:
            waited = now_s >= max(self._beams_at_s + PATIENCE_S, self._limit_s(None, beams))
            # Without a roll on camera, hands at the fence can cause every beam result except a clean pass.
            unexplained = self._began_s is not None or beams.outcome == "passed"
            return Doubt("camera_silent") if waited and unexplained else None
        # The beams cross all lanes and cannot tell which hole was passed (SM-41), so people decide.
        if beams.outcome == "passed":
            return Doubt("lane_unseen")
        return Doubt("beams_unsure") if now_s >= self._limit_s(None, beams) else None

    def _through(self, camera: PassageSeen, because: tuple[str, ...]) -> Verdict | Doubt:
        if camera.lane is None:
            return Doubt("camera_unsure")
        return Verdict("passed" if camera.lane == self.lane else "astray", because)

    def _oozed(self) -> bool:
        """Return whether both saw the sphere pass, but after the limit (SM-39)."""
        camera, beams = self._camera, self._beams
        if camera is None or beams is None or _of_an_earlier_roll(beams, camera.started_s):
            return False
        if (camera.outcome, beams.outcome) != ("passed", "passed"):
            return False
        through_s = beams.crossed_s if beams.crossed_s is not None else beams.t_s
        return through_s > self._limit_s(camera, beams)

    def _limit_s(self, camera: PassageSeen | None, beams: BeamPassage | None) -> float:
        contact_s = beams.first_broken_s if beams is not None else camera.t_s if camera is not None else 0.0
        return contact_s + self.pass_limit_s

    def _latest_s(self, camera: PassageSeen) -> float:
        return max(camera.t_s, self._beams_at_s)


def _of_an_earlier_roll(beams: BeamPassage, started_s: float) -> bool:
    return beams.first_broken_s < started_s - SAME_ROLL_S
