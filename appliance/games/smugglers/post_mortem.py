"""The secret masses of a finished game of Smugglers, for players who all agreed to see them (AP-4)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from appliance.games.base.folding import folded
from appliance.games.protocol import Action, Setup
from appliance.games.smugglers.rules.actions import Weigh
from appliance.games.smugglers.rules.mass_ranking import is_stand_in
from appliance.games.smugglers.rules.rules import RULES
from appliance.games.smugglers.rules.state import Trying

_DENSITY_G_CM3 = 1.14
"""Density of silicone bouncing putty (RULES §0.1), to compute a sphere's diameter from its mass."""


class Weighed(msgspec.Struct, frozen=True, kw_only=True):
    """One sphere of one round. `lighter_g` is the difference to the next heavier one of the round, None for the first.

    Spheres of a round are ordered heaviest first, those of the scale before those that people ranked on a balance.
    The latter have no mass, diameter or difference: nobody measured them (AP-9).
    """

    round: int
    seat: int
    mass_g: float | None
    diameter_mm: float | None
    lighter_g: float | None


def post_mortem(setup: Setup, actions: Sequence[Action]) -> tuple[Weighed, ...]:
    """Return every sphere that was weighed or ranked by hand, as its round's last weighing found it.

    What people said about a mass before an attempt (SM-46) ranks nothing, so it is left out.

    :raises ValueError: the actions do not fold.
    """
    masses: dict[tuple[int, int], float] = {}
    for before, action, _ in folded(RULES, setup, actions):
        if isinstance(action, Weigh) and not (is_stand_in(action.mass_g) and isinstance(before.stage, Trying)):
            masses[before.round, action.seat] = action.mass_g
    told: list[Weighed] = []
    for (number, seat), mass_g in sorted(masses.items(), key=_place):
        if is_stand_in(mass_g):
            told.append(Weighed(round=number, seat=seat, mass_g=None, diameter_mm=None, lighter_g=None))
            continue
        heavier_g = told[-1].mass_g if told and told[-1].round == number else None
        told.append(
            Weighed(
                round=number,
                seat=seat,
                mass_g=mass_g,
                diameter_mm=diameter_mm(mass_g),
                lighter_g=None if heavier_g is None else heavier_g - mass_g,
            )
        )
    return tuple(told)


def _place(weighed: tuple[tuple[int, int], float]) -> tuple[int, bool, float, int]:
    (number, seat), mass_g = weighed
    return number, is_stand_in(mass_g), -mass_g, seat


def diameter_mm(mass_g: float) -> float:
    """Return the diameter of a sphere of putty of that mass."""
    return 10.0 * math.cbrt(6.0 * mass_g / (math.pi * _DENSITY_G_CM3))
