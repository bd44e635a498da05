"""Measures the sharpness of a picture: the blur of its strongest edges, from the effect of an additional known blur.

A step edge with blur s (standard deviation) that is blurred again by g has its slope divided by √((s² + g²)/s²), at any
contrast. The ratio of the two slopes gives s. Zhuo & Sim, Defocus map estimation from a single image (2011).
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.linear_light import linear

_PREPARED_PX, _ADDED_PX = 0.7, 1.2
"""Blur against noise before the slopes are computed; the additional known blur."""
_OWN_VARIANCE = 0.7**2 + 0.5
"""Variance of the blur by the measurement itself, px²: the preparation, and the three samples of the slope."""
_STRONGEST = 0.01
"""Fraction of the pixels whose slopes are used."""
_FEWEST = 40
_LEAST_SLOPE = 0.012
"""Slope, in full scale per pixel, below which there is noise and no edge."""


def edge_blur_px(image: NDArray[np.uint8]) -> float | None:
    """Return the standard deviation, in px, of the blur of the picture's strongest edges (printed squares, markers).

    :param image: BGR or grey, uint8.
    :returns: None when there are no edges to measure: a blank, dark or completely blurred picture.
    """
    grey = image if image.ndim == 2 else np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    light = _blurred(linear(grey), _PREPARED_PX)
    slopes = _slopes(light)
    most = max(round(_STRONGEST * slopes.size), _FEWEST)
    if slopes.size < 2 * most:
        return None
    limit = np.partition(slopes.ravel(), -most)[-most]
    if limit < _LEAST_SLOPE:
        return None
    # Use only ridges of the slope, which are the edges: beside them the ratio differs.
    ridge = (slopes >= limit) & (slopes >= cv2.dilate(slopes, np.ones((3, 3), dtype=np.uint8)) * 0.98)
    if ridge.sum() < _FEWEST:
        return None
    softer = _slopes(_blurred(light, _ADDED_PX))
    ratio = float(np.median(slopes[ridge] / np.maximum(softer[ridge], 1e-6)))
    variance = _ADDED_PX**2 / max(ratio**2 - 1, 1e-3) - _OWN_VARIANCE
    return float(np.sqrt(max(variance, 0.0)))


def _blurred(light: NDArray[np.float32], sd_px: float) -> NDArray[np.float32]:
    return np.asarray(cv2.GaussianBlur(light, (0, 0), sd_px), dtype=np.float32)


def _slopes(light: NDArray[np.float32]) -> NDArray[np.float32]:
    right = cv2.Sobel(light, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8)
    down = cv2.Sobel(light, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8)
    return np.asarray(cv2.magnitude(right, down), dtype=np.float32)
