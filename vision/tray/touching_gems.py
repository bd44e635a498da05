"""Divides a blob into the gems that touch in it.

A gem differs from the felt most at its middle, and less at its rim, which the lens blurs. So between the middles of two
gems that touch lies light that differs by less than either of them.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Image
from vision.tray.felt import GEM_MM
from vision.tray.tray import GEM_STRETCH_MOST, LARGEST_GEM_MM2, STEP_MM, Tray, stretch_of

Mask = NDArray[np.bool_]

LEVELS = (0.5, 0.6, 0.7, 0.8)  # of the largest difference from felt within a gem's length: above it are gems' middles
LEAST_MIDDLE_MM2 = 1.0
ONE_GEM_MM2 = 25.0, 85.0  # an 8 mm gem's ground plan covers 34–54, its blurred picture up to half as much again
LONGEST = 1.7  # ratio of a gem's length to its width, 8.6 to 5.4 mm, and a pixel of its mask
LEAST_FILL = 0.85  # of the convex hull of one gem; a disc of its size has 0.93 in pixels of `STEP_MM`
LAST_GEM_MM2, LAST_FILL = 95.0, 0.82  # most area and least fill of one of as many parts as there are gems at most
MOST_FILL = 0.94  # of the convex hull of several gems that touch: notches remain between them; a die has none
LARGEST_MM2, LONG = 70.0, 1.3  # a blob that is larger and longer (ratio to width) may be more than one gem
ONE_FILL = 0.9, 0.93  # least fill of a larger blob that is one gem: of a round one, of a long one
TAIL_MM = 2.0  # width of the widest part of a blob that compression adds
GEMS_MOST = 3
APART_MM = 11.0  # most between the middles of two gems that touch: 8.6 mm, and highlights beside the middles


def may_be_several(shape: Image) -> bool:
    """Return whether a blob is too large, too long or too notched for one gem."""
    area_mm2, stretch = shape.sum() * STEP_MM**2, stretch_of(shape)
    if area_mm2 < LARGEST_MM2:
        return stretch > GEM_STRETCH_MOST
    is_long = stretch > LONG
    is_large = area_mm2 > (ONE_GEM_MM2[1] if is_long else LARGEST_GEM_MM2)
    return is_large or _fill(_without_tails(shape)) < ONE_FILL[is_long]


def parted(tray: Tray, shape: Image) -> tuple[Mask, ...] | None:
    """Return the gems that touch in a blob, each as a mask (h, w); None unless each part looks like one whole gem.

    A blob of one gem's size that has one middle alone is one gem, with colour that compression or a shadow adds to it.

    :param shape: the blob in the rectified tray, (h, w), 0 or 1.
    """
    if _fill(shape) > MOST_FILL:
        return None
    usual = tray.fitted / np.maximum(tray.shade, 1.0)[..., None]
    differs = np.linalg.norm(tray.light - usual, axis=2) * shape
    size = 2 * round(GEM_MM / 2 / STEP_MM) + 1
    most = cv2.dilate(differs, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)))
    middles = [_middles(differs > level * most) for level in LEVELS]
    for at_level in middles:
        parts = _nearest(shape, at_level)
        if 2 <= len(parts) <= GEMS_MOST and _touch(at_level) and all(_is_one(part, of=len(parts)) for part in parts):
            return parts
    is_one = all(len(at_level) == 1 for at_level in middles) and shape.sum() * STEP_MM**2 <= ONE_GEM_MM2[1]
    return (shape > 0,) if is_one else None


def _middles(strong: Mask) -> list[Mask]:
    count, labels, stats, _ = cv2.connectedComponentsWithStats(strong.astype(np.uint8), connectivity=4)
    areas_mm2 = stats[:, cv2.CC_STAT_AREA] * STEP_MM**2
    return [labels == index for index in range(1, count) if areas_mm2[index] >= LEAST_MIDDLE_MM2]


def _nearest(shape: Image, middles: list[Mask]) -> tuple[Mask, ...]:
    """Divide `shape` among `middles`: each pixel belongs to the nearest."""
    if len(middles) < 2:
        return ()
    away = [cv2.distanceTransform((~middle).astype(np.uint8), cv2.DIST_L2, 5) for middle in middles]
    nearest = np.argmin(away, axis=0)
    return tuple((shape > 0) & (nearest == index) for index in range(len(middles)))


def _touch(middles: list[Mask]) -> bool:
    """Return whether each middle has another within a gem's length, so that no gem lies between them unseen."""
    places = np.array([np.argwhere(middle).mean(axis=0) for middle in middles])
    away = np.linalg.norm(places[:, None] - places[None], axis=2) + np.diag(np.full(len(places), np.inf))
    return bool((away.min(axis=1) * STEP_MM <= APART_MM).all())


def _is_one(part: Mask, of: int) -> bool:
    """Return whether one of `of` parts has a gem's size, is about as wide as long, and has no notch.

    Where there are as many parts as gems at most, a part may be blurred more: no further gem can be in it.
    """
    shape = part.astype(np.uint8)
    least_mm2, most_mm2 = ONE_GEM_MM2
    least_fill = LEAST_FILL
    if of == GEMS_MOST:
        most_mm2, least_fill = LAST_GEM_MM2, LAST_FILL
    fits = least_mm2 <= part.sum() * STEP_MM**2 <= most_mm2 and stretch_of(shape) <= LONGEST
    return fits and _fill(_without_tails(shape)) > least_fill


def _without_tails(shape: Image) -> Image:
    """Return a shape without narrow parts: colour that compression carries onto the felt."""
    size = 2 * round(TAIL_MM / 2 / STEP_MM) + 1
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size))
    return np.asarray(cv2.morphologyEx(shape, cv2.MORPH_OPEN, disc), dtype=np.uint8)


def _fill(shape: Image) -> float:
    """Return the area of a shape as a fraction of its convex hull, which is that of its pixels' corners; 0 if empty."""
    rows, columns = np.nonzero(shape)
    if not len(rows):
        return 0.0
    corners = [np.column_stack([columns + right, rows + below]) for right in (0, 1) for below in (0, 1)]
    return len(rows) / cv2.contourArea(cv2.convexHull(np.concatenate(corners).astype(np.int32)))
