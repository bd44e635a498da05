"""Passages: recorded clips against their written truth, and staged moments that recordings do not hold."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

import cv2
import numpy as np
import pytest

from hardware.cameras.camera_model import CameraModel, CameraView, Pose
from hardware.rig import Rig
from tests.vision.staged import BGR, CAMERA, CLIPS, HOLE, LANE_X, Ball, Frame, Stage, way_down
from vision.markers import NoMarkers
from vision.passages.clip import ClipCutShort, UnreadableClip
from vision.passages.passage import PassageTracker, watch_clip
from vision.passages.roll_events import FenceReached, RollEnded, RollStarted

pytestmark = pytest.mark.slow

FPS = 56.0
RIG = Rig()
CAMERA_MODEL = CameraModel(
    width_px=768,
    height_px=432,
    focal_px=tuple(CAMERA["focal_px"]),
    centre_px=tuple(CAMERA["centre_px"]),
    distortion=tuple(CAMERA["distortion"]),
)
VIEW = CameraView(CAMERA_MODEL, Pose(tuple(CAMERA["rvec"]), tuple(CAMERA["tvec"])))
DATA = os.environ.get("SMUGGLERS_DATA")
SHARED_CLIPS = sorted(Path(DATA).glob("table/s*/clips/*.mp4")) if DATA else []


@pytest.fixture(scope="module")
def stage() -> Stage:
    return Stage()


def watch(frames: Iterable[Frame], stamps: Iterable[float] | None = None, fps: float = FPS) -> list[object]:
    watcher = PassageTracker(VIEW, RIG)
    happenings: list[object] = []
    t_s = 0.0
    for number, frame in enumerate(frames):
        t_s = number / fps if stamps is None else list(stamps)[number]
        happenings += watcher.feed(frame, t_s)
    return [*happenings, *watcher.finish(t_s)]


def ends(happenings: list[object]) -> list[RollEnded]:
    return [each for each in happenings if isinstance(each, RollEnded)]


def rolled(
    stage: Stage, lane: int, radius: float, colour: str, fps: float, **draw: object
) -> tuple[list[Frame], float]:
    """A ball waits for a fifth of a second and rolls down; also the frame at which it truly crosses."""
    ys, crossed = way_down(fps)
    assert crossed is not None
    wait = round(0.2 * fps)
    balls = [Ball(LANE_X[lane], y, radius, colour) for y in [ys[0]] * wait + ys]
    return [stage.draw(ball, **draw) for ball in balls], wait + crossed  # type: ignore[arg-type]


def judged_right(path: Path, camera: CameraModel) -> None:
    truth = json.loads(path.with_suffix(".json").read_text())
    [passage] = watch_clip(path, camera, RIG)
    colour = truth["sphere"]["colour"] if truth["outcome"] != "none" else "unknown"
    lane = truth["lane"] if truth["outcome"] != "none" else None
    assert (passage.outcome, passage.lane, passage.colour) == (truth["outcome"], lane, colour)
    if truth["outcome"] == "passed":
        assert passage.frame_cross == pytest.approx(truth["fence_cross_frame"], abs=0.5)
        assert passage.t_cross_s == pytest.approx(truth["fence_cross_frame"] / truth["fps"], abs=0.5 / truth["fps"])
    else:
        assert passage.frame_cross is None


@pytest.mark.parametrize("name", ["clip_00", "clip_01"])
def test_a_recorded_clip_is_judged_as_its_truth_says(name: str) -> None:
    judged_right(CLIPS / f"{name}.mp4", CAMERA_MODEL)


@pytest.mark.skipif(not SHARED_CLIPS, reason="SMUGGLERS_DATA names no folder with table/*/clips")
@pytest.mark.parametrize("path", SHARED_CLIPS, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_every_shared_clip_is_judged_as_its_truth_says(path: Path) -> None:
    camera = json.loads((path.parent.parent / "session.json").read_text())["camera"]
    mode = camera["modes"]["768x432"]
    K = mode["K"]
    judged_right(
        path,
        CameraModel(
            width_px=768,
            height_px=432,
            focal_px=(K[0][0], K[1][1]),
            centre_px=(K[0][2], K[1][2]),
            distortion=tuple(camera["dist"]),
        ),
    )


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
    assert [end.outcome for end in found] == ["stuck", "passed"]
    assert found[0].started_s == found[1].started_s


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


def test_a_clip_in_which_nothing_rolls_says_none(tmp_path: Path) -> None:
    clip = written(tmp_path / "still.mp4", [Stage().draw()] * 20)
    [passage] = watch_clip(clip, CAMERA_MODEL, RIG)
    assert (passage.outcome, passage.lane, passage.frame_cross) == ("none", None, None)


def test_files_that_are_no_clip_of_a_table_say_so_in_one_sentence(tmp_path: Path) -> None:
    text = tmp_path / "notes.mp4"
    text.write_text("not a video")
    black = written(tmp_path / "black.mp4", [np.zeros((432, 768, 3), np.uint8)] * 5)
    tiny = written(tmp_path / "tiny.mp4", [np.zeros((16, 16, 3), np.uint8)] * 5)
    for path, error in [
        (tmp_path / "missing.mp4", UnreadableClip),
        (text, UnreadableClip),
        (tiny, UnreadableClip),
        (black, NoMarkers),
    ]:
        with pytest.raises(error) as caught:
            watch_clip(path, CAMERA_MODEL, RIG)
        assert "\n" not in str(caught.value)


def test_a_clip_without_its_index_is_unreadable(tmp_path: Path) -> None:
    half = tmp_path / "half.mp4"
    half.write_bytes((CLIPS / "clip_01.mp4").read_bytes()[:400_000])
    with pytest.raises(UnreadableClip, match="not a video"):
        watch_clip(half, CAMERA_MODEL, RIG)


def test_a_clip_that_was_cut_short_is_not_judged(tmp_path: Path) -> None:
    clip = written(tmp_path / "cut.avi", [Stage().draw()] * 30, "MJPG")
    clip.write_bytes(clip.read_bytes()[: clip.stat().st_size // 2])
    with pytest.raises(ClipCutShort, match="announces 30 frames"):
        watch_clip(clip, CAMERA_MODEL, RIG)


def written(path: Path, frames: list[Frame], codec: str = "mp4v") -> Path:
    height, width = frames[0].shape[:2]
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*codec), FPS, (width, height))
    for frame in frames:
        writer.write(frame)
    writer.release()
    return path
