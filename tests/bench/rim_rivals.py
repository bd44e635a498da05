"""Ways to measure a coloured ball's diameter that tutorials teach, each as it is usually written."""

from __future__ import annotations

import math
from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Rival = Callable[[Picture], float | None]
SMALLEST_PX, LARGEST_PX = 10, 130  # radii


def hough(picture: Picture) -> float | None:
    """OpenCV's HoughCircles on the grey picture."""
    return _hough(np.asarray(cv2.medianBlur(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), 5), dtype=np.uint8))


def hough_on_colour(picture: Picture) -> float | None:
    """HoughCircles on the Lab distance from the ground's colour."""
    return _hough(np.asarray(cv2.medianBlur(_colourfulness(picture), 5), dtype=np.uint8))


def hsv_and_enclosing_circle(picture: Picture) -> float | None:
    """A hue and saturation mask, opened and closed; the circle round its largest contour."""
    contour = _largest_contour(_hsv_mask(picture))
    return None if contour is None else 2 * float(cv2.minEnclosingCircle(contour)[1])


def hsv_and_fitted_ellipse(picture: Picture) -> float | None:
    """The same mask; an ellipse fitted to its largest contour, the geometric mean of its axes."""
    contour = _largest_contour(_hsv_mask(picture))
    if contour is None or len(contour) < 5:
        return None
    _, axes, _ = cv2.fitEllipse(contour)
    return math.sqrt(axes[0] * axes[1])


def skimage_circle(picture: Picture) -> float | None:
    """scikit-image: sub-pixel contour half way between ball and ground, least squares circle."""
    from skimage.measure import CircleModel, find_contours

    plane = cv2.GaussianBlur(_colourfulness(picture), (0, 0), 1.0).astype(np.float64)
    contours = find_contours(plane, (plane.max() + np.median(plane)) / 2)
    if not contours:
        return None
    longest = max(contours, key=len)
    if hasattr(CircleModel, "from_estimate"):
        model = CircleModel.from_estimate(longest)
        return 2 * float(model.radius) if model else None
    old = CircleModel()
    return 2 * float(old.params[2]) if old.estimate(longest) else None


def _hough(plane: Picture) -> float | None:
    found = cv2.HoughCircles(plane, cv2.HOUGH_GRADIENT, 1, max(plane.shape), None, 100, 30, SMALLEST_PX, LARGEST_PX)
    return None if found is None else 2 * float(found[0, 0, 2])


def _colourfulness(picture: Picture) -> Picture:
    lab = cv2.cvtColor(picture.astype(np.float32) / 255, cv2.COLOR_BGR2Lab)
    border = np.concatenate([lab[:4].reshape(-1, 3), lab[-4:].reshape(-1, 3)])
    away = np.linalg.norm(lab[..., 1:] - np.median(border, axis=0)[1:], axis=2)
    return np.asarray(np.clip(away * 2, 0, 255), dtype=np.uint8)


def _hsv_mask(picture: Picture) -> Picture:
    hsv = cv2.cvtColor(cv2.GaussianBlur(picture, (5, 5), 0), cv2.COLOR_BGR2HSV)
    hue = int(np.median(hsv[hsv[..., 1] > 120][:, 0])) if (hsv[..., 1] > 120).any() else 10
    mask = cv2.inRange(hsv, np.array([max(hue - 12, 0), 80, 40]), np.array([min(hue + 12, 179), 255, 255]))
    for step in (cv2.MORPH_OPEN, cv2.MORPH_CLOSE):
        mask = cv2.morphologyEx(mask, step, np.ones((5, 5), np.uint8))
    return mask.astype(np.uint8)


def _largest_contour(mask: Picture) -> NDArray[np.int32] | None:
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return np.asarray(max(contours, key=cv2.contourArea), dtype=np.int32) if contours else None


def has_skimage() -> bool:
    from importlib.util import find_spec

    return find_spec("skimage") is not None


RIVALS: dict[str, Rival] = {
    "HoughCircles, grey": hough,
    "HoughCircles, Lab colour": hough_on_colour,
    "HSV mask + minEnclosingCircle": hsv_and_enclosing_circle,
    "HSV mask + fitEllipse": hsv_and_fitted_ellipse,
}
if has_skimage():
    RIVALS["scikit-image find_contours + CircleModel"] = skimage_circle
