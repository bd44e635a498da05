"""Lumpy putty on the pan, drawn without any code under test, with the diameter of its volume known exactly.

A ball's radius is a sum of Legendre polynomials about random axes. Its silhouette is the farthest of its points in each
plane through the camera; light, lens, sensor, the camera's own smoothing and JPEG follow, all drawn by lot.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from hardware.cameras.camera_model import CameraModel, CameraView
from hardware.rig import Rig
from tests.bench.discs import encode
from tests.bench.drawn_camera import facing, pose_of
from tests.narrowed import there

Floats = NDArray[np.float64]
WIDTH, HEIGHT, FOCAL_PX = 2304, 1296, 1775.0
OVER = 3
RIG = Rig()
PUTTY = {  # linear BGR under white light
    "yellow": (0.01, 0.55, 0.80),
    "green": (0.04, 0.28, 0.03),
    "orange": (0.01, 0.15, 0.78),
    "pink": (0.28, 0.13, 0.75),
}


@dataclass(frozen=True)
class Weighed:
    """One ball on the pan: the picture, how it was taken, and what is true of it."""

    picture: NDArray[np.uint8]
    view: CameraView
    colour: str
    diameter_mm: float
    out_of_round_pct: float


class Lump:
    """A star-shaped ball of mean radius 1, whose radius varies by `out_of_round_pct` from peak to peak."""

    def __init__(self, rng: np.random.Generator, out_of_round_pct: float) -> None:
        axes = rng.normal(size=(10, 3))
        self._axes = axes / np.linalg.norm(axes, axis=1, keepdims=True)
        self._waves = [np.eye(6)[order] for order in rng.choice([2, 2, 3, 3, 4, 5], len(axes))]
        self._heights = rng.normal(size=len(axes))
        everywhere = even_directions(6000)
        self._scale = 1.0
        raw = self.radius(everywhere) - 1
        self._scale = out_of_round_pct / 100 / np.ptp(raw)
        self.volume_radius = float(np.mean(self.radius(everywhere) ** 3) ** (1 / 3))
        self.depth = float(-(self.radius(everywhere) * everywhere[:, 2]).min())

    def radius(self, directions: Floats) -> Floats:
        """Return the radius in unit `directions`, shape (n, 3)."""
        cosines = directions @ self._axes.T
        lumps = [
            h * legendre.legval(cosines[:, k], wave)
            for k, (h, wave) in enumerate(zip(self._heights, self._waves, strict=True))
        ]
        return np.asarray(1 + self._scale * np.sum(lumps, axis=0), dtype=np.float64)


def even_directions(count: int) -> Floats:
    """Return unit vectors spread evenly over the sphere, shape (n, 3): a Fibonacci lattice."""
    step = np.arange(count) + 0.5
    z, turn = 1 - 2 * step / count, math.pi * (1 + math.sqrt(5)) * step
    flat = np.sqrt(1 - z**2)
    return np.column_stack([flat * np.cos(turn), flat * np.sin(turn), z])


def weighed(seed: int) -> Weighed:
    """Return the ball of this number: 15–42 mm, 0.5–6 % out of round, one of four colours, under some light."""
    rng = np.random.default_rng(seed)
    view = _view(rng)
    out_of_round_pct = rng.uniform(0.5, 6.0)
    lump = Lump(rng, out_of_round_pct)
    diameter_mm = rng.uniform(15, 42)
    unit_mm = diameter_mm / 2 / lump.volume_radius
    x, y = np.array(RIG.pan_centre_mm) + rng.uniform(-5, 5, 2)
    centre = np.array([x, y, RIG.pan_z_mm + unit_mm * lump.depth])
    colour = str(rng.choice(list(PUTTY)))
    picture = _picture(view, lump, unit_mm, centre, np.array(PUTTY[colour]) * rng.uniform(0.85, 1.1, 3), rng)
    return Weighed(picture, view, colour, diameter_mm, out_of_round_pct)


def _view(rng: np.random.Generator) -> CameraView:
    eye = np.array([45.0, -130.0, 500.0]) + rng.uniform(-25, 25, 3)
    turn = facing(eye, np.array([45.0, 80.0, 10.0]) + rng.uniform(-10, 10, 3))
    focal = FOCAL_PX * rng.uniform(0.95, 1.05)
    camera = CameraModel(
        width_px=WIDTH,
        height_px=HEIGHT,
        focal_px=(focal, focal),
        centre_px=((WIDTH - 1) / 2 + rng.uniform(-8, 8), (HEIGHT - 1) / 2 + rng.uniform(-8, 8)),
        distortion=(rng.uniform(-0.05, 0.05), rng.uniform(-0.02, 0.02), 0.0, 0.0, 0.0),
        source="truth",
    )
    return CameraView(camera, pose_of(turn, -turn @ eye))


def _project(view: CameraView, points_mm: Floats) -> Floats:
    camera, pose = view.camera, view.pose
    pixels, _ = cv2.projectPoints(
        points_mm.reshape(-1, 1, 3), np.array(pose.rvec), np.array(pose.tvec), camera.K, camera.dist
    )
    return np.asarray(pixels.reshape(-1, 2), dtype=np.float64)


def silhouette(
    view: CameraView, lump: Lump, unit_mm: float, centre_mm: Floats, planes: int = 360
) -> tuple[Floats, Floats]:
    """Return the outline in the picture, shape (planes, 2) px, and the middle's place, shape (2,)."""
    towards = view.pose.camera_position_mm - centre_mm
    towards /= np.linalg.norm(towards)
    across = np.cross(towards, [0.0, 1.0, 0.0])
    across /= np.linalg.norm(across)
    up = np.cross(towards, across)
    turn = np.arange(planes) * 2 * np.pi / planes
    lift = np.radians(np.linspace(-22, 22, 89))  # towards the camera
    sideways = np.cos(turn)[:, None] * across + np.sin(turn)[:, None] * up
    directions = np.cos(lift)[None, :, None] * sideways[:, None] + np.sin(lift)[None, :, None] * towards
    flat = directions.reshape(-1, 3)
    points = centre_mm + flat * (unit_mm * lump.radius(flat))[:, None]
    # In the plane through the eye, the farthest point is the one seen at the widest angle from the middle.
    rays = points - view.pose.camera_position_mm
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    cosines = (rays @ -towards).reshape(planes, -1)
    widest = points.reshape(planes, -1, 3)[np.arange(planes), cosines.argmin(axis=1)]
    return _project(view, widest), _project(view, centre_mm[None])[0]


def _picture(
    view: CameraView, lump: Lump, unit_mm: float, centre_mm: Floats, putty: Floats, rng: np.random.Generator
) -> NDArray[np.uint8]:
    lamp_colour = np.array([1.0, 1.0, 1.0]) * np.exp(rng.normal(0, 0.12, 3))
    outline, middle = silhouette(view, lump, unit_mm, centre_mm)
    low = np.floor(outline.min(axis=0) - 45).astype(int)
    columns, rows = (np.ceil(outline.max(axis=0) + 45).astype(int) - low).tolist()
    light = _light(outline - low, middle - low, (rows, columns), view, low, putty, rng) * lamp_colour
    light = cv2.GaussianBlur(light, (0, 0), rng.uniform(0.5, 1.4), borderType=cv2.BORDER_REPLICATE)
    light += rng.normal(size=light.shape) * np.sqrt(np.maximum(light, 0) * rng.uniform(1e-5, 1e-4) + 4e-6)
    level = cv2.GaussianBlur(encode(np.clip(light, 0, 1)), (0, 0), rng.uniform(0.3, 0.7))
    packed = cv2.imencode(
        ".jpg", np.rint(level).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(85, 97))]
    )
    whole = np.full((HEIGHT, WIDTH, 3), np.rint(encode(0.2 * lamp_colour)), np.uint8)
    _lay_papers(whole, view, np.rint(encode(np.clip(0.8 * lamp_colour, 0, 1))))
    whole[low[1] : low[1] + rows, low[0] : low[0] + columns] = there(cv2.imdecode(packed[1], cv2.IMREAD_COLOR))
    return whole


def _lay_papers(whole: NDArray[np.uint8], view: CameraView, white: Floats) -> None:
    """Lay the markers' white paper, by whose light colours are judged; the black squares are not looked at."""
    half = RIG.marker_side_mm / 2 + 6.0
    for marker in RIG.markers:
        square = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
        corners = np.column_stack([square + np.array([marker.x_mm, marker.y_mm]), np.full(4, marker.z_mm)])
        cv2.fillPoly(whole, [np.rint(_project(view, corners)).astype(np.int32)], white.tolist())


def _light(
    outline: Floats,
    middle: Floats,
    shape: tuple[int, int],
    view: CameraView,
    low: Floats,
    putty: Floats,
    rng: np.random.Generator,
) -> Floats:
    """Return linear light of the part round the ball, before the lens, shape (rows, columns, 3)."""
    rows, columns = shape
    across = (np.arange(columns * OVER) + 0.5) / OVER - 0.5 - middle[0]
    down = (np.arange(rows * OVER) + 0.5) / OVER - 0.5 - middle[1]
    away = np.hypot(across[None, :], down[:, None])
    turn = np.arctan2(down[:, None], across[None, :])
    spokes = outline - middle
    order = np.argsort(np.arctan2(spokes[:, 1], spokes[:, 0]))
    angle = np.arctan2(spokes[order, 1], spokes[order, 0])
    rim = np.interp(turn, angle, np.linalg.norm(spokes[order], axis=1), period=2 * np.pi)
    inside = np.clip(0.5 + (rim - away) * OVER, 0, 1)
    lamp = np.array([rng.uniform(-0.7, 0.7), rng.uniform(-0.7, 0.7), 1.0])
    lamp /= np.linalg.norm(lamp)
    slope = np.clip(away / rim, 0, 1)
    height = np.sqrt(1 - slope**2)
    beside = (across[None, :] * lamp[0] + down[:, None] * lamp[1]) / rim
    facing = np.clip(beside + height * lamp[2], 0, None)
    ambient = rng.uniform(0.25, 0.6)
    shade = _pixels(inside * (ambient + (1 - ambient) * facing)) * rng.uniform(0.75, 1.0)
    shine = _pixels(inside * facing ** rng.uniform(20, 80)) * rng.uniform(0, 0.3)
    size = float(rim.mean())
    fall = np.hypot(across[None, :] + lamp[0] * 0.5 * size, down[:, None] + lamp[1] * 0.5 * size) / size
    shadow = 1 - rng.uniform(0.2, 0.6) * _pixels(np.exp(-(fall**4)))
    mottle = cv2.GaussianBlur(rng.normal(size=shape), (0, 0), rng.uniform(2, 6))
    mottle = mottle * (rng.uniform(0, 0.05) / max(float(mottle.std()), 1e-9))
    ground = (shadow * (1 + mottle))[..., None] * _ground(shape, view, low)
    return shade[..., None] * putty + shine[..., None] + (1 - _pixels(inside))[..., None] * ground


def _ground(shape: tuple[int, int], view: CameraView, low: Floats) -> Floats:
    """Return the steel pan on the wooden table, linear BGR."""
    turn = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    x, y = RIG.pan_centre_mm
    reach = RIG.pan_diameter_mm / 2
    ring = np.column_stack([x + reach * np.cos(turn), y + reach * np.sin(turn), np.full(120, RIG.pan_z_mm)])
    pan = np.zeros(shape, np.float64)
    cv2.fillPoly(pan, [np.rint(_project(view, ring) - low).astype(np.int32)], 1.0)
    steel, wood = np.array([0.42, 0.42, 0.42]), np.array([0.08, 0.16, 0.28])
    return np.asarray(pan[..., None] * steel + (1 - pan[..., None]) * wood, dtype=np.float64)


def _pixels(plane: Floats) -> Floats:
    rows, columns = plane.shape
    return np.asarray(plane.reshape(rows // OVER, OVER, columns // OVER, OVER).mean(axis=(1, 3)), dtype=np.float64)
