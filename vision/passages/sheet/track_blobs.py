"""Finds blobs, the coloured patches of one sheet, and measures them as spheres in table millimetres.

A blob's radius stays inside `vision`. It is used to correct positions for the unknown height of the sphere's centre and
is never part of a reading (RULES AP-4).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import cv2
import numpy as np
from cv2.typing import MatLike

from hardware.cameras.camera_model import Image
from vision.passages.sheet.background import BackgroundDifference
from vision.passages.sheet.lanes import CELL_MM, Floats, Mask, TrackSheet

LARGEST_BLOB_RADIUS_MM = 25.0
"""Radius of a sphere of 45 mm, the largest that a game allows, plus a tenth for a soft edge."""
SMALLEST_CELLS = 4
"""25 mm²: the visible part of the smallest sphere (15 mm, 28 cells) when the fence hides most of it."""
HAND_CELLS = 420
"""A blob with more cells is not a sphere: the largest sphere covers 314, and its smeared rim a third more."""
SEAM_CELLS = 2
"""Widest gap, 5 mm, between blobs of one hand: a seam, or the dark between fingers. Spheres in two lanes are farther
apart."""
PAIR_CELLS = 628
"""Cells of two of the largest spheres side by side. Blobs within `SEAM_CELLS` that cover more are a hand."""
SCATTERED, MAIN_SHARE = 5, 0.6
"""So many blobs within `SEAM_CELLS`, longer together than `LONGEST_MM`, are a hand in a dark picture, if none has
more than this fraction of their cells. A sphere has at least 0.7 of the cells of itself and the specks round it."""
LONGEST_MM = 3.2 * LARGEST_BLOB_RADIUS_MM
"""A longer blob is not a sphere either: 1.6 diameters are enough for a sphere and the smear behind it."""
MOST_BLOBS = 24
"""Most blobs measured per frame, the largest first. Lanes and hands need fewer; noise must not cost time."""
FIRM_SHARE = 0.5
"""A sphere is segmented from its blob at this fraction of the blob's own saturation (its upper quartile)."""
RIM_SHARE = 0.3
"""The uphill rim is the first row with this fraction of the widest row, so that a single bright cell is not the rim."""
HUE_SLACK = 0.08
"""Distance of two chromaticities (0–1) that shading explains."""
SATURATION_FLOOR = 8.0
"""Levels added to a cell's brightness before its colour is divided by it, so that noise in the dark has no colour."""
CUT_SHARE = 0.9
"""A blob is cut at its widest if the sheet's edge has more than this fraction of its width. For a disc, the cut is then
within 0.44 radii of the centre."""
COMPACT_FILL, COMPACT_LONG, COMPACT_WIDE, COMPACT_RADIUS_MM = 0.7, 2.2, 1.6, 6.0
"""Limits of a whole sphere: it fills its ellipse of inertia, its ratios of length to width (motion blurs it along the
lane) and of width to length are limited, and it is not smaller than this (the smallest sphere measures 7.5 mm)."""


class TrackBlob(NamedTuple):
    """One coloured blob of a sheet.

    `x_mm`, `y_mm`: the centre of a sphere at the blob; `uphill_y_mm`: table y of the patch's uphill rim; `radius_mm`:
    as if the whole sphere were visible; `bgr`: mean colour; `face_cover`: the fraction of the fence's face above the
    hole that it hides over its own width; `compact`: shaped like a whole sphere, not cut by the sheet's edge; `box`:
    its rows and columns on the sheet (top, bottom, left, right).
    """

    x_mm: float
    y_mm: float
    uphill_y_mm: float
    radius_mm: float
    bgr: tuple[float, float, float]
    face_cover: float
    compact: bool
    box: tuple[int, int, int, int]


class SheetBlobs(NamedTuple):
    """Blobs of one sheet that may be spheres, and boxes of large objects (hands, sleeves)."""

    blobs: tuple[TrackBlob, ...]
    large: tuple[tuple[int, int, int, int], ...]


def find_track_blobs(sheet: TrackSheet, picture: Image, difference: BackgroundDifference) -> SheetBlobs:
    """Measure the blobs of one sheet.

    Each blob is segmented again at half its own saturation. This excludes the colour that a sphere reflects onto the
    track, and includes the sphere's own dark side.

    :param picture: the sheet, BGR uint8, shape (rows, columns, 3); `difference` is its difference from the background.
    """
    left, top, wide, high = cv2.boundingRect(difference.changed.view(np.uint8))
    if not wide:
        return SheetBlobs((), ())
    # What surrounds the changed cells belongs to them where gaps between blobs are bridged.
    first_row, first_column = max(top - SEAM_CELLS, 0), max(left - SEAM_CELLS, 0)
    around = (slice(first_row, top + high + SEAM_CELLS), slice(first_column, left + wide + SEAM_CELLS))
    changed = np.ascontiguousarray(difference.changed[around])
    colour, picture = difference.colour[around], picture[around]
    count, labels, stats, _ = cv2.connectedComponentsWithStats(changed.view(np.uint8), connectivity=4)
    found: list[TrackBlob] = []
    large: list[tuple[int, int, int, int]] = []
    hands = _hands(changed, labels, stats[1:, cv2.CC_STAT_AREA])
    largest_first = np.argsort(-stats[1:count, cv2.CC_STAT_AREA])[:MOST_BLOBS] + 1
    for number in largest_first:
        left, top, wide, high, cells = (int(value) for value in stats[number])
        if cells < SMALLEST_CELLS:
            break
        window = (slice(top, top + high), slice(left, left + wide))
        patch = labels[window] == number
        top, left = first_row + top, first_column + left
        box = (top, top + high, left, left + wide)
        if (
            cells > HAND_CELLS
            or max(wide, high) * CELL_MM > LONGEST_MM
            or (hands is not None and hands[window][patch][0])
        ):
            large.append(box)
            continue
        colours = picture[window].astype(np.float32)
        saturation = colour[window] / (colours.sum(axis=2) + SATURATION_FLOOR)
        inside = np.sort(saturation[patch])
        firm = patch & (saturation > FIRM_SHARE * inside[3 * len(inside) // 4])
        found.append(_measure(sheet, colours, firm, box))
    return SheetBlobs(tuple(found), tuple(large))


def _hands(changed: Mask, labels: MatLike, areas: MatLike) -> Mask | None:
    """Return the cells of hands that seams and dark gaps split into small blobs; None if there are none.

    Blobs at most `SEAM_CELLS` apart that together cover more than two spheres are one object, and so are many of which
    none is a sphere with what it scatters.

    :param areas: the cells of each blob of `labels`, from label 1 on.
    """
    is_blob = areas >= SMALLEST_CELLS
    if int(areas.sum()) <= PAIR_CELLS and np.count_nonzero(is_blob) < SCATTERED:
        return None
    joined = cv2.dilate(changed.view(np.uint8), np.ones((SEAM_CELLS + 1, SEAM_CELLS + 1), np.uint8))
    count, groups, stats, _ = cv2.connectedComponentsWithStats(joined, connectivity=4)
    cells = np.bincount(groups[changed], minlength=count)
    group_of = np.zeros(len(areas) + 1, dtype=np.intp)
    group_of[labels[changed]] = groups[changed]
    blobs = np.bincount(group_of[1:][is_blob], minlength=count)
    largest = np.zeros(count, dtype=np.int64)
    np.maximum.at(largest, group_of[1:], areas)
    long_mm = (stats[:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].max(axis=1) - SEAM_CELLS) * CELL_MM
    scattered = (blobs >= SCATTERED) & (largest < MAIN_SHARE * cells) & (long_mm > LONGEST_MM)
    hand = (cells > PAIR_CELLS) | scattered
    return np.asarray(hand[groups], dtype=np.bool_) if hand.any() else None


def _measure(sheet: TrackSheet, colours: Floats, firm: Mask, box: tuple[int, int, int, int]) -> TrackBlob:
    top, bottom, left, right = box
    moments = cv2.moments(firm.view(np.uint8), binaryImage=True)
    cells = moments["m00"]
    row, column = top + moments["m01"] / cells, left + moments["m10"] / cells
    radius = sheet.radius_mm(row, column, cells)
    x, y = sheet.place(row, column, radius)
    per_row = firm.sum(axis=1)
    rim = float(np.argmax(per_row >= RIM_SHARE * per_row.max()))
    _, uphill = sheet.place(top + rim - 0.5, column, radius)
    inner = slice(left + (right - left) // 5, right - (right - left) // 5)
    face = sheet.fence_face[:, inner]
    hidden = face[top:bottom] & firm[:, inner.start - left : inner.stop - left]
    spread = 2.0 * math.sqrt(moments["mu02"] / cells) + 0.2, 2.0 * math.sqrt(moments["mu20"] / cells) + 0.2
    fill = cells / (np.pi * spread[0] * spread[1])
    mean = cv2.mean(colours, firm.view(np.uint8))
    return TrackBlob(
        x_mm=x,
        y_mm=y,
        uphill_y_mm=uphill,
        radius_mm=radius,
        bgr=(float(mean[0]), float(mean[1]), float(mean[2])),
        face_cover=float(hidden.sum()) / max(int(face.sum()), 1),
        compact=bool(
            fill > COMPACT_FILL
            and spread[0] < COMPACT_LONG * spread[1]
            and spread[1] < COMPACT_WIDE * spread[0]
            and radius > COMPACT_RADIUS_MM
            and not _comes_in(firm, box, sheet.shape)
        ),
        box=box,
    )


def _comes_in(firm: Mask, box: tuple[int, int, int, int], shape: tuple[int, int]) -> bool:
    """Return whether a blob is widest where the sheet's upper or side edge cuts it: it is an arm and not a sphere.

    A sphere's centre is on the track. If most of an arm looks like a shadow, the rest may be as small and as round as a
    sphere.
    """
    top, _, left, right = box
    widths: list[tuple[int, int]] = []
    if top == 0:
        rows = firm.sum(axis=1)
        widths.append((rows[0], rows.max()))
    if left == 0 or right == shape[1]:
        columns = firm.sum(axis=0)
        widths.append((columns[0 if left == 0 else -1], columns.max()))
    return any(edge > CUT_SHARE * widest for edge, widest in widths)


def hue_gap(a: tuple[float, float, float], b: tuple[float, float, float]) -> float:
    """Return the distance of two colours' chromaticities (blue, green and red divided by their sum)."""
    total_a, total_b = sum(a) + 1.0, sum(b) + 1.0
    return math.sqrt(sum((p / total_a - q / total_b) ** 2 for p, q in zip(a, b, strict=True)))
