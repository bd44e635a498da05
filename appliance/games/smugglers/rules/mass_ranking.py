"""The order of spheres by mass, with ties (SM-51 … SM-54). Pure. No other module of the rules compares masses."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import msgspec

from appliance.games.smugglers.rules.state import RankedSphere, State

LEAST_MASS_G = 0.01
MOST_MASS_G = 1000.0
"""Range of masses that an action may hold."""
LEAST_STAND_IN_G = 900.0
"""Least substitute mass, far above any sphere. Four rungs of the widest tie band fit between it and `MOST_MASS_G`.

A substitute mass encodes what people found on a balance. It is never a fact about a sphere (AP-9).
"""


class Standing(msgspec.Struct, frozen=True):
    """The seats from largest to smallest, as far as the order is needed, and the seats that must roll a die for it.

    `tied` are the seats between which the dice decide now: the `rollers` and those who have already rolled.
    """

    seats: tuple[int, ...]
    rollers: tuple[int, ...]
    tied: tuple[int, ...]


def is_stand_in(mass_g: float) -> bool:
    """Return whether a mass is a substitute for what people found on a balance, not one of the scale."""
    return mass_g >= LEAST_STAND_IN_G


def within(a_g: float, b_g: float, band_g: float) -> bool:
    """Return whether two masses differ by `band_g` or less, computed with decimals as a scale shows them."""
    return abs(_decimal(a_g) - _decimal(b_g)) <= _decimal(band_g)


def standing(state: State, spheres: Sequence[RankedSphere]) -> Standing:
    """Order weighed spheres. Dice are needed only if an armchair, or the order of SM-94a, depends on them."""
    seats: list[int] = []
    rollers: list[int] = []
    tied: list[int] = []
    for group in tie_groups(spheres, state.options.tie_band_g):
        _settle(group, 0, chairs(state), seats, rollers, tied)
    # In the order of the seats: the order by mass within a tie stays secret (SM-54).
    at_table = [sphere.seat for sphere in spheres]
    return Standing(
        tuple(seats),
        tuple(seat for seat in at_table if seat in rollers),
        tuple(seat for seat in at_table if seat in tied),
    )


def chairs(state: State) -> int:
    """Return the number of armchairs in this round (SM-48, SM-49)."""
    return 1 if state.count == 2 else 2


def tie_groups(spheres: Sequence[RankedSphere], band_g: float) -> list[list[RankedSphere]]:
    """Split weighed spheres into tie groups. Each group starts at the heaviest remaining sphere (SM-54)."""
    rest = sorted(spheres, key=_mass, reverse=True)
    groups: list[list[RankedSphere]] = []
    while rest:
        floor = _mass(rest[0]) - _decimal(band_g)
        groups.append([sphere for sphere in rest if _mass(sphere) >= floor])
        rest = [sphere for sphere in rest if _mass(sphere) < floor]
    return groups


def _settle(
    group: list[RankedSphere], throw: int, places: int, seats: list[int], rollers: list[int], tied: list[int]
) -> None:
    """Append `group` to `seats` in order of its dice, from index `throw` on; equal dice roll again (SM-52, SM-53)."""
    if len(group) == 1 or len(seats) >= places:
        seats.extend(sphere.seat for sphere in group)
        return
    waiting = [sphere.seat for sphere in group if len(sphere.rolls) <= throw]
    if waiting:
        seats.extend(sphere.seat for sphere in group)
        rollers.extend(waiting)
        tied.extend(sphere.seat for sphere in group)
        return
    for value in sorted({sphere.rolls[throw] for sphere in group}, reverse=True):
        equal = [sphere for sphere in group if sphere.rolls[throw] == value]
        _settle(equal, throw + 1, places, seats, rollers, tied)


def _mass(sphere: RankedSphere) -> Decimal:
    assert sphere.mass_g is not None
    return _decimal(sphere.mass_g)


def _decimal(value: float) -> Decimal:
    return Decimal(str(value))
