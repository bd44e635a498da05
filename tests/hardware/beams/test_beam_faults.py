"""Bad wires, dips, flicker and hands at the beams → their health, and no passage that was not."""

from __future__ import annotations

import pytest

from hardware.beams.beam_pair import BeamEdge, BeamPair
from hardware.readings import DeviceHealth
from tests.hardware.beams.spheres_at_beams import (
    START,
    Pass,
    codes,
    dips,
    flicker,
    inverted,
    judged,
    passages,
    watched,
)


@pytest.mark.parametrize("first", ["front", "back"])
@pytest.mark.parametrize("later_s", [0.0, 0.00005, 0.001, 0.005])
@pytest.mark.parametrize("lasting_s", [0.003, 0.03, 0.3])
def test_a_dip_of_both_beams_is_no_passage(lasting_s: float, later_s: float, first: str) -> None:
    readings = judged(START + dips([5.0], lasting_s, later_s, first), 10.0)
    assert passages(readings) == []
    assert codes(readings) == ["beams_ok"], "one dip is no fault"


def test_a_sphere_on_its_way_is_not_lost_to_a_dip() -> None:
    sphere = Pass(15, 0.4, 5.0)
    between_s = (sphere.edges()[1].t_s + sphere.edges()[2].t_s) / 2
    edges = START + sphere.edges() + dips([between_s], 0.003, 0.0001, "back")
    (passage,) = passages(judged(sorted(edges, key=lambda edge: edge.t_s), 8.0))
    assert passage.outcome == "passed"
    assert passage.crossed_s == pytest.approx(5.0, abs=0.008)


def test_a_sphere_after_a_dip_in_which_the_back_beam_broke_first_did_not_come_back() -> None:
    readings = judged(START + dips([3.0], 0.05, 0.001, "back") + Pass(30, 1.0, 3.5).edges(), 6.0)
    assert [passage.outcome for passage in passages(readings)] == ["passed"]


@pytest.mark.parametrize("rate_hz", [100.0, 4.0, 0.5])
def test_beams_that_break_together_again_and_again_chatter_until_they_stop(rate_hz: float) -> None:
    beams = BeamPair()
    times_s = [5.0 + k / rate_hz for k in range(round(10 * rate_hz))]
    readings = judged(START + dips(times_s, 0.4 / rate_hz), 16.0, beams)
    assert passages(readings) == []
    assert codes(readings)[0] == "beams_ok"
    assert [each.codes for each in readings if isinstance(each, DeviceHealth)][-1] == (
        "beam_front_chattering",
        "beam_back_chattering",
    )
    after = judged(Pass(30, 0.8, 30.0).edges(), 33.0, beams, from_s=16.0)
    assert codes(after) == ["beams_ok"]
    assert [passage.outcome for passage in passages(after)] == ["passed"]


def test_beams_wired_the_wrong_way_round_are_not_said_to_flicker_by_spheres_that_pass() -> None:
    """Both are dark then, and a large sphere ends one gap of light as it begins the other."""
    edges = [edge for k in range(6) for edge in Pass(45, 1.0, 4.0 + k).edges()]
    told = judged(inverted(START + edges, "front"), 14.0)
    assert not [code for code in codes(told) if "chattering" in code]


@pytest.mark.parametrize("beams", [("front",), ("back",), ("front", "back")])
def test_wired_the_wrong_way_round_is_told_at_the_start_and_named_by_the_first_sphere(beams: tuple[str, ...]) -> None:
    edges = START + Pass(30, 0.8, 4.0).edges() + Pass(25, 0.6, 10.0).edges()
    readings = judged(inverted(edges, *beams), 14.0)
    told = codes(readings)
    assert told[0] == f"beam_{beams[0]}_dark_at_start"
    assert told[1] == f"beam_{beams[0]}_inverted"
    assert passages(readings) == []


def test_dark_a_moment_after_the_start_is_dark_at_the_start() -> None:
    told = judged([*START, BeamEdge(0.4, "front", True)], 4.0)
    assert codes(told)[-1] == "beam_front_dark_at_start"
    assert passages(told) == []


def test_mended_while_it_runs_it_is_trusted_again() -> None:
    judge = BeamPair()
    judged(inverted(START + Pass(30, 0.8, 4.0).edges(), "front"), 6.0, judge)
    told = judged([BeamEdge(7.0, "front", False)], 40.0, judge, from_s=6.0)
    assert codes(told) == ["beams_ok"]
    later = judged(Pass(30, 0.8, 45.0).edges(), 48.0, judge, from_s=40.0)
    assert [passage.outcome for passage in passages(later)] == ["passed"]


def test_a_sphere_that_is_stuck_in_a_beam_wired_the_wrong_way_round_does_not_make_it_trusted() -> None:
    """It keeps such a beam clear for as long as it is stuck."""
    judge = BeamPair()
    judged(inverted(START + Pass(30, 0.8, 4.0).edges(), "front"), 6.0, judge)
    told = judged([BeamEdge(7.0, "front", False), BeamEdge(22.0, "front", True)], 25.0, judge, from_s=6.0)
    assert (codes(told), passages(told)) == ([], [])


@pytest.mark.parametrize(("dead", "survivor"), [("front", "back"), ("back", "front")])
def test_a_dead_beam_is_named_after_three_spheres_the_other_saw(dead: str, survivor: str) -> None:
    edges = list(START)
    for k in range(4):
        edges += [edge for edge in Pass(30, 0.8, 4.0 + 6 * k).edges() if edge.beam == survivor]
    judge = BeamPair()
    told = codes(judged(edges, 26.0, judge))
    assert told == ["beams_ok", f"beam_{dead}_dead"]
    back_again = judged(Pass(30, 0.8, 30.0).edges(), 34.0, judge, from_s=26.0)
    assert codes(back_again) == ["beams_ok"]
    assert [passage.outcome for passage in passages(back_again)] == ["passed"]


def test_chattering_is_named_makes_no_passages_and_ends() -> None:
    edges = START + [BeamEdge(3.0 + 0.005 * k, "front", k % 2 == 0) for k in range(200)]
    judge = BeamPair()
    readings = judged(edges, 4.0, judge)
    assert codes(readings) == ["beams_ok", "beam_front_chattering"]
    assert len(passages(readings)) == 0
    after = judged(Pass(30, 0.8, 12.0).edges(), 15.0, judge, from_s=4.0)
    assert codes(after) == ["beams_ok"]
    assert [passage.outcome for passage in passages(after)] == ["passed"]


@pytest.mark.parametrize("beam", ["front", "back"])
@pytest.mark.parametrize("rate_hz", [3.0, 2.0, 1.2])
def test_a_beam_that_flickers_slowly_from_the_start_is_told_and_ends(beam: str, rate_hz: float) -> None:
    beams = BeamPair()
    assert codes(judged(START + flicker(beam, rate_hz, 0.05, 30.0), 30.0, beams)) == [f"beam_{beam}_chattering"]
    after = judged(Pass(30, 0.8, 40.0).edges(), 43.0, beams, from_s=30.0)
    assert codes(after) == ["beams_ok"]
    assert [passage.outcome for passage in passages(after)] == ["passed"]


@pytest.mark.parametrize("beam", ["front", "back"])
@pytest.mark.parametrize("attended", [True, False])
def test_a_beam_that_begins_to_flicker_slowly_is_told_and_the_other_is_not_blamed(beam: str, attended: bool) -> None:
    beams = watched()
    beams.attend(attended, 2.0)
    assert codes(judged(flicker(beam, 2.0, 5.0, 55.0), 55.0, beams, from_s=2.0)) == [f"beam_{beam}_chattering"]


@pytest.mark.parametrize("dark", [True, False])
def test_a_beam_that_flickers_and_then_rests_is_told_as_it_rests(dark: bool) -> None:
    edges = [*START, *flicker("front", 3.0, 0.05, 20.0)]
    told = codes(judged(edges if not dark else edges[:-1], 30.0))
    assert told == ["beam_front_chattering", "beam_front_dark_at_start" if dark else "beams_ok"]


@pytest.mark.parametrize("beam", ["front", "back"])
def test_blips_shorter_than_any_sphere_s_break_accuse_no_beam(beam: str) -> None:
    readings = judged(START + flicker(beam, 0.5, 5.0, 25.0, dark=0.0015), 30.0)
    assert codes(readings) == ["beams_ok"]
    assert passages(readings) == []


@pytest.mark.parametrize("beam", ["front", "back"])
def test_a_sleeve_in_one_beam_while_nobody_is_to_roll_accuses_no_beam(beam: str) -> None:
    beams = BeamPair()
    beams.attend(False, 0.0)
    assert codes(judged(START + flicker(beam, 0.2, 5.0, 30.0, dark=0.06), 35.0, beams)) == ["beams_ok"]


@pytest.mark.parametrize("beam", ["front", "back"])
def test_a_hand_in_one_beam_where_the_camera_sees_no_roll_accuses_no_beam(beam: str) -> None:
    assert codes(judged(flicker(beam, 0.2, 5.0, 30.0, dark=0.06), 35.0, watched(), from_s=2.0)) == []


def test_something_left_in_the_beam_is_named_after_a_while() -> None:
    told = codes(judged([*START, BeamEdge(5.0, "back", True), BeamEdge(120.0, "back", False)], 125.0))
    assert told == ["beams_ok", "beam_back_covered", "beams_ok"]


def test_both_beams_that_darken_at_once_are_told_within_two_seconds_without_a_camera_too() -> None:
    beams = BeamPair()
    dark = judged([*START, BeamEdge(5.0, "front", True), BeamEdge(5.003, "back", True)], 7.0, beams)
    told = [reading.codes for reading in dark if isinstance(reading, DeviceHealth)]
    assert told[-1] == ("beam_front_covered", "beam_back_covered")
    clear = judged([BeamEdge(8.0, "front", False), BeamEdge(8.0, "back", False)], 9.0, beams, from_s=7.0)
    assert codes(clear) == ["beams_ok"]
    stuck = judged([BeamEdge(12.0, "front", True), BeamEdge(12.1, "back", True)], 40.0, beams, from_s=9.0)
    assert codes(stuck) == [], "a large sphere that rests in its hole may break both, one after the other"
