"""Ground truth: the true events on the simulated table. Tests compare readings with it."""

from __future__ import annotations

from dataclasses import dataclass

from hardware.readings import Piece, PuttyColour
from hardware.twin.world.simulated_roll import TrueOutcome


@dataclass(frozen=True)
class DieFell:
    """The die came to rest showing `value`."""

    t_s: float
    value: int


@dataclass(frozen=True)
class Rolled:
    """A sphere rolled in `lane`. `outcome` is that of the physics, `crossed_s` when it went through the fence."""

    t_s: float
    colour: PuttyColour
    lane: int
    outcome: TrueOutcome
    crossed_s: float | None


@dataclass(frozen=True)
class Weighed:
    """A sphere was put on the pan: its true mass."""

    t_s: float
    colour: PuttyColour
    mass_g: float


@dataclass(frozen=True)
class SphereOpened:
    """A sphere's gems were laid into the tray; `pieces` are sorted."""

    t_s: float
    colour: PuttyColour
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class BossMoved:
    """The boss figure was put behind `lane`."""

    t_s: float
    lane: int


TrueEvent = DieFell | Rolled | Weighed | SphereOpened | BossMoved
