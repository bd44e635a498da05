"""Outlines: where, to a fraction of a pixel, a ball's silhouette crosses short profiles laid across it.

Each profile is fitted in linear light with what a matt ball against a plain ground can look like. Inside, at depth t
under the limb of a ball of radius R, the surface leans towards the camera by c = √(1 − (1 − t/R)²), and Lambert's law
makes its radiance a mix of 1 and c; outside it is a straight ramp (shadow, ground). Both are blurred by the lens. For a
given edge position the fit is linear, so the position alone is searched: shading and shadows become coefficients of the
fit instead of bias.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vision.camera_model import Array
from vision.light import sampled

STEP_PX = 0.5
SEARCH_STEP_PX = 0.2
BLURS_PX = (0.5, 0.8, 1.1, 1.5, 2.0, 2.7)
COEFFICIENTS = 4


@lru_cache(maxsize=128)
def _bases(half_px: float, radius_px: float, blur_px: float) -> tuple[Array, Array]:
    """Return candidate edge offsets, shape (m,), and for each an orthonormal basis: shape (k, m · COEFFICIENTS)."""
    position = np.arange(-half_px, half_px + STEP_PX / 2, STEP_PX)  # outwards
    offsets = np.arange(-half_px * 0.55, half_px * 0.55 + 1e-9, SEARCH_STEP_PX)
    fine = 0.05
    depth_px = np.arange(-2.2 * half_px - 4 * blur_px, 2.2 * half_px + 4 * blur_px, fine)  # inwards from the edge
    taps = np.exp(-0.5 * (np.arange(-int(4 * blur_px / fine), int(4 * blur_px / fine) + 1) * fine / blur_px) ** 2)
    taps /= taps.sum()
    inside = (depth_px >= 0).astype(float)
    lean = np.sqrt(np.clip(1 - (1 - np.clip(depth_px / radius_px, 0, 1)) ** 2, 0, 1))
    columns = [inside, inside * lean, 1 - inside, (1 - inside) * depth_px / half_px]
    blurred = [np.convolve(np.pad(column, len(taps) // 2, mode="edge"), taps, mode="valid") for column in columns]
    bases = [
        np.linalg.qr(np.column_stack([np.interp(offset - position, depth_px, column) for column in blurred]))[0]
        for offset in offsets
    ]
    return offsets, np.hstack(bases)


def profiles(light: NDArray[np.float32], points: Array, normals: Array, half_px: float) -> Array:
    """Sample linear light across an outline.

    :param light: linear picture, shape (h, w, channels).
    :param points: outline points, shape (n, 2) px; `normals` outward unit vectors, shape (n, 2).
    :returns: shape (n, k, channels), k = 2 · half_px / STEP_PX + 1, running outwards.
    """
    position = np.arange(-half_px, half_px + STEP_PX / 2, STEP_PX)
    grid = points[:, None, :] + normals[:, None, :] * position[None, :, None]
    return sampled(light, grid).astype(np.float64).reshape(len(points), len(position), -1)


def locate(samples: Array, half_px: float, radius_px: float) -> tuple[Array, Array, float]:
    """Locate the edge in each profile of `profiles`.

    :returns: offsets from the profiles' middles, shape (n,) px, outwards positive; their standard deviations, shape
        (n,) px, infinite where there is no edge; and the lens blur that fits them all best, px.
    """
    radius_px = float(np.exp(np.round(np.log(radius_px) * 8) / 8))  # few bases serve all sizes
    count, length, channels = samples.shape
    flat = samples.transpose(0, 2, 1).reshape(-1, length)
    energy = (flat**2).sum(axis=1).reshape(count, channels).sum(axis=1)
    fits: list[tuple[float, float, Array, Array]] = []
    for blur_px in BLURS_PX:
        if fits and blur_px * 3 > half_px:
            break
        offsets, bases = _bases(half_px, radius_px, blur_px)
        explained = ((flat @ bases) ** 2).reshape(count, channels, len(offsets), COEFFICIENTS).sum(axis=(1, 3))
        cost = energy[:, None] - explained
        fits.append((float(np.median(cost.min(axis=1))), blur_px, cost, offsets))
    _, blur_px, cost, offsets = min(fits, key=lambda fit: fit[0])
    place = cost.argmin(axis=1)
    low = np.clip(place, 1, len(offsets) - 2)
    rows = np.arange(count)
    before, at, after = cost[rows, low - 1], cost[rows, low], cost[rows, low + 1]
    curvature = (before - 2 * at + after) / SEARCH_STEP_PX**2
    shift = np.where(curvature > 0, 0.5 * (before - after) / SEARCH_STEP_PX / np.maximum(curvature, 1e-12), 0.0)
    freedom = max((length * STEP_PX - COEFFICIENTS) * channels, 1.0)  # neighbouring samples share pixels
    noise = np.maximum(at, 1e-12) * STEP_PX / freedom
    spread = np.sqrt(2 * noise / np.maximum(curvature, 1e-12) / STEP_PX)
    spread[(place != low) | (curvature <= 0)] = np.inf
    return offsets[low] + np.clip(shift, -SEARCH_STEP_PX, SEARCH_STEP_PX), spread, blur_px
