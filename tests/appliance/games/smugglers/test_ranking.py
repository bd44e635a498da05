"""Ties of spheres: who has to roll a die, and who need not (RULES §1.7)."""

from __future__ import annotations

import pytest

from appliance.games.smugglers.rules.actions import Attempt, Roll, TimeUp, Weigh
from appliance.games.smugglers.rules.rules import RULES
from tests.appliance.games.smugglers.play import a_setup, folded
from tests.appliance.games.smugglers.test_leaving import A, B, asked, rolled


@pytest.mark.parametrize(("third", "fourth"), [(18.0, 17.9), (18.0, 18.0)])
def test_sm48_no_die_is_asked_for_where_the_armchairs_are_taken_by_a_tie_before(third: float, fourth: float) -> None:
    """A and B tie for the armchairs, C and D tie behind them: only A and B roll."""
    masses = (20.0, 19.9, third, fourth)
    weighed = [Weigh(seat=seat, mass_g=mass_g) for seat, mass_g in enumerate(masses)]
    state = folded(a_setup(4), (*rolled(True, True, True, True), *weighed))
    assert asked(state) == {(A, "tie_roll"), (B, "tie_roll")}


def test_sm54_a_difference_of_exactly_the_band_is_a_tie_and_a_hair_more_is_none() -> None:
    weighed = (*rolled(True, True), Weigh(seat=A, mass_g=20.0))
    assert asked(folded(a_setup(2), (*weighed, Weigh(seat=B, mass_g=19.8)))) == {(A, "tie_roll"), (B, "tie_roll")}
    assert asked(folded(a_setup(2), (*weighed, Weigh(seat=B, mass_g=19.79)))) == {(A, "inspect")}


def test_sm54_without_a_band_only_equal_masses_tie() -> None:
    weighed = (*rolled(True, True), Weigh(seat=A, mass_g=20.0))
    setup = a_setup(2, tie_band_g=0)
    assert asked(folded(setup, (*weighed, Weigh(seat=B, mass_g=20.0)))) == {(A, "tie_roll"), (B, "tie_roll")}
    assert asked(folded(setup, (*weighed, Weigh(seat=B, mass_g=19.99)))) == {(A, "inspect")}


def test_screens_name_those_who_tie_and_not_the_one_who_is_heavier() -> None:
    weighed = [Weigh(seat=seat, mass_g=mass_g) for seat, mass_g in enumerate((30.0, 20.0, 20.0))]
    state = folded(a_setup(3), (*rolled(True, True, True), *weighed))
    assert RULES.view(state, None).tied == (1, 2)


@pytest.mark.parametrize(
    ("before_g", "after_g", "do"), [(20.0, 20.15, "attempt"), (20.15, 20.0, "attempt"), (20.0, 20.16, "weigh")]
)
def test_sm46_a_difference_of_exactly_the_tolerance_is_the_same_mass(before_g: float, after_g: float, do: str) -> None:
    first = (Roll(seat=A, value=2), TimeUp(), Weigh(seat=A, mass_g=before_g), Attempt(seat=A, outcome="stuck"))
    state = folded(a_setup(2, same_mass_check=True), (*first, Weigh(seat=A, mass_g=after_g)))
    assert (A, do) in asked(state)
