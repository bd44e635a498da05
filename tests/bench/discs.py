"""Discs and balls with known diameters, drawn without any code under test; and the least scatter their noise allows.

Light is summed over 4 × 4 points a pixel, each antialiased along the rim, blurred by the lens, put through the tone
curve, and given the sensor's noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
OVER = 4
LEVEL_SD = 3.0
LENS_PX = 0.8
BALL = (0.03, 0.13, 0.75)
GROUND = (0.08, 0.08, 0.08)
LAMP = (0.46, -0.37, 0.81)


@dataclass(frozen=True)
class Disc:
    """What is drawn. Colours are linear BGR, 0–1; pixel centres are at whole coordinates.

    `lit` shades it as a ball under a lamp, with a highlight, a contact shadow and a mottled ground. `blurs_light`
    False: the lens blurs encoded values instead, as formulas of detection theory assume.
    """

    x_px: float
    y_px: float
    diameter_px: float
    side_px: int = 280
    lens_px: float = LENS_PX
    lit: bool = False
    blurs_light: bool = True


def encode(light: Floats) -> Floats:
    """Return sRGB levels 0–255 (IEC 61966-2-1), not rounded."""
    return 255 * np.where(light <= 0.0031308, 12.92 * light, 1.055 * np.maximum(light, 1e-9) ** (1 / 2.4) - 0.055)


def decode(level: Floats) -> Floats:
    """Return linear light 0–1 of sRGB levels 0–255 (IEC 61966-2-1)."""
    code = level / 255
    return np.where(code <= 0.04045, code / 12.92, ((code + 0.055) / 1.055) ** 2.4)


def levels(disc: Disc, texture_seed: int = 0) -> Floats:
    """Return the picture before noise and rounding, shape (side, side, 3), in levels."""
    axis = (np.arange(disc.side_px * OVER) + 0.5) / OVER - 0.5
    dx, dy = axis[None, :] - disc.x_px, axis[:, None] - disc.y_px
    radius = disc.diameter_px / 2
    away = np.hypot(dx, dy)
    inside = np.clip(0.5 + (radius - away) * OVER, 0, 1)
    if disc.lit:
        height = np.sqrt(np.clip(1 - (away / radius) ** 2, 0, None))
        facing = np.clip((dx * LAMP[0] + dy * LAMP[1]) / radius + height * LAMP[2], 0, None)
        shade = _pixels(inside * (0.4 + 0.6 * facing))
        shine = _pixels(inside * 0.25 * facing**60)
        shadow = 1 - 0.5 * _pixels(np.exp(-((np.hypot(dx + 0.25 * radius, dy - 0.2 * radius) / radius) ** 4)))
        mottle = np.random.default_rng(texture_seed).normal(0, 1, (disc.side_px, disc.side_px))
        ground = shadow * (1 + 0.03 * cv2.GaussianBlur(mottle, (0, 0), 4) * 14)
    else:
        shade, shine, ground = _pixels(inside), np.zeros((disc.side_px, disc.side_px)), np.ones((disc.side_px,) * 2)
    outside = 1 - _pixels(inside)
    light = shade[..., None] * np.array(BALL) + shine[..., None] + (outside * ground)[..., None] * np.array(GROUND)
    if disc.blurs_light:
        return encode(_blur(light, disc.lens_px))
    # Coverage mixes encoded values here, so that the edge is as straight in levels as the formula takes it.
    share = outside[..., None]
    return _blur((1 - share) * encode(np.array(BALL)) + share * encode(np.array(GROUND)), disc.lens_px)


def _pixels(plane: Floats) -> Floats:
    side = plane.shape[0] // OVER
    return np.asarray(plane.reshape(side, OVER, side, OVER).mean(axis=(1, 3)), dtype=np.float64)


def _blur(picture: Floats, sd_px: float) -> Floats:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), sd_px, borderType=cv2.BORDER_REPLICATE))


def taken(disc: Disc, seed: int) -> tuple[NDArray[np.uint8], float]:
    """Return the picture as a camera takes it, BGR uint8, and the Cramér–Rao bound of its diameter in px."""
    clean = levels(disc, seed)
    noisy = clean + np.random.default_rng(seed).normal(0, LEVEL_SD, clean.shape)
    return np.clip(np.rint(noisy), 0, 255).astype(np.uint8), bound_px(disc, seed)


def bound_px(disc: Disc, texture_seed: int = 0, step_px: float = 0.2) -> float:
    """Return the least standard deviation of an unbiased diameter, all else being known, from the picture's slope."""
    wider, narrower = (
        levels(replace(disc, diameter_px=disc.diameter_px + side * step_px), texture_seed) for side in (1, -1)
    )
    slope = (wider - narrower) / (2 * step_px)
    return LEVEL_SD / math.sqrt(float((slope**2).sum()))


def bound_by_formula_px(disc: Disc) -> float:
    """Return the same by the closed formula for a flat disc: 2σ·√(s/(√π·R))/C with s² = lens² + 1/12."""
    contrast = float(np.linalg.norm(encode(np.array(BALL)) - encode(np.array(GROUND))))
    spread = math.sqrt(disc.lens_px**2 + 1 / 12)
    return 2 * LEVEL_SD * math.sqrt(spread / (math.sqrt(math.pi) * disc.diameter_px / 2)) / contrast
