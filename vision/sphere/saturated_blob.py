"""Finds the largest blob of one saturated colour and the circle that most of its rim lies on."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Array
from vision.colour import log_ratios, saturation
from vision.linear_light import encoded
from vision.shadows import beyond_shadow

OWN_SHARE = 0.28
"""Fraction of a colour that no shadow of the ground explains, above which it is an object's own colour. In traced
pictures of the pan under lamps of 2700 and 6500 K it is up to 0.25 in shadows, including noise, and at least 0.32 in
putty."""
APART_SHARE = 0.06
"""Least difference between the median fractions of a putty and its shadow. Pink putty, whose colour is near the line of
the lamps, has fractions on both sides of `OWN_SHARE`; their medians are 0.045 apart."""
LEAST_PART = 0.1
"""Least part of the saturated pixels that is a sphere. The rest is its shadow, which is a few times larger at most."""


def find_saturated_circle(
    light: NDArray[np.float32], where: Array, white: Array, least_px: float = 1.0
) -> tuple[float, float, float] | None:
    """Find the largest saturated blob in a polygon; return the circle (x, y, radius), px, of most of its rim, or None.

    :param light: linear BGR light, (h, w, 3); `white` is that of white paper, (3,).
    :param where: corners of the polygon, (n, 2) px.
    :param least_px: least area of the blob: the tip of a coloured shadow on the pan is smaller than any sphere.
    """
    soft = cv2.GaussianBlur(light, (0, 0), max(0.7, light.shape[1] / 300)).astype(np.float32)
    hull = np.zeros(light.shape[:2], np.uint8)
    cv2.fillPoly(hull, [where.round().astype(np.int32)], 1)
    saturated = _own_colour(soft, (saturation(soft, white) > 0.5) & (hull > 0), hull > 0).astype(np.uint8)
    saturated = cv2.morphologyEx(saturated, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(saturated, connectivity=4)
    if count < 2:
        return None
    seed = 1 + int(stats[1:, cv2.CC_STAT_AREA].argmax())
    if stats[seed, cv2.CC_STAT_AREA] < least_px:
        return None
    ratios = log_ratios(soft.reshape(-1, 3).astype(np.float64), white).reshape(*soft.shape[:2], 2)
    level = (soft / white.astype(np.float32)).max(axis=2)
    middle = np.median(ratios[labels == seed], axis=0)
    bright = float(np.median(level[labels == seed]))
    same = (np.hypot(*np.moveaxis(ratios - middle, 2, 0)) < 0.45) & (level > 0.25 * bright)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(same.astype(np.uint8), connectivity=4)
    overlap = np.bincount(labels[(hull > 0) & same], minlength=count)
    index = int(overlap.argmax())
    if overlap[index] < 12:
        return None
    rim = _rim(labels == index)
    if (whole := _circle_through(rim)) is not None:
        return whole
    # A cloth of its colour, beside the polygon, looks like a part of it.
    within = cv2.erode(hull, np.ones((5, 5), np.uint8))
    columns, rows = rim.astype(int).T
    return _circle_through(rim[within[rows, columns] > 0])


def _rim(blob: NDArray[np.bool_]) -> Array:
    """Return the pixels (n, 2) of the longest outline of a mask."""
    contours, _ = cv2.findContours(blob.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return np.asarray(max(contours, key=len).reshape(-1, 2), dtype=np.float64)


def _own_colour(soft: NDArray[np.float32], saturated: NDArray[np.bool_], hull: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the saturated pixels whose colour is not a shadow of the ground; all of them if none is far from one.

    If a cold lamp is hidden and a warm one is not, a sphere's shadow is saturated too, and may be larger than the
    sphere.
    """
    ground = hull & ~saturated
    if not ground.any() or not saturated.any():
        return saturated
    codes = (255.0 * encoded(soft[saturated])).astype(np.float32)
    usual = np.broadcast_to((255.0 * encoded(np.median(soft[ground], axis=0))).astype(np.float32), codes.shape)
    share = beyond_shadow(codes, usual) / np.maximum(np.linalg.norm(codes, axis=1), 1.0)
    has_own = share > OWN_SHARE
    if not LEAST_PART < has_own.mean() < 1.0 or np.median(share[has_own]) - np.median(share[~has_own]) < APART_SHARE:
        return saturated
    own = saturated.copy()
    own[saturated] = has_own
    return own


def _circle_through(rim: Array) -> tuple[float, float, float] | None:
    """Fit a circle (x, y, radius) to most rim points, shape (n, 2): RANSAC with a fixed seed, then least squares."""
    if len(rim) < 3:
        return None
    picks = np.random.default_rng(1).integers(0, len(rim), (200, 3))
    p, q, r = (rim[picks[:, index]] for index in range(3))
    a, b = q - p, r - p
    cross = 2 * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
    fair = np.abs(cross) > 1e-6
    if not fair.any():
        return None
    p, a, b, cross = p[fair], a[fair], b[fair], cross[fair]
    aa, bb = (a**2).sum(axis=1), (b**2).sum(axis=1)
    centre = p + np.column_stack([b[:, 1] * aa - a[:, 1] * bb, a[:, 0] * bb - b[:, 0] * aa]) / cross[:, None]
    radius = np.linalg.norm(centre - p, axis=1)
    distance = np.linalg.norm(rim[None] - centre[:, None], axis=2)
    tolerance = np.maximum(0.05 * radius, 1.0)[:, None]
    votes = (np.abs(distance - radius[:, None]) < tolerance).sum(axis=1) / np.maximum(len(rim), 2 * np.pi * radius)
    best = int(votes.argmax())
    if votes[best] < 0.4:
        return None
    near = rim[np.abs(distance[best] - radius[best]) < tolerance[best]]
    solved, *_ = np.linalg.lstsq(np.column_stack([2 * near, np.ones(len(near))]), (near**2).sum(axis=1), rcond=None)
    x, y, rest = solved.tolist()
    return x, y, float(np.sqrt(max(rest + x * x + y * y, 1.0)))
