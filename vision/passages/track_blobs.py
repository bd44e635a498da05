"""Sightings: the coloured patches of one sheet, measured as spheres in table millimetres.

A sighting's radius stays inside `vision`: it corrects positions for the unknown height of the sphere's centre and is
never part of a reading (RULES AP-4).
"""

from __future__ import annotations

from typing import NamedTuple

import cv2
import numpy as np

from hardware.cameras.camera_model import Image
from vision.passages.background import BackgroundDifference
from vision.passages.lanes import CELL_MM, Floats, Mask, TrackSheet

LARGEST_RADIUS_MM = 25.0
_SMALLEST_CELLS = 4
_HAND_CELLS = 420
_AT_MOST = 24


class TrackBlob(NamedTuple):
    """One coloured patch.

    `x_mm`, `y_mm`: where the centre of a sphere would be; `uphill_y_mm`: table y of the patch's uphill rim;
    `radius_mm` as if the whole sphere were seen; `bgr`: mean colour; `face_cover`: the share of the fence's face
    above the hole that it hides over its own width; `compact`: shaped like a whole sphere; `box`: its rows and
    columns on the sheet (top, bottom, left, right).
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
    """What lies on one sheet: sphere-like sightings, and boxes of large things (hands, sleeves)."""

    sightings: tuple[TrackBlob, ...]
    large: tuple[tuple[int, int, int, int], ...]


def find_track_blobs(sheet: TrackSheet, picture: Image, difference: BackgroundDifference) -> SheetBlobs:
    """Measure the patches of one sheet.

    Each patch is cut again at half its own saturation: colour that a sphere throws on the track does not count,
    and the sphere's own dark side does.
    """
    count, labels, stats, _ = cv2.connectedComponentsWithStats(difference.changed.view(np.uint8), connectivity=4)
    found: list[TrackBlob] = []
    large: list[tuple[int, int, int, int]] = []
    largest_first = np.argsort(-stats[1:count, cv2.CC_STAT_AREA])[:_AT_MOST] + 1
    for number in largest_first:
        left, top, wide, high, cells = (int(value) for value in stats[number])
        if cells < _SMALLEST_CELLS:
            break
        box = (top, top + high, left, left + wide)
        if cells > _HAND_CELLS or max(wide, high) * CELL_MM > 3.2 * LARGEST_RADIUS_MM:
            large.append(box)
            continue
        window = (slice(top, top + high), slice(left, left + wide))
        patch = labels[window] == number
        colours = picture[window].astype(np.float32)
        saturation = difference.colour[window] / (colours.sum(axis=2) + 8.0)
        inside = np.sort(saturation[patch])
        firm = patch & (saturation > 0.5 * inside[3 * len(inside) // 4])
        found.append(_measure(sheet, colours, firm, box))
    return SheetBlobs(tuple(found), tuple(large))


def _measure(sheet: TrackSheet, colours: Floats, firm: Mask, box: tuple[int, int, int, int]) -> TrackBlob:
    top, bottom, left, right = box
    rows, columns = np.nonzero(firm)
    row, column = top + float(rows.mean()), left + float(columns.mean())
    radius = sheet.radius_mm(row, column, float(len(rows)))
    x, y = sheet.place(row, column, radius)
    per_row = firm.sum(axis=1)
    rim = float(np.argmax(per_row >= 0.3 * per_row.max()))
    _, uphill = sheet.place(top + rim - 0.5, column, radius)
    inner = slice(left + (right - left) // 5, right - (right - left) // 5)
    face = sheet.fence_face[:, inner]
    hidden = face[top:bottom] & firm[:, inner.start - left : inner.stop - left]
    spread = 2.0 * float(rows.std()) + 0.2, 2.0 * float(columns.std()) + 0.2
    fill = len(rows) / (np.pi * spread[0] * spread[1])
    mean = colours[firm].mean(axis=0)
    return TrackBlob(
        x_mm=x,
        y_mm=y,
        uphill_y_mm=uphill,
        radius_mm=radius,
        bgr=(float(mean[0]), float(mean[1]), float(mean[2])),
        face_cover=float(hidden.sum()) / max(int(face.sum()), 1),
        compact=bool(fill > 0.7 and spread[0] < 2.2 * spread[1] and spread[1] < 1.6 * spread[0] and radius > 6.0),
        box=box,
    )
