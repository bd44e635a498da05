"""Tells felt in another light than most of it from objects: lit felt beside the edge of a shadow, and coloured shadows.

Where a lamp lights the felt beside a shadow, it lights the table beside the felt in the same proportion.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Array, Image
from vision.tray.felt import STANDS_OUT, Light, Scatter, apart_from, fitted_felt

Mask = NDArray[np.bool_]

MOST_PIXELS = 90.0  # percentile: specks of an object's size are noise
GEM_MM2 = 85.0  # a gem's blurred picture: a yellow gem looks like felt in a warm lamp's light
LIT = 1.3  # times the light of most of the felt
UNLIKE_MOST = 2 * STANDS_OUT  # cameras do not keep the proportion of channels from light to shadow
PLAIN_UNLIKE_MOST = 3 * STANDS_OUT  # where the table has plainly the felt's proportions
TABLE_LIGHT = 0.6, 2.4  # of the proportion on the felt; beside hands, dice and pencils it was 0.06–0.4, or 4
TABLE_TINT = 2.6  # largest ratio of two channels' proportions to each other
PLAIN_TINT = 1.75  # the same where this must be plain: beside lit felt it was less, beside hands and balls 2 or more
RIM_MM = 3.0  # of the table, into which the lens mixes felt
JOINED_MM = 4.0  # widest gap in one lit part
BESIDE_MM, AWAY_MM = 7.0, 16.0  # from a lit part: the table beside it is nearer, the table in the shadow is farther
DARK = 0.02  # of the light of white paper: in less, noise and compression change the tint


def is_felt_in_shadow(light: Light, felt: Light, scatter: Scatter) -> bool:
    """Return whether light, (n, 3), may be that of felt in a shadow of any lamp. A black object looks alike."""
    return not _is_brighter(light, felt) and _is_felt(light, felt, scatter)


def is_felt_in_light(light: Light, felt: Light, scatter: Scatter) -> bool:
    """Return whether light, (n, 3), may be that of felt in more light than most. A yellow gem may look alike."""
    return _is_brighter(light, felt) and _is_felt(light, felt, scatter)


def _is_brighter(light: Light, felt: Light) -> bool:
    return float(np.median(light.sum(axis=1))) > float(felt.sum())


def _is_felt(light: Light, felt: Light, scatter: Scatter) -> bool:
    return float(np.percentile(_apart(light, felt, scatter), MOST_PIXELS)) < STANDS_OUT


def lit_felt(blobs: list[Mask], light: Light, inside: Image, felt: Light, scatter: Scatter, px_per_mm: float) -> Mask:
    """Return the mask of those blobs that are felt in more light than most of it.

    They are as bright as felt may be, they reach the felt's rim, and the table beside them is in more light, too. What
    lies on them differs more, and is left out.

    :param light: linear light of the rectified tray and of the table around it, (h, w, 3).
    """
    apart = np.zeros(inside.shape, np.float32)
    unlike = np.full(inside.shape, np.inf, np.float32)
    for blob in blobs:
        if float(np.median(light[blob].sum(axis=1))) > LIT * felt.sum():
            apart[blob] = _apart(light[blob], felt, scatter)
            unlike[blob] = np.percentile(apart[blob], MOST_PIXELS)
    lit = unlike < PLAIN_UNLIKE_MOST
    if not lit.any():
        return lit
    table = cv2.dilate(inside, _disc(RIM_MM * px_per_mm)) == 0
    count, parts = cv2.connectedComponents(cv2.dilate(lit.astype(np.uint8), _disc(JOINED_MM / 2 * px_per_mm)))
    for index in range(1, count):
        part = (parts == index) & lit
        beside = table & (cv2.dilate(part.astype(np.uint8), _disc(BESIDE_MM * px_per_mm)) > 0)
        away = table & (cv2.dilate(part.astype(np.uint8), _disc(AWAY_MM * px_per_mm)) == 0)
        may_be_gem = part.sum() < GEM_MM2 * px_per_mm**2
        plainly = may_be_gem or unlike[part].max() > UNLIKE_MOST
        if not _is_lit_alike(_ratio(light[part], felt), light[beside], light[away], felt, plainly=plainly):
            lit[part] = False
    return lit & (apart < PLAIN_UNLIKE_MOST)


def _is_lit_alike(on_felt: Array, beside: Light, away: Light, felt: Light, *, plainly: bool) -> bool:
    if not len(beside) or not len(away):
        return False
    parts = _ratio(beside, np.median(away, axis=0)) / on_felt
    least, most = TABLE_LIGHT
    seen = parts[plainly | (felt >= DARK) | (felt == felt.max())]
    tint = PLAIN_TINT if plainly else TABLE_TINT
    return bool(least < parts[felt.argmax()] < most and seen.max() < tint * seen.min())


def _ratio(light: Light, usual: Light) -> Array:
    """Return how many times the `usual` light, (3,), the median of light, (n, 3), is."""
    return np.asarray(np.median(light, axis=0) / np.maximum(usual, 1e-3), dtype=np.float64)


def _apart(light: Light, felt: Light, scatter: Scatter) -> Light:
    """Return the distance, (n,), of light, (n, 3), from felt that is lit or shaded by any lamp."""
    return apart_from(fitted_felt(light, felt, scatter, brighter=True), light, felt, scatter)


def _disc(radius_px: float) -> Image:
    size = 2 * round(radius_px) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (size, size)), dtype=np.uint8)
