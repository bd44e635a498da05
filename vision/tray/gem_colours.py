"""Classifies a gem's hue as red, yellow or purple.

The grey of its highlights is removed, and so is a part of the felt's light that the lens mixes in. A hue between two of
the three, or one that depends on the removed part, is "unknown".
"""

from __future__ import annotations

from collections import Counter
from typing import Literal

import cv2
import numpy as np

from hardware.cameras.camera_model import Array
from vision.tray.felt import Light
from vision.tray.touching_gems import Mask
from vision.tray.tray import STEP_MM, Tray

GemColour = Literal["red", "yellow", "purple", "unknown"]

UNKNOWN: tuple[GemColour, float] = ("unknown", 0.0)
FAINTEST = 0.03  # of the light of white paper: the least that a gem differs
FELT_SHARES = (0.0, 0.12, 0.25)  # fractions of the felt's light that may be in a gem's
LARGER_SHARES = (0.12, 0.25, 0.4)  # the same in a gem that is as green as no gem is: a clear one
RED_BELOW, YELLOW_ABOVE = 0.14, 0.2  # green ÷ red, both minus the least channel
GREENEST = 1.25  # green ÷ red, both minus the least channel, of a yellow gem on which the light of the felt falls
BLUEST = 0.03  # least red ÷ blue of a purple gem, both minus the least channel
GREYEST = 0.3  # least saturation of a gem, as a fraction of its strongest channel
MIXED_IN = 0.25  # fraction of the felt's light that the lens may mix into each pixel of a gem
NEARLY_ALL, LEAST_PIXELS = 0.8, 12  # part of a gem's coloured pixels that agree, and how many are needed, 2 mm²
HUE_OF_MOST_SURE = 0.5  # confidence: too little to tell two gems in one blob from one
ABOUT_MM = 4.0  # of the felt about a gem
OUTSHONE: dict[GemColour, float] = {"yellow": 0.22, "purple": 0.85}
"""Of the part of a blob in its own hue: least part in a darker hue, about a highlight. Two highlights that look yellow
had 0.26 and 0.6, one that looks purple 1.05; 723 yellow gems had at most 0.17, 763 purple ones 0.74."""
DARKER: dict[GemColour, tuple[GemColour, ...]] = {"yellow": ("red", "purple"), "purple": ("red",)}


def name_of(tray: Tray, where: Mask) -> tuple[GemColour, float]:
    """Classify the hue of a gem, or of a part of one, that covers `where`, (h, w)."""
    depth = cv2.distanceTransform(where.astype(np.uint8), cv2.DIST_L2, 3)
    core = where & (depth >= 0.5 * depth.max())  # exclude the blurred rim
    light = tray.light[core].astype(np.float64)
    felt = _felt_about(tray, where)
    strength = np.linalg.norm(light - felt, axis=1)
    low, high = np.percentile(strength, [30, 90])
    coloured = light[(strength >= low) & (strength <= high)]
    grey = coloured.min(axis=1)
    own = coloured[grey <= np.median(grey)].mean(axis=0)  # a highlight adds grey
    shares = LARGER_SHARES if _is_felt_like(own) else FELT_SHARES
    looks = [_hue(np.maximum(own - share * felt, 0.0)) for share in shares]
    named = [look for look in looks if look[0] != "unknown"]
    agree = len({name for name, _ in named}) == 1 and 2 * len(named) > len(looks)
    return min(named, key=_sureness) if agree else _hue_of_most(tray.light[where], felt)


def _hue_of_most(light: Light, felt: Array) -> tuple[GemColour, float]:
    """Classify the hue of a gem with a large highlight by its pixels, light (n, 3): nearly all that have one agree."""
    hues = Counter(_hue(np.maximum(each - MIXED_IN * felt, 0.0))[0] for each in light if each.max() > FAINTEST)
    del hues["unknown"]
    for hue, pixels in hues.items():
        if pixels > NEARLY_ALL * hues.total() and pixels >= LEAST_PIXELS:
            return hue, HUE_OF_MOST_SURE
    return UNKNOWN


def _felt_about(tray: Tray, where: Mask) -> Array:
    """Return the light of the felt about a gem, (3,), which may be in a shadow; the felt's own if no free felt is."""
    near = cv2.dilate(where.astype(np.uint8), np.ones((2 * round(ABOUT_MM / STEP_MM) + 1,) * 2, np.uint8)) > 0
    free = near & (tray.touched == 0) & (tray.inside > 0)
    return np.asarray(np.median(tray.fitted[free], axis=0) if free.any() else tray.felt, dtype=np.float64)


def _sureness(look: tuple[GemColour, float]) -> float:
    return look[1]


def _is_felt_like(light: Array) -> bool:
    """Return whether linear BGR `light`, (3,), is greener than any gem, so that it includes light of the felt."""
    return bool(light[1] >= max(light[0], light[2]))


def _hue(light: Array) -> tuple[GemColour, float]:
    """Classify the hue of linear BGR `light`, shape (3,); the confidence 0–1 is its distance from the next hue."""
    blue, green, red = (light - light.min()).tolist()
    strongest = max(red, blue)
    if (_is_felt_like(light) and green > GREENEST * red) or strongest <= GREYEST * float(light.max()):
        return UNKNOWN
    if blue > 0.5 * red:
        share = red / blue
        return ("purple", min(0.5 + share, 1.0)) if green < 0.3 * blue and share > BLUEST else UNKNOWN
    share, limit = green / red, 0.5 * (RED_BELOW + YELLOW_ABOVE)
    if blue > 0.25 * red or RED_BELOW <= share <= YELLOW_ABOVE:
        return UNKNOWN
    return "red" if share < limit else "yellow", float(np.clip(0.5 + 3 * abs(share - limit), 0, 1))


def is_highlight(light: Light, name: GemColour) -> bool:
    """Return whether light, (n, 3), of a blob of this `name` and of what is about it is that of a gem of another hue.

    A highlight has its lamp's colour, and outshines its gem.
    """
    if name not in OUTSHONE:
        return False
    hues = Counter(_hue(each)[0] for each in light if each.max() > FAINTEST)
    return sum(hues[darker] for darker in DARKER[name]) > OUTSHONE[name] * hues[name]
