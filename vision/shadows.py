"""Shadows under lamps of different colours: computes the colour difference that no shadow explains.

Where an object hides one lamp, the other lamps and daylight still shine. So a shadow scales each channel by a different
factor. The factors are limited, because lamps and daylight lie on the Planckian locus. In the logarithm of the
channels' codes all such tints lie on one line (Finlayson, Hordley & Drew 2002, "Removing shadows from images"). The
tint grows with the darkness. A putty's colour lies off the line, or farther along it than any two lamps are apart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

LAMP_LINE = np.array([0.752, -0.101, -0.651])
"""Direction, (blue, green, red), along which a lamp's colour shifts the logarithm of sRGB codes: black bodies of 2700
to 6500 K (Kang et al. 2002) in linear sRGB, over the curve's exponent of 2.4."""
MOST_TINT = 0.444
"""Largest shift along it: a lamp of 2700 K is hidden, and one of 6500 K is left that gives three tenths of its
light."""
TINT_PER_DARKNESS, TINT_OF_NOISE = 0.77, 0.03
"""The shift is at most this fraction of the logarithm of the darkening (same lamps), plus this much by noise."""

_TINTS = np.linspace(-MOST_TINT, MOST_TINT, 21)
_FACTORS = np.exp(LAMP_LINE[:, np.newaxis] * _TINTS).astype(np.float32)
_SQUARES = _FACTORS * _FACTORS
_LIGHTEST = np.exp((TINT_OF_NOISE - np.abs(_TINTS)) / TINT_PER_DARKNESS).astype(np.float32)
_LIGHTEST[_TINTS == 0.0] = np.inf
_LEAST_LEVEL = np.float32(1e-3)


def beyond_shadow(seen: Floats, background: Floats, *, bluer_only: bool = False) -> Floats:
    """Return the distance of colours from every possible shadow of their background, in levels, shape (n,).

    :param seen: codes 0–255, BGR, shape (n, 3); `background` is the same cells without an object, in the same light.
    :param bluer_only: consider only shadows of a warm lamp. Skin looks like white paper in the shadow of a cold one.
    """
    lightest = np.where(_TINTS < 0.0, np.float32(-np.inf), _LIGHTEST) if bluer_only else _LIGHTEST
    across = (seen * background) @ _FACTORS
    scale = across / np.maximum((background * background) @ _SQUARES, _LEAST_LEVEL)
    explained = np.where(scale <= lightest, across * scale, np.float32(0.0)).max(axis=1)
    whole = np.einsum("ij,ij->i", seen, seen)
    return np.asarray(np.sqrt(np.maximum(whole - explained, np.float32(0.0))), dtype=np.float32)
