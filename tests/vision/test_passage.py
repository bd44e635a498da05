"""Staged passages: through, stuck, short, tried again, in bad light, with frames lost."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.staged import BGR, HOLE, LANE_X, Ball, Stage, way_down
from tests.vision.staged_passages import FPS, ends, rolled, watch
from vision.passages.roll_events import FenceReached, RollEnded, RollStarted

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def stage() -> Stage:
    return Stage()


@pytest.mark.parametrize("fps", [28.0, 56.0])
@pytest.mark.parametrize("lane", range(1, 8))
def test_a_pass_is_seen_in_every_lane_and_timed_within_half_a_frame(stage: Stage, lane: int, fps: float) -> None:
    colour = list(BGR)[lane % 4]
    frames, crossed = rolled(stage, lane, HOLE[lane] / 2 - 1.5, colour, fps)
    happenings = watch(frames, fps=fps)
    [end] = ends(happenings)
    assert (end.outcome, end.lane, end.colour) == ("passed", lane, colour)
    assert end.crossed_s is not None
    assert end.crossed_s * fps == pytest.approx(crossed, abs=0.5)
    assert [type(each) for each in happenings] == [RollStarted, FenceReached, RollEnded]


def test_nothing_rolls_while_a_sphere_only_waits(stage: Stage) -> None:
    ball = Ball(LANE_X[4], 220.0, 12.0)
    assert watch(stage.draw(ball) for _ in range(150)) == []


def test_an_empty_noisy_table_stays_silent() -> None:
    noisy = Stage(noise=7.0)
    assert watch(noisy.draw() for _ in range(100)) == []


def test_a_sphere_that_stays_at_the_fence_is_stuck_soon_and_once(stage: Stage) -> None:
    ys, _ = way_down(FPS, until_y=13.0)
    path = [ys[0]] * 12 + ys + [12.0] * 80
    happenings = watch(stage.draw(Ball(LANE_X[3], y, 18.0, "green")) for y in path)
    [end] = ends(happenings)
    assert (end.outcome, end.lane, end.crossed_s) == ("stuck", 3, None)
    at_rest_s = (12 + len(ys)) / FPS
    assert at_rest_s < end.t_s < at_rest_s + 1.0
    [contact] = [each for each in happenings if isinstance(each, FenceReached)]
    assert contact.t_s == pytest.approx(at_rest_s, abs=3 / FPS)


def test_a_sphere_that_bounces_back_and_returns_is_stuck(stage: Stage) -> None:
    ys, _ = way_down(FPS, until_y=13.0)
    bounce = [12.0 + 22.0 * np.sin(np.pi * k / 30) for k in range(31)]
    path = [ys[0]] * 12 + ys + bounce + [12.0] * 45
    [end] = ends(watch(stage.draw(Ball(LANE_X[2], y, 13.0, "pink")) for y in path))
    assert (end.outcome, end.lane) == ("stuck", 2)


def test_a_stuck_sphere_that_creeps_through_has_passed_after_all(stage: Stage) -> None:
    ys, _ = way_down(FPS, until_y=13.0)
    out, _ = way_down(FPS, speed=200.0, start_y=10.0)
    path = [ys[0]] * 12 + ys + [12.0] * 60 + out
    found = ends(watch(stage.draw(Ball(LANE_X[5], y, 15.0, "yellow")) for y in path))
    assert [(end.outcome, end.crossed_s) for end in found] == [("stuck", None), ("passed", None)]
    assert found[0].started_s == found[1].started_s


def test_a_sphere_that_rests_in_its_hole_for_less_than_is_stuck_has_no_crossing_time(stage: Stage) -> None:
    """The fence hides at which speed it went on."""
    ys, _ = way_down(FPS, until_y=13.0)
    out, _ = way_down(FPS, speed=200.0, start_y=10.0)
    path = [ys[0]] * 12 + ys + [12.0] * 26 + out
    [end] = ends(watch(stage.draw(Ball(LANE_X[5], y, 15.0, "yellow")) for y in path))
    assert (end.outcome, end.crossed_s) == ("passed", None)


def test_a_short_roll_may_be_pushed_again(stage: Stage) -> None:
    first = [220.0 - 14.0 * (1 - np.exp(-k / 8)) for k in range(60)]
    again, _ = way_down(FPS, start_y=206.0)
    path = [220.0] * 12 + first + [206.0] * 30 + again
    found = ends(watch(stage.draw(Ball(LANE_X[6], y, 9.0, "orange")) for y in path))
    assert [(end.outcome, end.lane) for end in found] == [("short", 6), ("passed", 6)]


def test_a_push_that_moves_it_by_three_millimetres_is_a_short_roll(stage: Stage) -> None:
    path = [220.0] * 20 + [220.0 - 3.0 * k / 10 for k in range(10)] + [217.0] * 80
    [end] = ends(watch(stage.draw(Ball(LANE_X[3], y, 15.0, "yellow")) for y in path))
    assert (end.outcome, end.lane) == ("short", 3)


def test_a_sphere_that_stops_on_the_ramp_is_short(stage: Stage) -> None:
    ys, _ = way_down(FPS, until_y=90.0)
    path = [ys[0]] * 12 + ys + [90.0] * 50
    [end] = ends(watch(stage.draw(Ball(LANE_X[1], y, 14.0, "pink")) for y in path))
    assert (end.outcome, end.lane) == ("short", 1)


def test_dropped_frames_change_neither_verdict_nor_crossing(stage: Stage) -> None:
    frames, crossed = rolled(stage, 4, 12.0, "green", FPS)
    rng = np.random.default_rng(3)
    kept = [n for n in range(len(frames)) if rng.random() > 0.4]
    [end] = ends(watch([frames[n] for n in kept], [n / FPS for n in kept]))
    assert (end.outcome, end.lane) == ("passed", 4)
    assert end.crossed_s is not None
    assert end.crossed_s * FPS == pytest.approx(crossed, abs=0.5)


def test_a_gap_over_the_crossing_is_bridged(stage: Stage) -> None:
    frames, crossed = rolled(stage, 5, 14.0, "orange", FPS)
    kept = [n for n in range(len(frames)) if abs(n - crossed) > 2.5]
    [end] = ends(watch([frames[n] for n in kept], [n / FPS for n in kept]))
    assert end.outcome == "passed"
    assert end.crossed_s is not None
    assert end.crossed_s * FPS == pytest.approx(crossed, abs=0.5)


def test_a_roll_whose_end_was_never_seen_is_unknown(stage: Stage) -> None:
    frames, crossed = rolled(stage, 4, 12.0, "green", FPS)
    before = [n for n in range(len(frames)) if n < crossed - 6]
    empty = stage.draw()
    after_s = [crossed / FPS + 0.7 + k / FPS for k in range(80)]
    [end] = ends(watch([*(frames[n] for n in before), *[empty] * 80], [*(n / FPS for n in before), *after_s]))
    assert end.outcome == "unknown"


def test_flickering_light_changes_nothing(stage: Stage) -> None:
    ys, crossed = way_down(FPS)
    assert crossed is not None
    path = [ys[0]] * 12 + ys
    frames = [
        stage.draw(Ball(LANE_X[7], y, 17.0, "yellow"), light=1 + 0.22 * np.sin(1.9 * n)) for n, y in enumerate(path)
    ]
    [end] = ends(watch(frames))
    assert (end.outcome, end.lane, end.colour) == ("passed", 7, "yellow")
    assert end.crossed_s is not None
    assert end.crossed_s * FPS == pytest.approx(12 + crossed, abs=0.5)


def test_the_light_goes_out_for_a_moment_before_the_roll(stage: Stage) -> None:
    frames, _ = rolled(stage, 2, 10.5, "pink", FPS)
    dark = [stage.draw(light=0.01) for _ in range(20)]
    assert [end.outcome for end in ends(watch([*[stage.draw()] * 3, *dark, *frames]))] == ["passed"]


def test_how_a_roll_ended_in_the_dark_is_not_told_ap_7(stage: Stage) -> None:
    ys, _ = way_down(FPS, until_y=13.0)
    lit = [stage.draw(Ball(LANE_X[4], y, 12.0, "pink")) for y in [ys[0]] * 12 + ys + [12.0] * 10]
    dark = [stage.draw(Ball(LANE_X[4], 12.0, 12.0, "pink"), light=0.02) for _ in range(100)]
    beyond = [stage.draw(Ball(LANE_X[4], -80.0, 12.0, "pink")) for _ in range(60)]
    [end] = ends(watch([*lit, *dark, *beyond]))
    assert end.outcome == "unknown"


def test_a_stuck_sphere_is_lifted_set_down_and_rolled_a_second_time(stage: Stage) -> None:
    x, radius = LANE_X[4], 14.5
    ys, _ = way_down(FPS, until_y=13.0)
    down = [stage.draw(Ball(x, y, radius, "green")) for y in [ys[0]] * 12 + ys + [12.0] * 50]
    over = [330.0 - 310.0 * k / 20 for k in range(21)]
    take = [stage.draw(Ball(x, 12.0, radius, "green"), hand=(x, y, 60.0)) for y in over]
    take += [stage.draw(hand=(x, y, 60.0)) for y in reversed(over)]
    set_down = [stage.draw(Ball(x, ys[0], radius, "green"), hand=(x, y, 80.0)) for y in range(215, 330, 8)]
    found = ends(watch([*down, *take, *set_down, *down]))
    assert [(end.outcome, end.lane) for end in found] == [("stuck", 4), ("stuck", 4)]
