"""Edge fit: locates the rim of a ball to a hundredth of a pixel, by a model of the imaging process from scene to file.

Along a profile across the rim the scene's light is the ball's inside and the ground's outside. Inside, at depth t
under the limb of a ball of radius R, the surface leans towards the camera by c = √(1 − (1 − t/R)²) and outwards by
1 − t/R. Under Lambert's law and any mix of lamps its light is a linear combination of 1, of c and, from lamps beside
the ball, of t/R. Outside it is a straight ramp, which includes shadows. The lens blurs that light, the tone curve
encodes it, and the camera's smoothing and JPEG blur the encoded luma, and the colour even more. The ratio of these
blurs determines the apparent edge (between the half-way point of light and that of codes, half a pixel apart on a
bright ball). So all three are unknowns of the fit, shared by the whole rim; the shape of the profiles determines them.
The darkening of the limb cannot be fitted from one profile, so neighbouring profiles share it.

JPEG's quantisation is not a blur. It leaves residuals that are correlated along whole stretches of the rim. Their ratio
to independent noise is measured, and the weight of the samples is reduced accordingly.
"""

from __future__ import annotations

from functools import lru_cache

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Array
from vision.linear_light import decoded, encoded, sampled

STEP_PX = 0.5
RAYS = 3  # averaged for a profile, so that every pixel of a large rim is used
FINE_PX = 0.05
MARGIN_PX = 4.0  # a profile is modelled this far beyond its ends, for the blur of codes
ITERATIONS = 10
SAMPLING_BLUR = 1 / 6  # px²: variance of the blur by sampling between pixels
# variances of lens, luma and colour blur in px²: least (a pixel integrates light), most, usual, scatter
LEAST_BLUR = np.array([1 / 12, 0.12, 0.12])
MOST_BLUR = np.array([6.0, 4.0, 6.0])
USUAL_BLUR = np.array([0.7, 0.5, 1.5])
BLUR_SCATTER = np.array([0.7, 0.5, 1.5])
BLUR_STEP = 0.02
PLAIN_ENOUGH = 12.0  # χ² up to which a camera is assumed not to blur codes, which leaves fewer unknowns
# Limb darkening and ground slope: scatter from the value shared round the rim, relative to the level of ball or ground.
# Near the contact with the pan, shadow and light from the ball change the slope from profile to profile.
LIMB_SCATTER, RAMP_SCATTER = 0.06, 0.5
HARMONICS = 4  # of both shared values round the rim; the ground lights the dark side's limb
TO_LUMA = np.array([[0.114, 0.587, 0.299], [0.564, -0.331, -0.081], [-0.081, -0.419, 0.5]])  # BGR → Y, Cb, Cr
BASES = 5
OWN = 13  # unknowns of one profile: its edge, and its levels of all shapes but the last in three channels
STRETCH = 30  # profiles whose residuals are averaged together
DAMPING = 1e-3
LEAST_NOISE = 0.0015  # of full scale: noise of rounding to 8 bits


class EdgeFit(msgspec.Struct, frozen=True):
    """Edges found.

    Outward offsets, shape (n,) px; their standard deviations, shape (n,) px, infinite where there is no edge; the
    standard deviation of the error common to all of them, px.
    """

    offset_px: Array
    sd_px: Array
    shared_sd_px: float


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


def _encoding_slope(light: Array) -> Array:
    light = np.clip(light, 1e-5, 1.0)
    return np.asarray(np.where(light <= 0.0031308, 12.92, 1.055 / 2.4 * light ** (1 / 2.4 - 1)))


class _Model:
    """Model of profiles across a rim, for given edges, levels and blurs."""

    def __init__(self, half_px: float, radius_px: float) -> None:
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
        gain = _encoding_slope(light)
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


def _waves(count: int, harmonics: int) -> Array:
    """Return Fourier basis functions round the rim, shape (count, 2 · harmonics + 1)."""
    turn = np.arange(count) * (2 * np.pi / count)
    waves = [f(k * turn) for k in range(1, harmonics + 1) for f in (np.cos, np.sin)]
    return np.column_stack([np.ones_like(turn), *waves])


class _Shared:
    """Levels of one shape, given by a few harmonics round the rim. With `scatter`, each profile may differ a little."""

    def __init__(self, base: int, level: int, scatter: float | None, harmonics: int, count: int) -> None:
        self.base, self.level, self.scatter = base, level, scatter
        # for lamps beside a ball the mean round the rim is 0
        self.waves = _waves(count, harmonics)[:, int(scatter is None) :]
        self.amounts = np.zeros((self.waves.shape[1], 3))

    def columns(self, rows: Array) -> Array:
        """Convert derivatives by the levels to derivatives by the amounts, shape (n, rows, waves · 3)."""
        own = rows[:, :, 1 + 3 * self.base : 4 + 3 * self.base]
        return (own[:, :, None, :] * self.waves[:, None, :, None]).reshape(*rows.shape[:2], -1)

    def hold(self, inner: Array, right: Array, levels: Array) -> None:
        """Add the prior that each profile's level is close to the shared one, to the normal equations."""
        if self.scatter is None:
            return
        apart = levels[:, self.base] - self.waves @ self.amounts
        weight = 1 / (self.scatter * np.maximum(levels[:, self.level], 0.01)) ** 2
        for channel in range(3):
            place = 1 + self.base * 3 + channel
            inner[:, place, place] += weight[:, channel]
            right[:, place] -= weight[:, channel] * apart[:, channel]

    def move(self, step: Array, levels: Array) -> None:
        """Add `step`, shape (waves · 3,), to the amounts, and update the levels."""
        step = step.reshape(-1, 3)
        self.amounts += step
        levels[:, self.base] += self.waves @ step


def fit_edge(image: NDArray[np.uint8], points: Array, normals: Array, half_px: float, radius_px: float) -> EdgeFit:
    """Locate a ball's edge on profiles across it.

    :param image: BGR uint8.
    :param points: RAYS per profile, shape (n · RAYS, 2) px, evenly round the rim, within a pixel of it. The offsets
        found are those of the middle rays.
    :param normals: outward unit vectors, shape (n · RAYS, 2).
    """
    model = _Model(half_px, radius_px)
    grid = points[:, None, :] + normals[:, None, :] * model.position[None, :, None]
    code = sampled(image, grid).astype(np.float64).reshape(-1, RAYS, len(model.position), 3).mean(axis=1) / 255.0
    seen = code @ TO_LUMA.T
    count = len(code)
    edge = np.zeros(count)
    levels = _first_levels(code, model.position, edge)
    blur = USUAL_BLUR.copy()
    noise = np.full(3, 0.02)
    shared = [
        _Shared(1, 0, LIMB_SCATTER, HARMONICS, count),
        _Shared(3, 2, RAMP_SCATTER, HARMONICS, count),
        _Shared(4, 0, None, 1, count),
    ]
    usual, scatter = USUAL_BLUR.copy(), BLUR_SCATTER.copy()
    for iteration in range(ITERATIONS):
        code, jacobian, by_blur = model.slopes(edge, levels, blur)
        gap = seen - code
        if iteration:
            noise = _noise(gap)
        worst = np.sqrt(((gap / noise) ** 2).mean(axis=(1, 2)))
        good = worst < 3 * np.median(worst)
        every = (jacobian / noise[:, None]).reshape(count, -1, 1 + 3 * BASES)
        rows = every[..., :OWN]
        rest = (gap / noise).reshape(count, -1)
        parts = [(by_blur / noise[:, None]).reshape(count, -1, 3), *(each.columns(every) for each in shared)]
        across = np.concatenate(parts, axis=2)
        inner = np.swapaxes(rows, 1, 2) @ rows
        mixed = np.swapaxes(rows, 1, 2) @ across
        right = (np.swapaxes(rows, 1, 2) @ rest[..., None])[..., 0]
        for each in shared:
            each.hold(inner, right, levels)
        inner += np.eye(OWN) * 1e-6 + np.einsum("nii,ij->nij", inner, np.eye(OWN)) * DAMPING
        solved = np.linalg.solve(inner, np.concatenate([mixed, right[..., None]], axis=2))
        flat = across[good].reshape(-1, across.shape[2])
        common = flat.T @ flat - np.tensordot(mixed[good], solved[good][..., :-1], axes=((0, 1), (0, 1)))
        towards = flat.T @ rest[good].ravel() - np.tensordot(mixed[good], solved[good][..., -1], axes=((0, 1), (0, 1)))
        common += np.diag(np.concatenate([1 / scatter**2, np.full(len(towards) - 3, 1e-2)]))
        towards[:3] += (usual - blur) / scatter**2
        if not iteration:
            common[:3, 3:], common[3:, :3], towards[:3] = 0, 0, 0
        step = np.linalg.solve(common, towards)
        step[:3] = np.clip(blur + np.clip(step[:3], -0.5, 0.5), LEAST_BLUR, MOST_BLUR) - blur
        own = solved[..., -1] - solved[..., :-1] @ step
        blur = blur + step[:3]
        edge = np.clip(edge + np.clip(own[:, 0], -0.7, 0.7), -half_px * 0.6, half_px * 0.6)
        levels[:, : BASES - 1] += own[:, 1:].reshape(count, BASES - 1, 3)
        start = 3
        for each in shared:
            each.move(step[start : start + each.amounts.size], levels)
            start += each.amounts.size
        if iteration == ITERATIONS - 4:
            usual, scatter = _plain_camera(blur, np.linalg.inv(common)[1:3, 1:3])
    sd = np.sqrt(np.maximum(np.linalg.inv(inner)[:, 0, 0], 1e-12))
    # the half-way line of a blurred disc lies inside its rim, because the rim is curved
    edge = edge + blur[0] / (2 * radius_px)
    lost = ~good | (np.abs(edge) >= half_px * 0.59) | (sd > 1.0)
    by_shared = -np.mean(solved[good][:, 0, :-1], axis=0)
    shared_sd = float(np.sqrt(by_shared @ np.linalg.solve(common, by_shared)))
    return EdgeFit(edge, np.where(lost, np.inf, sd), shared_sd)


def _plain_camera(blur: Array, covariance: Array) -> tuple[Array, Array]:
    """Return the prior of the blurs, usual value and scatter, shape (3,) px².

    It is that of a camera that does not blur codes, if `blur`, with the `covariance` (2, 2) of its last two, allows it.
    """
    apart = blur[1:] - SAMPLING_BLUR
    if float(apart @ np.linalg.solve(covariance, apart)) > PLAIN_ENOUGH:
        return USUAL_BLUR, BLUR_SCATTER
    usual, scatter = USUAL_BLUR.copy(), BLUR_SCATTER.copy()
    usual[1:], scatter[1:] = SAMPLING_BLUR, 1e-3
    return usual, scatter


def _noise(gap: Array) -> Array:
    """Return the effective noise of a sample in each channel, shape (3,), from residuals (n, k, 3).

    JPEG and smoothing correlate neighbouring samples, those of colour most, so they carry less information. Errors of
    the model correlate whole stretches of the rim likewise. The noise is increased for both.
    """
    scatter = 1.4826 * np.median(np.abs(gap), axis=(0, 1))
    rough = np.clip(gap, -3 * scatter, 3 * scatter)
    power = np.maximum((rough**2).mean(axis=(0, 1)), 1e-12)
    likeness = np.clip((rough[:, 1:] * rough[:, :-1]).mean(axis=(0, 1)) / power, 0.0, 0.95)
    stretches = rough[: len(rough) // STRETCH * STRETCH].reshape(-1, STRETCH, *rough.shape[1:]).mean(axis=1)
    alike = np.maximum(STRETCH * (stretches**2).mean(axis=(0, 1)) / power, 1.0)
    return np.asarray(np.maximum(scatter, LEAST_NOISE) * np.sqrt(alike * (1 + likeness) / (1 - likeness)))


def _first_levels(code: Array, position: Array, edge: Array) -> Array:
    light = decoded(code)
    beyond = position[None, :] - edge[:, None]
    levels = np.zeros((len(code), BASES, 3))
    for base, side in ((0, beyond < -2.0), (2, beyond > 2.0)):
        levels[:, base] = (light * side[..., None]).sum(axis=1) / np.maximum(side.sum(axis=1), 1)[:, None]
    return levels
