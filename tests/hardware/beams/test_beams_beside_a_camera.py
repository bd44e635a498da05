"""What the beams say beside a camera that works: a sphere it saw accuses a beam that missed it."""

from __future__ import annotations

import msgspec
import pytest

from hardware.beams.beam_pair import BeamEdge, BeamPair
from hardware.readings import DeviceHealth, SphereOnTrack
from tests.hardware.beams.spheres_at_beams import (
    START,
    Pass,
    codes,
    judged,
    passages,
    seen,
    watched,
)


def test_a_beam_that_misses_what_the_camera_saw_roll_and_the_other_felt_is_dead() -> None:
    beams, told = watched(), []
    for k in range(3):
        at_s = 5.0 + 5.0 * k
        beams.see(SphereOnTrack(t_s=at_s - 0.5, lane=3, colour=None))
        front = [edge for edge in Pass(28.0, 0.6, at_s).edges() if edge.beam == "front"]
        told += codes(judged(front, at_s + 4.0, beams, from_s=at_s - 1.0))
    assert told == ["beam_back_dead"]


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


def test_a_front_beam_that_misses_a_sphere_in_its_hole_is_dead() -> None:
    beams = watched()
    beams.see(seen("stuck", 5.0))
    assert codes(judged([], 7.0, beams, 2.0)) == ["beam_front_dead"]


def test_a_sphere_that_went_astray_need_not_break_a_beam() -> None:
    beams = watched()
    beams.see(seen("astray", 5.0))
    assert codes(judged([], 9.0, beams, 2.0)) == []


@pytest.mark.parametrize(("before_s", "told"), [(5.0, True), (3.5, False), (-0.6, False), (-1.0, True)])
def test_a_sphere_keeps_a_beam_dark_that_started_at_most_four_seconds_before_and_is_told_a_little_later(
    before_s: float, told: bool
) -> None:
    """The camera may need 0.7 s to tell of a start."""
    beams = watched()
    if before_s > 0:
        beams.see(SphereOnTrack(t_s=8.0 - before_s, lane=3, colour=None))
    out = judged([BeamEdge(8.0, "front", True)], 8.5, beams, 2.0)
    if before_s < 0:
        beams.see(SphereOnTrack(t_s=8.0 - before_s, lane=3, colour=None))
    out += judged([], 12.0, beams, 8.5)
    assert codes(out) == (["beam_front_covered"] if told else [])


@pytest.mark.parametrize("on_track_s", [4.7, 4.8])
def test_a_beam_that_darkens_beside_a_sphere_that_went_astray_is_told_and_freed_when_it_is_taken_away(
    on_track_s: float,
) -> None:
    """The roll began at 4.7; the camera may tell of it later."""
    beams = watched()
    beams.see(SphereOnTrack(t_s=on_track_s, lane=3, colour=None))
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
