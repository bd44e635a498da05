"""Recorded clips of passages against their written truth, and files that are none."""

from __future__ import annotations

import json
import os
import tracemalloc
from pathlib import Path

import cv2
import numpy as np
import pytest

from hardware.cameras.camera_model import CameraModel
from tests.vision.staged import CLIPS, Frame, Stage
from tests.vision.staged_passages import CAMERA_MODEL, FPS, RIG
from vision.markers import NoMarkers
from vision.passages.clip import ClipCutShort, UnreadableClip
from vision.passages.passage import watch_clip

pytestmark = pytest.mark.slow


DATA = os.environ.get("SMUGGLERS_DATA")
SHARED_CLIPS = sorted(Path(DATA).glob("table/s*/clips/*.mp4")) if DATA else []


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


def test_a_clip_in_which_nothing_rolls_says_none(tmp_path: Path) -> None:
    clip = written(tmp_path / "still.mp4", [Stage().draw()] * 20)
    [passage] = watch_clip(clip, CAMERA_MODEL, RIG)
    assert (passage.outcome, passage.lane, passage.frame_cross) == ("none", None, None)


def test_a_long_clip_takes_no_more_memory_than_a_short_one(tmp_path: Path) -> None:
    frame = Stage().draw()

    def peak_bytes(frames: int) -> int:
        clip = written(tmp_path / f"{frames}.mp4", [frame] * frames)
        tracemalloc.start()
        try:
            watch_clip(clip, CAMERA_MODEL, RIG)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak_bytes(5)  # what is read once for all clips
    assert peak_bytes(60) < peak_bytes(20) + 5 * frame.nbytes


def test_a_hand_over_the_markers_in_most_of_a_clip_hides_nothing_else(tmp_path: Path) -> None:
    shown = Stage().draw()
    clip = written(tmp_path / "hand.mp4", [np.zeros_like(shown)] * 20 + [shown] * 20)
    [passage] = watch_clip(clip, CAMERA_MODEL, RIG)
    assert passage.outcome == "none"


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
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*codec), FPS, (width, height))
    for frame in frames:
        writer.write(frame)
    writer.release()
    return path
