"""Edges made by spheres whose truth is known → the passages that the beams tell."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hardware.beams.beam_pair import BEAM_HEALTH, BeamEdge, BeamPair
from hardware.readings import BeamPassage, DeviceHealth, Reading
from tests.hardware.beams.spheres_at_beams import (
    START,
    Pass,
    codes,
    judged,
    passages,
)


@given(
    diameter_mm=st.floats(15, 45),
    speed_m_s=st.floats(0.3, 2.0),
    acceleration_m_s2=st.sampled_from([-0.5, -0.2, 0.0, 0.4, 1.0, 1.7]),
    seed=st.integers(0, 1_000),
)
def test_every_sphere_that_rolls_through_has_passed_at_its_moment(
    diameter_mm: float, speed_m_s: float, acceleration_m_s2: float, seed: int
) -> None:
    assume(speed_m_s**2 > 0.15 * acceleration_m_s2)  # slower, it would not have started that far uphill
    sphere = Pass(diameter_mm, speed_m_s, 3.0, acceleration_m_s2)
    rng = Random(seed)
    edges = START + sphere.edges()
    for _ in range(rng.randrange(6)):  # noise: blinks of half a millisecond while nothing else changes
        t_s = rng.uniform(1.0, 2.5)
        beam = rng.choice(["front", "back"])
        edges += [BeamEdge(t_s, beam, True), BeamEdge(t_s + 0.0005, beam, False)]
    readings = judged(edges, 4.0)
    (passage,) = passages(readings)
    assert passage.outcome == "passed"
    assert passage.crossed_s == pytest.approx(3.0, abs=0.008)
    assert codes(readings) == ["beams_ok"]


@given(gap_s=st.floats(0.25, 3.0), first=st.floats(15, 45), second=st.floats(15, 45), speed_m_s=st.floats(0.4, 2.0))
def test_two_spheres_are_two_passages(gap_s: float, first: float, second: float, speed_m_s: float) -> None:
    edges = START + Pass(first, speed_m_s, 3.0).edges() + Pass(second, speed_m_s, 3.0 + gap_s).edges()
    found = passages(judged(edges, 4.0 + gap_s))
    assert [passage.outcome for passage in found] == ["passed", "passed"]
    assert [passage.crossed_s for passage in found] == pytest.approx([3.0, 3.0 + gap_s], abs=0.008)


@given(st.lists(st.tuples(st.floats(0, 8), st.sampled_from(["front", "back", "side"]), st.booleans()), max_size=60))
def test_no_edges_whatever_make_it_fail_or_speak_of_the_future(raw: list[tuple[float, str, bool]]) -> None:
    edges = [BeamEdge(t_s, beam, broken) for t_s, beam, broken in sorted(raw)]
    for reading in judged(edges, 10.0):
        assert reading.t_s <= 10.0
        if isinstance(reading, BeamPassage):
            assert reading.first_broken_s <= reading.t_s
            assert (reading.crossed_s is not None) == (reading.outcome == "passed")
        if isinstance(reading, DeviceHealth):
            assert reading.code in BEAM_HEALTH


def test_a_blink_whose_end_is_told_late_is_still_noise() -> None:
    judge = BeamPair()
    told: list[Reading] = []
    for edge in START:
        told += judge.edge(edge)
    told += judge.tick(2.0)
    told += judge.edge(BeamEdge(3.0, "front", True))
    told += judge.tick(3.015)
    told += judge.edge(BeamEdge(3.0005, "front", False))
    for k in range(1, 100):
        told += judge.tick(3.0 + 0.02 * k)
    assert passages(told) == []


def test_wedged_in_its_hole_is_blocked_once_and_taken_away_is_no_passage() -> None:
    edges = [*START, BeamEdge(2.0, "front", True), BeamEdge(9.0, "front", False)]
    found = passages(judged(edges, 12.0))
    assert [(passage.outcome, passage.crossed_s) for passage in found] == [("blocked", None)]
    assert found[0].t_s == pytest.approx(2.5, abs=0.03)


def test_hung_in_its_hole_and_then_through_is_blocked_and_then_passed() -> None:
    edges = [*START, BeamEdge(2.0, "front", True), BeamEdge(2.9, "back", True)]
    edges += [BeamEdge(2.91, "front", False), BeamEdge(2.95, "back", False)]
    found = passages(judged(edges, 6.0))
    assert [passage.outcome for passage in found] == ["blocked", "passed"]
    assert found[1].crossed_s == pytest.approx(2.9, abs=0.02)


def test_bounced_off() -> None:
    edges = [*START, BeamEdge(2.0, "front", True), BeamEdge(2.08, "front", False)]
    assert [passage.outcome for passage in passages(judged(edges, 5.0))] == ["bounced"]


@pytest.mark.parametrize("second", ["stays", "passes"])
def test_a_sphere_that_bounces_and_comes_back_is_one_sphere(second: str) -> None:
    edges = [*START, BeamEdge(2.0, "front", True), BeamEdge(2.03, "front", False)]
    edges += [BeamEdge(2.2, "front", True)] if second == "stays" else Pass(20, 0.4, 2.3).edges()
    (passage,) = passages(judged(edges, 5.0))
    assert passage.outcome == ("blocked" if second == "stays" else "passed")
    assert second == "stays" or passage.crossed_s == pytest.approx(2.3, abs=0.008)


def test_a_sphere_that_bounces_and_then_creeps_through_is_one_sphere() -> None:
    edges = [*START, BeamEdge(2.0, "front", True), BeamEdge(2.03, "front", False)]
    edges += [BeamEdge(2.2, "front", True), BeamEdge(2.25, "front", False)]
    edges += [BeamEdge(2.45, "back", True), BeamEdge(2.5, "back", False)]
    (passage,) = passages(judged(edges, 6.0))
    assert passage.outcome == "passed"
    assert passage.crossed_s == pytest.approx((2.225 + 2.475) / 2, abs=0.01), "half-way between the middles"


def test_a_hand_that_takes_the_sphere_from_behind_the_fence_accuses_no_beam() -> None:
    edges = START + Pass(30, 0.8, 5.0).edges()
    for reached_s in (5.4, 6.3, 7.2):
        edges += [BeamEdge(reached_s, "back", True), BeamEdge(reached_s + 0.3, "back", False)]
    readings = judged(edges, 12.0)
    assert codes(readings) == ["beams_ok"]
    assert [passage.outcome for passage in passages(readings)] == ["passed"]


def test_the_wrong_way() -> None:
    edges = [*START, BeamEdge(2.0, "back", True), BeamEdge(2.05, "back", False)]
    edges += [BeamEdge(2.07, "front", True), BeamEdge(2.12, "front", False)]
    assert [passage.outcome for passage in passages(judged(edges, 5.0))] == ["reversed"]


def test_a_sphere_in_another_lane_does_not_free_the_one_that_is_stuck() -> None:
    edges = [*START, BeamEdge(2.0, "front", True), BeamEdge(4.0, "back", True), BeamEdge(4.04, "back", False)]
    edges += [BeamEdge(7.0, "front", False)]
    assert [passage.outcome for passage in passages(judged(edges, 10.0))] == ["blocked"]


def test_a_sphere_that_creeps_out_of_the_front_beam_with_the_back_one_broken_is_not_blocked() -> None:
    times_s = ((3.0, "front", True), (3.3, "back", True), (3.8, "front", False), (3.9, "back", False))
    found = passages(judged(START + [BeamEdge(*edge) for edge in times_s], 6.0))
    assert [passage.outcome for passage in found] == ["passed"]


def test_it_came_to_rest_behind_the_fence_and_was_picked_up() -> None:
    edges = [*START, BeamEdge(2.0, "front", True), BeamEdge(2.04, "front", False)]
    edges += [BeamEdge(2.07, "back", True), BeamEdge(6.0, "back", False)]
    (passage,) = passages(judged(edges, 9.0))
    assert passage.outcome == "passed"
    assert passage.crossed_s == pytest.approx(2.055, abs=0.01)


def test_a_lost_edge_costs_one_sphere_and_not_the_next() -> None:
    first = [edge for edge in Pass(30, 0.8, 4.0).edges() if (edge.beam, edge.broken) != ("front", False)]
    edges = START + first + Pass(30, 0.8, 9.0).edges()
    found = passages(judged(edges, 13.0))
    assert found[-1].outcome == "passed"
    assert found[-1].crossed_s == pytest.approx(9.0, abs=0.01)


def test_readings_carry_neither_chord_nor_speed() -> None:
    """AP-4: two spheres of different size and speed differ in nothing but their stamps."""
    for sphere in (Pass(18, 1.4, 5.0), Pass(38, 0.5, 5.0)):
        (passage,) = passages(judged(START + sphere.edges(), 8.0))
        assert set(passage.__struct_fields__) == {"t_s", "outcome", "first_broken_s", "crossed_s"}
