"""Reads the upper face of a die from the lattice of its pips.

The pips of a face lie on a 3 × 3 lattice. Spots of pip size are detected in every colour channel and either polarity
(difference of Gaussians). Every pair of spots proposes a lattice. Each proposal is scored on all nine places: a pip
where the face has one, none where it has none, and no similar spot anywhere else on the face. Side faces are seen
obliquely, so their lattices are compressed and fit no proposal.
"""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Array
from vision.linear_light import sampled
from vision.tray.lattices import PLACES, SIDE_PX, Lattices, Spots, find_spots, propose_lattices, spot_responses

NOISE = 0.28  # scatter of the response at a pip (1) or at a bare place (0)
ASPECTS = (0.85, 1.0, 1.18)
SQUEEZE = 0.12  # scatter of the logarithm of a top face's aspect ratio
TURN_SPREAD_DEG = 9.0
REWARD = 1.2  # log-likelihood gained by each pip in its place
PROMISING = 60
HOPELESS = -9.0  # prior log-likelihood below which a proposal is discarded, whatever its pips
ALIKE = 0.35  # of the proposing spot's response: from here on a spot looks like a pip
NEAR = 0.4  # lattice steps from a pip's place within which a spot is that pip
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
PIP = np.array([[place in on for place in range(9)] for _, on in FACES], dtype=np.float64)  # 1 where a face has a pip


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
        radius_px = share * SIDE_PX
        response = spot_responses(lab, radius_px)
        spots = find_spots(response, mask, radius_px)
        for aspect in aspects if len(spots.place) else ():
            proposals += _faces(propose_lattices(spots, aspect), spots, response, mask, prior)
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


def _faces(
    lattices: Lattices,
    spots: Spots,
    response: NDArray[np.float32],
    mask: NDArray[np.float32],
    prior: FacePrior,
) -> list[Face]:
    """Return, for each entry of `FACES`, the proposal with the highest score."""
    likely = _log_prior(lattices, mask, prior)
    fair = likely > HOPELESS
    lattices, likely = lattices.only(fair), likely[fair]
    if not len(lattices):
        return []
    score = _pips_in_place(lattices, spots, response, mask)
    score += likely[:, None]
    score += REWARD * PIP.sum(axis=1)[None]
    faces = []
    for (value, on), of_face in zip(FACES, score.T, strict=True):
        # unexplained spots only lower a score, so only the most promising proposals are checked for them
        few = np.argpartition(of_face, -min(PROMISING, len(of_face)))[-PROMISING:]
        promising = lattices.only(few)
        checked = of_face[few] - _unexplained(spots, promising, on, prior.reach)
        best = int(checked.argmax())
        x, y = promising.centre[best].tolist()
        side_px, turn_deg = float(promising.side_px[best]), float(promising.turn_deg[best])
        faces.append(Face(value, 0.0, float(checked[best]), (x, y), side_px, turn_deg))
    return faces


def _log_prior(lattices: Lattices, mask: NDArray[np.float32], prior: FacePrior) -> Array:
    """Return the log-likelihood, (h,), of the aspect ratio, size, place and rotation of each proposed face."""
    moments = cv2.moments(mask)
    middle = np.array([moments["m10"], moments["m01"]]) / max(moments["m00"], 1e-6)
    likely = -0.5 * (np.log(lattices.aspect) / SQUEEZE) ** 2
    likely = likely - 0.5 * ((np.log(lattices.side_px / SIDE_PX)) / prior.side_spread) ** 2
    likely -= 0.5 * (((lattices.centre - middle) / (prior.middle_spread * SIDE_PX)) ** 2).sum(axis=1)
    if prior.turn_deg is not None:
        askew = (lattices.turn_deg - prior.turn_deg + 45) % 90 - 45
        likely -= 0.5 * (askew / TURN_SPREAD_DEG) ** 2
    return np.asarray(likely)


def _pips_in_place(lattices: Lattices, spots: Spots, response: NDArray[np.float32], mask: NDArray[np.float32]) -> Array:
    """Return the log-likelihood, (h, faces), of the responses at the nine places of each lattice.

    The spot that proposed a lattice says how a pip looks: its response counts as 1, none as 0.
    """
    height, width = mask.shape
    grid = lattices.grid
    inside = (grid >= 0).all(axis=2) & (grid < [width - 1, height - 1]).all(axis=2)
    look = spots.look[lattices.leader]
    power = (look**2).sum(axis=1)
    ratio = np.einsum("hpc,hc->hp", sampled(response, grid), look) / power[:, None]
    gaps = np.clip(ratio[:, None, :] - PIP[None], -1.2, 1.2) / NOISE
    gaps = np.where((PIP[None] == 0) & (gaps < 0), gaps * 0.5, gaps)  # a bare place may well be darker than its ring
    score = -0.5 * (gaps**2).sum(axis=2)
    score -= 4 * (1 - np.where(inside, sampled(mask, grid), 0.0)).sum(axis=1)[:, None]
    score += 3 * np.log(np.sqrt(power) / np.sqrt(power).max())[:, None]
    return np.asarray(score)


def _unexplained(spots: Spots, lattices: Lattices, on: Places, reach: float) -> Array:
    """Return the cost, (h,), of spots on a face that look like its proposing spot where the face has no pip.

    :param on: the places of the face's pips.
    """
    local = lattices.local(spots.place)
    on_face = (np.abs(local.real) < reach) & (np.abs(local.imag) < reach * lattices.aspect)
    look = spots.look[lattices.leader]
    ratio = np.clip((spots.look @ look.T).T / (look**2).sum(axis=1)[:, None], 0, 1.2)
    weight = np.where(on_face & (ratio > ALIKE), (ratio / NOISE) ** 2 * 0.5, 0.0)
    pips = PLACES[list(on)] @ np.array([1, lattices.aspect * 1j])
    nearest = np.abs(local[:, :, None] - pips).min(axis=2)
    return np.asarray((weight * (nearest > NEAR)).sum(axis=1))
