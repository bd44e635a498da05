"""Measures the putty sphere on the pan: diameter, centre, roundness and colour.

`vision.sphere.ball` has the geometry. The outline search finds the sphere, and the rim's fit measures it.
"""

from __future__ import annotations

from typing import NamedTuple

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Array, CameraView, Image
from hardware.rig import Rig
from vision.colour import DEFAULT, Palette, palette_of
from vision.linear_light import crop, linear, paper_white
from vision.observations import Colour, Sphere
from vision.sphere.ball import (
    COARSE_DIRECTIONS,
    LARGEST_FITTED_MM,
    SMALLEST_FITTED_MM,
    Ball,
    core_light,
    fit_ball,
    half_px_of,
    outline_px,
    plausible,
    search_ball,
)
from vision.sphere.edge_fit import RAYS, fit_edge
from vision.sphere.outline import locate, profiles
from vision.sphere.saturated_blob import find_saturated_circle

DIRECTIONS = 180
LEAST_CLOSE_UP_PX = 8.0  # radius; below it a profile of the rim extends past the centre
SEEN_PART = 0.5  # least part of the smallest sphere's disc that is saturated and in front of the pan
LUMPIEST_PCT = 30.0  # caliper spread above which the outline is not that of a ball
# set on 560 rendered balls that no test uses: error of a diameter by JPEG; error of the rim's model ÷ standard
# deviation of the error common to all profiles; error of an irregular ball's mean diameter ÷ scatter of its outline
EDGE_PX, SHARED, UNSEEN = 0.15, 3.0, 1.2


def read_pan(image: Image, view: CameraView, rig: Rig) -> Sphere | None:
    """Measure the sphere on the pan, with the correction from known balls; return None if there is none.

    :param image: BGR uint8 picture of the size `view` is for.
    """
    found = _find(image, view, rig)
    sphere = None if found is None else _measure(found, view, palette_of(rig))
    return None if sphere is None else _corrected(sphere, rig)


def _corrected(sphere: Sphere, rig: Rig) -> Sphere:
    """Correct the diameter by the camera's error on balls of known diameter (`calibrate balls`)."""
    assert sphere.diameter_mm is not None, "spheres on the pan are in mm"
    assert sphere.diameter_sd_mm is not None, "spheres on the pan are in mm"
    return msgspec.structs.replace(
        sphere,
        diameter_mm=(sphere.diameter_mm - rig.ball_offset_mm) / rig.ball_scale,
        diameter_sd_mm=float(np.hypot(sphere.diameter_sd_mm / rig.ball_scale, rig.ball_sd_mm)),
    )


def pan_colour(image: Image, view: CameraView, rig: Rig) -> tuple[Colour, float] | None:
    """Return the colour of the sphere on the pan and its confidence 0–1; None if there is none.

    A game must not get more than the colour (AP-4), and this is much faster than measuring the sphere.
    """
    seen = pan_light(image, view, rig)
    return None if seen is None else palette_of(rig).name(*seen)


def pan_light(image: Image, view: CameraView, rig: Rig) -> tuple[Array, Array] | None:
    """Return the linear BGR light, shape (3,), of the sphere on the pan and of white paper; None without a sphere."""
    found = _find(image, view, rig)
    if found is None:
        return None
    ball = _located(found, view)
    if ball is None:
        return None
    return np.median(core_light(found.light, found.corner, ball, view), axis=0), found.white


class _Found(msgspec.Struct, frozen=True):
    """The crop of a picture that shows the pan, and a first estimate of the ball in it."""

    part: Image
    light: NDArray[np.float32]
    corner: tuple[int, int]
    ball: Ball
    white: Array


def _find(image: Image, view: CameraView, rig: Rig) -> _Found | None:
    white = paper_white(image, view, rig)
    x, y = rig.pan_centre_mm
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    reach = rig.pan_diameter_mm / 2
    ring = np.column_stack([x + reach * np.cos(turn), y + reach * np.sin(turn), np.full(24, rig.pan_z_mm)])
    box = view.project(np.vstack([ring, ring + np.array([0.0, 0.0, 45.0])]))
    part, (left, top) = crop(image, box, 8.0)
    if min(part.shape[:2]) < 8:
        return None
    light = linear(part)
    pan = view.project(ring) - [left, top]
    ball = _first_guess(light, pan, white, view, rig, (left, top))
    return None if ball is None else _Found(part, light, (left, top), ball, white)


def _first_guess(
    light: NDArray[np.float32], pan: Array, white: Array, view: CameraView, rig: Rig, corner: tuple[int, int]
) -> Ball | None:
    smallest_px = cv2.contourArea(pan.astype(np.float32)) * (SMALLEST_FITTED_MM / rig.pan_diameter_mm) ** 2
    circle = find_saturated_circle(light, pan, white, SEEN_PART * smallest_px)
    if circle is None:
        return None
    x, y, radius = circle
    ball = _ball_of(np.pi * radius**2, np.array([x, y]) + corner, view, rig.pan_z_mm)
    return ball if SMALLEST_FITTED_MM < ball.diameter_mm < LARGEST_FITTED_MM else None


def _ball_of(area_px: float, middle_px: Array, view: CameraView, floor_mm: float) -> Ball:
    diameter = 20.0
    focal = view.camera.focal_px[0]
    for _ in range(6):
        centre = view.on_plane(middle_px.reshape(1, 2), floor_mm + diameter / 2)[0]
        depth = float((view.pose.R @ centre)[2] + view.pose.tvec[2])
        diameter = 2 * np.sqrt(area_px / np.pi) * depth / focal
    return Ball(float(centre[0]), float(centre[1]), float(diameter), floor_mm)


def _located(found: _Found, view: CameraView) -> Ball | None:
    ball, weight = search_ball(found.light, found.corner, found.ball, view)
    return ball if plausible(ball, weight) else None


def _measure(found: _Found, view: CameraView, palette: Palette) -> Sphere | None:
    located = _located(found, view)
    if located is None:
        return None
    pixels, normals, radius_px, mm_per_px = outline_px(located, view, DIRECTIONS * RAYS)
    rim = fit_edge(found.part, pixels - found.corner, normals, half_px_of(radius_px), radius_px)
    edges = (pixels + normals * np.repeat(rim.offset_px, RAYS)[:, None])[RAYS // 2 :: RAYS]
    ball, residual_px, weight, covariance = fit_ball(edges, rim.sd_px, located, view)
    if not plausible(ball, weight):
        return None
    spread_pct = _spread(residual_px * mm_per_px, weight, ball.diameter_mm / 2)
    if spread_pct > LUMPIEST_PCT:
        return None
    name, sure = palette.name(np.median(core_light(found.light, found.corner, ball, view), axis=0), found.white)
    lumps_mm = float(np.sqrt((weight * residual_px**2).sum() / max(weight.sum(), 1.0))) * mm_per_px
    camera_px = np.hypot(EDGE_PX, SHARED * rim.shared_sd_px)
    sd_mm = float(np.sqrt(covariance[2, 2] + (camera_px * mm_per_px) ** 2 + (UNSEEN * lumps_mm) ** 2))
    # In the rim's fit, light from one side is a free parameter correlated with position. The outline search gives a
    # better position.
    centre_mm = (located.x_mm, located.y_mm, ball.floor_mm + ball.diameter_mm / 2)
    return Sphere(
        where="pan",
        colour=name,
        confidence=sure,
        diameter_mm=ball.diameter_mm,
        diameter_sd_mm=sd_mm,
        caliper_spread_pct=spread_pct,
        centre_mm=centre_mm,
    )


def _spread(residual_mm: Array, weight: Array, radius_mm: float) -> float:
    """Return (largest − smallest caliper) ÷ mean in per cent, from a smooth outline of six harmonics."""
    turn = np.arange(len(residual_mm)) * (2 * np.pi / len(residual_mm))
    columns = [np.ones_like(turn)]
    for order in (1, 2, 3, 4, 5, 6):
        columns += [np.cos(order * turn), np.sin(order * turn)]
    basis = np.column_stack(columns)
    kept = weight > 0.1
    coefficients, *_ = np.linalg.lstsq(basis[kept], residual_mm[kept], rcond=None)
    radius = radius_mm + basis @ coefficients
    width = radius + np.roll(radius, len(radius) // 2)
    return float((width.max() - width.min()) / width.mean() * 100)


def read_sphere_close_up(image: Image) -> Sphere | None:
    """Measure the sphere in a close-up, in pixels; return None if there is none.

    Without a camera file the outline is fitted as a circle, and neutral white is assumed for white paper.
    """
    light = linear(image)
    white = np.ones(3)
    height, width = image.shape[:2]
    everywhere = np.array([[0, 0], [width - 1, 0], [width - 1, height - 1], [0, height - 1]], dtype=np.float64)
    circle = find_saturated_circle(light, everywhere, white)
    if circle is None:
        return None
    x, y, radius = circle
    rows, across = np.mgrid[:height, :width]
    middle = light[np.hypot(across - x, rows - y) < 0.6 * radius]
    if not len(middle):
        return None  # its middle is outside the picture
    ball_light = np.median(middle, axis=0).astype(np.float64)
    fitted: _FittedCircle | None
    for _ in range(2):
        points, normals = _rim(x, y, radius, COARSE_DIRECTIONS)
        half_px = half_px_of(radius)
        offset, sd = locate(profiles(light, points, normals, half_px), half_px, radius, ball_light)
        fitted = _fitted_circle(x, y, radius, normals, offset, sd)
        if fitted is None or fitted.radius < 1:
            return None  # half a rim of rubbish may have any radius, a negative one too
        x, y, radius = fitted.x, fitted.y, fitted.radius
    points, normals = _rim(x, y, radius, DIRECTIONS * RAYS)
    rim = fit_edge(image, points, normals, half_px_of(radius), radius)
    fitted = _fitted_circle(x, y, radius, normals[RAYS // 2 :: RAYS], rim.offset_px, rim.sd_px)
    if fitted is None:
        return None
    x, y, radius, gap, weight = fitted
    if not LEAST_CLOSE_UP_PX < radius < max(height, width):
        return None
    spread_pct = _spread(gap, weight, radius)
    core = light[np.hypot(across - x, rows - y) < 0.75 * radius]
    if not len(core) or spread_pct > LUMPIEST_PCT:
        return None
    name, sure = DEFAULT.name(np.median(core, axis=0), white)
    sd_px = 2 * float(np.sqrt((weight * gap**2).sum() / max(weight.sum() - 3, 1) / max(weight.sum() / 4, 1)))
    return Sphere(
        where="close_up",
        colour=name,
        confidence=sure,
        diameter_px=2 * radius,
        diameter_sd_px=float(np.sqrt(sd_px**2 + EDGE_PX**2 + (SHARED * rim.shared_sd_px) ** 2)),
        caliper_spread_pct=spread_pct,
        centre_px=(x, y),
    )


class _FittedCircle(NamedTuple):
    """A circle in px; the residual of its edge in px, and the weight 0–1, in each direction."""

    x: float
    y: float
    radius: float
    gap_px: Array
    weight: Array


def _rim(x: float, y: float, radius: float, count: int) -> tuple[Array, Array]:
    """Return `count` points of a circle in px, and the outward normals there."""
    turn = np.arange(count) * (2 * np.pi / count)
    normals = np.column_stack([np.cos(turn), np.sin(turn)])
    return np.array([x, y]) + radius * normals, normals


def _fitted_circle(
    x: float, y: float, radius: float, normals: Array, offset_px: Array, sd_px: Array
) -> _FittedCircle | None:
    """Fit a circle to offsets of its edge along the normals, with outliers weighed down (Tukey's biweight).

    :param sd_px: not finite where no edge was found. Return None if that is more than half of the circle.
    """
    seen = np.isfinite(sd_px)
    if seen.mean() < 0.5:
        return None
    weight = seen.astype(float)
    columns = np.column_stack([np.ones(len(normals)), normals])
    for _ in range(6):
        shift = np.linalg.lstsq(columns * weight[:, None], offset_px * weight, rcond=None)[0]
        gap_px = offset_px - columns @ shift
        scale = max(1.4826 * float(np.median(np.abs(gap_px[seen]))), 0.05)
        weight = seen * np.clip(1 - (gap_px / (6 * scale)) ** 2, 0, None)
    return _FittedCircle(float(x + shift[1]), float(y + shift[2]), float(radius + shift[0]), gap_px, weight)
