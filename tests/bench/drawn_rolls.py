"""Rolls drawn by lot: lamps, cameras, spheres, hands and what happens between rolls, each with its truth.

Numbers below 20,000 may be looked at while the detector is built. The others are for counting alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.sight_report import session_camera
from hardware.cameras.camera_model import CameraView, Pose
from hardware.rig import Rig
from tests.bench.lit_table import RIG, Ball, LitTable
from tests.bench.page import data_folder
from tests.bench.roll_kinds import KINDS, Truth, stage
from tests.bench.roll_lamps import flicker_by_lot, lamps_by_lot
from tests.bench.roll_ways import Vector, Way
from tests.narrowed import there
from tests.vision.staged import CAMERA, CLIPS
from vision.linear_light import paper_white

Picture = NDArray[np.uint8]


@dataclass
class Rolls:
    """A scene of so many frames at `fps`: what moves, what is true at its end, and the conditions by name."""

    number: int
    what: str
    table: LitTable
    fps: float
    conditions: tuple[str, ...]
    truths: tuple[Truth, ...] = ()
    things: list[tuple[Way, Ball]] = field(default_factory=list)
    seconds: float = 1.0
    shutter_s: float = 1 / 120
    light: Callable[[float], Vector] = lambda t_s: np.ones(3)
    banded: bool = False
    noise: float = 1.5
    jpeg: int | None = None

    @property
    def rig(self) -> Rig:
        """The table's numbers."""
        return RIG

    def frames(self) -> Iterator[tuple[Picture, float]]:
        """Yield each picture and the stamp of the middle of its exposure, s."""
        rng = np.random.default_rng([self.number, 3])
        height, width = self.table.base.shape[:2]
        grain = rng.normal(0, self.noise, (height + 40, width + 40, 3)).astype(np.float32)
        grain = (0.6 * grain + 0.4 * cv2.GaussianBlur(grain, (0, 0), 0.8) * 2.0).astype(np.int16)
        before: tuple[object, Picture] | None = None
        for index in range(round(self.seconds * self.fps)):
            t_s = index / self.fps
            times = [t_s + share * self.shutter_s for share in (-0.25, 0.25)]
            moments = [self._balls(each) for each in times]
            key = [[tuple(ball.centre.round(2)) for ball in balls] for balls in moments]
            if key[0] == key[-1]:
                moments = moments[:1]
            if before is None or before[0] != key:
                before = key, self.table.draw(moments)
            picture = self._lit(before[1], t_s)
            down, right = rng.integers(0, 40, 2)
            noisy = cv2.add(picture, grain[down : down + height, right : right + width], dtype=cv2.CV_8U)
            picture = np.asarray(noisy, np.uint8)
            if self.jpeg is not None:
                packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, self.jpeg])[1]
                picture = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
            yield picture, t_s

    def _balls(self, t_s: float) -> list[Ball]:
        out = []
        for way, ball in self.things:
            at = way(t_s)
            if at is not None:
                turn = ball.turn + float(at[1]) / ball.radius_mm
                out.append(replace(ball, centre=at, turn=turn))
        return out

    def _lit(self, picture: Picture, t_s: float) -> Picture:
        """Apply the lamps' level in encoded codes, by rows where the shutter rolls."""
        if not self.banded:
            level = self.light(t_s) ** (1 / 2.2)
            if np.abs(level - 1).max() < 1e-3:
                return picture
            tables = np.clip(np.arange(256)[:, None] * level, 0, 255).round().astype(np.uint8)
            return np.asarray(cv2.LUT(picture, tables[None]), np.uint8)
        rows = np.linspace(0, 0.8 / self.fps, 12)
        levels = np.array([self.light(t_s + row) for row in rows]) ** (1 / 2.2)
        height = picture.shape[0]
        every = np.stack([np.interp(np.arange(height), np.linspace(0, height, 12), levels[:, c]) for c in range(3)], 1)
        gains = np.broadcast_to(every[:, None].astype(np.float32), picture.shape)
        return np.asarray(cv2.multiply(picture, gains, dtype=cv2.CV_8U), np.uint8)


@lru_cache(maxsize=1)
def backgrounds() -> tuple[tuple[CameraView, Picture, Vector], ...]:
    """Return pictures of empty tables, 768 × 432, each with its true view and the light of its paper."""
    clip_view = CameraView(
        session_camera({"camera": {"modes": {"": _mode_of(CAMERA)}, "dist": CAMERA["distortion"]}}),
        Pose(tuple(CAMERA["rvec"]), tuple(CAMERA["tvec"])),
    )
    out = [(clip_view, np.asarray(cv2.imread(str(CLIPS / "empty.jpg")), np.uint8))]
    folder = data_folder()
    for path in sorted((Path(folder) / "table").glob("*/session.json")) if folder else ():
        session = json.loads(path.read_text())
        camera = session_camera(session).scaled_to(768, 432)
        pose = Pose(tuple(session["camera"]["rvec"]), tuple(session["camera"]["tvec"]))
        picture = cv2.resize(
            there(cv2.imread(str(path.parent / "empty.jpg"))), (768, 432), interpolation=cv2.INTER_AREA
        )
        out.append((CameraView(camera, pose), np.asarray(picture, np.uint8)))
    return tuple((view, picture, np.asarray(paper_white(picture, view, RIG))) for view, picture in out)


def _mode_of(camera: dict[str, list[float]]) -> dict[str, object]:
    (fx, fy), (cx, cy) = camera["focal_px"], camera["centre_px"]
    return {"width": 768, "height": 432, "K": [[fx, 0, cx], [0, fy, cy], [0, 0, 1]]}


def rolls(number: int, asked: str | None = None) -> Rolls:
    """Return the scene with this number, in which the `asked` thing happens, or what the lot gives."""
    rng = np.random.default_rng([number, 2026])
    kinds, shares = zip(*KINDS.items(), strict=True)
    what = str(rng.choice(kinds, p=np.array(shares) / sum(shares)))
    what = asked or what
    backs = backgrounds()
    view, empty, white = backs[int(rng.random() * len(backs))]
    glows, sky, lamp = lamps_by_lot(rng)
    conditions = [lamp]
    scene = Rolls(number, what, LitTable(view, empty, white, glows, sky), 56.0, ())
    scene.fps = float(rng.choice([56.0, 56.0, 56.0, 40.0, 30.0]))
    scene.noise = float(rng.choice([1.0, 1.5, 2.5, 4.0]))
    if rng.random() < 0.3:
        scene.jpeg = int(rng.integers(60, 93))
        conditions.append("JPEG")
    if sky.sum() + sum(glow.light.sum() for glow in glows) < 1.2:
        conditions.append("dark")
    happens = stage(what, glows[0], rng)
    scene.truths, scene.things, scene.seconds = happens.truths, happens.things, happens.seconds
    light, banded, name = flicker_by_lot(glows, sky, scene.seconds, scene.shutter_s, rng)
    scene.light, scene.banded = light, banded
    if name:
        conditions.append(name)
    scene.conditions = tuple(conditions)
    return scene
