"""Shadows under lamps of different colours: which differences from the background they explain.

Where a thing hides one lamp, the others and the sky still shine. So a shadow scales each channel by its own factor, and
what the factors can be is narrow: lamps and daylight lie on the Planckian locus. In the logarithm of the channels'
codes all such tints lie on one line (Finlayson, Hordley & Drew 2002, "Removing shadows from images"). The tint grows
with the darkness. A putty's colour lies beyond the line, or farther along it than any two lamps are apart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

LAMP_LINE = np.array([0.752, -0.101, -0.651])
"""Direction, (blue, green, red), along which a lamp's colour shifts the logarithm of sRGB codes: black bodies of 2700
to 6500 K (Kang et al. 2002) in linear sRGB, over the curve's exponent of 2.4."""
MOST_TINT = 0.43
"""Farthest shift along it: a lamp of 2700 K hidden, one of 6500 K of a tenth of its light left, or the other way."""
TINT_PER_DARKNESS, TINT_OF_NOISE = 0.77, 0.03
"""The shift is at most this share of the logarithm of the darkening (the same lamps), and this much by noise."""

_TINTS = np.linspace(-MOST_TINT, MOST_TINT, 17)
_FACTORS = np.exp(LAMP_LINE[:, np.newaxis] * _TINTS).astype(np.float32)
_SQUARES = _FACTORS * _FACTORS
_LIGHTEST = np.exp((TINT_OF_NOISE - np.abs(_TINTS)) / TINT_PER_DARKNESS).astype(np.float32)
_LIGHTEST[_TINTS == 0.0] = np.inf
_LEAST_LEVEL = np.float32(1e-3)


def beyond_shadow(seen: Floats, background: Floats, *, bluer_only: bool = False) -> Floats:
    """Return how far colours are from every shadow of their background, in levels, shape (n,).

    :param seen: codes 0–255, BGR, shape (n, 3); `background` the same cells with nothing there, in the same light.
    :param bluer_only: only shadows of a warm lamp are meant. Skin looks like white paper in the shadow of a cold one.
    """
    lightest = np.where(_TINTS < 0.0, np.float32(-np.inf), _LIGHTEST) if bluer_only else _LIGHTEST
    across = (seen * background) @ _FACTORS
    scale = across / np.maximum((background * background) @ _SQUARES, _LEAST_LEVEL)
    explained = np.where(scale <= lightest, across * scale, np.float32(0.0)).max(axis=1)
    whole = np.einsum("ij,ij->i", seen, seen)
    return np.asarray(np.sqrt(np.maximum(whole - explained, np.float32(0.0))), dtype=np.float32)
