"""Contraband gems in the tray: how many, and red, yellow or purple.

Against the felt a gem adds the light of its own colour: red adds red and takes green away (through a translucent
one the felt shows, darker), yellow adds red and green, purple adds blue. A colour between two of these is "unknown".
"""

from __future__ import annotations

from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera_model import Array, View
from hardware.rig import Rig
from vision.observations import Gems
from vision.tray import LARGEST_GEM_MM2, Lump, Tray, look_at_ground, look_into_tray

Image = NDArray[np.uint8]
GemColour = Literal["red", "yellow", "purple", "unknown"]

GEM_HEIGHT_MM = 4.0
LARGEST_MM2, LONGEST = 70.0, 1.4  # what covers more and is longer than one gem can be is two that touch


def read_gems(image: Image, view: View, rig: Rig) -> Gems:
    """Name the gems in the tray: none of them, with confidence 0, while something larger (a die, a hand) lies there.

    :param image: BGR uint8 picture of the size `view` is for.
    """
    tray = look_into_tray(image, view, rig, GEM_HEIGHT_MM)
    if tray is None or any(lump.area_mm2 > LARGEST_GEM_MM2 for lump in tray.lumps):
        return Gems(colours=(), confidence=0.0)
    return _gems(tray, tray.lumps)


def read_gems_close_up(image: Image) -> Gems:
    """Name the gems in a close-up on an even ground."""
    tray = look_at_ground(image)
    ground = image.shape[0] * image.shape[1]
    sizeable = [lump for lump in tray.lumps if (tray.labels == lump.label).sum() > 0.002 * ground]
    return _gems(tray, tuple(sizeable))


def _gems(tray: Tray, lumps: tuple[Lump, ...]) -> Gems:
    named = [_name(tray, lump) for lump in lumps]
    confidence = min((sure for _, sure in named), default=1.0)
    return Gems(colours=tuple(sorted(name for name, _ in named)), confidence=confidence)


def _is_long(tray: Tray, lump: Lump) -> bool:
    if lump.area_mm2 < LARGEST_MM2:
        return False
    places = cv2.findNonZero((tray.labels == lump.label).astype(np.uint8))
    sides = sorted(cv2.minAreaRect(places)[1])
    return (sides[1] + 1) > LONGEST * (sides[0] + 1)


def _name(tray: Tray, lump: Lump) -> tuple[GemColour, float]:
    if _is_long(tray, lump):
        return "unknown", 0.0  # two gems that touch, not one
    added: Array = (tray.light[tray.labels == lump.label] - tray.felt).astype(np.float64)
    strength = np.linalg.norm(added, axis=1)
    low, high = np.percentile(strength, [50, 92])  # without the blurred rim and the highlight
    blue, green, red = added[(strength >= low) & (strength <= high)].mean(axis=0).tolist()
    strongest = max(red, blue)
    if strongest <= 0:
        return "unknown", 0.0
    if blue > 0.5 * red:
        lead = min(blue / max(red, 1e-6) - 0.5, 0.3 - green / blue)
        return ("purple", float(np.clip(0.5 + lead, 0, 1))) if lead > 0.1 else ("unknown", 0.0)
    share = green / red
    if share < 0.1:
        return "red", float(np.clip(0.6 + (0.1 - share), 0, 1))
    if share > 0.18:
        return "yellow", float(np.clip(0.6 + (share - 0.18), 0, 1))
    return "unknown", 0.0
