"""Putty: a lump with a colour, a mass, a shape that flattens with time (creep), and the gems inside.

Silicone bouncing putty has a density of about 1.14 g/cm³ (RULES §0.1) and flows flat within hours. The shape is an
ellipsoid: its calipers, volume and silhouette are exact, and it is as irregular as a ball rolled by hand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from random import Random

import numpy as np
from numpy.typing import NDArray

from hardware.readings import Piece, PuttyColour

Array = NDArray[np.float64]

PUTTY_G_PER_CM3 = 1.14
GEM_MASS_G = 0.31
GEM_VOLUME_CM3 = 0.26
CREEP_TIME_S = 5400.0
"""Time in which a ball at rest would lose 1 − 1/e of its height ("puddles within hours")."""


def sphere_mass_g(diameter_mm: float, pieces: int = 1) -> float:
    """Return the mass of a solid ball of putty of this mean diameter with `pieces` gems inside."""
    volume_cm3 = math.pi / 6 * (diameter_mm / 10) ** 3
    return (volume_cm3 - pieces * GEM_VOLUME_CM3) * PUTTY_G_PER_CM3 + pieces * GEM_MASS_G


@dataclass(frozen=True)
class Lump:
    """A piece of putty rolled by hand. It is immutable: functions that change it return a new one.

    :param putty_g: mass of the putty without gems.
    :param stretch: semi-axis ratios of the ellipsoid, product 1, when it was last rounded (time `rounded_s`).
    :param turn: orientation of the axes, 3×3; the columns are the axes in table coordinates at rest.
    """

    colour: PuttyColour
    putty_g: float
    pieces: tuple[Piece, ...]
    rounded_s: float
    stretch: tuple[float, float, float] = (1.0, 1.0, 1.0)
    turn: Array = field(default_factory=lambda: np.eye(3), compare=False)

    @property
    def mass_g(self) -> float:
        """Mass of putty and gems."""
        return self.putty_g + len(self.pieces) * GEM_MASS_G

    @property
    def mean_diameter_mm(self) -> float:
        """Diameter of the ball of the same volume."""
        volume_cm3 = self.putty_g / PUTTY_G_PER_CM3 + len(self.pieces) * GEM_VOLUME_CM3
        return 10 * math.pow(6 * volume_cm3 / math.pi, 1 / 3)

    def flattening(self, now_s: float) -> float:
        """Return the fraction of its height lost by creep since it was rounded, 0–1."""
        return 1 - math.exp(-max(now_s - self.rounded_s, 0.0) / CREEP_TIME_S)

    def form(self, now_s: float) -> Array:
        """Return the shape matrix F, 3×3, mm: the surface is {F·u, |u| = 1}, in table coordinates at rest.

        With flattening f, creep scales the vertical by 1 − f and the horizontals by 1/√(1 − f). The volume is constant.
        """
        flat = 1 - self.flattening(now_s)
        squash = np.diag([flat**-0.5, flat**-0.5, flat])
        radius_mm = self.mean_diameter_mm / 2
        return np.asarray(squash @ self.turn @ np.diag(self.stretch) * radius_mm)

    def calipers_mm(self, now_s: float) -> tuple[float, float]:
        """Return the smallest and the largest distance of two parallel planes touching the putty."""
        widths = 2 * np.linalg.svd(self.form(now_s), compute_uv=False)
        return float(widths[-1]), float(widths[0])


def roll_between_hands(lump: Lump, rng: Random, spread: float, now_s: float) -> Lump:
    """Return the lump rounded again: without creep, with calipers that differ by about `spread` (0.02 = 2 %)."""
    long = 1 + abs(rng.gauss(0.0, spread / 2)) / 2
    short = 1 / (1 + abs(rng.gauss(0.0, spread / 2)) / 2)
    middle = 1 / (long * short)
    axes = np.random.default_rng(rng.getrandbits(32)).normal(size=(3, 3))
    turn, _ = np.linalg.qr(axes)
    return replace(lump, rounded_s=now_s, stretch=(long, middle, short), turn=np.asarray(turn))


def sculpt(
    colour: PuttyColour,
    diameter_mm: float,
    pieces: tuple[Piece, ...],
    *,
    rng: Random,
    spread: float = 0.015,
    now_s: float = 0.0,
) -> Lump:
    """Return a new sphere of this mean diameter around `pieces`.

    :raises ValueError: the diameter leaves no room for the gems.
    """
    putty_g = sphere_mass_g(diameter_mm, len(pieces)) - len(pieces) * GEM_MASS_G
    if putty_g <= 0:
        raise ValueError(f"a sphere of {diameter_mm} mm cannot hold {len(pieces)} gems")
    return roll_between_hands(Lump(colour, putty_g, pieces, now_s), rng, spread, now_s)
