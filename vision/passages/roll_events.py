"""Events of the sphere tracker: a roll started, reached the fence, ended."""

from __future__ import annotations

from typing import Literal

import msgspec

from vision.observations import Colour

RollOutcome = Literal["passed", "stuck", "short", "astray", "unknown"]


class RollStarted(msgspec.Struct, frozen=True):
    """A sphere began to roll in `lane` (None: between lanes) at `t_s`."""

    t_s: float
    lane: int | None
    colour: Colour


class FenceReached(msgspec.Struct, frozen=True):
    """A rolling sphere first touched the fence, or went out of sight behind it, at `t_s` (SM-39 counts from here)."""

    t_s: float
    lane: int | None


class RollEnded(msgspec.Struct, frozen=True):
    """A roll ended. `confidence` 0–1.

    `crossed_s` is when the centre crossed the fence's plane. It is None unless the sphere passed, and also if it rested
    in its hole and slipped through later.
    """

    t_s: float
    outcome: RollOutcome
    lane: int | None
    colour: Colour
    started_s: float
    crossed_s: float | None
    confidence: float


class RollSeen(msgspec.Struct, frozen=True):
    """A rolling sphere is in `lane` (None: between lanes), at `place` (`vision.passages.roll_place`), at `t_s`."""

    t_s: float
    lane: int | None
    place: int


RollEvent = RollStarted | FenceReached | RollEnded
