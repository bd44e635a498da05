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
from vision.tray import LARGEST_GEM_MM2, STEP_MM, Lump, Tray, look_at_ground, look_into_tray

Image = NDArray[np.uint8]
Mask = NDArray[np.bool_]
GemColour = Literal["red", "yellow", "purple", "unknown"]

GEM_HEIGHT_MM = 4.0
LARGEST_MM2, LONGEST = 70.0, 1.4  # what covers more and is longer than one gem can be is two that touch
ONE_GEM_MM2 = 35.0, 70.0  # an 8 mm gem's ground plan covers 50, its lit side a little more
NOTCH_MM, WIDEST_WAIST_MM = 1.0, 6.0  # two 8 mm gems that touch leave a notch on either side of a narrow waist
LEAST_FILL = 0.92


def read_gems(image: Image, view: View, rig: Rig) -> Gems:
    """Name the gems in the tray: none of them, with confidence 0, while something larger (a die, a hand) lies there.

    :param image: BGR uint8 picture of the size `view` is for.
    """
    tray = look_into_tray(image, view, rig, GEM_HEIGHT_MM)
    if tray is None or any(_is_no_gem(tray, lump) for lump in tray.lumps):
        return Gems(colours=(), confidence=0.0)
    return _gems(tray, tray.lumps)


def read_gems_close_up(image: Image) -> Gems:
    """Name the gems in a close-up on an even ground."""
    tray = look_at_ground(image)
    ground = image.shape[0] * image.shape[1]
    sizeable = [lump for lump in tray.lumps if (tray.labels == lump.label).sum() > 0.002 * ground]
    return _gems(tray, tuple(sizeable))


def _gems(tray: Tray, lumps: tuple[Lump, ...]) -> Gems:
    named = [each for lump in lumps for each in _name_all(tray, lump)]
    confidence = min((sure for _, sure in named), default=1.0)
    return Gems(colours=tuple(sorted(name for name, _ in named)), confidence=confidence)


def _is_no_gem(tray: Tray, lump: Lump) -> bool:
    return lump.area_mm2 > LARGEST_GEM_MM2 and _parted(_shape(tray, lump)) is None


def _shape(tray: Tray, lump: Lump) -> Image:
    return np.asarray(tray.labels == lump.label, dtype=np.uint8)


def _name_all(tray: Tray, lump: Lump) -> list[tuple[GemColour, float]]:
    """Name what a lump is: one gem, or two that touch; "unknown" where it is not clear which."""
    shape = _shape(tray, lump)
    if not _is_long(lump, shape):
        return [_name(tray, shape > 0)]
    parts = _parted(shape)
    return [("unknown", 0.0)] if parts is None else [_name(tray, part) for part in parts]


def _is_long(lump: Lump, shape: Image) -> bool:
    if lump.area_mm2 < LARGEST_MM2:
        return False
    sides = sorted(cv2.minAreaRect(cv2.findNonZero(shape))[1])
    return (sides[1] + 1) > LONGEST * (sides[0] + 1)


def _parted(shape: Image) -> tuple[Mask, Mask] | None:
    """Cut a shape at its waist; None unless there is one waist and each part looks like one whole gem."""
    contours, _ = cv2.findContours(shape, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    rim = max(contours, key=len)
    defects = cv2.convexityDefects(rim, cv2.convexHull(rim, returnPoints=False))
    deep = [] if defects is None else [each for each in defects[:, 0] if each[3] / 256 * STEP_MM >= NOTCH_MM]
    if len(deep) != 2:
        return None
    one, other = (rim[each[2], 0] for each in deep)
    if np.linalg.norm(one - other) * STEP_MM > WIDEST_WAIST_MM:
        return None
    rows, columns = np.mgrid[: shape.shape[0], : shape.shape[1]]
    (x0, y0), (x1, y1) = one.tolist(), other.tolist()
    side = (columns - x0) * (y1 - y0) - (rows - y0) * (x1 - x0)
    parts = (shape > 0) & (side > 0), (shape > 0) & (side < 0)
    return parts if all(_is_one(part) for part in parts) else None


def _is_one(part: Mask) -> bool:
    """Whether a part has a gem's size, is about as wide as long, and has no notch of its own."""
    places = cv2.findNonZero(part.astype(np.uint8))
    if places is None:
        return False
    area_px = float(part.sum())
    wide, long = sorted(cv2.minAreaRect(places)[1])
    least_mm2, most_mm2 = ONE_GEM_MM2
    fits = least_mm2 < area_px * STEP_MM**2 < most_mm2 and (long + 1) < LONGEST * (wide + 1)
    return fits and area_px > LEAST_FILL * cv2.contourArea(cv2.convexHull(places))


def _name(tray: Tray, where: Mask) -> tuple[GemColour, float]:
    added: Array = (tray.light[where] - tray.felt).astype(np.float64)
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
