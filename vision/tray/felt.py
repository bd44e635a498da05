"""The felt's own light: its shades, their scatter, and what differs from all of them."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Array
from vision.shadows import LAMP_LINE, MOST_TINT, TINT_OF_NOISE, TINT_PER_DARKNESS

Light = NDArray[np.float32]

GEM_MM = 8.0
STANDS_OUT = 7.0  # threshold of an object, in units of the felt's own scatter
LEAST_SD = 0.001  # of the light of white paper: one code of 8 bits where the felt has 2.5 % of it
LAMPS_DIFFER = 0.25  # tolerated difference in one channel, as a fraction of the felt's own light there
GAMMA = 2.4  # exponent of the codes in which `vision.shadows` states tints
TINTS = (GAMMA * LAMP_LINE).astype(np.float32)
IN_SHADOW = 0.5  # darkening (natural logarithm) beyond the felt's own texture, whose noise no tint may hide
UNLIKE_FELT = 1.0  # units of scatter: what differs less from a shade of the felt needs no tint
TINT_STEPS = 3
BRIGHTEST = 12.0  # largest shade factor, for a felt that is mostly in shadow
GEM_SHARE = 0.6  # of a square place of a gem's size that a gem covers with the middle of its blurred picture
DARKEST_GEMS = np.array(  # purple, red, yellow: the tenth with most contrast of the darkest on the recorded stills
    [[0.097, 0.008, 0.034], [0.011, 0.012, 0.146], [0.034, 0.236, 0.504]], np.float32
)


def tint_of(light: Light | Array) -> Array:
    """Return light, (3,), as shares of its sum; 0 of darkness."""
    return np.asarray(light / max(float(light.sum()), 1e-6), dtype=np.float64)


def felt_of(ground: Light) -> Light:
    """Return the colour, (3,), of most of the ground, apart from shading: the median of the most similar half."""
    tint = ground / np.maximum(ground.sum(axis=1, keepdims=True), 1e-4)
    middle = np.median(tint, axis=0)
    for _ in range(4):
        off = np.linalg.norm(tint - middle, axis=1)
        alike = off <= np.median(off)
        middle = np.median(tint[alike], axis=0)
    return np.asarray(np.median(ground[alike], axis=0), dtype=np.float32)


class Scatter(msgspec.Struct, frozen=True):
    """The felt's own scatter, `sd` (3,), and the `weights` (3,) that give the shade of the felt for a light."""

    sd: Light
    weights: Light


def scatter_of(ground: Light, felt: Light) -> Scatter:
    """Return the scatter of the felt's own light, (n, 3), about its shades."""
    sd = np.full(3, 0.01, np.float32)
    for _ in range(3):
        weights = felt / sd**2
        weights = weights / max(float((weights * felt).sum()), LEAST_SD)
        rest = np.abs(
            ground - fitted_felt(ground, felt, Scatter(sd, weights), brighter=True, least_darkening=IN_SHADOW)
        )
        # estimate a normal scatter by two quantiles: compression makes most pixels too similar, and leaves outliers
        half, more = np.quantile(rest, (0.4, 0.75), axis=0) / np.array([[0.524], [1.15]])
        sd = np.maximum(np.maximum(half, more), LEAST_SD).astype(np.float32)
    return Scatter(sd, weights)


def _shade(soft: Light, weights: Light) -> Light:
    return np.asarray(np.clip(soft @ weights, 0.0, BRIGHTEST), dtype=np.float32)


def fitted_felt(
    soft: Light, felt: Light, scatter: Scatter, *, brighter: bool = False, least_darkening: float = 0.0
) -> Light:
    """Return the felt's light, (…, 3), that fits each pixel best under lamps of any colour.

    Where one lamp is hidden, the felt has the tint of the others. `vision.shadows` says which tints there are.

    :param brighter: most of the felt may be in that shadow, and brighter felt has the tint. So may a yellow gem.
    :param least_darkening: less of it (a natural logarithm) leaves no tint.
    """
    shade = _shade(soft, scatter.weights)
    light = np.asarray(shade[..., None] * felt, dtype=np.float32)
    unlike = (((soft - light) / scatter.sd) ** 2).sum(axis=-1) > UNLIKE_FELT**2
    tinted = unlike & (_darkening(shade, brighter=brighter) >= least_darkening)
    light[tinted] = _tinted(soft[tinted], shade[tinted], felt, scatter.sd, brighter=brighter)
    return light


def _tinted(soft: Light, shade: Light, felt: Light, sd: Light, *, brighter: bool) -> Light:
    """Return the felt's light, (n, 3), under lamps of any colour that fits each pixel best, from `shade` (n,) on."""
    weights = 1 / sd**2
    light, tint = shade[:, None] * felt, np.zeros_like(shade)
    for _ in range(TINT_STEPS):
        # one Gauss-Newton step for the logarithm of the shade and for the tint
        slope, rest = light * weights, soft - light
        own, tilt, tilts = ((slope * light) @ TINTS**power for power in (0, 1, 2))
        more, off = ((slope * rest) @ TINTS**power for power in (0, 1))
        step = (own * off - tilt * more) / (own * tilts - tilt**2 + 1e-6)
        most = _darkening(shade, brighter=brighter) * (TINT_PER_DARKNESS / GAMMA) + TINT_OF_NOISE
        tint = np.clip(tint + step, -np.minimum(most, MOST_TINT), np.minimum(most, MOST_TINT))
        base = felt * np.exp(tint[:, None] * TINTS)
        shade = ((base * soft) @ weights) / np.maximum((base * base) @ weights, 1e-6)
        light = np.clip(shade, 0.0, BRIGHTEST)[:, None] * base
    return np.asarray(light, dtype=np.float32)


def _darkening(shade: Light, *, brighter: bool) -> Light:
    """Return the natural logarithm of how much darker than usual the felt is, or lighter if that counts, too."""
    darker = -np.log(np.maximum(shade, LEAST_SD))
    return np.asarray(np.abs(darker) if brighter else np.maximum(darker, 0.0), dtype=np.float32)


def apart_from(fitted: Light, soft: Light, felt: Light, scatter: Scatter, *, noise_of_light: bool = False) -> Light:
    """Return the distance, (…,), of each pixel from the felt that was `fitted` to it, in units of the felt's scatter.

    :param noise_of_light: the variance of the scatter falls with the light, as that of shot noise does. A black object
        in a shadow then stands out; so does colour that compression spreads into the shadow beside an object.
    """
    dim = np.minimum((soft / np.maximum(felt, LEAST_SD)).max(axis=-1), 1.0)[..., None] if noise_of_light else 1.0
    variance = (LAMPS_DIFFER / STANDS_OUT * fitted) ** 2 + np.maximum(scatter.sd**2 * dim, LEAST_SD**2)
    return np.asarray(np.sqrt(((soft - fitted) ** 2 / variance).sum(axis=-1)), dtype=np.float32)


def least_contrast(felt: Light) -> float:
    """Return the least difference between a gem and the felt, in the channel in which each gem differs most."""
    return float(np.abs(DARKEST_GEMS - felt).max(axis=1).min())


def faintest_gem(felt: Light, scatter: Scatter, darkest: float) -> float:
    """Return by how much even the darkest gem of its colour would stand out anywhere on the felt, in units of scatter.

    A dark gem that does not stand out looks like a shadow. So the felt about it has more light than the place that
    looks darkest.

    :param darkest: the least shade that places of a gem's size have on average.
    """
    looks = np.minimum(_shade(DARKEST_GEMS, scatter.weights), 1.0)
    about = (darkest / (GEM_SHARE * looks + 1 - GEM_SHARE)).astype(np.float32)
    gems = DARKEST_GEMS * about[:, None]
    return float(apart_from(fitted_felt(gems, felt, scatter), gems, felt, scatter, noise_of_light=True).min())
