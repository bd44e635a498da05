"""Masks of what may be a die on the felt: its blobs, and what about them no shadow explains."""

from __future__ import annotations

import cv2
import numpy as np

from hardware.cameras.camera_model import Image
from vision.shadows import Floats, beyond_shadow
from vision.tray.gem_colours import UNKNOWN
from vision.tray.gems import gems_of
from vision.tray.tray import GEM_STRETCH_MOST, LARGEST_GEM_MM2, SMALLEST_GEM_MM2, STEP_MM, Tray, TrayBlob, stretch_of

DIE_MM = 16.0
REACH_MM = 25.0  # between the centres of two parts of a die: the diagonal of an 18 mm die's face
SPECK_MM2 = 6.0
PIP_BLUR_MM = 0.6  # blur that a pip of 3 mm outlasts, and noise does not
SHADOW_LEVELS = 10.0  # from every shadow of the felt: less is noise, and what the tints of lamps leave unexplained
PIP_LEVELS = 14.0  # the same of a lump's farthest pixel; a white pip's is 40 where a twentieth of the light is left
WIDE_MM = 44.0  # a window of the tray of which a die covers less than half


def die_like(tray: Tray, unlike_shadow: Floats) -> list[TrayBlob]:
    """Return the blobs that may be a die or its parts: a large blob, several small ones close together (pips), or one
    that is neither a gem nor felt.
    """
    if not tray.lumps:
        return []
    strays = [lump for lump in tray.lumps if lump.area_mm2 < SMALLEST_GEM_MM2 or _is_row(tray, lump)]
    first = tray.lumps[0] if tray.lumps[0].area_mm2 > LARGEST_GEM_MM2 or not strays else strays[0]
    near = [lump for lump in tray.lumps if _apart_mm(lump, first) < REACH_MM]
    if first.area_mm2 > LARGEST_GEM_MM2:
        return [lump for lump in near if lump is first or not lump.may_be_lit]
    if strays or len(near) > 2:
        return near
    return near if any(_is_no_gem(tray, lump, unlike_shadow) for lump in near) else []


def _is_no_gem(tray: Tray, lump: TrayBlob, unlike_shadow: Floats) -> bool:
    """Return whether a blob has the contrast of a pip, and not the shape and colour of a gem, or of several."""
    return stands_out(tray, lump, unlike_shadow) and UNKNOWN in gems_of(tray, lump)


def _is_row(tray: Tray, lump: TrayBlob) -> bool:
    """Return whether a blob is longer than any gem for its width: pips of one side that the lens joins."""
    return stretch_of((tray.labels == lump.label).astype(np.uint8)) > GEM_STRETCH_MOST


def is_speck(tray: Tray, group: list[TrayBlob], unlike_shadow: Floats) -> bool:
    """Return whether a single small blob has less contrast than a die's pip: noise and the rim leave such."""
    [first, *others] = group
    if others or first.area_mm2 > SPECK_MM2:
        return False
    return not stands_out(tray, first, unlike_shadow)


def stands_out(tray: Tray, lump: TrayBlob, unlike_shadow: Floats) -> bool:
    """Return whether a blob's farthest pixel is as far from every shadow of the felt as one of a pip."""
    return bool(unlike_shadow[tray.labels == lump.label].max() >= PIP_LEVELS)


def _apart_mm(one: TrayBlob, other: TrayBlob) -> float:
    return float(np.hypot(*np.subtract(one.middle_px, other.middle_px))) * STEP_MM


def unlike_any_shadow(tray: Tray) -> Floats:
    """Return how far each pixel, (h, w), is from every shadow of the felt, in levels; 0 where there is plain felt."""
    soft = cv2.GaussianBlur(tray.picture, (0, 0), PIP_BLUR_MM / STEP_MM).astype(np.float32)
    seen = (tray.labels > 0) | (tray.touched > 0)
    free = (tray.inside > 0) & ~seen
    if not free.any():
        return np.full(seen.shape, np.inf, np.float32)
    felt = np.median(soft[free], axis=0)
    unlike = np.zeros(seen.shape, np.float32)
    colours = soft[seen]
    unlike[seen] = beyond_shadow(colours, np.broadcast_to(felt, colours.shape))
    return unlike


def bodies_of(tray: Tray, group: list[TrayBlob], unlike_shadow: Floats) -> list[Image]:
    """Return candidate masks of the die, 0 or 1: blobs; with their rim; with much darker or brighter felt; blobs and
    rim without shadows that other lamps colour.

    Side faces in the shade have little contrast. A black or a green die has the felt's colour, except for its pips. It
    may reach a die's width beyond them. Only an object is brighter there: a shadow is darker.
    """
    seen = np.isin(tray.labels, [lump.label for lump in group]).astype(np.uint8)
    level = np.clip(np.log2(np.maximum(tray.shade, 0.02)) * 20 + 120, 0, 255).astype(np.uint8)
    level[tray.inside == 0] = round(float(np.median(level[tray.inside > 0])))
    usual = cv2.medianBlur(level, round(WIDE_MM / STEP_MM) | 1)
    reach = cv2.dilate(seen, np.ones((2 * round(6 / STEP_MM) + 1,) * 2, np.uint8)).astype(np.uint8)
    unlike = (cv2.absdiff(level, usual) > 14).astype(np.uint8) & tray.inside
    far = cv2.dilate(seen, np.ones((2 * round(DIE_MM / STEP_MM) + 1,) * 2, np.uint8)).astype(np.uint8)
    brighter = (level.astype(int) - usual > 14).astype(np.uint8) & tray.inside
    rim = tray.touched & reach
    no_shadow = (unlike_shadow > SHADOW_LEVELS).astype(np.uint8)
    parts = [seen, rim, seen | (unlike & reach), seen | ((brighter | tray.touched) & far)]
    if ((seen | rim) & (1 - no_shadow)).any():
        parts += [seen & no_shadow, rim & no_shadow]
    return [body for body in map(_filled, parts) if body.any()]


def _filled(body: Image) -> Image:
    """Return the largest part of a mask with its holes filled. Pips and shaded sides leave holes."""
    closed = cv2.morphologyEx(body, cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8))
    contours, _ = cv2.findContours(closed, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = np.zeros_like(body)
    if contours:
        cv2.fillPoly(filled, [max(contours, key=cv2.contourArea)], (1,))
    return filled
