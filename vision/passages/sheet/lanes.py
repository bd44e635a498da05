"""The sheet: one small rectified picture of all lanes of the track, sampled from the camera's picture.

A cell (row, column) shows what the camera sees along the ray to the *centre* of a sphere of `NOMINAL_RADIUS_MM` that
rolls there. Rows go from the platform's end down to the landing board's, columns from left to right. All later steps
work on the sheet and are independent of the lens, the pose and the picture's size.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import CameraView, Image
from hardware.rig import Rig

CELL_MM = 2.5
"""Six cells across the smallest sphere (15 mm). One pixel of a 768 px picture shows about 1 mm."""
NOMINAL_RADIUS_MM = 14.0
"""Radius of a typical sphere: its diameter is a little smaller than the mean hole (30 mm)."""
MARGIN_MM = 40.0
"""Width of the sheet beside the outermost lanes' middles: half a lane, and half a lane more to see a sphere leave."""
BACK_MARGIN_MM = 2.0
"""Length of the sheet behind the platform. What a longer sheet shows there are hands."""
LENS_MARGIN_PX = 4
"""Margin of the crop round the sheet, for interpolation and block averages."""
SAMPLING_STEP_PX = 1.6
"""Distance of the sheet's cells in the picture after block averaging. At a larger one, sampling would skip pixels."""
RAMP_FROM_MM = 12.0
"""Distance uphill of the fence from which on the sheet shows only the ramp."""
FACE_ABOVE_HOLE_MM, FACE_BELOW_TOP_MM = 3.0, 2.0
"""Margins of the fence's face at the hole and at the top edge: the blur of one pixel."""

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


class TrackSheet:
    """Samples the sheet from pictures of one view. It is made once per pose; `sample` then takes under 1 ms.

    `valid`, `fence_face` and `ramp`, shape (rows, columns), mark the cells that lie in the picture, that show the
    fence's face above its holes, and that show the ramp and the platform. `ground_x_mm`, of the same shape: table x of
    the ground that a cell shows while no sphere hides it. `ground_aside_cells`: by how many cells at most the ground of
    one lane lies elsewhere in its part of the sheet than that of the middle lane.
    """

    def __init__(self, view: CameraView, rig: Rig) -> None:
        self.rig = rig
        xs = [lane.x_mm for lane in rig.lanes]
        self.x_mm = np.arange(min(xs) - MARGIN_MM, max(xs) + MARGIN_MM, CELL_MM) + CELL_MM / 2
        self.y_mm = np.arange(rig.platform_end_y_mm + BACK_MARGIN_MM, rig.landing_y_mm[0], -CELL_MM) - CELL_MM / 2
        self.shape = (len(self.y_mm), len(self.x_mm))
        (y0, z0), (y1, z1) = rig.ramp_foot, rig.ramp_top
        self.slope = (z1 - z0) / (y1 - y0)
        self._per_radius = math.hypot(1.0, self.slope)

        x, y = np.meshgrid(self.x_mm, self.y_mm)
        points = np.stack([x, y, self._centre_height(y, NOMINAL_RADIUS_MM)], axis=-1).reshape(-1, 3)
        pixels = view.project(points)
        width, height = view.camera.width_px, view.camera.height_px
        inside = (pixels[:, 0] > 1) & (pixels[:, 0] < width - 2) & (pixels[:, 1] > 1) & (pixels[:, 1] < height - 2)
        self.valid: Mask = inside.reshape(self.shape)
        self._plan_sampling(pixels, width, height)
        self._plan_heights(view, points)
        self.ground_x_mm = x - NOMINAL_RADIUS_MM * self._shift_x
        self.ground_aside_cells = self._ground_aside_cells()
        self.ramp: Mask = (y > rig.fence_y_mm + RAMP_FROM_MM) & self.valid
        self.fence_face: Mask = self._face_cells(view, points)

    def sample(self, image: Image) -> Image:
        """Return the sheet, shape (rows, columns, 3), of a BGR picture of the view's size."""
        top, bottom, left, right = self._crop
        crop: cv2.typing.MatLike = image[top:bottom, left:right]
        if self._shrink > 1:
            size = (crop.shape[1] // self._shrink, crop.shape[0] // self._shrink)
            crop = cv2.resize(crop, size, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.remap(crop, self._map, self._weights, cv2.INTER_LINEAR), dtype=np.uint8)

    def place(self, row: float, column: float, radius_mm: float) -> tuple[float, float]:
        """Return table x, y in mm of the centre of a sphere of this radius with its silhouette centred at a cell."""
        r = min(max(round(row), 0), self.shape[0] - 1)
        c = min(max(round(column), 0), self.shape[1] - 1)
        extra_mm = radius_mm - NOMINAL_RADIUS_MM
        x = float(self.x_mm[0]) + column * CELL_MM + extra_mm * float(self._shift_x[r, c])
        y = float(self.y_mm[0]) - row * CELL_MM + extra_mm * float(self._shift_y[r, c])
        return x, y

    def radius_mm(self, row: float, column: float, cells: float) -> float:
        """Return the radius in mm of a sphere whose complete silhouette covers this number of cells around a cell."""
        r = min(max(round(row), 0), self.shape[0] - 1)
        c = min(max(round(column), 0), self.shape[1] - 1)
        return math.sqrt(cells * CELL_MM**2 * float(self._facing[r, c]) / math.pi)

    def _centre_height(self, y: NDArray[np.float64], radius_mm: float) -> NDArray[np.float64]:
        (y0, z0), (_, z1) = self.rig.ramp_foot, self.rig.ramp_top
        ramp = z0 + self.slope * (y - y0) + radius_mm * self._per_radius
        uphill = np.minimum(ramp, z1 + radius_mm)
        return np.where(y > self.rig.fence_y_mm, uphill, self.rig.landing_z_mm + radius_mm)

    def _plan_sampling(self, pixels: NDArray[np.float64], width: int, height: int) -> None:
        low = np.floor(pixels.min(axis=0)).astype(int) - LENS_MARGIN_PX
        high = np.ceil(pixels.max(axis=0)).astype(int) + LENS_MARGIN_PX + 1
        # Averaging blocks first reduces noise and aliasing when a cell spans several pixels.
        spacing_px = float(np.median(np.abs(np.diff(pixels[:, 0].reshape(self.shape), axis=1))))
        self._shrink = max(1, round(spacing_px / SAMPLING_STEP_PX))
        left, top = max(int(low[0]), 0), max(int(low[1]), 0)
        columns = (min(int(high[0]), width) - left) // self._shrink * self._shrink
        rows = (min(int(high[1]), height) - top) // self._shrink * self._shrink
        self._crop = (top, top + rows, left, left + columns)
        at = (pixels - [left, top] + 0.5) / self._shrink - 0.5
        grid = at.reshape(*self.shape, 2).astype(np.float32)
        self._map, self._weights = cv2.convertMaps(grid[..., 0], grid[..., 1], cv2.CV_16SC2)

    def _plan_heights(self, view: CameraView, points: NDArray[np.float64]) -> None:
        rays = points - view.pose.camera_position_mm
        rays /= np.linalg.norm(rays, axis=1, keepdims=True)
        on_ramp = (points[:, 1] > self.rig.fence_y_mm) & (points[:, 1] < self.rig.ramp_top[0])
        slope = np.where(on_ramp, self.slope, 0.0)
        per_radius = np.where(on_ramp, self._per_radius, 1.0)
        along = per_radius / (rays[:, 2] - slope * rays[:, 1])
        self._shift_x = (along * rays[:, 0]).reshape(self.shape)
        self._shift_y = (along * rays[:, 1]).reshape(self.shape)
        normal = np.stack([np.zeros_like(slope), -slope, np.ones_like(slope)], axis=1)
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        # A cell has the area of its ground plan; a silhouette perpendicular to the ray has `_facing` times this area.
        self._facing = (-np.sum(rays * normal, axis=1) / normal[:, 2]).reshape(self.shape)

    def _ground_aside_cells(self) -> int:
        columns = [int(np.argmin(np.abs(self.x_mm - lane.x_mm))) for lane in self.rig.lanes]
        aside_mm = NOMINAL_RADIUS_MM * self._shift_x[:, columns]
        return math.ceil(float(np.abs(aside_mm - np.median(aside_mm, axis=1, keepdims=True)).max()) / CELL_MM)

    def _face_cells(self, view: CameraView, points: NDArray[np.float64]) -> Mask:
        camera = view.pose.camera_position_mm
        rays = points - camera
        front_y = self.rig.fence_y_mm - self.rig.fence_thickness_mm / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = (front_y - camera[1]) / rays[:, 1]
        at = camera + rays * reach[:, None]
        lanes = np.array([lane.x_mm for lane in self.rig.lanes])
        tops = np.array([self.rig.ramp_foot[1] + lane.hole_mm for lane in self.rig.lanes])
        hole_top = tops[np.argmin(np.abs(at[:, :1] - lanes), axis=1)]
        face = (
            (reach > 0)
            & (reach < 1)
            & (at[:, 2] > hole_top + FACE_ABOVE_HOLE_MM)
            & (at[:, 2] < self.rig.fence_top_mm - FACE_BELOW_TOP_MM)
        )
        return np.asarray(face.reshape(self.shape) & self.valid, dtype=np.bool_)
