"""The picture of the empty table, ray cast once per camera pose, with the occlusion by the fence."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import CameraView, Image
from hardware.rig import Rig
from hardware.twin.drawing.shading import Floats, Shadows, light_on, linear
from hardware.twin.drawing.surfaces import Surface, surfaces

SUPERSAMPLING = 2
LIGHT_STEP_MM = 3.0
_CACHED_VIEWS = 3
"""Number of cached views: that of the stream, that of the still, and one more after the camera was moved."""


@dataclass(frozen=True)
class EmptyTable:
    """The empty table.

    `light` (h, w, 3) is linear BGR. `fence` (h, w) is the fraction of each pixel that the fence covers, 0–1. `rays`
    (h, w, 3) are unit view directions in table coordinates, from `eye_mm`.
    """

    light: Floats
    fence: Floats
    rays: Floats
    eye_mm: Floats


class GivenUpError(Exception):
    """Nobody wants the picture any more."""


def cast(rig: Rig, view: CameraView, given_up: threading.Event | None = None) -> EmptyTable:
    """Ray cast the empty table at twice the picture's resolution, and average.

    The result is cached and shared by all pictures of one view, so its arrays are read-only.

    :raises GivenUpError: `given_up` was set meanwhile.
    """
    return _once(rig, view).cast(given_up)


@lru_cache(maxsize=_CACHED_VIEWS)
def _once(rig: Rig, view: CameraView) -> _Casting:
    return _Casting(rig, view)


class _Casting:
    """The empty table of one view, cast when it is first wanted."""

    def __init__(self, rig: Rig, view: CameraView) -> None:
        self._rig, self._view = rig, view
        self._lock = threading.Lock()
        self._table: EmptyTable | None = None

    def cast(self, given_up: threading.Event | None) -> EmptyTable:
        with self._lock:
            if self._table is None:
                self._table = _cast(self._rig, self._view, given_up)
            return self._table


def _cast(rig: Rig, view: CameraView, given_up: threading.Event | None) -> EmptyTable:
    width, height = view.camera.width_px, view.camera.height_px
    fine = SUPERSAMPLING
    _refuse_if(given_up)
    rays = _rays(view, fine)
    _refuse_if(given_up)
    eye = view.pose.camera_position_mm.astype(np.float32)
    shadows = Shadows(rig)
    depth = np.full(rays.shape[:2], np.inf, dtype=np.float32)
    light = np.zeros((*rays.shape[:2], 3), dtype=np.float32)
    fence = np.zeros(rays.shape[:2], dtype=np.float32)
    for surface in surfaces(rig):
        _refuse_if(given_up)
        hit = _draw(surface, view, rays, eye, depth, light, shadows)
        if surface.name in ("fence", "fence top") and hit is not None:
            box, mask = hit
            fence[box] = np.maximum(fence[box], mask.astype(np.float32))
    table = EmptyTable(
        light=_shrink(light, width, height),
        fence=_shrink(fence, width, height),
        rays=np.ascontiguousarray(_rays(view, 1)),
        eye_mm=eye,
    )
    for shared in (table.light, table.fence, table.rays, table.eye_mm):
        shared.flags.writeable = False
    return table


def _refuse_if(given_up: threading.Event | None) -> None:
    if given_up is not None and given_up.is_set():
        raise GivenUpError


def _shrink(fine: Floats, width: int, height: int) -> Floats:
    return np.asarray(cv2.resize(fine, (width, height), interpolation=cv2.INTER_AREA), dtype=np.float32)


def _rays(view: CameraView, fine: int) -> Floats:
    """Return unit view directions, in table coordinates, of `fine`² points in each pixel."""
    width, height = view.camera.width_px * fine, view.camera.height_px * fine
    x = (np.arange(width) + 0.5) / fine - 0.5
    y = (np.arange(height) + 0.5) / fine - 0.5
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 1, 2)
    flat = cv2.undistortPoints(grid, view.camera.K, view.camera.dist).reshape(height, width, 2).astype(np.float32)
    rays = np.dstack([flat, np.ones((height, width), dtype=np.float32)])
    rays /= np.linalg.norm(rays, axis=2, keepdims=True)
    return np.asarray(rays @ view.pose.R.astype(np.float32), dtype=np.float32)


def _draw(
    surface: Surface,
    view: CameraView,
    rays: Floats,
    eye: Floats,
    depth: Floats,
    light: Floats,
    shadows: Shadows,
) -> tuple[tuple[slice, slice], NDArray[np.bool_]] | None:
    """Draw one surface where it is nearest; return its box in the picture and its mask in that box."""
    box = _box(surface, view, rays.shape)
    if box is None:
        return None
    corner = np.asarray(surface.corner_mm, dtype=np.float32)
    across, down = np.asarray(surface.across, dtype=np.float32), np.asarray(surface.down, dtype=np.float32)
    normal = np.cross(across, down).astype(np.float32)
    part = rays[box]
    slant = part @ normal
    slant[np.abs(slant) < 1e-6] = 1e-6
    reach = np.float32(normal @ (corner - eye)) / slant
    start = eye - corner
    u = (reach * (part @ across) + np.float32(start @ across)) / np.float32(surface.size_mm[0])
    v = (reach * (part @ down) + np.float32(start @ down)) / np.float32(surface.size_mm[1])
    rows, columns = surface.texture.shape[:2]
    map_x, map_y = u * columns - 0.5, v * rows - 0.5
    mask = (reach > 0) & (u >= 0) & (u <= 1) & (v >= 0) & (v <= 1)
    if surface.mask is not None:
        mask &= cv2.remap(surface.mask, map_x, map_y, cv2.INTER_LINEAR) > 127
    nearest = mask & (reach < depth[box])
    painted = linear(surface.texture) * _lightmap(surface, shadows)
    colour = cv2.remap(painted, map_x, map_y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    light[box][nearest] = colour[nearest]
    depth[box][nearest] = reach[nearest]
    return box, mask


def _box(surface: Surface, view: CameraView, shape: tuple[int, ...]) -> tuple[slice, slice] | None:
    """Return the box of the supersampled picture that contains the surface; for the table, the whole picture."""
    height, width = shape[:2]
    if surface.name == "table":
        return slice(0, height), slice(0, width)
    corner, across, down = (np.asarray(v) for v in (surface.corner_mm, surface.across, surface.down))
    u, v = np.meshgrid(np.linspace(0, surface.size_mm[0], 5), np.linspace(0, surface.size_mm[1], 5))
    spots = corner + u.reshape(-1, 1) * across + v.reshape(-1, 1) * down
    fine = width / view.camera.width_px
    seen = view.project(spots) * fine
    left, top = np.floor(seen.min(axis=0)).astype(int) - 6
    right, bottom = np.ceil(seen.max(axis=0)).astype(int) + 7
    left, top, right, bottom = max(left, 0), max(top, 0), min(right, width), min(bottom, height)
    return (slice(top, bottom), slice(left, right)) if left < right and top < bottom else None


def _lightmap(surface: Surface, shadows: Shadows) -> Floats:
    """Return the light that falls on a surface, at the resolution of its texture."""
    width, height = surface.size_mm
    columns, rows = max(round(width / LIGHT_STEP_MM), 2), max(round(height / LIGHT_STEP_MM), 2)
    step = max(1, round(np.sqrt(columns * rows / 60_000)))
    columns, rows = columns // step, rows // step
    u, v = np.meshgrid((np.arange(columns) + 0.5) / columns * width, (np.arange(rows) + 0.5) / rows * height)
    corner, across, down = (
        np.asarray(one, dtype=np.float32) for one in (surface.corner_mm, surface.across, surface.down)
    )
    points = corner + u.reshape(-1, 1).astype(np.float32) * across + v.reshape(-1, 1).astype(np.float32) * down
    found = light_on(points, surface.normal, shadows).reshape(rows, columns, 3)
    size = (surface.texture.shape[1], surface.texture.shape[0])
    return np.asarray(cv2.resize(found, size, interpolation=cv2.INTER_LINEAR), dtype=np.float32)


def hide(picture: Image, view: CameraView, rig: Rig, marker_id: int) -> None:
    """Draw a beer mat over a marker, in place."""
    for marker in rig.markers:
        if marker.id == marker_id:
            turns = np.linspace(0, 2 * np.pi, 40)
            ring = np.column_stack(
                [marker.x_mm + 34 * np.cos(turns), marker.y_mm + 34 * np.sin(turns), np.full(40, 2.0)]
            )
            outline = np.round(view.project(ring) * 16).astype(np.int32)
            cv2.fillPoly(picture, [outline], (92, 128, 168), cv2.LINE_AA, 4)
            cv2.polylines(picture, [outline], True, (60, 84, 120), 2, cv2.LINE_AA, 4)
