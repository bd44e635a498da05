"""Model of the picture of a rolling ball, from the light of the scene to the codes of one frame.

The ball's light is a polynomial in its surface normal, which covers Lambert's law under any lamps. The ground's light
is that of the picture without the ball, times a shade that is smooth round the rim. The outline separates the two.
Motion during the exposure and the lens blur that light. The tone curve encodes it, the
camera's smoothing blurs the codes, and its colour is halved in resolution.

The outline is that of a ball and of lumps: spherical harmonics that turn with the ball. Each frame adds the normal
equations of its pixels to those of the whole roll (`tests.bench.rolling`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Array, CameraView
from vision.linear_light import decoded, encoded, encoding_slope
from vision.sphere.edge_fit import waves
from vision.sphere.edge_model import TO_LUMA

OVER = 2  # points of a pixel in each direction
LIGHT_DEGREE, LUMP_DEGREE, SHADE_HARMONICS = 3, 5, 5
BAND_PX = 5.0  # pixels farther outside the rim are not looked at
ROBUST = 4.0  # residuals beyond so many times the usual one count less (Cauchy's weight)
SHELL_PX = 0.4  # step for the derivative by the rim
CODE_STEP = 0.03  # px²: step for the derivatives by the blurs of codes
DARKEST, BRIGHTEST = -2.5, 0.35  # logarithm of a shade
DEEP_PX = 6.0  # nor farther inside: a highlight is no polynomial
OUTLINE_POINTS = 120
LIGHT = (LIGHT_DEGREE + 1) ** 2
SHADES = 2 * (2 * SHADE_HARMONICS + 1)
LUMPS = (LUMP_DEGREE + 1) ** 2 - 3  # degree 1 is the place of the middle
BLURS = 3
"""Variances in px²: of the lens in light, of luma and of colour in codes."""


def polynomials(ways: Array, degree: int) -> Array:
    """Return the monomials in x, y, z that span all polynomials on the sphere, by degree, shape (…, (degree + 1)²)."""
    x, y, z = ways[..., 0], ways[..., 1], ways[..., 2]
    out = []
    for order in range(degree + 1):
        out += [x**a * y ** (order - a) for a in range(order + 1)]
        out += [z * x**a * y ** (order - 1 - a) for a in range(order)]
    return np.stack(out, axis=-1)


@lru_cache(maxsize=1)
def _to_harmonics() -> Array:
    """Return the matrix from monomials to orthonormal spherical harmonics, whose mean square over the sphere is 1."""
    count = 4000
    step = np.arange(count) + 0.5
    z, turn = 1 - 2 * step / count, np.pi * (1 + 5**0.5) * step
    flat = np.sqrt(1 - z**2)
    even = np.column_stack([flat * np.cos(turn), flat * np.sin(turn), z])
    upper = np.linalg.qr(polynomials(even, LUMP_DEGREE))[1] / np.sqrt(count)
    return np.asarray(np.linalg.inv(upper) * np.sign(np.diag(upper)))


def lump_degrees() -> NDArray[np.intp]:
    """Return the degree of each spherical harmonic of the lumps, shape (LUMPS,)."""
    every = np.repeat(np.arange(LUMP_DEGREE + 1), 2 * np.arange(LUMP_DEGREE + 1) + 1)
    return np.asarray(every[every != 1], dtype=np.intp)


def lumps(ways: Array) -> Array:
    """Return the spherical harmonics of the lumps in unit directions (n, 3), shape (n, LUMPS)."""
    every = polynomials(ways, LUMP_DEGREE) @ _to_harmonics()
    return np.delete(every, [1, 2, 3], axis=1)


class Look(msgspec.Struct):
    """What all frames of a roll share.

    `light` (2, LIGHT, 3): the ball's light, linear BGR, and how it changes along the lane. `shade` (3, SHADES, 3): the
    logarithm of the ground's shade, how it changes along the lane, and how it differs on the platform. `lumps_mm`
    (LUMPS,), of which the first is the mean radius beyond half of the assumed diameter. `blur` (BLURS,).
    """

    light: Array
    shade: Array
    lumps_mm: Array
    blur: Array


class Gaps(NamedTuple):
    """Residuals of one frame: of luma, shape (n,), and of blocks of colour, shape (m, 2)."""

    luma: Array
    colour: Array


class Place(NamedTuple):
    """The ball's middle, shape (3,) mm, its turn about the X axis, the place along the lane, and the floor's slope."""

    middle_mm: Array
    turn: float
    along: float
    slope: float

    @property
    def up(self) -> Array:
        """The floor's unit normal."""
        return np.asarray(np.array([0.0, -self.slope, 1.0]) / np.hypot(1, self.slope))


LOCAL = 3 * LIGHT + 3 * SHADES + LUMPS + BLURS + 2
"""Unknowns of one frame: light, shade, lumps, blurs, and the middle's x and y."""


class FramePicture:
    """The part of one frame that shows the ball.

    :param picture: BGR 0–255, shape (h, w, 3); `empty` without the ball; `gain` of the light since then.
    :param shift_px: how far the middle moves in the picture during the exposure, shape (2,).
    """

    def __init__(
        self,
        picture: Array,
        empty: Array,
        gain: float,
        view: CameraView,
        place: Place,
        diameter_mm: float,
        shift_px: Array,
    ) -> None:
        self.view, self.gain, self.diameter_mm, self.shift_px = view, gain, diameter_mm, shift_px
        self.eye, self.focal = view.pose.camera_position_mm, view.camera.focal_px[0]
        middle = view.project(place.middle_mm[None])[0]
        radius_px = diameter_mm / 2 / float(np.linalg.norm(place.middle_mm - self.eye)) * self.focal
        half = int(np.ceil(radius_px * 1.1 + BAND_PX + 3 + np.abs(shift_px).max() / 2))
        left, top = (np.round(middle).astype(int) - half) // 2 * 2
        self.side = side = 2 * half + 2
        height, width = picture.shape[:2]
        self.whole = bool(left >= 0 and top >= 0 and left + side <= width and top + side <= height)
        if not self.whole:
            return
        window = slice(top, top + side), slice(left, left + side)
        self.seen = picture[window] / 255 @ TO_LUMA.T
        self.empty = decoded(empty[window] / 255) * gain
        axis = (np.arange(side * OVER) + 0.5) / OVER - 0.5
        grid = np.stack(np.meshgrid(left + axis, top + axis), axis=-1)
        self.rays = (view.rays(grid.reshape(-1, 2)) @ view.pose.R).reshape(*grid.shape[:2], 3)
        rays = self.rays.reshape(side, OVER, side, OVER, 3).mean(axis=(1, 3))
        self.middle_rays = rays / np.linalg.norm(rays, axis=2, keepdims=True)
        self.fx, self.fy = np.meshgrid(np.fft.rfftfreq(side * OVER) * OVER, np.fft.fftfreq(side * OVER) * OVER)

    def _blurred(self, stack: Array, transfer: NDArray[np.complex128]) -> Array:
        """Blur images (m, side · OVER, side · OVER) and sample them at the pixels' middles, (m, side, side)."""
        count = self.side * OVER
        soft = np.fft.irfft2(np.fft.rfft2(stack, axes=(1, 2)) * transfer, s=(count, count), axes=(1, 2))
        return np.asarray(soft[:, ::OVER, ::OVER])

    def _transfer(self, variance: float) -> NDArray[np.complex128]:
        """Return the transfer function of lens, motion and pixel, with the step from points to pixels' middles."""
        motion = np.sinc(self.fx * self.shift_px[0] + self.fy * self.shift_px[1])
        lens = np.exp(-2 * np.pi**2 * variance * (self.fx**2 + self.fy**2))
        step = np.exp(2j * np.pi * (self.fx + self.fy) * (0.5 - 0.5 / OVER))
        return np.asarray(lens * motion * np.sinc(self.fx) * np.sinc(self.fy) * step)

    def equations(self, place: Place, look: Look, noise: Array) -> tuple[Array, Array, Gaps]:
        """Return the normal equations of this frame, (LOCAL, LOCAL) and (LOCAL,), and its residuals.

        :param noise: standard deviations of luma and of both colours, shape (3,).
        """
        to = place.middle_mm - self.eye
        far = float(np.linalg.norm(to))
        axis = -to / far
        sideways = np.cross(axis, [0.0, 1.0, 0.0])
        sideways /= np.linalg.norm(sideways)
        upwards = np.cross(sideways, axis)
        sine = self.diameter_mm / 2 / far
        half_angle, px_per_mm = float(np.arcsin(sine)), self.focal / far / float(np.sqrt(1 - sine**2))

        turn = np.arange(OUTLINE_POINTS) * (2 * np.pi / OUTLINE_POINTS) - np.pi
        outward = np.cos(turn)[:, None] * sideways + np.sin(turn)[:, None] * upwards
        c, s = np.cos(place.turn), np.sin(place.turn)
        to_table = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        heights = lumps((sine * axis + np.sqrt(1 - sine**2) * outward) @ to_table)
        beyond_px = heights @ look.lumps_mm * px_per_mm

        def angles(rays: Array) -> tuple[Array, Array]:
            a, b = rays @ sideways, rays @ upwards
            return np.arctan2(np.hypot(a, b), -(rays @ axis)), np.arctan2(b, a)

        away, angle = angles(self.rays)
        edge = half_angle + np.interp(angle, turn, beyond_px, period=2 * np.pi) / self.focal
        outside_px, share = (away - edge) * self.focal, np.clip(away / edge, 0, 1)
        inside = np.clip(0.5 - outside_px * OVER, 0, 1)
        normals = share[..., None] * (np.cos(angle)[..., None] * sideways + np.sin(angle)[..., None] * upwards)
        shapes = polynomials(normals + np.sqrt(1 - share**2)[..., None] * axis, LIGHT_DEGREE)
        shell = np.clip(0.5 - (outside_px - SHELL_PX / 2) * OVER, 0, 1)
        shell = (shell - np.clip(0.5 - (outside_px + SHELL_PX / 2) * OVER, 0, 1)) / SHELL_PX

        away, around = angles(self.middle_rays)
        apart_px = (away - half_angle) * self.focal - np.interp(around, turn, beyond_px, period=2 * np.pi)
        ripples = waves(around, SHADE_HARMONICS)
        ramp = np.clip(apart_px, -3, BAND_PX + 2) / 5 * np.sqrt(14 / (half_angle * self.focal))
        ripples = np.concatenate([ripples, ripples * ramp[..., None]], axis=-1)
        flat = float(place.slope == 0)
        level = ripples @ (look.shade[0] + place.along * look.shade[1] + flat * look.shade[2])
        free = (level > DARKEST) & (level < BRIGHTEST)
        shade = np.exp(np.clip(level, DARKEST, BRIGHTEST))

        own = (look.light[0] + place.along * look.light[1]) * self.gain
        transfer = self._transfer(float(look.blur[0]))
        stack = np.concatenate([np.moveaxis(inside[..., None] * shapes, 2, 0), inside[None]])
        *soft, cover = self._blurred(stack, transfer)
        # the empty picture is blurred already: blur(ground · cover) to the first order
        slopes = [np.gradient(cover, axis=k)[..., None] * np.gradient(self.empty, axis=k) for k in (0, 1)]
        ground = (1 - cover)[..., None] * self.empty - (look.blur[0] + 1 / 12) * (slopes[0] + slopes[1])
        ball = np.stack(soft)
        light = np.einsum("kij,kc->ijc", ball, own) + ground * shade
        gain = encoding_slope(light)
        luma_colour = encoded(light) @ TO_LUMA.T

        by_own = np.einsum("kij,ijc->kcij", ball * self.gain, gain)
        by_shade = np.einsum("ijk,ijc->kcij", ripples, gain * shade * ground * free)
        levels = np.concatenate([by_own.reshape(-1, self.side, self.side), by_shade.reshape(-1, self.side, self.side)])
        by_level = TO_LUMA[:, np.tile([0, 1, 2], LIGHT + SHADES)].T[:, None, None, :] * levels[..., None]
        jump = (shapes @ own - np.repeat(np.repeat(shade * self.empty, OVER, 0), OVER, 1)) * shell[..., None]
        rings = waves(angle, LUMP_DEGREE)
        by_ring = self._blurred(
            np.moveaxis((jump[..., None] * rings[:, :, None, :]).reshape(*jump.shape[:2], -1), 2, 0), transfer
        ).reshape(3, rings.shape[-1], self.side, self.side)
        by_lens = self._blurred(
            np.concatenate([np.moveaxis(inside[..., None] * (shapes @ own), 2, 0), inside[None]]),
            transfer * (-2 * np.pi**2 * (self.fx**2 + self.fy**2)),
        )
        by_lens = by_lens[:3] - by_lens[3] * np.moveaxis(shade * self.empty, 2, 0)
        by_light = np.concatenate([by_ring, by_lens[:, None]], axis=1) * np.moveaxis(gain, 2, 0)[:, None]
        by_edge = np.einsum("yc,cwij->wijy", TO_LUMA, by_light)
        soft_codes = _smoothed(np.concatenate([luma_colour[None], by_level, by_edge]), look.blur)
        code, by_level, by_ring, by_lens = np.split(soft_codes, [1, 1 + len(by_level), len(soft_codes) - 1])
        more = [
            (_smoothed(luma_colour[None], look.blur + CODE_STEP * np.eye(BLURS)[k]) - code) / CODE_STEP for k in (1, 2)
        ]
        basis = np.asarray(np.linalg.pinv(waves(np.asarray(turn, dtype=np.float64), LUMP_DEGREE)), dtype=np.float64)

        def moved(way: Array) -> Array:
            """Return the rim's change in each ring, px, when the middle moves by `way`, mm."""
            change = basis @ (outward @ way) * self.focal / far
            change[0] += half_angle * self.focal * (way @ axis) / far
            return np.asarray(change)

        to_rings = basis @ (heights * px_per_mm)
        to_rings[:, 0] += moved(place.up)  # a larger ball lies higher
        middles = np.column_stack([moved(np.array([1.0, 0, 0])), moved(np.array([0, 1.0, place.slope]))])
        columns = np.concatenate(
            [
                by_level,
                np.einsum("wijy,wl->lijy", by_ring, to_rings),
                by_lens,
                *more,
                np.einsum("wijy,wl->lijy", by_ring, middles),
            ]
        )
        return _normal(self.seen - code[0], columns, apart_px, noise)


def _smoothed(codes: Array, blur: Array) -> Array:
    """Blur luma and colour of images (m, side, side, 3)."""
    out = np.empty_like(codes)
    for channels, variance in ((slice(0, 1), blur[1]), (slice(1, 3), blur[2])):
        sigma = float(np.sqrt(variance))
        taps = cv2.getGaussianKernel(2 * int(np.ceil(4 * sigma)) + 1, sigma)
        flat = np.ascontiguousarray(np.moveaxis(codes[..., channels], 0, 2)).reshape(*codes.shape[1:3], -1)
        for start in range(0, flat.shape[2], 4):
            part = np.ascontiguousarray(flat[..., start : start + 4])
            soft = cv2.sepFilter2D(part, cv2.CV_64F, taps, taps, borderType=cv2.BORDER_REPLICATE)
            flat[..., start : start + 4] = soft.reshape(part.shape)
        out[..., channels] = np.moveaxis(flat.reshape(*codes.shape[1:3], len(codes), -1), 2, 0)
    return out


def _halved(images: Array) -> Array:
    """Return the means of blocks of 2 × 2 pixels of images (…, side, side, channels)."""
    return np.asarray(
        (images[..., ::2, ::2, :] + images[..., 1::2, ::2, :] + images[..., ::2, 1::2, :] + images[..., 1::2, 1::2, :])
        / 4
    )


def _normal(gap: Array, columns: Array, apart_px: Array, noise: Array) -> tuple[Array, Array, Gaps]:
    """Return normal equations from residuals (side, side, 3) and derivatives (LOCAL, side, side, 3)."""
    near = (apart_px < BAND_PX) & (apart_px > -DEEP_PX)
    coarse = _halved(apart_px[..., None])[..., 0]
    coarse_near = (coarse < BAND_PX) & (coarse > -DEEP_PX)
    luma, colour = gap[..., 0][near], _halved(gap[..., 1:])[coarse_near]

    def weight(size: Array) -> Array:
        return np.asarray(1 / np.sqrt(1 + (size / (ROBUST * max(float(np.median(size)) * 1.2, 0.3))) ** 2))

    of_luma = weight(np.abs(luma) / noise[0] * 1.2) / noise[0]
    of_colour = weight(np.sqrt(((colour / noise[1:]) ** 2).mean(axis=1)))[:, None] / noise[1:]
    by_luma = columns[..., 0][:, near] * of_luma
    by_colour = (_halved(columns[..., 1:])[:, coarse_near] * of_colour).reshape(len(columns), -1)
    every = np.concatenate([by_luma, by_colour], axis=1)
    right = np.concatenate([luma * of_luma, (colour * of_colour).ravel()])
    return every @ every.T, every @ right, Gaps(luma, colour)
