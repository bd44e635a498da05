"""Fits the cube whose outline, from the camera's position, covers what stands out from the felt.

Top and bottom are squares. Projected from the camera onto one plane, the outline is the convex hull of both. What lies
beyond the felt's rim, in front of a table of any colour, counts neither for nor against a cube.
"""

from __future__ import annotations

import itertools

import cv2
import msgspec
import numpy as np

from hardware.cameras.camera_model import Array, Image

SIDES_MM = np.arange(12.0, 21.0, 1.5)
TURNS_DEG = np.arange(0.0, 90.0, 9.0)
STARTS = 4
FINEST = 0.2
LEAST_SEEN = 0.55  # of a cube's outline that must lie before the felt
SQUARE = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])


class Cube(msgspec.Struct, frozen=True):
    """A cube on the felt: middle (x, y), side and turn on the rectified plane, px and degrees (0–90).

    `likeness` 0–1 is what its outline and the body share, of what either covers. `top` (4, 2) px its upper face.
    """

    x_px: float
    y_px: float
    side_px: float
    turn_deg: float
    likeness: float
    top: Array


class CameraOverTray(msgspec.Struct, frozen=True):
    """The camera over the rectified plane: its foot (x, y) px, and heights of camera and plane over the felt, px."""

    foot_px: Array
    height_px: float
    plane_px: float

    def seen(self, places: Array, height_px: float) -> Array:
        """Return where points (n, 2) at a height are seen on the plane, (n, 2) px."""
        return self.foot_px + (places - self.foot_px) * (self.height_px - self.plane_px) / (self.height_px - height_px)


def fit_cubes(body: Image, felt: Image, eye: CameraOverTray, px_per_mm: float) -> list[Cube]:
    """Return the cubes that explain a body best, the best first, of clearly different turn.

    :param body: 0 or 1, what stands out; `felt` 0 or 1, where that can be told. Both (h, w).
    """
    seen = body & felt
    rows, columns = np.nonzero(seen)
    middle = np.array([columns.mean(), rows.mean()])
    # the middle of an outline lies towards the camera's foot from the cube's
    start = eye.foot_px + (middle - eye.foot_px) * (eye.height_px - 0.5 * eye.plane_px) / (eye.height_px - eye.plane_px)
    tried = [
        _cube(seen, felt, eye, np.array([*start, side * px_per_mm, turn]))
        for side, turn in itertools.product(SIDES_MM, TURNS_DEG)
    ]
    tried.sort(key=lambda cube: -cube.likeness)
    found: list[Cube] = []
    for cube in tried[:STARTS]:
        better = _climb(seen, felt, eye, cube, px_per_mm)
        if all(_apart_deg(better, other) > 8 for other in found):
            found.append(better)
    return sorted(found, key=lambda cube: -cube.likeness)


def likeness_to_disc(body: Image, felt: Image) -> float:
    """Return what a body and the best of two discs share, of what either covers, 0–1: a coin is one, a die is not."""
    rows, columns = np.nonzero(body & felt)
    around = cv2.minEnclosingCircle(np.column_stack([columns, rows]).astype(np.float32))
    alike = (columns.mean(), rows.mean()), float(np.sqrt(len(rows) / np.pi))
    best = 0.0
    for (x, y), radius in (around, alike):
        drawn = np.zeros_like(body)
        cv2.circle(drawn, (round(16 * x), round(16 * y)), round(16 * radius), (1,), -1, shift=4)
        best = max(best, _shared(drawn & felt, body & felt))
    return best


def _shared(one: Image, other: Image) -> float:
    return cv2.countNonZero(one & other) / max(cv2.countNonZero(one | other), 1)


def _apart_deg(one: Cube, other: Cube) -> float:
    return abs((one.turn_deg - other.turn_deg + 45) % 90 - 45)


def _climb(seen: Image, felt: Image, eye: CameraOverTray, cube: Cube, px_per_mm: float) -> Cube:
    """Move, scale and turn a cube in ever smaller steps while its likeness grows (coordinate search)."""
    step = 1.0
    while step > FINEST:
        moves = np.diag([px_per_mm, px_per_mm, px_per_mm, 6.0]) * step
        now = np.array([cube.x_px, cube.y_px, cube.side_px, cube.turn_deg])
        best = max((_cube(seen, felt, eye, now + sign * move) for move in moves for sign in (-1, 1)), key=_likeness)
        if best.likeness > cube.likeness:
            cube = best
        else:
            step /= 2
    return cube


def _likeness(cube: Cube) -> float:
    return cube.likeness


def _cube(seen: Image, felt: Image, eye: CameraOverTray, shape: Array) -> Cube:
    x, y, side, turn = shape.tolist()
    side = float(np.clip(side, 8.0, 0.9 * eye.height_px))
    angle = np.radians(turn)
    corners = side * SQUARE @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]) + [x, y]
    top, bottom = eye.seen(corners, side), eye.seen(corners, 0.0)
    hull = cv2.convexHull(np.vstack([top, bottom]).astype(np.float32))
    drawn = np.zeros_like(seen)
    cv2.fillConvexPoly(drawn, np.rint(hull * 16).astype(np.int32), (1,), shift=4)
    whole = cv2.countNonZero(drawn)
    drawn &= felt
    likeness = _shared(drawn, seen) if cv2.countNonZero(drawn) > LEAST_SEEN * whole else 0.0
    return Cube(x, y, side, turn % 90, likeness, top)
