"""Putty: mass, volume, calipers and creep against the textbook."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest

from hardware.readings import Piece
from hardware.twin.world import putty
from hardware.twin.world.putty import Lump


def lump(
    diameter_mm: float = 30.0,
    spread: float = 0.03,
    seed: int = 1,
    pieces: tuple[Piece, ...] = ("sweet",),
) -> Lump:
    return putty.sculpt("pink", diameter_mm, pieces, rng=Random(seed), spread=spread, now_s=0.0)


def test_solid_spheres_weigh_what_the_rule_papers_table_says() -> None:
    """RULES §0.1, engineering table: diameters and grams at 1.14 g/cm³."""
    table = {20: 4.8, 24: 8.3, 25: 9.3, 28: 13.1, 30: 16.1, 32: 19.6, 35: 25.6, 38: 32.8, 40: 38.2}
    for diameter_mm, grams in table.items():
        assert putty.sphere_mass_g(diameter_mm, pieces=0) == pytest.approx(grams, abs=0.06)


def test_a_sculpted_sphere_has_the_diameter_asked_for_whatever_is_inside() -> None:
    for pieces in ((), ("bomb",), ("sour", "sweet")):
        made = lump(27.5, pieces=pieces)
        assert made.mean_diameter_mm == pytest.approx(27.5, abs=1e-9)
        assert made.mass_g == pytest.approx(putty.sphere_mass_g(27.5, len(pieces)))


def test_calipers_are_the_distances_of_touching_planes() -> None:
    made = lump(spread=0.06, seed=4)
    form = made.form(0.0)
    directions = np.random.default_rng(0).normal(size=(20000, 3))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    widths = 2 * np.linalg.norm(directions @ form, axis=1)
    smallest, largest = made.calipers_mm(0.0)
    assert widths.min() == pytest.approx(smallest, rel=2e-3)
    assert widths.max() == pytest.approx(largest, rel=2e-3)
    assert smallest < made.mean_diameter_mm < largest


def test_putty_flattens_at_rest_and_keeps_its_volume() -> None:
    made = lump(spread=0.0)
    fresh, later = made.calipers_mm(0.0), made.calipers_mm(3600.0)
    assert later[0] < 0.7 * fresh[0]
    assert later[1] > fresh[1]
    volume = 4 / 3 * math.pi * np.linalg.det(made.form(3600.0))
    assert volume == pytest.approx(4 / 3 * math.pi * 15.0**3, rel=1e-9)


def test_two_minutes_on_the_bench_cost_a_tight_sphere_its_hole_and_rolling_it_again_mends_it() -> None:
    """RULES SM-30, SM-45: why late rollers re-round."""
    made = lump(26.8, spread=0.0)
    assert made.calipers_mm(0.0)[1] < 27.0 < made.calipers_mm(120.0)[1]
    again = putty.roll_between_hands(made, Random(2), 0.0, now_s=120.0)
    assert again.calipers_mm(120.0)[1] < 27.0
    assert again.mass_g == made.mass_g
    assert again.pieces == made.pieces


def test_a_sphere_too_small_for_its_gems_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot hold 2 gems"):
        lump(6.0, pieces=("sweet", "sour"))
