"""Passages that are staged: what the tracker tells of drawn frames."""

from __future__ import annotations

from collections.abc import Iterable

from hardware.cameras.camera_model import CameraModel, CameraView, Pose
from hardware.rig import Rig
from tests.vision.staged import CAMERA, LANE_X, Ball, Frame, Stage, way_down
from vision.passages.passage import PassageTracker
from vision.passages.roll_events import RollEnded

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
