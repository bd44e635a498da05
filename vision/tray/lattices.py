"""Spots of pip size on a die, and the 3 × 3 lattices that they may be the pips of."""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Array

SIDE_PX = 160  # patches are resized so that the die is expected to be about this wide
CELL = 0.26  # lattice spacing ÷ face side
PLACES = np.array([[x, y] for y in (-1, 0, 1) for x in (-1, 0, 1)], dtype=np.float64)
SPOTS_MOST = 20
ON_BODY = 0.3  # least probability that a spot belongs to the die
PAIRS = (  # the places, (x, y), of two pips from which a lattice is proposed
    ((-1, -1), (1, 1)),
    ((-1, -1), (0, 0)),
    ((-1, -1), (1, -1)),
    ((-1, 0), (1, 0)),
    ((-1, -1), (-1, 1)),
    ((-1, -1), (0, 1)),
)


class Spots(msgspec.Struct, frozen=True):
    """Spots of pip size on a die: `place` (n, 2) px, and `look` (n, 3), the response of each channel there."""

    place: Array
    look: Array


class Lattices(msgspec.Struct, frozen=True):
    """Proposed lattices of one aspect ratio, which is the y step ÷ the x step.

    `centre` (h, 2) px; `step` (h, 2) px, the x step; `leader` (h,), the index of the spot that proposed each.
    """

    aspect: float
    centre: Array
    step: Array
    leader: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.leader)

    def only(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> Lattices:
        """Return the chosen ones, in the order of `chosen`."""
        return Lattices(self.aspect, self.centre[chosen], self.step[chosen], self.leader[chosen])

    @property
    def side_px(self) -> Array:
        """The side of each face, (h,)."""
        return np.asarray(np.linalg.norm(self.step, axis=1) * np.sqrt(self.aspect) / CELL)

    @property
    def turn_deg(self) -> Array:
        """The rotation of each face, (h,)."""
        return np.asarray(np.degrees(np.arctan2(self.step[:, 1], self.step[:, 0])))

    @property
    def grid(self) -> Array:
        """The nine places of each face on the patch, (h, 9, 2) px."""
        down = self.aspect * np.stack([-self.step[:, 1], self.step[:, 0]], axis=1)  # the x step, rotated by 90°
        steps = np.stack([self.step, down], axis=1)
        return np.asarray(self.centre[:, None, :] + np.einsum("pk,hkd->hpd", PLACES, steps))

    def local(self, place: Array) -> NDArray[np.complex128]:
        """Return where each of the places (n, 2) px is on each lattice, in x steps from its centre: x + iy, (h, n)."""
        away = _complex(place)[None, :] - _complex(self.centre)[:, None]
        return np.asarray(away / _complex(self.step)[:, None])


def _complex(points: Array) -> NDArray[np.complex128]:
    """Return points (n, 2) as x + iy, (n,)."""
    return np.asarray(points @ np.array([1, 1j]))


def spot_responses(lab: NDArray[np.float32], radius_px: float) -> NDArray[np.float32]:
    """Return the spot response of each channel, positive for brighter spots, shape (h, w, 3)."""
    height, width = lab.shape[:2]
    # the blur spans several pixels, so half the resolution is enough
    half = cv2.resize(lab, (max(width // 2, 1), max(height // 2, 1)), interpolation=cv2.INTER_AREA)
    inner = cv2.GaussianBlur(half, (0, 0), radius_px * 0.3)
    outer = cv2.GaussianBlur(half, (0, 0), radius_px * 0.6)
    return np.asarray(cv2.resize(inner - outer, (width, height), interpolation=cv2.INTER_CUBIC), dtype=np.float32)


def find_spots(response: NDArray[np.float32], mask: NDArray[np.float32], radius_px: float) -> Spots:
    """Return those of the strongest local maxima of the response's length that belong to the die."""
    strength = np.linalg.norm(response, axis=2)
    size = int(2 * round(radius_px * 0.8) + 1)
    peaks = (strength == cv2.dilate(strength, np.ones((size, size), np.uint8))) & (strength > 1.0)
    ys, xs = np.nonzero(peaks)
    strongest = strength[ys, xs].argsort()[::-1][:SPOTS_MOST]
    on_body = strongest[mask[ys[strongest], xs[strongest]] > ON_BODY]
    xs, ys = xs[on_body], ys[on_body]
    return Spots(np.column_stack([xs, ys]).astype(np.float64), response[ys, xs].astype(np.float64))


def propose_lattices(spots: Spots, aspect: float) -> Lattices:
    """Propose lattices: from every pair of spots, and from every single spot as the pip in the middle."""
    place = spots.place
    low, high = 0.6 * CELL * SIDE_PX, 1.6 * CELL * SIDE_PX
    centres, steps, leaders = [], [], []
    first, second = np.nonzero(~np.eye(len(place), dtype=bool))
    at_first, at_second = _complex(place[first]), _complex(place[second])
    for start, end in PAIRS:
        a, b = complex(start[0], aspect * start[1]), complex(end[0], aspect * end[1])
        step = (at_second - at_first) / (b - a)
        centre = at_first - a * step
        fits = (np.abs(step) > low) & (np.abs(step) < high)
        centres.append(np.column_stack([centre[fits].real, centre[fits].imag]))
        steps.append(np.column_stack([step[fits].real, step[fits].imag]))
        leaders.append(first[fits])
    for length in (0.85, 1.0, 1.15):
        for turn in np.radians(np.arange(0, 90, 7.5)):
            usual = CELL * SIDE_PX * length * np.array([np.cos(turn), np.sin(turn)])
            centres.append(place)
            steps.append(np.tile(usual, (len(place), 1)))
            leaders.append(np.arange(len(place)))
    return Lattices(aspect, np.vstack(centres), np.vstack(steps), np.concatenate(leaders))
