"""A ball on a level plane, its outline in a picture, and the fit of a ball to an outline.

The silhouette of a sphere is the cone of rays that touch it. Every ray to the outline has the same angle to the ray to
the centre, and the sine of that angle is radius ÷ distance. As the ball lies on a known plane, the distance follows
from the radius, so one outline gives the diameter. Off the optical axis the outline is not a circle in the picture or
on the table, so the cone is fitted.
"""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Array, CameraView
from vision.sphere.outline import locate, profiles

SMALLEST_FITTED_MM, LARGEST_FITTED_MM = 8.0, 60.0
"""A fit beyond these diameters is no sphere."""
COARSE_DIRECTIONS = 60
FITS, LEAST_RIM = 0.2, 0.5  # weight of an edge that fits; share of the rim that must fit


class Ball(msgspec.Struct, frozen=True):
    """A ball on a level plane: centre x, y, diameter, and the plane's height, in mm."""

    x_mm: float
    y_mm: float
    diameter_mm: float
    floor_mm: float

    @property
    def centre_mm(self) -> Array:
        """The centre, shape (3,), mm."""
        return np.array([self.x_mm, self.y_mm, self.floor_mm + self.diameter_mm / 2])

    def outline_mm(self, view: CameraView, count: int) -> tuple[Array, Array]:
        """Return the points where view rays are tangent to the ball, shape (n, 3), and the outward directions there."""
        centre, radius = self.centre_mm, self.diameter_mm / 2
        towards = view.pose.camera_position_mm - centre
        distance = float(np.linalg.norm(towards))
        axis = towards / distance
        sideways = np.cross(axis, [0.0, 1.0, 0.0])
        sideways /= np.linalg.norm(sideways)
        upwards = np.cross(sideways, axis)
        turn = np.arange(count) * (2 * np.pi / count)
        outward = np.cos(turn)[:, None] * sideways + np.sin(turn)[:, None] * upwards
        sine = radius / distance
        return centre + radius * (sine * axis + np.sqrt(1 - sine**2) * outward), outward


def outline_px(ball: Ball, view: CameraView, count: int) -> tuple[Array, Array, float, float]:
    """Return the ball's outline in the picture, its outward normals, its radius in px, and mm per pixel at the ball."""
    points, outward = ball.outline_mm(view, count)
    pixels = view.project(points)
    normals = view.project(points + outward * 0.5) - pixels
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    depth = float((view.pose.R @ ball.centre_mm)[2] + view.pose.tvec[2])
    mm_per_px = depth / view.camera.focal_px[0]
    return pixels, normals, ball.diameter_mm / 2 / mm_per_px, mm_per_px


def search_ball(
    light: NDArray[np.float32], corner: tuple[int, int], ball: Ball, view: CameraView
) -> tuple[Ball, Array]:
    """Fit a ball that is roughly known to the edges of the outline search, twice.

    :param light: linear light of a part of the picture, shape (h, w, 3), whose first pixel is `corner`.
    :returns: the ball, and the weight of each edge, 0 where there is none.
    """
    own = np.median(core_light(light, corner, ball, view), axis=0)
    for _ in range(2):
        pixels, normals, radius_px, _ = outline_px(ball, view, COARSE_DIRECTIONS)
        half_px = half_px_of(radius_px)
        offset, sd = locate(profiles(light, pixels - corner, normals, half_px), half_px, radius_px, own)
        ball, _, weight, _ = fit_ball(pixels + normals * offset[:, None], sd, ball, view)
    return ball, weight


def plausible(ball: Ball, weight: Array) -> bool:
    """Return whether a fit with such weights of its edges is a sphere of the game: its size, and half of its rim."""
    return bool(SMALLEST_FITTED_MM < ball.diameter_mm < LARGEST_FITTED_MM and (weight > FITS).mean() >= LEAST_RIM)


def half_px_of(radius_px: float) -> float:
    """Return the half length of profiles across the rim of a ball, px."""
    return float(np.clip(np.round(radius_px * 0.2), 4, 14))


def core_light(light: NDArray[np.float32], corner: tuple[int, int], ball: Ball, view: CameraView) -> Array:
    """Return the light, shape (n, 3), of the ball's middle, in a part of a picture whose first pixel is `corner`."""
    pixels, _ = ball.outline_mm(view, 24)
    middle = view.project(ball.centre_mm[None])
    hull = (middle + (view.project(pixels) - middle) * 0.75 - corner).round().astype(np.int32)
    mask = np.zeros(light.shape[:2], np.uint8)
    cv2.fillPoly(mask, [hull], 1)
    return np.asarray(light[mask > 0], dtype=np.float64)


def fit_ball(edge: Array, sd: Array, ball: Ball, view: CameraView) -> tuple[Ball, Array, Array, Array]:
    """Fit the ball whose tangent cone passes through the edge pixels: robust Gauss–Newton in x, y, diameter.

    :param edge: edge points, shape (n, 2) px; `sd` their standard deviations, shape (n,), infinite where there is none.
    :returns: the ball; each edge's distance from its outline, shape (n,) px, and weight; the covariance (3, 3) of x, y
        and diameter, mm².
    """
    rays = view.rays(edge) @ view.pose.R
    camera = view.pose.camera_position_mm
    focal = view.camera.focal_px[0]
    state = np.array([ball.x_mm, ball.y_mm, ball.diameter_mm])
    base = np.where(np.isfinite(sd), 1.0, 0.0)

    def gaps(values: Array) -> Array:
        centre = np.array([values[0], values[1], ball.floor_mm + values[2] / 2]) - camera
        distance = np.linalg.norm(centre)
        beside = np.arccos(np.clip(rays @ (centre / distance), -1, 1))
        return np.asarray((beside - np.arcsin(np.clip(values[2] / 2 / distance, 0, 1))) * focal)

    weight = base
    for _ in range(8):
        residual = gaps(state)
        jacobian = np.column_stack([(gaps(state + step) - residual) / 0.01 for step in np.eye(3) * 0.01])
        scale = max(1.4826 * float(np.median(np.abs(residual[base > 0]))), 0.05) if base.any() else 1.0
        weight = base * np.clip(1 - (residual / (6 * scale)) ** 2, 0, None) ** 2
        normal = jacobian.T @ (weight[:, None] * jacobian) + np.eye(3) * 1e-9
        state = state - np.linalg.solve(normal, jacobian.T @ (weight * residual))
    variance = float((weight * residual**2).sum() / max(weight.sum() - 3, 1))
    fitted = Ball(float(state[0]), float(state[1]), float(state[2]), ball.floor_mm)
    return fitted, gaps(state), np.asarray(weight), np.asarray(np.linalg.inv(normal) * variance * 4)
