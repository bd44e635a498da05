"""Readings: immutable facts from a sensor, with a monotonic timestamp.

The state of a device is a reading too (`DeviceHealth`). A game must not know the diameter or the speed of a sphere, so
no reading carries a diameter, a speed or a picture (RULES AP-4). Only `MassSettled` carries a mass; only the referee
gets it.
"""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

Device = Literal["scale", "camera", "beams", "panel"]
SENSES: tuple[Device, ...] = ("camera", "beams", "scale")
"""The devices whose readings referees use."""
Status = Literal["ok", "starting", "absent", "faulty"]
PuttyColour = Literal["yellow", "green", "orange", "pink"]
PUTTY_COLOURS: tuple[PuttyColour, ...] = get_args(PuttyColour)
Piece = Literal["sweet", "sour", "bomb"]
BeamOutcome = Literal["passed", "blocked", "bounced", "reversed"]


class Reading(msgspec.Struct, frozen=True, tag_field="reading", kw_only=True):
    """Base of all readings. `t_s` is the monotonic second at which the fact became known; confidences are 0–1."""

    t_s: float


class DieSettled(Reading, frozen=True, tag="die_settled"):
    """A die came to rest in the tray. `value` is 1–6, or None when its face is not clear."""

    value: int | None
    confidence: float


class GemsSettled(Reading, frozen=True, tag="gems_settled"):
    """The gems in the tray are at rest. `pieces` are sorted; `clear` is False when a gem's colour is uncertain."""

    pieces: tuple[Piece, ...]
    clear: bool
    confidence: float


class TrayCleared(Reading, frozen=True, tag="tray_cleared"):
    """The tray is empty again."""


class BossSeen(Reading, frozen=True, tag="boss_seen"):
    """The boss figure is at rest. `lane` is 1–7, or None when the figure is absent, between lanes, or not clear."""

    lane: int | None
    confidence: float


class SphereOnPan(Reading, frozen=True, tag="sphere_on_pan"):
    """The camera sees a sphere at rest on the pan. `colour` is None when it is uncertain."""

    colour: PuttyColour | None
    confidence: float


class PassageSeen(Reading, frozen=True, tag="passage_seen"):
    """The camera tracked one sphere to the end of its roll.

    `outcome`: passed (wholly beyond the fence, SM-38), stuck (touches the fence and stays, SM-39), short (stopped
    without touching it, SM-40), astray (left the track or jumped the fence, SM-41), unknown. `lane` is where it rolled.
    `started_s` and `crossed_s` are monotonic seconds. `crossed_s` is set only when the sphere passed. It is None when
    the sphere rested in its hole first and slipped through later.
    """

    outcome: Literal["passed", "stuck", "short", "astray", "unknown"]
    lane: int | None
    colour: PuttyColour | None
    started_s: float
    crossed_s: float | None
    confidence: float


class SphereOnTrack(Reading, frozen=True, tag="sphere_on_track"):
    """The camera saw a sphere start to roll in `lane`: an attempt has begun."""

    lane: int | None
    colour: PuttyColour | None


AT_HOLE, BEYOND_FENCE = 1000, 1200
"""Values of `RollPlace.place`: the sphere touches the fence; the sphere has come out beyond it."""


class RollPlace(Reading, frozen=True, tag="roll_place"):
    """Place of a rolling sphere, for drawing only: it is neither stored nor used for decisions.

    `lane` is where it rolls, or None where that is not seen. `place` grows from 0 at the start to `AT_HOLE`, then
    `BEYOND_FENCE`. Neither reveals the sphere's size (`vision.passages.roll_place`).
    """

    lane: int | None
    place: int


class RollKept(Reading, frozen=True, tag="roll_kept"):
    """The part of a roll around the second `at_s`, when the sphere was at the fence, is kept as replay `number`.

    `scope` says how long the replay is kept (`appliance.sensing.roll_replays`). It is not used for decisions.
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
    """A load on the pan settled: its mass, one standard deviation of it, and the number of samples used."""

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

    `further` are additional codes: those of the other beam, or warnings about a device that works.
    """

    device: Device
    status: Status
    code: str
    further: tuple[str, ...] = ()

    @property
    def codes(self) -> tuple[str, ...]:
        """All codes, the worst first."""
        return (self.code, *self.further)
