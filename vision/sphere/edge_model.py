"""Model of profiles across the rim of a ball, from the light of the scene to the codes of the picture.

Along a profile across the rim the scene's light is the ball's inside and the ground's outside. Inside, at depth t
under the limb of a ball of radius R, the surface leans towards the camera by c = √(1 − (1 − t/R)²) and outwards by
1 − t/R. Under Lambert's law and any mix of lamps its light is a linear combination of 1, of c and, from lamps beside
the ball, of t/R. Outside it is a straight ramp, which includes shadows. The lens blurs that light, the tone curve
encodes it, and the camera's smoothing and JPEG blur the encoded luma, and the colour even more.
"""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np

from hardware.cameras.camera_model import Array
from vision.linear_light import encoded, encoding_slope

STEP_PX = 0.5
FINE_PX = 0.05
MARGIN_PX = 4.0  # a profile is modelled this far beyond its ends, for the blur of codes
BLUR_STEP = 0.02
TO_LUMA = np.array([[0.114, 0.587, 0.299], [0.564, -0.331, -0.081], [-0.081, -0.419, 0.5]])  # BGR → Y, Cb, Cr
BASES = 5


@lru_cache(maxsize=64)
def _shapes(radius_px: float, reach_px: float) -> tuple[Array, Array]:
    """Return depths under the edge, shape (m,) px, and the unblurred basis functions of the scene there, (m, 5)."""
    depth = np.arange(-reach_px, reach_px + FINE_PX / 2, FINE_PX)
    inside = np.clip(depth / FINE_PX + 0.5, 0, 1)
    lean = np.sqrt(np.clip(1 - (1 - np.clip(depth / radius_px, 0, 1)) ** 2, 0, 1))
    scale = np.sqrt(2 * 4.0 / radius_px)
    ground = 1 - inside
    shapes = [inside, inside * lean / scale, ground, -ground * depth / 8.0, np.maximum(depth, 0) / 8.0]
    return depth, np.column_stack(shapes)


def _gaussian(sigma_px: float, step_px: float) -> Array:
    count = int(np.ceil(4 * sigma_px / step_px))
    taps = np.exp(-0.5 * (np.arange(-count, count + 1) * step_px / sigma_px) ** 2)
    return np.asarray(taps / taps.sum())


def _blurred_shapes(radius_px: float, reach_px: float, blur_px: float) -> tuple[Array, Array, Array]:
    depth, shapes = _shapes(radius_px, reach_px)
    taps = _gaussian(blur_px, FINE_PX)
    padded = np.pad(shapes, ((len(taps) // 2,) * 2, (0, 0)), mode="edge")
    soft = cv2.filter2D(padded, cv2.CV_64F, taps[:, None], borderType=cv2.BORDER_REPLICATE)
    inner = np.asarray(soft[len(taps) // 2 : len(soft) - len(taps) // 2], dtype=np.float64)
    return depth, inner, np.asarray(np.gradient(inner, FINE_PX, axis=0), dtype=np.float64)


class EdgeModel:
    """Model of profiles across a rim, for given edges, levels and blurs."""

    def __init__(self, half_px: float, radius_px: float) -> None:
        self.half_px = half_px
        self.position = np.arange(-half_px, half_px + STEP_PX / 2, STEP_PX)
        self.wide = np.arange(-half_px - MARGIN_PX, half_px + MARGIN_PX + STEP_PX / 2, STEP_PX)
        self.radius_px = radius_px
        self.reach_px = float(2 * half_px + MARGIN_PX)

    def _at(self, edge: Array, blur_px: float) -> tuple[Array, Array]:
        depth, soft, slope = _blurred_shapes(self.radius_px, self.reach_px, blur_px)
        place = np.clip((edge[:, None] - self.wide[None, :] - depth[0]) / FINE_PX, 0, len(depth) - 1.001)
        low = place.astype(np.intp)
        part = (place - low)[..., None]
        return soft[low] * (1 - part) + soft[low + 1] * part, slope[low]

    def _smoothing(self, blur_px: float) -> Array:
        """Return the matrix, shape (k, wide), that blurs codes along a profile and removes its margins.

        Blur along the rim mixes in codes from farther out, because the rim is curved.
        """
        bend_px = blur_px**2 / (2 * self.radius_px)
        far = (self.position[:, None] + bend_px - self.wide[None, :]) / blur_px
        weight = np.exp(-0.5 * far**2) * (np.abs(far) < 4)
        return np.asarray(weight / weight.sum(axis=1, keepdims=True))

    def _joined(self, luma_colour: Array, blur_px: Array) -> Array:
        """Blur Y by the second and Cb, Cr by the third blur; `luma_colour` (n, wide, 3, m)."""
        count, wide, _, depth = luma_colour.shape
        luma = self._smoothing(float(blur_px[1])) @ np.ascontiguousarray(luma_colour[:, :, 0])
        colour = self._smoothing(float(blur_px[2])) @ luma_colour[:, :, 1:].reshape(count, wide, 2 * depth)
        return np.concatenate([luma[:, :, None], colour.reshape(count, -1, 2, depth)], axis=2)

    def slopes(self, edge: Array, levels: Array, blur: Array) -> tuple[Array, Array, Array]:
        """Return the predicted profiles and their derivatives.

        :param edge: (n,) px; `levels` (n, 5, 3) linear light of each shape; `blur` variances, (3,) px².
        :returns: Y, Cb, Cr, shape (n, k, 3); derivatives by edge and fifteen levels, (n, k, 3, 16), and by
            blur, (n, k, 3, 3).
        """
        shapes, slope = self._at(edge, float(np.sqrt(blur[0])))
        light = shapes @ levels
        gain = encoding_slope(light)
        softer, _ = self._at(edge, float(np.sqrt(blur[0] + BLUR_STEP)))
        count, wide = light.shape[:2]
        plain = np.stack(
            [encoded(light), gain * (slope @ levels), gain * ((softer @ levels) - light) / BLUR_STEP], axis=3
        )
        seen = np.einsum("yc,nkcm->nkym", TO_LUMA, plain)
        by_level = (TO_LUMA[:, None, :] * gain[:, :, None, None, :]) * shapes[:, :, None, :, None]
        everything = np.concatenate([seen, by_level.reshape(count, wide, 3, 3 * BASES)], axis=3)
        joined = self._joined(everything, np.sqrt(blur))
        code = joined[..., 0]
        by_blur = np.zeros((*code.shape, 3))
        by_blur[..., 0] = joined[..., 2]
        for index, channels in ((1, slice(0, 1)), (2, slice(1, 3))):
            step = np.eye(3)[index] * BLUR_STEP
            moved = self._joined(seen[..., :1], np.sqrt(blur + step))[..., 0]
            by_blur[:, :, channels, index] = (moved - code)[:, :, channels] / BLUR_STEP
        return code, np.concatenate([joined[..., 1:2], joined[..., 3:]], axis=3), by_blur
