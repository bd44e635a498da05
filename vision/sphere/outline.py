"""Outline search: locates a ball's silhouette on short profiles across it, to a few tenths of a pixel.

Each profile is split into the ball's own colour and the ground's. The ball's amount is 0 outside. Inside, at depth t
under the limb of a ball of radius R, the surface leans towards the camera by c = √(1 − (1 − t/R)²), and by Lambert's
law its radiance is a linear combination of 1 and c. The ground's amount is a straight ramp outside, including shadows.
Both are blurred by the lens. For a given edge position the fit is linear, so only the position is searched: shading and
shadows become coefficients of the fit instead of bias. `vision.sphere.edge_fit` refines the result.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Array
from vision.linear_light import sampled

STEP_PX = 0.5
SEARCH_STEP_PX = 0.2
BLURS_PX = (0.8, 1.4, 2.4)
GROUND_SMOOTH = 4  # profiles on either side that share a ground colour
NEIGHBOURS = ((-2, 0.5), (-1, 0.9), (0, 1.0), (1, 0.9), (2, 0.5))
# a lens blurs linear light, a camera's smoothing and JPEG blur encoded values (power 0.45): this power in between gives
# correct edges
TONE = 0.85
DISTINCT = 0.12  # least sine between the ball's and the ground's colour


@lru_cache(maxsize=128)
def _bases(half_px: float, radius_px: float, blur_px: float) -> tuple[Array, Array, Array]:
    """Return candidate edge offsets, shape (m,), and two orthonormal bases for each: (k, m · 2) and (k, m · 3).

    The first is for the ball's own light, which ends at the edge. The second is for the ground's, which may also occur
    inside, as the white of a highlight.
    """
    position = np.arange(-half_px, half_px + STEP_PX / 2, STEP_PX)  # outwards
    offsets = np.arange(-half_px * 0.55, half_px * 0.55 + 1e-9, SEARCH_STEP_PX)
    fine = 0.05
    depth_px = np.arange(-2.2 * half_px - 4 * blur_px, 2.2 * half_px + 4 * blur_px, fine)  # inwards from the edge
    taps = np.exp(-0.5 * (np.arange(-int(4 * blur_px / fine), int(4 * blur_px / fine) + 1) * fine / blur_px) ** 2)
    taps /= taps.sum()
    inside = (depth_px >= 0).astype(float)
    lean = np.sqrt(np.clip(1 - (1 - np.clip(depth_px / radius_px, 0, 1)) ** 2, 0, 1))
    columns = [inside, inside * lean, 1 - inside, (1 - inside) * depth_px / half_px, inside]
    blurred = [np.convolve(np.pad(column, len(taps) // 2, mode="edge"), taps, mode="valid") for column in columns]
    own, ground = [], []
    for offset in offsets:
        seen = np.column_stack([np.interp(offset - position, depth_px, column) for column in blurred])
        own.append(np.linalg.qr(seen[:, :2])[0])
        ground.append(np.linalg.qr(seen[:, 2:])[0])
    return offsets, np.hstack(own), np.hstack(ground)


def profiles(light: NDArray[np.float32], points: Array, normals: Array, half_px: float) -> Array:
    """Sample linear light across an outline.

    :param light: linear picture, shape (h, w, channels).
    :param points: outline points, shape (n, 2) px; `normals` outward unit vectors, shape (n, 2).
    :returns: shape (n, k, channels), k = 2 · half_px / STEP_PX + 1, running outwards.
    """
    position = np.arange(-half_px, half_px + STEP_PX / 2, STEP_PX)
    grid = points[:, None, :] + normals[:, None, :] * position[None, :, None]
    return sampled(light, grid).astype(np.float64).reshape(len(points), len(position), -1)


def unmix(samples: Array, ball: Array) -> tuple[Array, Array]:
    """Split profiles into the ball's light and the ground's.

    :param samples: linear light, shape (n, k, 3), running outwards; `ball` the ball's own colour, shape (3,).
    :returns: amounts of both, shape (n, k, 2), and the sine of the angle between the two colours, shape (n,). At 0 they
        cannot be split.
    """
    own = ball / np.linalg.norm(ball)
    ground = samples[:, -samples.shape[1] // 4 :].mean(axis=1)
    shifts = range(-GROUND_SMOOTH, GROUND_SMOOTH + 1)
    ground = sum((np.roll(ground, shift, axis=0) for shift in shifts), start=np.zeros_like(ground))
    ground /= np.maximum(np.linalg.norm(ground, axis=1, keepdims=True), 1e-9)
    cosine = ground @ own
    sine2 = np.maximum(1 - cosine**2, 1e-3)
    along_own, along_ground = samples @ own, np.einsum("nkc,nc->nk", samples, ground)
    amounts = np.stack(
        [
            (along_own - cosine[:, None] * along_ground) / sine2[:, None],
            (along_ground - cosine[:, None] * along_own) / sine2[:, None],
        ],
        axis=2,
    )
    return amounts, np.sqrt(sine2)


def locate(samples: Array, half_px: float, radius_px: float, ball: Array) -> tuple[Array, Array]:
    """Locate the edge in each profile of `profiles`.

    :param ball: the ball's own colour as linear light, shape (3,).
    :returns: offsets from the profiles' middles, shape (n,) px, outwards positive; their standard deviations, shape
        (n,) px, infinite where there is no edge.
    """
    radius_px = float(np.exp(np.round(np.log(radius_px) * 8) / 8))  # rounded, so that few bases serve all sizes
    count, length, _ = samples.shape
    amounts, sine = unmix(np.maximum(samples, 1e-5) ** TONE, ball**TONE)
    own, ground = amounts[..., 0], amounts[..., 1]
    fits: list[tuple[float, Array, Array]] = []
    for blur_px in BLURS_PX:
        if fits and blur_px * 3 > half_px:
            break
        offsets, own_bases, ground_bases = _bases(half_px, radius_px, blur_px)
        cost = np.zeros((count, len(offsets)))
        for light, bases in ((own, own_bases), (ground, ground_bases)):
            explained = ((light @ bases) ** 2).reshape(count, len(offsets), -1).sum(axis=2)
            cost += (light**2).sum(axis=1)[:, None] - explained
        fits.append((float(np.median(cost.min(axis=1))), cost, offsets))
    _, cost, offsets = min(fits, key=lambda fit: fit[0])
    freedom = max(2 * length * STEP_PX - 5, 1.0)  # neighbouring samples share pixels
    noise = np.maximum(cost.min(axis=1), 1e-12) * STEP_PX / freedom
    cost = sum(weight * np.roll(cost / noise[:, None], shift, axis=0) for shift, weight in NEIGHBOURS)
    place = cost.argmin(axis=1)
    low = np.clip(place, 1, len(offsets) - 2)
    rows = np.arange(count)
    before, at, after = cost[rows, low - 1], cost[rows, low], cost[rows, low + 1]
    curvature = (before - 2 * at + after) / SEARCH_STEP_PX**2
    shift_px = np.where(curvature > 0, 0.5 * (before - after) / SEARCH_STEP_PX / np.maximum(curvature, 1e-12), 0.0)
    spread = np.sqrt(2 / np.maximum(curvature, 1e-12) / STEP_PX)
    spread[(place != low) | (curvature <= 0) | (sine < DISTINCT)] = np.inf
    return offsets[low] + np.clip(shift_px, -SEARCH_STEP_PX, SEARCH_STEP_PX), spread
