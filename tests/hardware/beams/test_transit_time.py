"""How fast a sphere can come from beam to beam, for rigs of other measures than the standard one."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from hardware.beams.transit_time import least_transit_s
from hardware.rig import Beam, Rig


def rig(front_y_mm: float = 14.0, back_y_mm: float = -14.0, top_mm: float = 55.0) -> Rig:
    beams = (Beam("front", 17, front_y_mm, 16.0), Beam("back", 27, back_y_mm, 8.0))
    return replace(Rig(), beams=beams, ramp_top=(200.0, top_mm))


def test_on_the_standard_rig_it_is_between_an_electrical_skew_and_the_fastest_roll() -> None:
    assert 0.005 < least_transit_s(Rig()) < 0.010


def test_beams_farther_apart_take_longer_and_a_higher_ramp_less() -> None:
    assert least_transit_s(rig(back_y_mm=-30.0)) > least_transit_s(rig())
    assert least_transit_s(rig(top_mm=150.0)) < least_transit_s(rig())


def test_no_time_is_too_short_where_a_sphere_may_reach_both_beams_at_once() -> None:
    assert least_transit_s(rig(2.0, -2.0)) == 0.0


@pytest.mark.parametrize("beams", [(), (Beam("front", 17, 14.0, 16.0),)])
def test_without_both_beams_no_time_is_too_short(beams: tuple[Beam, ...]) -> None:
    assert least_transit_s(replace(Rig(), beams=beams)) == 0.0
