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
    size_px: int = 200,
    blur_px: float = 1.0,
    noise: float = 0.0,
    seed: int = 0,
    colour: tuple[float, float, float] = (0.04, 0.16, 0.82),
    ground: tuple[float, float, float] = (0.2, 0.2, 0.2),
    lamp: tuple[float, float, float] = (0.5, -0.4, 0.77),
    ambient: float = 0.4,
) -> NDArray[np.uint8]:
    """Return a BGR uint8 picture of a ball seen from far away.

    `colour` and `ground` are linear BGR; `lamp` points to the lamp. Pixel centres are at integer coordinates; blur is a
    Gaussian in linear light; noise is in encoded levels.
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
    code = np.where(light <= 0.0031308, light * 12.92, 1.055 * np.maximum(light, 1e-9) ** (1 / 2.4) - 0.055) * 255
    code += np.random.default_rng(seed).normal(0, noise, code.shape) if noise else 0.0
    return np.clip(np.rint(code), 0, 255).astype(np.uint8)
