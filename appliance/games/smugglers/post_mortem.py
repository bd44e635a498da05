"""The secret masses of a finished game of Smugglers, for players who all agreed to see them (AP-4)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from appliance.games.base.folding import folded
from appliance.games.protocol import Action, Setup
from appliance.games.smugglers.rules.actions import Weigh
from appliance.games.smugglers.rules.rules import RULES

_DENSITY_G_CM3 = 1.14
"""Density of silicone bouncing putty (RULES §0.1), to compute a sphere's diameter from its mass."""


class Weighed(msgspec.Struct, frozen=True, kw_only=True):
    """One sphere of one round. `lighter_g` is the difference to the next heavier one of the round, None for the first.

    Spheres of a round are ordered heaviest first.
    """

    round: int
    seat: int
    mass_g: float
    diameter_mm: float
    lighter_g: float | None


def post_mortem(setup: Setup, actions: Sequence[Action]) -> tuple[Weighed, ...]:
    """Return every sphere that was weighed, with the last mass of its round.

    :raises ValueError: the actions do not fold.
    """
    masses: dict[tuple[int, int], float] = {}
    for before, action, _ in folded(RULES, setup, actions):
        if isinstance(action, Weigh):
            masses[before.round, action.seat] = action.mass_g
    told: list[Weighed] = []
    for (number, seat), mass_g in sorted(masses.items(), key=lambda one: (one[0][0], -one[1], one[0][1])):
        before = told[-1] if told and told[-1].round == number else None
        told.append(
            Weighed(
                round=number,
                seat=seat,
                mass_g=mass_g,
                diameter_mm=diameter_mm(mass_g),
                lighter_g=None if before is None else before.mass_g - mass_g,
            )
        )
    return tuple(told)


def diameter_mm(mass_g: float) -> float:
    """Return the diameter of a sphere of putty of that mass."""
    return 10.0 * math.cbrt(6.0 * mass_g / (math.pi * _DENSITY_G_CM3))
