"""Patches: rectangles of a picture with one object drawn into each; and motion blur."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from hardware.twin.drawing.shading import Floats


@dataclass(frozen=True)
class Patch:
    """A rectangle of a picture.

    `box` is its place (rows, columns). `colour` (h, w, 3) is BGR 0–255. `cover` (h, w, 1) is alpha, 0–1. `shade`
    (h, w, 1) is the factor by which the object's shadow reduces the background, 0–1.
    """

    box: tuple[slice, slice]
    colour: Floats
    cover: Floats
    shade: Floats


def smeared(light: Floats, alpha: Floats, way_px: Floats) -> tuple[Floats, Floats]:
    """Return colour and alpha of an object that moves by `way_px` (x, y) while the shutter is open.

    :param light: colour (h, w, 3), linear.
    :param alpha: (h, w), 0–1.
    """
    length = float(np.hypot(*way_px))
    if length < 0.7:
        return light, alpha
    half = int(np.ceil(np.abs(way_px).max() / 2)) + 1
    kernel = np.zeros((2 * half + 1, 2 * half + 1), dtype=np.float32)
    for share in np.linspace(-0.5, 0.5, 4 * int(length) + 5):
        x, y = half + way_px[0] * share, half + way_px[1] * share
        left, top = int(x), int(y)
        for row, column, weight in (
            (top, left, (1 - (x - left)) * (1 - (y - top))),
            (top, left + 1, (x - left) * (1 - (y - top))),
            (top + 1, left, (1 - (x - left)) * (y - top)),
            (top + 1, left + 1, (x - left) * (y - top)),
        ):
            kernel[row, column] += weight
    kernel /= kernel.sum()
    layers = np.dstack([light * alpha[..., None], alpha]).astype(np.float32)
    blurred = cv2.filter2D(layers, -1, kernel, borderType=cv2.BORDER_CONSTANT)
    return np.asarray(blurred[..., :3] / np.maximum(blurred[..., 3:], 1e-4)), np.asarray(blurred[..., 3])
