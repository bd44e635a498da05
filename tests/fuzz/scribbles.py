"""Rubbish in a picture: hairs, scraps, discs, noise, blur, glare, darkness, and the remains of compression."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np

from hardware.cameras.camera_model import Array, Image

Scribble = Callable[[Image, Array, float, np.random.Generator], None]


def scribbled(picture: Image, places: Array, rng: np.random.Generator) -> Image:
    """Return the picture with one to five scribbles near some of `places`, (n, 2) px, and perhaps in other light."""
    image, span_px = picture.copy(), float(rng.choice((3, 10, 25, 60)))
    for _ in range(rng.integers(1, 6)):
        about = places[rng.integers(len(places))]
        SCRIBBLES[rng.integers(len(SCRIBBLES))](image, about, span_px, rng)
    if rng.random() < 0.3:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), rng.uniform(0.5, 6.0)), np.uint8)
    if rng.random() < 0.3:
        lit = image * rng.choice((0.0, 0.02, 0.1, 0.5, 2.0, 5.0)) + rng.normal(0, rng.choice((0, 2, 15)), image.shape)
        image = np.clip(lit, 0, 255).astype(np.uint8)
    if rng.random() < 0.3:
        pressed = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(3, 95))])[1]
        image = np.asarray(cv2.imdecode(pressed, 1), np.uint8)
    return np.asarray(image, dtype=np.uint8)


def _colour(image: Image, about: Array, rng: np.random.Generator) -> tuple[int, ...]:
    """Return a colour that differs from that of a place by nearly nothing up to everything."""
    x, y = np.clip(about, 0, [image.shape[1] - 1, image.shape[0] - 1]).astype(int)
    other = image[y, x] + rng.normal(0, rng.choice((8, 25, 90, 200)), 3)
    return tuple(np.clip(other, 0, 255).astype(int).tolist())


def _points(about: Array, span_px: float, count: int, rng: np.random.Generator) -> Array:
    return np.asarray(about + rng.normal(0, span_px, (count, 2))).astype(np.int32)


def _hair(image: Image, about: Array, span_px: float, rng: np.random.Generator) -> None:
    way = _points(about, span_px, int(rng.integers(2, 7)), rng)
    cv2.polylines(image, [way], False, _colour(image, about, rng), int(rng.integers(1, 5)), cv2.LINE_AA)


def _scrap(image: Image, about: Array, span_px: float, rng: np.random.Generator) -> None:
    corners = _points(about, span_px, int(rng.integers(3, 7)), rng)
    cv2.fillPoly(image, [corners], _colour(image, about, rng), cv2.LINE_AA)


def _disc(image: Image, about: Array, span_px: float, rng: np.random.Generator) -> None:
    axes = (np.abs(rng.normal(0, span_px, 2)) * rng.choice((1.0, 0.3), 2)).astype(int)
    middle = _points(about, span_px, 1, rng)[0]
    width = int(rng.choice((-1, 1, 3)))
    ends = 0, rng.uniform(20, 360)
    cv2.ellipse(image, middle.tolist(), axes.tolist(), rng.uniform(0, 180), *ends, _colour(image, about, rng), width)


def _noise(image: Image, about: Array, span_px: float, rng: np.random.Generator) -> None:
    (left, top), (right, bottom) = np.maximum(np.sort(_points(about, span_px, 2, rng), axis=0), 0)
    patch = image[top:bottom, left:right]
    patch[:] = rng.integers(0, 256, patch.shape) if rng.random() < 0.5 else rng.integers(0, 256)


def _crumbs(image: Image, about: Array, span_px: float, rng: np.random.Generator) -> None:
    for crumb in _points(about, span_px, int(rng.integers(3, 40)), rng):
        cv2.circle(image, crumb.tolist(), int(rng.integers(0, 4)), _colour(image, about, rng), -1)


SCRIBBLES: tuple[Scribble, ...] = (_hair, _scrap, _disc, _noise, _crumbs)
