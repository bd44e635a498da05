"""Staged passages that recordings do not hold: bumps, hands, other spheres, ways beside the lane."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.staged import LANE_X, Ball, Stage, way_down
from tests.vision.staged_passages import FPS, ends, rolled, watch

pytestmark = pytest.mark.slow


@pytest.fixture
def stage() -> Stage:
    """Each test has the same sensor's noise, whichever ran before it."""
    return Stage()


def test_a_bumped_table_is_no_roll(stage: Stage) -> None:
    ball = Ball(LANE_X[4], 220.0, 12.0)
    shaken = [
        stage.draw(
            ball, shift=(3 * np.sin(n) * np.exp(-abs(n - 40) / 8), 4 * np.cos(1.3 * n) * np.exp(-abs(n - 40) / 8))
        )
        for n in range(110)
    ]
    assert ends(watch(shaken)) == []


def test_a_bump_during_a_roll_does_not_mislead(stage: Stage) -> None:
    ys, _ = way_down(FPS)
    path = [ys[0]] * 12 + ys
    frames = [
        stage.draw(
            Ball(LANE_X[3], y, 16.0, "pink"), shift=(2 * np.sin(n), 3 * np.cos(1.3 * n)) if 25 < n < 40 else (0, 0)
        )
        for n, y in enumerate(path)
    ]
    [end] = ends(watch(frames))
    assert (end.outcome, end.lane) == ("passed", 3)


def test_a_sphere_on_the_landing_board_is_not_the_one_that_rolls(stage: Stage) -> None:
    lying = Ball(LANE_X[4] + 3, -40.0, 12.0, "orange")
    ys, _ = way_down(FPS, until_y=13.0)
    path = [ys[0]] * 12 + ys + [12.0] * 50
    frames = [stage.draw(lying, Ball(LANE_X[4], y, 14.0, "orange")) for y in path]
    [end] = ends(watch(frames))
    assert (end.outcome, end.lane) == ("stuck", 4)


def test_a_pass_beside_a_lying_sphere_is_still_a_pass(stage: Stage) -> None:
    lying = Ball(LANE_X[6], -60.0, 9.0, "green")
    ys, _ = way_down(FPS)
    frames = [stage.draw(lying, Ball(LANE_X[5], y, 15.0, "pink")) for y in [ys[0]] * 12 + ys]
    [end] = ends(watch(frames))
    assert (end.outcome, end.lane, end.colour) == ("passed", 5, "pink")


def test_a_sphere_that_changes_its_lane_goes_astray(stage: Stage) -> None:
    ys, _ = way_down(FPS)
    path = [ys[0]] * 12 + ys
    x = [LANE_X[3] + 40.0 * float(np.clip((150.0 - y) / 60.0, 0, 1)) for y in path]
    [end] = ends(watch(stage.draw(Ball(at, y, 12.0, "orange")) for at, y in zip(x, path, strict=True)))
    assert (end.outcome, end.lane) == ("astray", 3)


def test_a_sphere_that_hops_into_the_next_lane_and_stays_at_its_hole_is_astray(stage: Stage) -> None:
    ys, _ = way_down(FPS, until_y=13.0)
    path = [ys[0]] * 12 + ys + [12.0] * 50
    x = [LANE_X[5] - 40.0 * float(np.clip((140.0 - y) / 50.0, 0, 1)) for y in path]
    [end] = ends(watch(stage.draw(Ball(at, y, 14.5, "yellow")) for at, y in zip(x, path, strict=True)))
    assert (end.outcome, end.lane) == ("astray", 5)


def test_a_sphere_rolled_in_another_lane_is_reported_there(stage: Stage) -> None:
    frames, _ = rolled(stage, 2, 10.0, "green", FPS)
    [end] = ends(watch(frames))
    assert end.lane == 2


def test_a_sphere_that_jumps_the_fence_goes_astray(stage: Stage) -> None:
    ys, _ = way_down(FPS, speed=300.0)
    path = [ys[0]] * 12 + ys

    def height(y: float) -> float | None:
        hop = 1 - (y / 70.0) ** 2
        return 25.0 + 75.0 * hop if hop > 0 else None

    [end] = ends(watch(stage.draw(Ball(LANE_X[5], y, 14.0, "orange", z=height(y))) for y in path))
    assert (end.outcome, end.lane, end.crossed_s) == ("astray", 5, None)


def test_a_sphere_that_falls_off_the_side_goes_astray(stage: Stage) -> None:
    ys, _ = way_down(FPS, until_y=60.0)
    path = [ys[0]] * 12 + ys
    x = [LANE_X[7] + 60.0 * float(np.clip((130.0 - y) / 60.0, 0, 1)) for y in path]
    frames = [stage.draw(Ball(at, y, 13.0, "pink")) for at, y in zip(x, path, strict=True)]
    [end] = ends(watch([*frames, *[stage.draw()] * 50]))
    assert (end.outcome, end.lane) == ("astray", 7)


def test_a_hand_that_sets_a_sphere_down_and_lifts_it_is_no_roll(stage: Stage) -> None:
    ball = Ball(LANE_X[4], 220.0, 13.0, "orange")
    reach = [330.0 - 100.0 * k / 12 for k in range(13)]
    x = LANE_X[4]
    down = [stage.draw(hand=(x, y, 75.0)) for y in reach]
    laid = [stage.draw(ball, hand=(x, y, 75.0)) for y in reversed(reach)]
    rests = [stage.draw(ball) for _ in range(30)]
    takes = [stage.draw(ball, hand=(x, y, 75.0)) for y in reach] + [
        stage.draw(hand=(x, y, 75.0)) for y in reversed(reach)
    ]
    assert ends(watch([stage.draw(), *down, *laid, *rests, *takes, *[stage.draw()] * 40])) == []


def test_a_hand_that_straightens_a_sphere_is_no_roll(stage: Stage) -> None:
    x = LANE_X[4]
    reach = [330.0 - 118.0 * k / 14 for k in range(15)]
    nudge = [220.0 - 0.5 * k for k in range(9)]
    frames = [stage.draw(Ball(x, 220.0, 13.0, "green"))] * 20
    frames += [stage.draw(Ball(x, 220.0, 13.0, "green"), hand=(x + 5, y, 70.0)) for y in reach]
    frames += [stage.draw(Ball(x, y, 13.0, "green"), hand=(x + 5, y - 8.0, 70.0)) for y in nudge]
    frames += [stage.draw(Ball(x, 216.0, 13.0, "green"), hand=(x + 5, y, 70.0)) for y in reversed(reach)]
    frames += [stage.draw(Ball(x, 216.0, 13.0, "green")) for _ in range(80)]
    assert ends(watch(frames)) == []


@pytest.mark.parametrize("radius", [14.0, 20.0])
def test_a_finger_that_reaches_in_from_behind_is_no_sphere(stage: Stage, radius: float) -> None:
    """Of the arm, as wide as a sphere and of a putty's colour, the track shows the round end alone."""
    path = [224.0] * 14 + [222.0 - 2.0 * k for k in range(8)] + [208.0] * 3
    arms = [[Ball(LANE_X[4], tip + back, radius, "orange", z=70.0) for back in range(0, 61, 6)] for tip in path]
    frames = [stage.draw()] * 4 + [stage.draw(*arm) for arm in arms] + [stage.draw()] * 40
    assert ends(watch(frames)) == []


def test_what_moves_beside_the_track_is_no_roll(stage: Stage) -> None:
    """A cuff, or a sphere in somebody's hand: as large as a sphere and of a putty's colour."""
    path = [200.0 - 12.0 * k for k in range(14)]
    frames = [stage.draw()] * 6 + [stage.draw(Ball(-156.0, y, 9.0, "orange", z=30.0)) for y in path]
    assert ends(watch(frames + [stage.draw()] * 60)) == []


def test_a_hand_that_pushes_from_behind_does_not_hide_the_roll(stage: Stage) -> None:
    ys, crossed = way_down(FPS)
    assert crossed is not None
    x = LANE_X[5]
    reach = [330.0 - 85.0 * k / 14 for k in range(15)]
    frames = [stage.draw(Ball(x, ys[0], 14.0, "green"), hand=(x, y, 70.0)) for y in reach]
    back = [*[245.0] * 4, *reversed(reach)]
    frames += [
        stage.draw(Ball(x, y, 14.0, "green"), hand=(x, back[n], 70.0) if n < len(back) else None)
        for n, y in enumerate(ys)
    ]
    [end] = ends(watch([stage.draw(Ball(x, ys[0], 14.0, "green"))] * 8 + frames))
    assert (end.outcome, end.lane) == ("passed", 5)
    assert end.crossed_s is not None
    assert end.crossed_s * FPS == pytest.approx(8 + len(reach) + crossed, abs=0.5)
