"""Pictures of a putty ball on the pan under any camera, with truth; only the part with the pan is rendered."""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import CameraModel, CameraView
from hardware.rig import Rig
from tests.bench.drawn_camera import pose_of
from tests.vision.putty_pictures import OVER, Camera, Scene, any_camera, any_scene, light_of

RIG = Rig()
AROUND_PX = 24


class PanPicture(msgspec.Struct, frozen=True):
    """A BGR uint8 picture, the true view, and the ball's mean diameter in mm."""

    image: NDArray[np.uint8]
    view: CameraView
    diameter_mm: float
    lumps: float
    camera: Camera


def any_view(random: np.random.Generator) -> CameraView:
    """Draw a camera over the table: its lens, its place, and where it looks."""
    width = int(random.choice([1536, 2304]))
    height = width * 9 // 16
    focal = width / 2 / np.tan(np.radians(random.uniform(52, 72)) / 2)
    k1, k2 = random.normal(0, 0.05), random.normal(0, 0.02)
    camera = CameraModel(
        width_px=width,
        height_px=height,
        focal_px=(focal, focal * random.uniform(0.998, 1.002)),
        centre_px=(width / 2 + random.normal(0, 8), height / 2 + random.normal(0, 8)),
        distortion=(k1, k2, 0.0, 0.0, 0.0),
        source="truth",
    )
    place = np.array([random.uniform(-20, 160), random.uniform(-220, 80), random.uniform(520, 760)])
    away = np.array([random.uniform(60, 140), random.uniform(20, 90), 0.0]) - place
    away /= np.linalg.norm(away)
    right = np.cross(away, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    turn = np.array([right, np.cross(away, right), away])
    return CameraView(camera, pose_of(turn, -turn @ place))


def _pan_box(view: CameraView) -> tuple[int, int, int, int]:
    """Return left, top, right, bottom px of the pan and all that may lie on it."""
    reach = RIG.pan_diameter_mm / 2 + 12
    corners = np.array([[sx * reach, sy * reach, z] for sx in (-1, 1) for sy in (-1, 1) for z in (0.0, 50.0)])
    box = view.project(corners + np.array([*RIG.pan_centre_mm, RIG.pan_z_mm]))
    left, top = (np.floor(box.min(axis=0)).astype(int) - AROUND_PX).tolist()
    right, bottom = (np.ceil(box.max(axis=0)).astype(int) + AROUND_PX).tolist()
    return left, top, right, bottom


def _sees_pan(view: CameraView) -> bool:
    left, top, right, bottom = _pan_box(view)
    return left > 0 and top > 0 and right < view.camera.width_px and bottom < view.camera.height_px


def any_pan_picture(seed: int) -> PanPicture:
    """Draw everything from a seed: camera, light, colours, ball, and how lumpy it is."""
    random = np.random.default_rng(seed)
    view = any_view(random)
    while not _sees_pan(view):
        view = any_view(random)
    lumps = float(random.choice([0.0, random.uniform(0.001, 0.015)], p=[0.25, 0.75]))
    scene, camera = any_scene(random, lumps), any_camera(random)
    diameter_mm = float(random.uniform(13, 44))
    x, y = (np.array(RIG.pan_centre_mm) + random.uniform(-6, 6, 2)).tolist()
    image = pan_picture(scene, camera, view, (x, y), diameter_mm, random)
    return PanPicture(image, view, diameter_mm, lumps, camera)


def pan_picture(
    scene: Scene,
    camera: Camera,
    view: CameraView,
    place_mm: tuple[float, float],
    diameter_mm: float,
    random: np.random.Generator,
) -> NDArray[np.uint8]:
    """Render the ball resting on the pan at `place_mm`; all the rest of the picture is white paper."""
    radius = diameter_mm / 2
    rest = float(scene.radius_share(np.array([0.0, 0.0, -1.0])))
    centre = np.array([*place_mm, RIG.pan_z_mm + radius * rest])
    left, top, right, bottom = _pan_box(view)
    columns, rows = (np.arange((b - a) * OVER) + 0.5 for a, b in ((left, right), (top, bottom)))
    every = np.stack(np.meshgrid(np.arange(left - 1, right + 1), np.arange(top - 1, bottom + 1)), axis=-1)
    shape = every.shape[:2]
    rays = view.rays(every.reshape(-1, 2).astype(np.float64)) @ view.pose.R
    at = np.meshgrid((columns / OVER + 0.5).astype(np.float32), (rows / OVER + 0.5).astype(np.float32))
    rays = cv2.remap(rays.reshape(*shape, 3).astype(np.float32), at[0], at[1], cv2.INTER_LINEAR).astype(np.float64)
    rays /= np.linalg.norm(rays, axis=2, keepdims=True)
    towards = centre - view.pose.camera_position_mm
    distance = float(np.linalg.norm(towards))
    axis = towards / distance
    across = np.cross(axis, [0.0, 1.0, 0.0])
    across /= np.linalg.norm(across)
    down = np.cross(axis, across)
    sine = radius / distance
    u, v = rays @ across, rays @ down
    light = light_of(scene, u / sine, v / sine)
    high, wide = bottom - top, right - left
    light = light.reshape(high, OVER, wide, OVER, 3).mean(axis=(1, 3))
    paper = 0.85 * (scene.sky + sum(lamp[2] for lamp in scene.lamps))
    gain = min(1.0, 0.95 / paper)
    image = np.empty((view.camera.height_px, view.camera.width_px, 3), np.uint8)
    image[:] = camera.develop(np.full((8, 8, 3), paper * gain), random)[4, 4]
    image[top:bottom, left:right] = camera.develop(light * gain, random)
    return image
