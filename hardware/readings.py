"""Readings: frozen facts from a sensor, stamped with the monotonic clock.

The state of a device is a reading too (`DeviceHealth`). No reading carries a diameter, a speed or a picture, so that
nothing can leak that a game must not know (RULES AP-4). Only `MassSettled` carries a mass; only the referee gets it.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Device = Literal["scale", "camera", "beams", "panel"]
SENSES: tuple[Device, ...] = ("camera", "beams", "scale")
"""The devices that referees listen to."""
Status = Literal["ok", "starting", "absent", "faulty"]
PuttyColour = Literal["yellow", "green", "orange", "pink"]
Piece = Literal["sweet", "sour", "bomb"]
BeamOutcome = Literal["passed", "blocked", "bounced", "reversed"]


class Reading(msgspec.Struct, frozen=True, tag_field="reading", kw_only=True):
    """Base of all readings. `t_s` is the monotonic second at which the fact became known; confidences are 0–1."""

    t_s: float


class DieSettled(Reading, frozen=True, tag="die_settled"):
    """A die came to rest in the tray. `value` 1–6, or None when its face is not clear."""

    value: int | None
    confidence: float


class GemsSettled(Reading, frozen=True, tag="gems_settled"):
    """Gems lie still in the tray. `pieces` are sorted; `clear` is False when a gem's colour is in doubt."""

    pieces: tuple[Piece, ...]
    clear: bool
    confidence: float


class TrayCleared(Reading, frozen=True, tag="tray_cleared"):
    """The tray is empty again."""


class BossSeen(Reading, frozen=True, tag="boss_seen"):
    """The boss figure stands still. `lane` 1–7, or None when it is absent, between lanes, or not clear."""

    lane: int | None
    confidence: float


class SphereOnPan(Reading, frozen=True, tag="sphere_on_pan"):
    """The camera sees a sphere of this colour at rest on the pan. `colour` is None when it is in doubt."""

    colour: PuttyColour | None
    confidence: float


class PassageSeen(Reading, frozen=True, tag="passage_seen"):
    """The camera tracked one sphere down the track to the end of its roll.

    `outcome`: passed (wholly beyond the fence, SM-38), stuck (touches the fence and stays, SM-39), short (stopped
    without touching it, SM-40), astray (left the track or jumped the fence, SM-41), unknown. `lane` is where it rolled.
    `started_s` and `crossed_s` are monotonic seconds; crossed only when passed, and None where it rested in its hole
    first and slipped through later.
    """

    outcome: Literal["passed", "stuck", "short", "astray", "unknown"]
    lane: int | None
    colour: PuttyColour | None
    started_s: float
    crossed_s: float | None
    confidence: float


class SphereOnTrack(Reading, frozen=True, tag="sphere_on_track"):
    """The camera sees a sphere start to roll in `lane`: an attempt has begun."""

    lane: int | None
    colour: PuttyColour | None


AT_HOLE, BEYOND_FENCE = 1000, 1200
"""Places of a rolling sphere: it touches the fence; it has come out beyond it."""


class RollPlace(Reading, frozen=True, tag="roll_place"):
    """A sphere was seen rolling, for drawing it: nothing is judged by this and nothing kept.

    `lane` is where it rolls, or None where that is not seen. `place` grows from 0 at the start to `AT_HOLE`, then
    `BEYOND_FENCE`. Neither tells a size (`vision.passages.roll_place`).
    """

    lane: int | None
    place: int


class RollKept(Reading, frozen=True, tag="roll_kept"):
    """The seconds of a roll at the fence, `at_s`, can be shown again as the replay `number`.

    `scope` is what it lasts for (`appliance.sensing.roll_replays`). Nothing is judged by this.
    """

    number: int
    scope: str
    at_s: float


class BeamPassage(Reading, frozen=True, tag="beam_passage"):
    """One sphere at the two beams of the fence.

    `outcome`: passed (front then back broken, both clear again), blocked (front broken for `blocked_s` and still is),
    bounced (front broken and cleared, back never), reversed (back before front: something came the wrong way).
    """

    outcome: BeamOutcome
    first_broken_s: float
    crossed_s: float | None


class MassSettled(Reading, frozen=True, tag="mass_settled"):
    """A load on the pan settled: its mass with one standard deviation, from so many samples."""

    mass_g: float
    sd_g: float
    samples: int


class LoadRemoved(Reading, frozen=True, tag="load_removed"):
    """The pan is empty again and its zero is known."""


class ButtonPressed(Reading, frozen=True, tag="button_pressed"):
    """A hardware button was pressed."""

    button: Literal["hourglass"]


class DeviceHealth(Reading, frozen=True, tag="device_health"):
    """The state of a device. Codes are stable and have a sentence in the word catalogues (`health.<code>`).

    `further` are codes that hold beside `code`: of the other beam, or doubts about a device that works.
    """

    device: Device
    status: Status
    code: str
    further: tuple[str, ...] = ()

    @property
    def codes(self) -> tuple[str, ...]:
        """Everything that is said of the device, the worst first."""
        return (self.code, *self.further)
