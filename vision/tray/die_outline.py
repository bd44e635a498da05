"""Fits the cube whose outline, from the camera's position, matches the mask of an object on the felt.

Top and bottom are squares. Projected from the camera onto one plane, the outline is the convex hull of both. Pixels
beyond the felt's rim are ignored, because the table may have any colour.
"""

from __future__ import annotations

import itertools

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Array, Image

SIDES_MM = np.arange(12.0, 21.0, 1.5)
TURNS_DEG = np.arange(0.0, 90.0, 9.0)
STARTS = 4
FINEST = 0.2
LEAST_SEEN = 0.55  # of a cube's outline that must lie on the felt
SQUARE = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])


class Cube(msgspec.Struct, frozen=True):
    """A cube on the felt: centre (x, y), side and rotation on the rectified plane, px and degrees (0–90).

    `likeness` 0–1 is the intersection over union of its outline and the mask. `top` (4, 2) px is its upper face,
    `corners` (8, 2) px are those of its upper and lower face.
    """

    x_px: float
    y_px: float
    side_px: float
    turn_deg: float
    likeness: float
    top: Array
    corners: NDArray[np.float32]


class CameraOverTray(msgspec.Struct, frozen=True):
    """The camera over the rectified plane: its foot point (x, y), and heights of camera and plane over the felt, px."""

    foot_px: Array
    height_px: float
    plane_px: float

    def seen(self, places: Array, height_px: float | Array) -> Array:
        """Project points (…, 2), at one height or one height each, from the camera onto the plane, (…, 2) px."""
        return self.foot_px + (places - self.foot_px) * (self.height_px - self.plane_px) / (self.height_px - height_px)


class _Segmented(msgspec.Struct, frozen=True):
    """Masks, 0 or 1, of the object and of the felt, the object's pixel count, and a cache of likenesses.

    `top_alone`: of the object, its upper face is in the mask.

    The cache is useful because searches from different starts meet.
    """

    seen: Image
    felt: Image
    count: int
    top_alone: bool
    known: dict[tuple[float, ...], float]


def fit_cubes(
    body: Image, felt: Image, eye: CameraOverTray, px_per_mm: float, *, top_alone: bool = False
) -> list[Cube]:
    """Return the cubes that fit a mask best, the best first, with clearly different rotations.

    :param body: mask of the object, 0 or 1; `felt`: mask of the felt, where `body` is valid. Both (h, w).
    :param top_alone: the mask has the upper face alone: the sides are as dark as the shadow beside them.
    """
    seen = body & felt
    rows, columns = np.nonzero(seen)
    middle = np.array([columns.mean(), rows.mean()])
    # the centre of an outline is nearer to the camera's foot point than the centre of its cube
    start = eye.foot_px + (middle - eye.foot_px) * (eye.height_px - 0.5 * eye.plane_px) / (eye.height_px - eye.plane_px)
    picture = _Segmented(seen, felt, len(rows), top_alone, {})
    shapes = [[*start, side * px_per_mm, turn] for side, turn in itertools.product(SIDES_MM, TURNS_DEG)]
    tried = _cubes(picture, eye, np.array(shapes))
    tried.sort(key=lambda cube: -cube.likeness)
    found: list[Cube] = []
    for cube in tried[:STARTS]:
        better = _climb(picture, eye, cube, px_per_mm)
        if all(_apart_deg(better, other) > 8 for other in found):
            found.append(better)
    return sorted(found, key=lambda cube: -cube.likeness)


def likeness_to_disc(body: Image, felt: Image) -> float:
    """Return the intersection over union of a mask and the better of two discs, 0–1: high for a coin, low for a die."""
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


def _climb(picture: _Segmented, eye: CameraOverTray, cube: Cube, px_per_mm: float) -> Cube:
    """Improve a cube's likeness by moves, scalings and rotations in ever smaller steps (coordinate search)."""
    step = 1.0
    while step > FINEST:
        moves = np.repeat(np.diag([px_per_mm, px_per_mm, px_per_mm, 6.0]) * step, 2, axis=0)
        moves[::2] *= -1
        now = np.array([cube.x_px, cube.y_px, cube.side_px, cube.turn_deg])
        best = max(_cubes(picture, eye, now + moves), key=_likeness)
        if best.likeness > cube.likeness:
            cube = best
        else:
            step /= 2
    return cube


def _likeness(cube: Cube) -> float:
    return cube.likeness


def _cubes(picture: _Segmented, eye: CameraOverTray, shapes: Array) -> list[Cube]:
    """Return the cubes for `shapes`, (n, 4): x, y and side in px, and rotation in degrees."""
    side = np.clip(shapes[:, 2], 8.0, 0.9 * eye.height_px)[:, None, None]
    turn = np.radians(shapes[:, 3])
    turned = np.stack([np.cos(turn), np.sin(turn), -np.sin(turn), np.cos(turn)], axis=1).reshape(-1, 2, 2)
    corners = side * (SQUARE @ turned) + shapes[:, None, :2]
    top, bottom = eye.seen(corners, side), eye.seen(corners, 0.0)
    outlines = np.concatenate([top, bottom], axis=1).astype(np.float32)
    cubes = []
    for shape, own_side, outline, own_top in zip(shapes.tolist(), side.ravel().tolist(), outlines, top, strict=True):
        key = tuple(round(value, 6) for value in shape)
        if (likeness := picture.known.get(key)) is None:
            seen = outline[: len(own_top)] if picture.top_alone else outline
            likeness = picture.known[key] = _likeness_of(picture, seen)
        cubes.append(Cube(shape[0], shape[1], own_side, shape[3] % 90, likeness, own_top, outline))
    return cubes


def _likeness_of(picture: _Segmented, outline: NDArray[np.float32]) -> float:
    """Return the intersection over union of the hull of an outline, (n, 2) px, and the mask, computed in its box."""
    hull = np.rint(cv2.convexHull(outline) * 16).astype(np.int32)
    x, y, wide, high = cv2.boundingRect(hull)
    left, top = max(x // 16 - 1, 0), max(y // 16 - 1, 0)
    box = np.s_[top : max((y + high) // 16 + 2, top), left : max((x + wide) // 16 + 2, left)]
    felt = picture.felt[box]
    if not felt.size:
        return 0.0
    drawn = np.zeros_like(felt, order="C")
    cv2.fillConvexPoly(drawn, hull - (16 * left, 16 * top), (1,), shift=4)
    whole, before_felt = cv2.countNonZero(drawn), cv2.countNonZero(drawn & felt)
    if before_felt <= LEAST_SEEN * whole:
        return 0.0
    shared = cv2.countNonZero(drawn & picture.seen[box])
    return shared / max(before_felt + picture.count - shared, 1)
