"""Pictures of matt balls, rendered independently of the code under test: supersampled, shaded, blurred, noisy."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

OVER = 8


def ball_picture(
    x_px: float,
    y_px: float,
    radius_px: float,
    *,
    blur_px: float = 1.0,
    noise: float = 0.0,
    seed: int = 0,
) -> NDArray[np.uint8]:
    """Return a BGR uint8 picture of a ball seen from far away; `noise` is in encoded levels."""
    return noisy(ball_levels(x_px, y_px, radius_px, blur_px=blur_px), sd=noise, seed=seed)


def noisy(code: NDArray[np.float64], *, sd: float, seed: int) -> NDArray[np.uint8]:
    """Return encoded levels as a camera gives them: with noise, rounded to BGR uint8."""
    noise = np.random.default_rng(seed).normal(0, sd, code.shape) if sd else 0.0
    return np.clip(np.rint(code + noise), 0, 255).astype(np.uint8)


def ball_levels(
    x_px: float,
    y_px: float,
    radius_px: float,
    *,
    size_px: int = 200,
    blur_px: float = 1.0,
    colour: tuple[float, float, float] = (0.04, 0.16, 0.82),
    ground: tuple[float, float, float] = (0.2, 0.2, 0.2),
    lamp: tuple[float, float, float] = (0.5, -0.4, 0.77),
    ambient: float = 0.4,
) -> NDArray[np.float64]:
    """Return the encoded levels of that picture without noise and rounding, shape (size, size, 3).

    `colour` and `ground` are linear BGR; `lamp` points to the lamp. Pixel centres are at integer coordinates; blur is a
    Gaussian in linear light.
    """
    count = size_px * OVER
    axis = (np.arange(count) + 0.5) / OVER - 0.5
    dx, dy = (axis[None, :] - x_px) / radius_px, (axis[:, None] - y_px) / radius_px
    squared = dx**2 + dy**2
    inside = squared < 1
    height = np.sqrt(np.clip(1 - squared, 0, None))
    lit = ambient + (1 - ambient) * np.clip(dx * lamp[0] + dy * lamp[1] + height * lamp[2], 0, None)
    light = np.where(inside[..., None], lit[..., None] * np.array(colour), np.array(ground))
    light = light.reshape(size_px, OVER, size_px, OVER, 3).mean(axis=(1, 3))
    light = cv2.GaussianBlur(light, (0, 0), blur_px)
    encoded = np.where(light <= 0.0031308, light * 12.92, 1.055 * np.maximum(light, 1e-9) ** (1 / 2.4) - 0.055)
    return np.asarray(encoded * 255)
