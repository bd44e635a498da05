"""Senses over staged frames, and over the simulated table with its truth."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from appliance.games.protocol import Area
from appliance.sensing.camera_pipeline import CameraPipeline
from hardware.cameras import camera
from hardware.cameras.camera_model import CameraModel
from hardware.readings import (
    DeviceHealth,
    Reading,
)
from hardware.rig import Rig
from hardware.twin.drawing.renderer import Renderer
from hardware.twin.drawing.viewpoint import twin_camera, twin_view
from hardware.twin.world.tabletop import HandAction
from hardware.twin.world.world import World
from tests.vision.staged import CAMERA, LANE_X, Ball, Frame, Stage, way_down

RIG = Rig()
STAGED_CAMERA = CameraModel(
    width_px=768,
    height_px=432,
    focal_px=tuple(CAMERA["focal_px"]),
    centre_px=tuple(CAMERA["centre_px"]),
    distortion=tuple(CAMERA["distortion"]),
)


def shot(t_s: float, image: Frame) -> camera.Frame:
    """Return a picture as the camera hands it on."""
    return camera.Frame(t_s, image, 0)


class Staged:
    """Senses over staged frames, with a clock that only the frames move."""

    def __init__(self, *areas: Area, fps: float = 30.0) -> None:
        self.stage = Stage()
        self.senses = CameraPipeline(RIG, STAGED_CAMERA)
        self.senses.attend(areas)
        self.fps, self.t_s = fps, 100.0

    def show(self, image: Frame) -> list[Reading]:
        self.t_s += 1 / self.fps
        return self.senses.feed(shot(self.t_s, image))

    def for_s(self, seconds: float, draw: Callable[[], Frame]) -> list[Reading]:
        return [reading for _ in range(round(seconds * self.fps)) for reading in self.show(draw())]

    def roll(self, lane: int) -> list[Reading]:
        ys, _ = way_down(self.fps)
        balls = [Ball(LANE_X[lane], y, 10.0, "orange") for y in [ys[0]] * 8 + ys]
        out = [reading for ball in balls for reading in self.show(self.stage.draw(ball))]
        return out + self.for_s(0.3, self.stage.draw)


class Simulated:
    """Senses over the simulated table; `truth` is what its world says happened."""

    def __init__(self, *areas: Area, seed: int = 3, fps: float = 12.0) -> None:
        self.world = World(RIG, colours=("yellow", "green", "orange", "pink"), seed=seed)
        self._renderer = Renderer(RIG, twin_view(), seed=seed)
        self.senses = CameraPipeline(RIG, twin_camera())
        self.senses.attend(areas)
        self.fps, self.t_s = fps, 0.0
        self.nudged_px = 0

    def for_s(self, seconds: float) -> list[Reading]:
        return [reading for reading in self._for_s(seconds) if not isinstance(reading, DeviceHealth)]

    def health_for_s(self, seconds: float) -> list[DeviceHealth]:
        return [reading for reading in self._for_s(seconds) if isinstance(reading, DeviceHealth)]

    def _for_s(self, seconds: float) -> list[Reading]:
        out: list[Reading] = []
        for _ in range(round(seconds * self.fps)):
            self.t_s += 1 / self.fps
            self.world.advance_to(self.t_s)
            picture = np.roll(self._renderer.picture(self.world.scene()), self.nudged_px, axis=1)
            out += self.senses.feed(shot(self.t_s, picture))
        return out

    def after(self, deed: HandAction) -> list[Reading]:
        out: list[Reading] = []
        while not deed.done:
            out += self.for_s(0.25)
        return out + self.for_s(1.5)


def codes(readings: list[Reading]) -> list[str]:
    return [reading.code for reading in readings if isinstance(reading, DeviceHealth)]
