"""A snapshot of the simulated table for the renderer: all objects and their places."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hardware.readings import Piece, PuttyColour

Array = NDArray[np.float64]


@dataclass(frozen=True)
class VisibleSphere:
    """A putty sphere in view. `form` is its shape matrix (3, 3) mm; `velocity_mm_s` is used for motion blur."""

    key: object
    colour: PuttyColour
    centre_mm: tuple[float, float, float]
    form: Array
    velocity_mm_s: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class DiePose:
    """The die: its centre, its rotation (3, 3) from die to table, whether it is tumbling."""

    centre_mm: tuple[float, float, float]
    turn: Array
    moving: bool


@dataclass(frozen=True)
class Stone:
    """A gem in the tray: its piece, its centre, and its rotation about the vertical in rad."""

    piece: Piece
    centre_mm: tuple[float, float, float]
    turn_rad: float


@dataclass(frozen=True)
class BossFigure:
    """The boss figure: x of its middle, and its rotation about the vertical in degrees."""

    x_mm: float
    yaw_deg: float = 0.0


@dataclass(frozen=True)
class Reach:
    """A hand over the table: position of its fingertips, mm, and the side that the arm comes from."""

    tip_mm: tuple[float, float, float]
    side: Literal["front", "back", "left", "right"] = "right"


@dataclass(frozen=True)
class Scene:
    """Everything that moves, at one moment. `light` is the lamp's level, 1 when normal."""

    t_s: float
    balls: tuple[VisibleSphere, ...] = ()
    die: DiePose | None = None
    stones: tuple[Stone, ...] = ()
    boss: BossFigure | None = None
    reaches: tuple[Reach, ...] = ()
    light: float = 1.0
    covered: bool = False
    hidden_markers: frozenset[int] = field(default_factory=frozenset)
