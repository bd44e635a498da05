"""Classifies putty colours under the table's light.

A colour is the light of a surface divided by that of white paper in the same picture (`paper_white`). Putties are
classified by chromaticity in linear light, so that shading cancels. A colour that fits none of the four clearly is
"unknown".
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Array
from hardware.rig import Rig
from vision.observations import Colour

PALE_SHARE = 0.5
"""Fraction of the palest putty's distance from grey. Paler colours, such as skin and paper, are no putty."""


def log_ratios(light: Array, white: Array) -> Array:
    """Return shading-free colour, shape (n, 2): ln(R/G) and ln(B/G) of linear BGR `light`, shape (n, 3), ÷ `white`.

    A small floor limits dark channels, in which noise and stray light dominate.
    """
    relative = np.asarray(light, dtype=np.float64).reshape(-1, 3) / white
    level = relative.max(axis=1, keepdims=True)
    relative = np.maximum(relative / np.maximum(level, 1e-6), 0.0) + 0.06
    blue, green, red = relative.T
    return np.column_stack([np.log(red / green), np.log(blue / green)])


class Palette(msgspec.Struct, frozen=True):
    """The four putties' colours: mean (ln R/G, ln B/G) for each name, and their spread."""

    means: dict[str, tuple[float, float]]
    spread: float = 0.2

    def name(self, light: Array, white: Array) -> tuple[Colour, float]:
        """Name the colour of linear BGR `light`, shape (3,): a name or "unknown", and its confidence 0–1.

        The confidence of "unknown" is 0 if the colour is too pale for any putty.
        """
        seen = log_ratios(light, white)[0]
        if np.hypot(*seen) < PALE_SHARE * min(np.hypot(*mean) for mean in self.means.values()):
            return "unknown", 0.0
        names = list(self.means)
        gaps = np.array([np.hypot(*(seen - self.means[name])) for name in names])
        order = gaps.argsort()
        weights = np.exp(-0.5 * (gaps / self.spread) ** 2)
        share = float(weights[order[0]] / max(weights.sum(), 1e-300))
        if gaps[order[0]] > 3.5 * self.spread or share < 0.9:
            return "unknown", 1.0 - share if share < 0.9 else 0.5
        best: Colour = names[order[0]]
        return best, share


DEFAULT = Palette(
    {"yellow": (0.35, -2.05), "green": (-1.55, -1.4), "orange": (1.4, -0.95), "pink": (1.5, 0.68)}, spread=0.3
)


def palette_of(rig: Rig) -> Palette:
    """Return the palette of a table: calibrated colours where there are any, else the defaults."""
    learnt = {putty.name: (putty.red, putty.blue) for putty in rig.putties}
    return msgspec.structs.replace(DEFAULT, means={**DEFAULT.means, **learnt})


def saturation(light: NDArray[np.float32], white: Array) -> NDArray[np.float32]:
    """Return the saturation of each pixel, 0–1: (max − min) / max of linear BGR `light` ÷ `white`, of any shape."""
    relative = light / white.astype(np.float32)
    top = relative.max(axis=-1)
    return np.asarray((top - relative.min(axis=-1)) / np.maximum(top, 0.02))
