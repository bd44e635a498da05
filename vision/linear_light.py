"""Linear light: conversion from and to encoded pixel values, and the light of white paper under the table's lamps.

Blur, shading and mixing are linear in light. Edges measured on gamma-encoded values are shifted to the dark side.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Array, CameraView
from hardware.rig import Rig

DARKEST_PAPER = 0.01  # of the most that a picture can tell, code 25 of 8 bits: darker paper is noise as much as light
MOST_VEIL = 0.25  # of the light of white paper: with more of it, a dark object may look like what is under it


@lru_cache(maxsize=1)
def _table() -> NDArray[np.float32]:
    return decoded(np.arange(256) / 255).astype(np.float32)


def linear(image: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return linear light 0–1 of an sRGB-encoded picture of any shape (IEC 61966-2-1)."""
    return np.asarray(_table()[image])


def linear_over(picture: NDArray[np.uint8], paper: Array) -> NDArray[np.float32]:
    """Return the linear light of a BGR picture, (h, w, 3), divided by that of white paper, (3,)."""
    table = (_table()[:, None] / paper).astype(np.float32)
    return np.asarray(cv2.LUT(picture, table[:, None, :]), dtype=np.float32)


def decoded(code: Array) -> Array:
    """Return linear light 0–1 of sRGB-encoded values 0–1."""
    return np.where(code <= 0.04045, code / 12.92, ((code + 0.055) / 1.055) ** 2.4)


def encoded(light: Array | NDArray[np.float32]) -> Array:
    """Return sRGB-encoded values 0–1 of linear light."""
    light = np.clip(np.asarray(light, dtype=np.float64), 0.0, 1.0)
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)


def encoding_slope(light: Array) -> Array:
    """Return the derivative of `encoded` by the light."""
    light = np.clip(light, 1e-5, 1.0)
    return np.asarray(np.where(light <= 0.0031308, 12.92, 1.055 / 2.4 * light ** (1 / 2.4 - 1)))


def luminance(lightness: Array | NDArray[np.float32] | float) -> Array:
    """Return the light of a CIE lightness L* from 8 to 100, as a fraction of white's. Below 8 it is a little high."""
    return ((np.asarray(lightness, dtype=np.float64) + 16) / 116) ** 3


def paper_white(image: NDArray[np.uint8], view: CameraView, rig: Rig) -> Array:
    """Return the linear BGR light, shape (3,), of the white paper round the markers: the lamps' colour and level.

    The white quiet zone of a marker is at least a cell (a sixth of its side) wide. Without a usable marker in the
    picture, return neutral white. No channel is below `DARKEST_PAPER`.
    """
    white = _light_round_markers(image, view, rig, rig.marker_side_mm * (1 / 2 + 1 / 12))
    return np.ones(3) if white is None else np.maximum(white, DARKEST_PAPER)


def veil(image: NDArray[np.uint8], view: CameraView, rig: Rig, paper: Array) -> float:
    """Return the light of the markers' printed black ÷ that of white paper, in the channel where it is largest.

    The outermost cell of a marker is black all round. A printer's black has about 0.04. Above it the camera's black
    level, or light on the lens, is added to every colour. Without a usable marker in the picture, return 0.
    """
    black = _light_round_markers(image, view, rig, rig.marker_side_mm * (1 / 2 - 1 / 12))
    return 0.0 if black is None else float((black / paper).max())


def _light_round_markers(image: NDArray[np.uint8], view: CameraView, rig: Rig, reach_mm: float) -> Array | None:
    """Return the median linear BGR light, shape (3,), of the squares `reach_mm` from the markers' middles."""
    height, width = image.shape[:2]
    samples = []
    for marker in rig.markers:
        ring = np.array([[s * reach_mm, t * reach_mm] for t in np.linspace(-1, 1, 9) for s in (-1.0, 1.0)])
        ring = np.vstack([ring, ring[:, ::-1]]) + np.array([marker.x_mm, marker.y_mm])
        pixels = view.project(np.column_stack([ring, np.full(len(ring), marker.z_mm)]))
        inside = (pixels >= 1).all(axis=1) & (pixels < [width - 2, height - 2]).all(axis=1)
        if inside.sum() < 8:
            continue
        near = pixels[inside].round().astype(int)
        samples.append(np.median(linear(image[near[:, 1], near[:, 0]]), axis=0))
    return np.asarray(np.median(samples, axis=0), dtype=np.float64) if samples else None


def sampled(picture: NDArray[Any], places: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    """Sample a picture bilinearly; outside it, edge pixels are repeated.

    :param picture: shape (h, w) or (h, w, channels), uint8 or float32; `places` (…, 2) in px, x first.
    :returns: shape (…) or (…, channels).
    """
    flat = np.ascontiguousarray(places, dtype=np.float32).reshape(1, -1, 2)
    values: list[NDArray[np.float32]] = []
    for start in range(0, flat.shape[1], 30000):  # OpenCV's maps are at most 32767 wide
        part = flat[:, start : start + 30000]
        values.append(
            np.asarray(
                cv2.remap(picture, part[..., 0], part[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE),
                dtype=np.float32,
            )[0]
        )
    return np.concatenate(values).reshape(*places.shape[:-1], *picture.shape[2:])


def crop(image: NDArray[np.uint8], pixels: Array, margin_px: float) -> tuple[NDArray[np.uint8], tuple[int, int]]:
    """Crop the bounding box of `pixels`, shape (n, 2), with a margin; also return its (x, y) corner in the picture."""
    height, width = image.shape[:2]
    low = np.clip(np.floor(pixels.min(axis=0) - margin_px), 0, [width, height]).astype(int)
    high = np.clip(np.ceil(pixels.max(axis=0) + margin_px) + 1, 0, [width, height]).astype(int)
    return image[low[1] : high[1], low[0] : high[0]], (int(low[0]), int(low[1]))


def rectified(image: NDArray[np.uint8], view: CameraView, points_mm: Array) -> NDArray[np.uint8]:
    """Sample a picture at a grid of table points, shape (rows, columns, 3) mm: BGR uint8, shape (rows, columns, 3)."""
    rows, columns = points_mm.shape[:2]
    grid = view.project(points_mm.reshape(-1, 3)).reshape(rows, columns, 2)
    return np.asarray(np.rint(sampled(image, grid)), dtype=np.uint8)
