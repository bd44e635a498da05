"""Reads the upper face of a die from the lattice of its pips.

The pips of a face lie on a 3 × 3 lattice. Spots of pip size are detected in every colour channel and either polarity
(difference of Gaussians). Every pair of spots proposes a lattice. Each proposal is scored on all nine places: a pip
where the face has one, none where it has none, and no similar spot anywhere else on the face. Side faces are seen
obliquely, so their lattices are compressed and fit no proposal.
"""

from __future__ import annotations

from functools import lru_cache

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Array
from vision.linear_light import sampled

SIDE_PX = 160  # patches are resized so that the die is expected to be about this wide
CELL = 0.26  # lattice spacing ÷ face side
NOISE = 0.28  # scatter of the response at a pip (1) or at a bare place (0)
ASPECTS = (0.85, 1.0, 1.18)
SQUEEZE = 0.12  # scatter of the logarithm of a top face's aspect ratio
TURN_SPREAD_DEG = 9.0
REWARD = 1.2  # log-likelihood gained by each pip in its place
PLACES = np.array([[x, y] for y in (-1, 0, 1) for x in (-1, 0, 1)], dtype=np.float64)
PROMISING = 60
HOPELESS = -9.0  # prior log-likelihood below which a proposal is discarded, whatever its pips
Places = tuple[int, ...]
FACES: tuple[tuple[int, Places], ...] = (
    (1, (4,)),
    (2, (0, 8)),
    (2, (2, 6)),
    (3, (0, 4, 8)),
    (3, (2, 4, 6)),
    (4, (0, 2, 6, 8)),
    (5, (0, 2, 4, 6, 8)),
    (6, (0, 2, 3, 5, 6, 8)),
    (6, (0, 1, 2, 6, 7, 8)),
)


class Face(msgspec.Struct, frozen=True):
    """A face reading: its value, its log-likelihood `score`, the `lead` over the best other value, and its place.

    `centre_px` (x, y), `side_px` and `turn_deg` are centre, side and rotation of the face on the given patch.
    """

    value: int
    lead: float
    score: float
    centre_px: tuple[float, float]
    side_px: float
    turn_deg: float


class FacePrior(msgspec.Struct, frozen=True):
    """Prior of a face: the scatter of its side and of its centre, as fractions of the side, and its rotation.

    `reach`: lattice steps from the centre within which a spot that looks like a pip must be one. The face ends at 1.9.
    """

    side_spread: float
    middle_spread: float
    reach: float
    turn_deg: float | None


@lru_cache(maxsize=1)
def _expected() -> Array:
    expected = np.zeros((len(FACES), 9))
    for row, (_, on) in enumerate(FACES):
        expected[row, list(on)] = 1
    return expected


def _responses(lab: NDArray[np.float32], radius_px: float) -> NDArray[np.float32]:
    """Return the spot response of each channel, positive for brighter spots, shape (h, w, 3)."""
    height, width = lab.shape[:2]
    # the blur spans several pixels, so half the resolution is enough
    half = cv2.resize(lab, (max(width // 2, 1), max(height // 2, 1)), interpolation=cv2.INTER_AREA)
    inner = cv2.GaussianBlur(half, (0, 0), radius_px * 0.3)
    outer = cv2.GaussianBlur(half, (0, 0), radius_px * 0.6)
    return np.asarray(cv2.resize(inner - outer, (width, height), interpolation=cv2.INTER_CUBIC), dtype=np.float32)


def _spots(response: NDArray[np.float32], radius_px: float, limit: int) -> Array:
    """Return the strongest local maxima of the response's length: rows of (x, y, length)."""
    strength = np.linalg.norm(response, axis=2)
    size = int(2 * round(radius_px * 0.8) + 1)
    peaks = (strength == cv2.dilate(strength, np.ones((size, size), np.uint8))) & (strength > 1.0)
    ys, xs = np.nonzero(peaks)
    order = strength[ys, xs].argsort()[::-1][:limit]
    return np.column_stack([xs[order], ys[order], strength[ys[order], xs[order]]]).astype(np.float64)


def read_faces(
    patch: NDArray[np.uint8],
    body: NDArray[np.float32],
    side_px: float,
    prior: FacePrior,
    aspects: tuple[float, ...] = ASPECTS,
) -> dict[int, Face]:
    """Read the face towards the camera; return the best face for every possible value.

    :param patch: BGR uint8 with one die, its top face expected about `side_px` wide.
    :param aspects: tried aspect ratios of a face that is seen obliquely; (1,) when it is seen straight on.
    :param body: probability that each pixel belongs to this die, 0–1, shape (h, w).
    """
    scale = SIDE_PX / side_px
    big = cv2.resize(patch, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    mask = cv2.resize(body, (big.shape[1], big.shape[0]), interpolation=cv2.INTER_LINEAR).astype(np.float32)
    lab = cv2.cvtColor(big.astype(np.float32) / 255, cv2.COLOR_BGR2Lab).astype(np.float32)
    proposals = []
    for share in (0.075, 0.1):
        radius = share * SIDE_PX
        response = _responses(lab, radius)
        spots = _spots(response, radius, 20)
        for aspect in aspects:
            proposals += _score_lattices(response, spots, mask, prior, aspect)
    best: dict[int, Face] = {}
    for face in proposals:
        if face.value not in best or face.score > best[face.value].score:
            best[face.value] = face
    return {value: _on_patch(face, scale) for value, face in best.items()}


def _on_patch(face: Face, scale: float) -> Face:
    x, y = ((np.array(face.centre_px) + 0.5) / scale - 0.5).tolist()
    return msgspec.structs.replace(face, centre_px=(x, y), side_px=face.side_px / scale)


def best_face(*readings: dict[int, Face]) -> Face | None:
    """Return the best face of several readings of one die, with its lead over the best other value, or None."""
    faces = [face for reading in readings for face in reading.values()]
    if not faces:
        return None
    best = max(faces, key=lambda face: face.score)
    rival = max((face.score for face in faces if face.value != best.value), default=best.score - 20)
    return msgspec.structs.replace(best, lead=best.score - rival)


def _score_lattices(
    response: NDArray[np.float32], spots: Array, mask: NDArray[np.float32], prior: FacePrior, aspect: float
) -> list[Face]:
    height, width = mask.shape
    spots = spots[mask[spots[:, 1].astype(int), spots[:, 0].astype(int)] > 0.3] if len(spots) else spots
    if not len(spots):
        return []
    place = spots[:, :2]
    looks = response[place[:, 1].astype(int), place[:, 0].astype(int)].astype(np.float64)
    anchors, units, leaders = _lattices(place, aspect)
    side = np.linalg.norm(units, axis=1) * np.sqrt(aspect) / CELL
    moments = cv2.moments(mask)
    middle = np.array([moments["m10"], moments["m01"]]) / max(moments["m00"], 1e-6)
    likely = -0.5 * (np.log(aspect) / SQUEEZE) ** 2
    likely = likely - 0.5 * ((np.log(side / SIDE_PX)) / prior.side_spread) ** 2
    likely -= 0.5 * (((anchors - middle) / (prior.middle_spread * SIDE_PX)) ** 2).sum(axis=1)
    if prior.turn_deg is not None:
        askew = (np.degrees(np.arctan2(units[:, 1], units[:, 0])) - prior.turn_deg + 45) % 90 - 45
        likely -= 0.5 * (askew / TURN_SPREAD_DEG) ** 2
    fair = likely > HOPELESS
    anchors, units, leaders, side, likely = anchors[fair], units[fair], leaders[fair], side[fair], likely[fair]
    if not len(anchors):
        return []
    # the lattice's y step is its x step, rotated by 90° and scaled by the aspect ratio
    steps = np.stack([units, aspect * np.stack([-units[:, 1], units[:, 0]], axis=1)], axis=1)
    grid = anchors[:, None, :] + np.einsum("pk,hkd->hpd", PLACES, steps)
    inside = (grid >= 0).all(axis=2) & (grid < [width - 1, height - 1]).all(axis=2)
    there = sampled(response, grid)
    look = looks[leaders]
    power = (look**2).sum(axis=1)
    ratio = np.einsum("hpc,hc->hp", there, look) / power[:, None]
    covered = sampled(mask, grid)
    gaps = np.clip(ratio[:, None, :] - _expected()[None], -1.2, 1.2) / NOISE
    bare = _expected()[None] == 0
    gaps = np.where(bare & (gaps < 0), gaps * 0.5, gaps)  # a bare place may well be darker than its ring
    score = -0.5 * (gaps**2).sum(axis=2)
    score -= 4 * (1 - np.where(inside, covered, 0.0)).sum(axis=1)[:, None]
    score += 3 * np.log(np.sqrt(power) / np.sqrt(power).max())[:, None]
    score += likely[:, None]
    score += REWARD * _expected().sum(axis=1)[None]
    faces = []
    for row, (value, on) in enumerate(FACES):
        # unexplained spots only lower a score, so only the most promising proposals are checked for them
        few = np.argpartition(score[:, row], -min(PROMISING, len(score)))[-PROMISING:]
        cost = _unexplained(place, looks, look[few], power[few], anchors[few], units[few], aspect, on, prior.reach)
        score[few, row] -= cost
        best = int(few[score[few, row].argmax()])
        x, y = anchors[best].tolist()
        turn = float(np.degrees(np.arctan2(units[best, 1], units[best, 0])))
        faces.append(Face(value, 0.0, float(score[best, row]), (x, y), float(side[best]), turn))
    return faces


def _lattices(place: Array, aspect: float) -> tuple[Array, Array, NDArray[np.intp]]:
    """Propose lattices: centres (h, 2), x steps (h, 2), and the index of the spot that proposed each (h,)."""
    low, high = 0.6 * CELL * SIDE_PX, 1.6 * CELL * SIDE_PX
    centres, units, leaders = [], [], []
    first, second = np.nonzero(~np.eye(len(place), dtype=bool))
    for start, end in (
        ((-1, -1), (1, 1)),
        ((-1, -1), (0, 0)),
        ((-1, -1), (1, -1)),
        ((-1, 0), (1, 0)),
        ((-1, -1), (-1, 1)),
        ((-1, -1), (0, 1)),
    ):
        a, b = complex(start[0], aspect * start[1]), complex(end[0], aspect * end[1])
        za, zb = (place[index] @ np.array([1, 1j]) for index in (first, second))
        unit = (zb - za) / (b - a)
        centre = za - a * unit
        fits = (np.abs(unit) > low) & (np.abs(unit) < high)
        centres.append(np.column_stack([centre[fits].real, centre[fits].imag]))
        units.append(np.column_stack([unit[fits].real, unit[fits].imag]))
        leaders.append(first[fits])
    for length in (0.85, 1.0, 1.15):
        for turn in np.radians(np.arange(0, 90, 7.5)):
            step = CELL * SIDE_PX * length * np.array([np.cos(turn), np.sin(turn)])
            centres.append(place)
            units.append(np.tile(step, (len(place), 1)))
            leaders.append(np.arange(len(place)))
    return np.vstack(centres), np.vstack(units), np.concatenate(leaders)


def _unexplained(
    place: Array,
    looks: Array,
    look: Array,
    power: Array,
    anchors: Array,
    units: Array,
    aspect: float,
    on: Places,
    reach: float,
) -> Array:
    """Return the cost, shape (h,), of spots that look like the proposing spot where the face has no pip."""
    z = (place @ np.array([1, 1j]))[None, :] - (anchors @ np.array([1, 1j]))[:, None]
    local = z / (units @ np.array([1, 1j]))[:, None]
    on_face = (np.abs(local.real) < reach) & (np.abs(local.imag) < reach * aspect)
    ratio = np.clip((looks @ look.T).T / power[:, None], 0, 1.2)
    weight = np.where(on_face & (ratio > 0.35), (ratio / NOISE) ** 2 * 0.5, 0.0)
    pips = PLACES[list(on)] @ np.array([1, aspect * 1j])
    nearest = np.abs(local[:, :, None] - pips).min(axis=2)
    return np.asarray((weight * (nearest > 0.4)).sum(axis=1))
