"""Counts the contraband gems in the tray and classifies them as red, yellow or purple.

A gem's colour is its hue. The grey of its highlights is removed, and so is a part of the felt's light that the lens
mixes in. A hue between two of the three, or one that depends on the removed part, is "unknown".
"""

from __future__ import annotations

from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Array, CameraView, Image
from hardware.rig import Rig
from vision.observations import Gems
from vision.tray.tray import LARGEST_GEM_MM2, SMALLEST_GEM_MM2, STEP_MM, Tray, TrayBlob, rectify_tray, segment_close_up

Mask = NDArray[np.bool_]
GemColour = Literal["red", "yellow", "purple", "unknown"]

GEM_HEIGHT_MM = 4.0
BESIDE_MM, GLOW_MM2 = 9.0, 6.0  # largest distance from a gem, and size, of a glow on the felt that is not an object
LARGEST_MM2, LONGEST = 70.0, 1.4  # a blob that is larger and longer (ratio to width) is two gems that touch
ONE_GEM_MM2 = 35.0, 70.0  # an 8 mm gem's ground plan covers 50, with its lit side a little more
NOTCH_MM, WIDEST_WAIST_MM = 1.0, 6.0  # two 8 mm gems that touch leave a notch on either side of a narrow waist
LEAST_FILL = 0.92
CUT_MM = 3.0  # length of a blob's outline on the felt's rim above which it may be cut
CUT_SHARE = 0.6  # of its width: an object that reaches into the tray is cut across its whole width
LONGEST_OF_ALL = 2.2  # largest ratio of length to width of a single gem
FELT_SHARES = (0.0, 0.12, 0.25)  # fractions of a pixel's light that may come from the felt
RED_BELOW, YELLOW_ABOVE = 0.14, 0.2  # green ÷ red, both minus the least channel
GREYEST = 0.3  # least saturation of a gem, as a fraction of its strongest channel


def read_gems(image: Image, view: CameraView, rig: Rig) -> Gems:
    """Classify the gems in the tray. The result is empty with confidence 0 if a larger object (a die, a hand) is there.

    A single "unknown" with confidence 0 means that nothing was seen but there is too little light to be certain.

    :param image: BGR uint8 picture of the size `view` is for.
    """
    tray = rectify_tray(image, view, rig, GEM_HEIGHT_MM)
    if tray is None or any(_is_no_gem(tray, lump) for lump in tray.lumps):
        return Gems(colours=(), confidence=0.0)
    seen = _gems(tray, tray.lumps, SMALLEST_GEM_MM2)
    if tray.clear:
        return seen
    return Gems(colours=seen.colours or ("unknown",), confidence=0.0)


def read_gems_close_up(image: Image) -> Gems:
    """Classify the gems in a close-up on an even ground."""
    tray = segment_close_up(image)
    ground = image.shape[0] * image.shape[1]
    sizeable = [lump for lump in tray.lumps if (tray.labels == lump.label).sum() > 0.002 * ground]
    return _gems(tray, tuple(sizeable), 0.0)


def _gems(tray: Tray, lumps: tuple[TrayBlob, ...], least_mm2: float) -> Gems:
    own = [lump for lump in lumps if lump.area_mm2 >= least_mm2]
    named = [each for lump in own for each in _name_all(tray, lump)]
    if any(_is_stray(lump, own) for lump in lumps if lump not in own):
        named.append(("unknown", 0.0))
    confidence = min((sure for _, sure in named), default=1.0)
    return Gems(colours=tuple(sorted(name for name, _ in named)), confidence=confidence)


def _is_no_gem(tray: Tray, lump: TrayBlob) -> bool:
    return lump.area_mm2 > LARGEST_GEM_MM2 and _parted(_shape(tray, lump)) is None


def _shape(tray: Tray, lump: TrayBlob) -> Image:
    return np.asarray(tray.labels == lump.label, dtype=np.uint8)


def _is_stray(lump: TrayBlob, gems: list[TrayBlob]) -> bool:
    """Return whether a small blob is an object, and not light that a nearby gem reflects onto the felt."""
    if lump.area_mm2 > GLOW_MM2:
        return True
    away = [np.hypot(*np.subtract(lump.middle_px, gem.middle_px)) * STEP_MM for gem in gems]
    return min(away, default=np.inf) > BESIDE_MM


def _name_all(tray: Tray, lump: TrayBlob) -> list[tuple[GemColour, float]]:
    """Classify a blob as one gem, or two that touch; "unknown" if that is not clear, or if the rim cuts it."""
    shape = _shape(tray, lump)
    if _is_cut(tray, lump, shape):
        return [("unknown", 0.0)]
    if not _is_long(lump, shape):
        halves = {_name(tray, half)[0] for half in _halves(shape)} - {"unknown"}
        return [_name(tray, shape > 0) if len(halves) < 2 else ("unknown", 0.0)]
    parts = _parted(shape)
    return [("unknown", 0.0)] if parts is None else [_name(tray, part) for part in parts]


def _is_cut(tray: Tray, lump: TrayBlob, shape: Image) -> bool:
    """Return whether a blob may be the end of an object that reaches into the tray."""
    within = cv2.erode(tray.inside, np.ones((3, 3), np.uint8)) > 0
    cut_mm = ((shape > 0) & ~within).sum() * STEP_MM
    width_mm = min(cv2.minAreaRect(cv2.findNonZero(shape))[1]) * STEP_MM
    is_whole = ONE_GEM_MM2[0] < lump.area_mm2 and cut_mm < CUT_SHARE * width_mm
    return bool(cut_mm > CUT_MM and not is_whole)


def _halves(shape: Image) -> tuple[Mask, Mask]:
    """Split a shape in two across its length: two small gems of different colour may look like one."""
    rows, columns = np.nonzero(shape)
    places = np.column_stack([columns, rows]) - [columns.mean(), rows.mean()]
    along = np.linalg.eigh(places.T @ places)[1][:, 1]
    first = np.zeros(shape.shape, bool)
    first[rows, columns] = places @ along > 0
    return first, (shape > 0) & ~first


def _is_long(lump: TrayBlob, shape: Image) -> bool:
    sides = sorted(cv2.minAreaRect(cv2.findNonZero(shape))[1])
    stretch = (sides[1] + 1) / (sides[0] + 1)
    return stretch > LONGEST_OF_ALL or (lump.area_mm2 >= LARGEST_MM2 and stretch > LONGEST)


def _parted(shape: Image) -> tuple[Mask, Mask] | None:
    """Split a shape at its waist; return None unless there is one waist and each part looks like one whole gem."""
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
    """Return whether a part has a gem's size, is about as wide as long, and has no notch."""
    places = cv2.findNonZero(part.astype(np.uint8))
    if places is None:
        return False
    area_px = float(part.sum())
    wide, long = sorted(cv2.minAreaRect(places)[1])
    least_mm2, most_mm2 = ONE_GEM_MM2
    fits = least_mm2 < area_px * STEP_MM**2 < most_mm2 and (long + 1) < LONGEST * (wide + 1)
    return fits and area_px > LEAST_FILL * cv2.contourArea(cv2.convexHull(places))


def _name(tray: Tray, where: Mask) -> tuple[GemColour, float]:
    depth = cv2.distanceTransform(where.astype(np.uint8), cv2.DIST_L2, 3)
    core = where & (depth >= 0.5 * depth.max())  # exclude the blurred rim
    light = tray.light[core].astype(np.float64)
    strength = np.linalg.norm(light - tray.felt, axis=1)
    low, high = np.percentile(strength, [30, 90])  # exclude the centre of the highlight
    own = light[(strength >= low) & (strength <= high)].mean(axis=0)
    looks = [_hue(np.maximum(own - share * tray.felt, 0.0)) for share in FELT_SHARES if share or not _is_felt_like(own)]
    names = {name for name, _ in looks}
    return looks[0] if len(names) == 1 else ("unknown", 0.0)


def _is_felt_like(light: Array) -> bool:
    """Return whether linear BGR `light`, (3,), is greener than any gem, so that it includes light of the felt."""
    return bool(light[1] >= max(light[0], light[2]))


def _hue(light: Array) -> tuple[GemColour, float]:
    """Classify the hue of linear BGR `light`, shape (3,); the confidence 0–1 is its distance from the next hue."""
    blue, green, red = (light - light.min()).tolist()
    strongest = max(red, blue)
    if _is_felt_like(light) or strongest < GREYEST * float(light.max()):
        return "unknown", 0.0
    if blue > 0.5 * red:
        share = red / blue
        return ("purple", min(0.5 + share, 1.0)) if green < 0.3 * blue and share > 0.1 else ("unknown", 0.0)
    share, limit = green / red, 0.5 * (RED_BELOW + YELLOW_ABOVE)
    if blue > 0.25 * red or RED_BELOW <= share <= YELLOW_ABOVE:
        return "unknown", 0.0
    return "red" if share < limit else "yellow", float(np.clip(0.5 + 3 * abs(share - limit), 0, 1))
