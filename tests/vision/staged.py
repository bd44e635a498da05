"""Staged frames: shaded balls, hands and light drawn into a picture of the empty table.

It knows the camera and the table by their numbers alone and shares no code with what it tests.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.narrowed import there
from tests.places import RECORDINGS

CLIPS = RECORDINGS / "table" / "clips"
CAMERA = json.loads((CLIPS / "camera.json").read_text())
LANE_X = {lane: -160.0 + 40.0 * lane for lane in range(1, 8)}
HOLE = {1: 30.0, 2: 24.0, 3: 36.0, 4: 27.0, 5: 33.0, 6: 21.0, 7: 39.0}
BGR = {"yellow": (40, 190, 225), "green": (70, 130, 40), "orange": (35, 95, 225), "pink": (150, 95, 215)}
SLOPE = 47.0 / 200.0
PULL = 1400.0

Frame = NDArray[np.uint8]


def picture_of(path: Path) -> Frame:
    return np.asarray(there(cv2.imread(str(path))), dtype=np.uint8)


def project(points: NDArray[np.float64]) -> NDArray[np.float64]:
    (fx, fy), (cx, cy) = CAMERA["focal_px"], CAMERA["centre_px"]
    K = np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1]])
    pixels, _ = cv2.projectPoints(
        np.asarray(points, float).reshape(-1, 1, 3),
        np.array(CAMERA["rvec"]),
        np.array(CAMERA["tvec"]),
        K,
        np.array(CAMERA["distortion"]),
    )
    return np.asarray(pixels.reshape(-1, 2), dtype=np.float64)


def eye() -> NDArray[np.float64]:
    R = cv2.Rodrigues(np.array(CAMERA["rvec"]))[0]
    return np.asarray(-R.T @ np.array(CAMERA["tvec"]), dtype=np.float64)


@dataclass(frozen=True)
class Ball:
    x: float
    y: float
    radius: float
    colour: str = "orange"
    z: float | None = None

    @property
    def centre(self) -> NDArray[np.float64]:
        z = self.z
        if z is None and self.y > 0:
            z = min(8.0 + SLOPE * self.y + self.radius * np.hypot(1, SLOPE), 55.0 + self.radius)
        elif z is None:
            z = 1.0 + self.radius
        return np.array([self.x, self.y, z])


@dataclass
class Stage:
    """Draws moments. `noise` is the sensor's, in levels."""

    noise: float = 1.5
    empty: Frame = field(default_factory=lambda: picture_of(CLIPS / "empty.jpg"))
    seed: int = 1

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.seed)
        self._fence = self._fence_mask()
        self._grain = self._rng.normal(0, self.noise, (8, 432 + 16, 768 + 16, 3)).astype(np.float32)

    def draw(
        self,
        *balls: Ball,
        hand: tuple[float, float, float] | None = None,
        light: float = 1.0,
        shift: tuple[float, float] = (0.0, 0.0),
    ) -> Frame:
        """One frame: balls, a hand that reaches in from behind to (x, y, z), the lamp's level, a shaken table."""
        frame = self.empty.astype(np.float32)
        for ball in sorted(balls, key=lambda each: -each.y):
            self._ball(frame, ball)
        if hand is not None:
            self._hand(frame, hand)
        frame *= light
        if shift != (0.0, 0.0):
            by = np.array([[1, 0, shift[0]], [0, 1, shift[1]]], np.float32)
            moved = cv2.warpAffine(frame, by, (768, 432), borderMode=cv2.BORDER_REPLICATE)
            frame = np.asarray(moved, dtype=np.float32)
        which, down, right = self._rng.integers(0, [8, 16, 16])
        frame += self._grain[which, down : down + 432, right : right + 768]
        return np.clip(frame, 0, 255, out=frame).astype(np.uint8)

    def _ball(self, frame: NDArray[np.float32], ball: Ball) -> None:
        centre = ball.centre
        ray = centre - eye()
        depth = np.linalg.norm(ray)
        ray /= depth
        side = np.cross(ray, [0.0, 0.0, 1.0])
        side /= np.linalg.norm(side)
        up = np.cross(side, ray)
        rim = ball.radius * np.sqrt(1 - (ball.radius / depth) ** 2)
        middle = centre - ray * ball.radius**2 / depth
        turn = np.linspace(0, 2 * np.pi, 72, endpoint=False)[:, None]
        outline = project(middle + rim * (np.cos(turn) * side + np.sin(turn) * up))
        left, top = np.floor(outline.min(axis=0)).astype(int) - 4
        right, bottom = np.ceil(outline.max(axis=0)).astype(int) + 5
        left, top = max(left, 0), max(top, 0)
        part = frame[top:bottom, left:right]
        if part.size == 0:
            return
        inside = np.zeros(part.shape[:2], np.uint8)
        cv2.fillPoly(inside, [((outline - [left, top]) * 16).round().astype(np.int32)], 255, cv2.LINE_AA, 4)
        alpha = _soft(inside, 0.7)
        if centre[1] > -0.6 * ball.radius and centre[2] < 75.0:
            alpha *= 1 - self._fence[top:bottom, left:right]
        lit = project(centre[None] + ball.radius * np.array([[-0.4, 0.2, 0.75]]))[0] - [left, top]
        size = float(np.ptp(outline[:, 0]))
        v, u = np.mgrid[: part.shape[0], : part.shape[1]]
        shade = 1.1 - 0.7 * np.clip(np.hypot(u - lit[0], v - lit[1]) / size, 0, 1)
        paint = np.array(BGR[ball.colour], np.float32) * shade[..., None]
        part += alpha[..., None] * (paint - part)

    def _hand(self, frame: NDArray[np.float32], tip: tuple[float, float, float]) -> None:
        x, y, z = tip
        arm = [
            (x - 12, y, z),
            (x + 12, y, z),
            (x + 45, y + 60, z + 20),
            (x + 45, 330, 90),
            (x - 45, 330, 90),
            (x - 45, y + 60, z + 20),
        ]
        shape = np.zeros(frame.shape[:2], np.uint8)
        cv2.fillPoly(shape, [project(np.array(arm, float)).round().astype(np.int32)], 255)
        alpha = _soft(shape, 1.0)[..., None]
        frame += alpha * (np.array([105.0, 140.0, 190.0], np.float32) - frame)

    def _fence_mask(self) -> NDArray[np.float32]:
        mask = np.zeros(self.empty.shape[:2], np.uint8)
        corners = np.array(
            [(-150, -1, 2), (150, -1, 2), (150, -1, 70), (150, 1, 70), (-150, 1, 70), (-150, -1, 70)], float
        )
        cv2.fillPoly(mask, [project(corners).round().astype(np.int32)], 255)
        turn = np.linspace(0, 2 * np.pi, 48)
        for lane, x in LANE_X.items():
            r = HOLE[lane] / 2
            hole = np.column_stack([x + r * np.cos(turn), np.zeros(48), 8 + r + r * np.sin(turn)])
            cv2.fillPoly(mask, [project(hole).round().astype(np.int32)], 0)
        return _soft(mask, 0.5)


def _soft(mask: NDArray[np.uint8], sigma_px: float) -> NDArray[np.float32]:
    """Return a mask of 0 and 255 as shares, 0–1, with a soft rim."""
    return np.asarray(cv2.GaussianBlur(mask.astype(np.float32) / 255, (0, 0), sigma_px), dtype=np.float32)


def way_down(
    fps: float, *, speed: float = 260.0, start_y: float = 220.0, until_y: float = -85.0
) -> tuple[list[float], float | None]:
    """The y of a ball pushed with `speed` mm/s, frame by frame, and the frame at which it crosses y = 0."""
    y, v, t, due, step = start_y, speed, 0.0, 0.0, 0.0005
    ys: list[float] = []
    crossed: float | None = None
    while y > until_y:
        if t >= due - 1e-9:
            ys.append(y)
            due += 1 / fps
        pull = PULL if 0 < y < 200 else (-1800.0 if y < 0 else -150.0)
        v = max(v + pull * step, 60.0)
        if y > 0 >= y - v * step:
            crossed = (t + y / v) * fps
        y -= v * step
        t += step
    return ys, crossed
