"""Follow spheres from sighting to sighting and say how each roll ended. Pure: stamps and sightings in, events out.

A verdict rests on approach and exit, never on "seen in the hole": passed is a sphere that came down the ramp and is
then seen wholly beyond the fence (SM-38); stuck is one that touches the fence and rests (SM-39); short rests without
touching it (SM-40); astray changed its lane, went over the fence or off the side (SM-41).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal

import msgspec

from hardware.rig import Rig
from vision.observations import Colour
from vision.passages.crossing import crossing_s
from vision.passages.track_blobs import SheetBlobs, TrackBlob
from vision.passages.tracked_sphere import TrackedSphere

RollOutcome = Literal["passed", "stuck", "short", "astray", "unknown"]
Box = tuple[int, int, int, int]
NameColour = Callable[[tuple[float, float, float]], tuple[Colour, float]]

REST_S = 0.6
"""How long a sphere must not move before its place is final."""
REST_MM = 2.5
TOUCH_MM = 6.0
_LOST_S = 0.45
_HIDDEN_S = 0.9
_GAP_S = 0.1
_FORGET_S = 60.0
_LONG_GAP_S = 1.0
_LATE_PASS_S = 12.0
_SWITCH_MM = 24.0


class RollStarted(msgspec.Struct, frozen=True):
    """A sphere began to roll in `lane` (None: between lanes) at `t_s`."""

    t_s: float
    lane: int | None
    colour: Colour


class FenceReached(msgspec.Struct, frozen=True):
    """A rolling sphere first touched the fence, or went out of sight in it, at `t_s` (SM-39 counts from here)."""

    t_s: float
    lane: int | None


class RollEnded(msgspec.Struct, frozen=True):
    """A roll came to an end. `crossed_s`: when its centre crossed the fence's plane; only when passed."""

    t_s: float
    outcome: RollOutcome
    lane: int | None
    colour: Colour
    started_s: float
    crossed_s: float | None
    confidence: float


RollEvent = RollStarted | FenceReached | RollEnded


class TrackMonitor:
    """The follower. Feed it every scene with its stamp; frames may be missing.

    :param name_colour: mean BGR of a sphere → the putty's colour and how sure that is, 0–1.
    """

    def __init__(self, rig: Rig, name_colour: NameColour) -> None:
        self._rig = rig
        self._name_colour = name_colour
        self._rolls: list[TrackedSphere] = []
        self._last_s: float | None = None
        self._gap_s = 0.0

    @property
    def busy(self) -> bool:
        """Whether a roll is under way."""
        return any(roll.stage == "rolling" for roll in self._rolls)

    def kept_boxes(self, t_s: float) -> list[Box]:
        """Return the cells where spheres lie that the backdrop must not take in yet."""
        return [roll.box for roll in self._rolls if t_s - roll.born_s < _FORGET_S or roll.stage == "rolling"]

    def step(self, t_s: float, scene: SheetBlobs) -> list[RollEvent]:
        """Take one scene and return what it made certain."""
        out: list[RollEvent] = []
        if self._last_s is not None and t_s - self._last_s > _LONG_GAP_S:
            out += [self._ended(roll, t_s, "unknown", 0.2) for roll in self._rolls if roll.stage == "rolling"]
            self._rolls.clear()
        self._gap_s = t_s - self._last_s if self._last_s is not None else 0.0
        self._last_s = t_s
        free = self._associate(t_s, scene)
        for roll in self._rolls:
            out += self._judge(roll, t_s)
            if roll.stage == "ended" and roll.outcome == "short":
                roll.again()
        self._rolls = [roll for roll in self._rolls if not self._forgotten(roll, t_s)]
        self._rolls += [
            TrackedSphere(t_s, seen)
            for seen in free
            if seen.compact
            and seen.y_mm > 20.0
            and not any(roll.near(seen) or roll.trails(seen) for roll in self._rolls)
        ]
        return out

    def finish(self, t_s: float) -> list[RollEvent]:
        """End every open roll by where it is now: the recording is over (rest need not have lasted `REST_S`)."""
        out: list[RollEvent] = []
        for roll in self._rolls:
            if roll.stage != "rolling":
                continue
            if roll.exits and self._beyond(roll):
                out.append(self._passed(roll, t_s))
            elif roll.rests_now(0.05, REST_MM):
                touching = self._touches(roll)
                out.append(self._ended(roll, t_s, "stuck" if touching else "short", 0.9))
            else:
                out.append(self._ended(roll, t_s, "unknown", 0.3))
        return out

    def _associate(self, t_s: float, scene: SheetBlobs) -> list[TrackBlob]:
        free = list(scene.sightings)
        for roll in sorted(self._rolls, key=lambda each: each.stage != "rolling"):
            held = any(_overlaps(roll.box, box, 8) for box in scene.large)
            if held:
                roll.held_s = t_s
            best = min(free, key=lambda seen: roll.mismatch(t_s, seen), default=None)
            if best is None or roll.mismatch(t_s, best) > 1.0:
                roll.missed_gap_s = max(roll.missed_gap_s, self._gap_s)
                if any(roll.near(seen) for seen in scene.sightings):
                    roll.held_s = t_s  # something else is where it was: fingers round it
                continue
            free.remove(best)
            roll.add(t_s, best)
        return free

    def _judge(self, roll: TrackedSphere, t_s: float) -> list[RollEvent]:
        if roll.stage == "resting":
            return self._begun(roll, t_s)
        if roll.stage == "ended":
            late = roll.outcome == "stuck" and t_s - roll.ended_s < _LATE_PASS_S and roll.held_s < roll.ended_s
            if late and len(roll.exits) > 1 and self._beyond(roll):
                return [self._passed(roll, t_s)]
            return []
        out = self._fence(roll, t_s)
        seen_now = roll.last.t_s == t_s
        lane_x = self._lane_x(roll)
        if roll.exits and self._beyond(roll):
            deep = roll.last.y_mm < -(roll.radius_mm + 13.0)
            if deep or len(roll.exits) > 1 or t_s - roll.last.t_s > 0.1:
                out.append(self._passed(roll, t_s))
        elif lane_x is not None and roll.strayed(lane_x, _SWITCH_MM) > 1:
            out.append(self._ended(roll, t_s, "astray", 0.9))
        elif seen_now and roll.rested(t_s, REST_S, REST_MM):
            out.append(self._ended(roll, t_s, "stuck" if self._touches(roll) else "short", 0.95))
        elif not seen_now and roll.held_s < roll.last.t_s:
            out += self._lost(roll, t_s)
        elif t_s - max(roll.last.t_s, roll.held_s) > _LOST_S and roll.held_s >= roll.last.t_s:
            out.append(self._ended(roll, t_s, "unknown", 0.3))
        return out

    def _begun(self, roll: TrackedSphere, t_s: float) -> list[RollEvent]:
        if not (roll.rolls_freely() or roll.shifted()):
            return []
        lane, colour = self._nearest_lane(roll.last.x_mm), self._name_colour(roll.bgr)[0]
        if lane is None and colour == "unknown":
            return []  # at no lane and of no putty's colour: smeared colour, not a sphere
        roll.stage = "rolling"
        roll.started_s = roll.left_s()
        return [RollStarted(t_s, lane, colour)]

    def _fence(self, roll: TrackedSphere, t_s: float) -> list[RollEvent]:
        if roll.contact_s is not None:
            return []
        hidden = roll.last.t_s < t_s and roll.expected_y(t_s) < roll.radius_mm + 1.0 and roll.last.y_mm < 60.0
        if not hidden and not self._touches(roll):
            return []
        roll.contact_s = t_s
        return [FenceReached(t_s, self._lane(roll))]

    def _touches(self, roll: TrackedSphere) -> bool:
        return roll.centre_y() <= roll.radius_mm + self._rig.fence_thickness_mm / 2 + TOUCH_MM

    def _beyond(self, roll: TrackedSphere) -> bool:
        return roll.last.y_mm <= -(roll.radius_mm + self._rig.fence_thickness_mm / 2) + 0.5

    def _lost(self, roll: TrackedSphere, t_s: float) -> list[RollEvent]:
        away_s = t_s - roll.last.t_s
        if roll.flight.way != "through" and away_s > _LOST_S:
            over = roll.flight.way == "over"
            return [self._ended(roll, t_s, "astray" if over else "unknown", roll.flight.sureness)]
        if roll.contact_s is not None or roll.last.y_mm < 45.0:
            if away_s < _HIDDEN_S:
                return []
            watched = roll.missed_gap_s < _GAP_S
            return [self._ended(roll, t_s, "stuck" if watched else "unknown", 0.6 if watched else 0.3)]
        if away_s < _LOST_S:
            return []
        edge = max(abs(lane.x_mm) for lane in self._rig.lanes) + self._rig.lane_pitch_mm / 2
        off = abs(roll.last.x_mm) > edge - 4.0
        return [self._ended(roll, t_s, "astray" if off else "unknown", 0.7 if off else 0.3)]

    def _passed(self, roll: TrackedSphere, t_s: float) -> RollEnded:
        lane_x = self._lane_x(roll)
        strayed = lane_x is not None and abs(roll.exits[0].x_mm - lane_x) > _SWITCH_MM
        way, sure = roll.flight.way, roll.flight.sureness
        if strayed or way == "over":
            return self._ended(roll, t_s, "astray", 0.85)
        if way == "unsure":
            return self._ended(roll, t_s, "unknown", sure)
        crossed_s, sureness = crossing_s(roll)
        return self._ended(roll, t_s, "passed", min(sure, sureness), crossed_s)

    def _ended(
        self, roll: TrackedSphere, t_s: float, outcome: RollOutcome, confidence: float, crossed_s: float | None = None
    ) -> RollEnded:
        roll.stage = "ended"
        roll.outcome = outcome
        roll.ended_s = t_s
        colour, _ = self._name_colour(roll.bgr)
        return RollEnded(t_s, outcome, self._lane(roll), colour, roll.started_s, crossed_s, confidence)

    def _forgotten(self, roll: TrackedSphere, t_s: float) -> bool:
        patience_s = {"resting": 0.4, "ended": 0.5}.get(roll.stage, 60.0)
        if roll.stage == "resting" and roll.held_s >= roll.last.t_s:
            patience_s = 2.5
        seen_s = roll.last.t_s if roll.stage == "ended" else max(roll.last.t_s, roll.held_s)
        return t_s - seen_s > patience_s

    def _lane_x(self, roll: TrackedSphere) -> float | None:
        lane = self._lane(roll)
        return None if lane is None else self._rig.lane(lane).x_mm

    def _lane(self, roll: TrackedSphere) -> int | None:
        """The lane in which it came onto the ramp; before that, the one it stands at."""
        entered_x = roll.x_at(self._rig.ramp_top[0] - 4.0)
        return self._nearest_lane(roll.last.x_mm if entered_x is None else entered_x)

    def _nearest_lane(self, x_mm: float) -> int | None:
        lane = min(self._rig.lanes, key=lambda each: abs(each.x_mm - x_mm))
        return lane.number if abs(lane.x_mm - x_mm) <= self._rig.lane_pitch_mm / 2 + 2.0 else None


def _overlaps(a: Box, b: Box, margin: int) -> bool:
    return a[0] - margin < b[1] and b[0] < a[1] + margin and a[2] - margin < b[3] and b[2] < a[3] + margin


def covered(shape: tuple[int, int], boxes: Iterable[Box]) -> list[tuple[slice, slice]]:
    """Return the windows of a sheet that boxes cover, each three cells wider all round."""
    rows, columns = shape
    return [
        (slice(max(top - 3, 0), min(bottom + 3, rows)), slice(max(left - 3, 0), min(right + 3, columns)))
        for top, bottom, left, right in boxes
    ]
