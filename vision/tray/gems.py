"""Counts the contraband gems in the tray and classifies them as red, yellow or purple."""

from __future__ import annotations

from typing import Literal

import cv2
import numpy as np

from hardware.cameras.camera_model import Array, CameraView, Image
from hardware.rig import Rig
from vision.observations import Gems
from vision.tray.felt import least_contrast, tint_of
from vision.tray.gem_colours import FAINTEST, UNKNOWN, GemColour, is_highlight, name_of
from vision.tray.touching_gems import Mask, may_be_several, parted
from vision.tray.tray import (
    LARGEST_GEM_MM2,
    SMALLEST_GEM_MM2,
    STEP_MM,
    Tray,
    TrayBlob,
    rectify_tray,
    segment_close_up,
)

GemState = Literal["seen", "absent", "unknown"]

GEM_HEIGHT_MM = 4.0
DARKEST_SHADE = 0.05  # of the felt's usual light: less is no light
FAINT_SHARE = 0.35  # of the least contrast of a gem: gems have 0.43 and more of it, specks of noise at most 0.32
BESIDE_MM, GLOW_MM2 = 9.0, 6.0  # largest distance from a gem, and size, of a glow on the felt that is not an object
WHOLE_GEM_MM2 = 35.0  # least area of a gem that the felt's rim does not cut
SHADY_MM = 1.2  # beside a highlight: a gem's dark side, which does not stand out there
CUT_MM = 3.0  # length of a blob's outline on the felt's rim above which it may be cut
CUT_SHARE = 0.6  # of its width: an object that reaches into the tray is cut across its whole width
GEM_LENGTH_MM = 10.0  # an 8 mm gem with the rim that a lens blurs
BAND_MM = 2.0  # of the table beyond a gem
LIKE_TABLE = 0.4  # of the difference in tint between gem and table: parts of one table, compressed, differ by less
RINGING_MOST = 0.6  # of the difference in tint between gem and table: what compression takes away beside a gem
LEAST_TWO_MM2 = 45.0  # of two gems in one blob: between their middles are 8 mm
HALF_SURE = 0.7  # least confidence in the hue of half a gem: a warm lamp's highlight on a red one is 0.6 yellow


def read_gems(image: Image, view: CameraView, rig: Rig) -> Gems:
    """Classify the gems in the tray. Empty, of state "unknown", if a larger object (a die, a hand) is there.

    A single "unknown" of state "unknown" means that nothing was seen but there is too little light to be certain.

    :param image: BGR uint8 picture of the size `view` is for.
    """
    tray = rectify_tray(image, view, rig, GEM_HEIGHT_MM)
    if tray is None or any(_is_no_gem(tray, lump) for lump in tray.lumps):
        return Gems(colours=(), state="unknown", confidence=0.0)
    seen = tuple(lump for lump in tray.lumps if not _is_ground(tray, lump))
    return _gems(tray, seen, SMALLEST_GEM_MM2)


def read_gems_close_up(image: Image) -> Gems:
    """Classify the gems in a close-up on an even ground."""
    tray = segment_close_up(image)
    ground = image.shape[0] * image.shape[1]
    sizeable = [lump for lump in tray.lumps if (tray.labels == lump.label).sum() > 0.002 * ground]
    return _gems(tray, tuple(sizeable), 0.0)


def _gems(tray: Tray, lumps: tuple[TrayBlob, ...], least_mm2: float) -> Gems:
    own = [lump for lump in lumps if lump.area_mm2 >= least_mm2]
    named = [each for lump in own for each in gems_of(tray, lump)]
    if any(_is_stray(lump, own) for lump in lumps if lump not in own):
        named.append(UNKNOWN)
    state: GemState = "seen" if named else "absent" if tray.clear else "unknown"
    if not tray.clear:
        named = [(name, 0.0) for name, _ in named] or [UNKNOWN]
    confidence = min((sure for _, sure in named), default=1.0)
    return Gems(colours=tuple(sorted(name for name, _ in named)), state=state, confidence=confidence)


def _is_no_gem(tray: Tray, lump: TrayBlob) -> bool:
    return lump.area_mm2 > LARGEST_GEM_MM2 and parted(tray, _shape(tray, lump)) is None


def _shape(tray: Tray, lump: TrayBlob) -> Image:
    return np.asarray(tray.labels == lump.label, dtype=np.uint8)


def _is_stray(lump: TrayBlob, gems: list[TrayBlob]) -> bool:
    """Return whether a small blob is an object, and not light that a nearby gem reflects onto the felt."""
    if lump.area_mm2 > GLOW_MM2:
        return True
    away = [np.hypot(*np.subtract(lump.middle_px, gem.middle_px)) * STEP_MM for gem in gems]
    return min(away, default=np.inf) > BESIDE_MM


def _is_ground(tray: Tray, lump: TrayBlob) -> bool:
    """Return whether a blob is felt: a gem's size of it in a shadow, or a smaller part that hardly differs."""
    return lump.may_be_shadow if lump.area_mm2 >= WHOLE_GEM_MM2 else _is_faint(tray, lump)


def _is_faint(tray: Tray, lump: TrayBlob) -> bool:
    """Return whether a blob differs from the felt by less than any part of a gem: noise and compression leave such.

    On felt without noise they stand out. The difference is that of one channel, relative to the light at the place.
    """
    own = tray.labels == lump.label
    shade = np.minimum(tray.shade[own], 1.0)
    differs = np.abs(tray.light[own] - tray.fitted[own]).max(axis=1)
    least = max(FAINTEST, FAINT_SHARE * least_contrast(tray.felt))
    return bool(np.median(differs / np.maximum(shade, DARKEST_SHADE)) < least)


def gems_of(tray: Tray, lump: TrayBlob) -> list[tuple[GemColour, float]]:
    """Classify a blob as one gem, or several that touch; "unknown" if that is not clear, or if the rim cuts it."""
    shape = _shape(tray, lump)
    parts = parted(tray, shape) or () if may_be_several(shape) else (shape > 0,)
    if len(parts) != 1:
        return [_name_whole(tray, part, part) for part in parts] or [UNKNOWN]
    if lump.area_mm2 > LEAST_TWO_MM2 and len(_sure_names(tray, _halves(shape))) > 1:
        return [UNKNOWN]
    near = cv2.dilate(shape, np.ones((2 * round(SHADY_MM / STEP_MM) + 1,) * 2, np.uint8)) > 0
    return [_name_whole(tray, shape > 0, near & ((tray.labels == 0) | (shape > 0)))]


def _name_whole(tray: Tray, gem: Mask, about: Mask) -> tuple[GemColour, float]:
    """Classify one gem; "unknown" if the rim cuts it, or if what is `about` it says that it is a highlight."""
    name, sure = UNKNOWN if _is_cut(tray, gem.astype(np.uint8)) else name_of(tray, gem)
    return UNKNOWN if is_highlight(tray.light[about], name) else (name, sure)


def _sure_names(tray: Tray, parts: tuple[Mask, ...]) -> set[GemColour]:
    return {name for name, sure in (name_of(tray, part) for part in parts) if sure >= HALF_SURE}


def _is_cut(tray: Tray, shape: Image) -> bool:
    """Return whether a blob may be the end of an object that reaches into the tray."""
    within = cv2.erode(tray.inside, np.ones((3, 3), np.uint8)) > 0
    at_rim = np.argwhere((shape > 0) & ~within)[:, ::-1].astype(np.float64)
    cut_mm = len(at_rim) * STEP_MM
    width_mm = min(cv2.minAreaRect(cv2.findNonZero(shape))[1]) * STEP_MM
    if cut_mm <= CUT_MM:
        return False
    is_large = shape.sum() * STEP_MM**2 > WHOLE_GEM_MM2
    return not (is_large and (cut_mm < CUT_SHARE * width_mm or _ends_beyond(tray, shape, at_rim)))


def _ends_beyond(tray: Tray, shape: Image, at_rim: Array) -> bool:
    """Return whether the picture shows, beyond the rim, the table where an object longer than a gem would go on.

    A gem near the rim hides table behind it. The table there has the tint of the table on one side of it.

    :param at_rim: pixels of the shape on the felt's rim, (n, 2) px.
    """
    places = np.argwhere(shape)[:, ::-1].astype(np.float64)
    along, out = np.linalg.eigh(np.cov(at_rim.T))[1].T[::-1]
    middle = at_rim.mean(axis=0)
    out = out * np.sign((middle - places.mean(axis=0)) @ out)
    cut_px, seen_px = np.ptp(at_rim @ along), np.ptp(places @ out)
    if cut_px * STEP_MM > GEM_LENGTH_MM:
        return False
    beyond = max(GEM_LENGTH_MM / STEP_MM - seen_px, 0.0) + np.arange(0.0, BAND_MM / STEP_MM)
    across = np.arange(-cut_px / 2, cut_px / 2 + 0.5)
    band = middle + across[:, None, None] * along + beyond[None, :, None] * out
    aside = (np.ptp(places @ along) + GEM_LENGTH_MM / STEP_MM / 2) * along
    after, *sides = (_tint_at(tray, spots) for spots in (band, band - aside, band + aside))
    seen = [side for side in sides if side is not None]
    if after is None or not seen:
        return False
    own = tint_of(np.median(tray.light[shape > 0], axis=0))
    return any(_is_like_table(after, side, own) for side in seen)


def _is_like_table(after: Array, table: Array, own: Array) -> bool:
    """Return whether tint `after` is that of the table, apart from what compression does beside a gem of tint `own`.

    Compression takes away from the gem's colour beside the gem.
    """
    towards = own - table
    share = float((after - table) @ towards) / max(float(towards @ towards), 1e-9)
    unlike = after - table - min(share, 0.0) * towards
    return share > -RINGING_MOST and float(np.linalg.norm(unlike)) < LIKE_TABLE * float(np.linalg.norm(after - own))


def _tint_at(tray: Tray, spots: Array) -> Array | None:
    """Return the median tint, (3,), at places (…, 2) px; None where the rectified picture does not show all of them."""
    columns, rows = np.rint(spots).astype(int).reshape(-1, 2).T
    height, width = tray.labels.shape
    if min(columns.min(), rows.min()) < 0 or columns.max() >= width or rows.max() >= height:
        return None
    return tint_of(np.median(tray.light[rows, columns], axis=0))


def _halves(shape: Image) -> tuple[Mask, Mask]:
    """Split a shape in two across its length: two small gems of different colour may look like one."""
    rows, columns = np.nonzero(shape)
    places = np.column_stack([columns, rows]) - [columns.mean(), rows.mean()]
    along = np.linalg.eigh(places.T @ places)[1][:, 1]
    first = np.zeros(shape.shape, bool)
    first[rows, columns] = places @ along > 0
    return first, (shape > 0) & ~first
