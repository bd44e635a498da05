"""A camera drawn by lot over the table, and the picture it makes of light."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import CameraModel, CameraView, Pose
from hardware.rig import Rig
from tests.bench.discs import encode
from tests.bench.traced import Floats

RIG = Rig()
WIDTHS = (1152, 1536, 1536, 1920)


def some_view(rng: np.random.Generator) -> CameraView:
    """Return a camera somewhere above the front edge that sees all four markers' middles and the whole tray."""
    half, (x, y) = RIG.tray_side_mm / 2, RIG.tray_centre_mm
    needed = [[marker.x_mm, marker.y_mm, 0.5] for marker in RIG.markers]
    needed += [[x + s * half, y + t * half, RIG.tray_z_mm] for s in (-1, 1) for t in (-1, 1)]
    while True:
        view = _any_view(rng)
        pixels = project(view, np.array(needed))
        if (pixels > 2).all() and (pixels < [view.camera.width_px - 3, view.camera.height_px - 3]).all():
            return view


def facing(eye: Floats, target: Floats) -> Floats:
    """Return the rotation, (3, 3), from the table to a level camera at `eye` that looks at `target`, (3,) mm each."""
    forward = target - eye
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    return np.vstack([right, np.cross(forward, right), forward])


def pose_of(turn: Floats, tvec_mm: Floats) -> Pose:
    """Return the pose with the rotation `turn`, (3, 3), and the translation `tvec_mm`, (3,)."""
    first, second, third = cv2.Rodrigues(turn)[0].ravel().tolist()
    x, y, z = tvec_mm.tolist()
    return Pose((first, second, third), (x, y, z))


def _any_view(rng: np.random.Generator) -> CameraView:
    eye = np.array([45.0, -130.0, 500.0]) + rng.uniform(-30, 30, 3)
    turn = facing(eye, np.array([45.0, 80.0, 10.0]) + rng.uniform(-10, 10, 3))
    turn = np.asarray(cv2.Rodrigues(np.array([0.0, 0.0, np.radians(rng.uniform(-3, 3))]))[0]) @ turn
    width = int(rng.choice(WIDTHS))
    height = width * 9 // 16
    focal = width / 2 / np.tan(np.radians(rng.uniform(65, 68) / 2))
    off = rng.uniform(-0.005, 0.005, 2) * width
    camera = CameraModel(
        width_px=width,
        height_px=height,
        focal_px=(focal, focal),
        centre_px=((width - 1) / 2 + off[0], (height - 1) / 2 + off[1]),
        distortion=(rng.uniform(-0.1, 0.03), rng.uniform(-0.02, 0.02), 0.0, 0.0, 0.0),
        source="truth",
    )
    return CameraView(camera, pose_of(turn, -turn @ eye))


def as_found(view: CameraView, rng: np.random.Generator) -> CameraView:
    """Return the view as its markers would give it: turned by about a quarter of a pixel."""
    off = cv2.Rodrigues(rng.normal(0, 0.25 / view.camera.focal_px[0], 3))[0]
    turn = off @ view.pose.R
    tvec = off @ np.array(view.pose.tvec)
    return CameraView(view.camera, pose_of(turn, tvec))


def project(view: CameraView, points_mm: Floats) -> Floats:
    camera, pose = view.camera, view.pose
    pixels, _ = cv2.projectPoints(
        points_mm.reshape(-1, 1, 3), np.array(pose.rvec), np.array(pose.tvec), camera.K, camera.dist
    )
    return np.asarray(pixels.reshape(-1, 2), dtype=np.float64)


def vignette(view: CameraView, low: Floats, shape: tuple[int, int]) -> Floats:
    rows, columns = shape
    x = (np.arange(columns) + low[0]) / view.camera.width_px - 0.5
    y = (np.arange(rows) + low[1]) / view.camera.width_px - 0.28
    return np.asarray((1 - 0.5 * (x[None, :] ** 2 + y[:, None] ** 2))[..., None], dtype=np.float64)


def taken(light: Floats, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return the picture a camera makes of light: lens, sensor, smoothing, tone curve, sharpening, JPEG."""
    light = np.asarray(cv2.GaussianBlur(light, (0, 0), rng.uniform(0.4, 1.3)), dtype=np.float64)
    shot, read = rng.uniform(2e-5, 6e-4), 1e-5 * rng.random()
    light = light + rng.normal(size=light.shape) * np.sqrt(np.maximum(light, 0) * shot + read)
    level = cv2.GaussianBlur(encode(np.clip(light, 0, 1)), (0, 0), rng.uniform(0.3, 0.9))
    if rng.random() < 0.3:
        share = level / 255
        level = 255 * (share + rng.uniform(0.1, 0.5) * share * (1 - share) * (2 * share - 1))  # a curve with contrast
    if rng.random() < 0.3:
        level = level + rng.uniform(0.3, 0.8) * (level - cv2.GaussianBlur(level, (0, 0), 1.2))
    quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(60, 96))]
    packed = cv2.imencode(".jpg", np.rint(np.clip(level, 0, 255)).astype(np.uint8), quality)[1]
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), dtype=np.uint8)
