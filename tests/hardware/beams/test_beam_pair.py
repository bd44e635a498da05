"""Edges made by spheres whose truth is known → what the judge says of them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hardware.beams.beam_pair import BEAM_HEALTH, BeamEdge, BeamPair
from hardware.readings import BeamPassage, DeviceHealth, PassageSeen, Reading, SphereOnTrack
from hardware.rig import Rig

RIG = Rig()
HEIGHTS_MM = {"front": 16.0, "back": 8.0}
PLACES_MM = {"front": 14.0, "back": -14.0}


@dataclass
class Pass:
    """A sphere that rolls through at constant acceleration; `crossed_s` is when its centre is over the fence."""

    diameter_mm: float
    speed_m_s: float
    crossed_s: float
    acceleration_m_s2: float = 0.0

    def edges(self) -> list[BeamEdge]:
        radius = self.diameter_mm / 2
        out = []
        for beam, y_mm in PLACES_MM.items():
            surface_mm = RIG.ramp_z_mm(y_mm) if y_mm > 0 else RIG.landing_z_mm
            half_mm = math.sqrt(max(radius**2 - (surface_mm + radius - HEIGHTS_MM[beam]) ** 2, 0.0))
            if half_mm:
                out.append(BeamEdge(self.when_s(y_mm + half_mm), beam, True))
                out.append(BeamEdge(self.when_s(y_mm - half_mm), beam, False))
        return out

    def when_s(self, y_mm: float) -> float:
        way_m, v, a = -y_mm / 1000, self.speed_m_s, self.acceleration_m_s2
        return self.crossed_s + (way_m / v if a == 0 else (math.sqrt(v * v + 2 * a * way_m) - v) / a)


START = [BeamEdge(0.0, "front", False), BeamEdge(0.0, "back", False)]


def judged(edges: list[BeamEdge], until_s: float, judge: BeamPair | None = None, from_s: float = 0.0) -> list[Reading]:
    """Feed edges and a tick every 20 ms, in order of time."""
    judge = judge or BeamPair()
    moments: list[tuple[float, BeamEdge | None]] = [(edge.t_s, edge) for edge in edges]
    moments += [(from_s + 0.02 * k, None) for k in range(1, int((until_s - from_s) / 0.02))]
    out: list[Reading] = []
    for t_s, edge in sorted(moments, key=lambda moment: moment[0]):
        out += judge.tick(t_s) if edge is None else judge.edge(edge)
    return out


def passages(readings: list[Reading]) -> list[BeamPassage]:
    return [reading for reading in readings if isinstance(reading, BeamPassage)]


def codes(readings: list[Reading]) -> list[str]:
    return [reading.code for reading in readings if isinstance(reading, DeviceHealth)]


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


def test_it_came_to_rest_behind_the_fence_and_was_picked_up() -> None:
    edges = [*START, BeamEdge(2.0, "front", True), BeamEdge(2.04, "front", False)]
    edges += [BeamEdge(2.07, "back", True), BeamEdge(6.0, "back", False)]
    (passage,) = passages(judged(edges, 9.0))
    assert passage.outcome == "passed"
    assert passage.crossed_s == pytest.approx(2.055, abs=0.01)


# -- both beams at once: their supply dips, or a shadow falls on both


def dips(times_s: Iterable[float], lasting_s: float, later_s: float = 0.0, first: str = "front") -> list[BeamEdge]:
    """Breaks of both beams at these times; the one that is not `first` follows `later_s` later."""
    second = "back" if first == "front" else "front"
    return [
        BeamEdge(t_s + delay_s + (0.0 if broken else lasting_s), beam, broken)
        for t_s in times_s
        for beam, delay_s in ((first, 0.0), (second, later_s))
        for broken in (True, False)
    ]


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


def inverted(edges: list[BeamEdge], *beams: str) -> list[BeamEdge]:
    return [BeamEdge(edge.t_s, edge.beam, edge.broken != (edge.beam in beams)) for edge in edges]


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


def flicker(beam: str, rate_hz: float, from_s: float, until_s: float, dark: float = 0.5) -> list[BeamEdge]:
    """Breaks of one beam at this rate; each lasts the share `dark` of the period."""
    onsets_s = [from_s + k / rate_hz for k in range(round((until_s - from_s) * rate_hz))]
    return [
        BeamEdge(t_s, beam, broken)
        for onset_s in onsets_s
        for t_s, broken in ((onset_s, True), (onset_s + dark / rate_hz, False))
    ]


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


def test_a_beam_that_misses_what_the_camera_saw_roll_and_the_other_felt_is_dead() -> None:
    beams, told = watched(), []
    for k in range(3):
        at_s = 5.0 + 5.0 * k
        beams.see(SphereOnTrack(t_s=at_s - 0.5, lane=3, colour=None))
        front = [edge for edge in Pass(28.0, 0.6, at_s).edges() if edge.beam == "front"]
        told += codes(judged(front, at_s + 4.0, beams, from_s=at_s - 1.0))
    assert told == ["beam_back_dead"]


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


# -- what the camera saw


def watched() -> BeamPair:
    """Beams beside a camera that works and watches for a roll, well for two seconds."""
    beams = BeamPair()
    beams.see(DeviceHealth(t_s=0.0, device="camera", status="ok", code="camera_ok"))
    beams.attend(True, 0.0)
    assert codes(judged(START, 2.0, beams)) == ["beams_ok"]
    return beams


def seen(outcome: str, at_s: float) -> PassageSeen:
    return PassageSeen(
        t_s=at_s + 0.1,
        outcome=outcome,  # type: ignore[arg-type]  # an outcome
        lane=3,
        colour=None,
        started_s=at_s - 0.5,
        crossed_s=at_s if outcome == "passed" else None,
        confidence=0.9,
    )


@pytest.mark.parametrize("dead", ["front", "back"])
def test_a_beam_that_misses_a_sphere_which_the_camera_saw_pass_is_dead_within_two_seconds(dead: str) -> None:
    beams = watched()
    edges = [edge for edge in Pass(28.0, 0.6, 5.0).edges() if edge.beam != dead]
    out = judged(edges, 5.1, beams, 2.0)
    beams.see(seen("passed", 5.0))
    out += judged([], 7.0, beams, 5.1)
    assert codes(out) == [f"beam_{dead}_dead"]
    mended = judged(Pass(28.0, 0.6, 9.0).edges(), 9.5, beams, 7.0)
    assert codes(mended) == ["beams_ok"], "it broke: it is well"


def test_a_pass_at_a_moment_that_the_camera_does_not_know_accuses_a_beam_that_missed_it() -> None:
    beams = watched()
    edges = [edge for edge in Pass(28.0, 0.6, 5.0).edges() if edge.beam != "back"]
    out = judged(edges, 5.1, beams, 2.0)
    beams.see(msgspec.structs.replace(seen("passed", 5.0), crossed_s=None))
    out += judged([], 7.0, beams, 5.1)
    assert codes(out) == ["beam_back_dead"]


def test_a_sphere_that_both_beams_saw_accuses_neither() -> None:
    beams = watched()
    out = judged(Pass(28.0, 0.6, 5.0).edges(), 5.1, beams, 2.0)
    beams.see(seen("passed", 5.0))
    out += judged([], 9.0, beams, 5.1)
    assert codes(out) == []
    assert [passage.outcome for passage in passages(out)] == ["passed"]


def test_a_dark_beam_that_no_sphere_explains_is_told_within_two_seconds_and_its_end_too() -> None:
    beams = watched()
    dark = judged([BeamEdge(5.0, "front", True)], 7.0, beams, 2.0)
    assert codes(dark) == ["beam_front_covered"]
    clear = judged([BeamEdge(8.0, "front", False)], 9.0, beams, 7.0)
    assert codes(clear) == ["beams_ok"]


def test_a_sphere_that_is_stuck_in_its_hole_is_no_fault() -> None:
    beams = watched()
    beams.see(SphereOnTrack(t_s=4.4, lane=3, colour=None))
    out = judged([BeamEdge(5.0, "front", True)], 5.5, beams, 2.0)
    beams.see(seen("stuck", 5.2))
    out += judged([], 20.0, beams, 5.5)
    assert codes(out) == []


def test_a_beam_that_darkens_beside_a_sphere_that_went_astray_is_told_and_freed_when_it_is_taken_away() -> None:
    beams = watched()
    beams.see(SphereOnTrack(t_s=4.8, lane=3, colour=None))
    out = judged([BeamEdge(5.0, "front", True)], 5.5, beams, 2.0)
    beams.see(seen("astray", 5.2))
    out += judged([], 7.0, beams, 5.5)
    assert codes(out) == ["beam_front_covered"]
    assert codes(judged([BeamEdge(8.0, "front", False)], 9.0, beams, 7.0)) == ["beams_ok"]


def test_without_a_roll_to_come_a_dark_beam_is_told_whether_a_camera_watches_or_not() -> None:
    beams = BeamPair()
    beams.attend(False, 0.0)
    assert codes(judged([*START, BeamEdge(5.0, "back", True)], 7.0, beams)) == ["beams_ok", "beam_back_covered"]


def test_both_beams_have_their_word() -> None:
    beams = watched()
    (told,) = [
        reading
        for reading in judged([BeamEdge(5.0, "front", True), BeamEdge(5.0, "back", True)], 7.0, beams, 2.0)
        if isinstance(reading, DeviceHealth)
    ]
    assert told.codes == ("beam_front_covered", "beam_back_covered")
