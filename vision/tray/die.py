"""Reads the die in the tray.

Camera and felt are known: an object on the felt must have the outline of a cube, and the pips are read from the upper
face of that cube.
"""

from __future__ import annotations

import cv2
import msgspec
import numpy as np

from hardware.cameras.camera_model import CameraView, Image
from hardware.rig import Rig
from vision.observations import Die
from vision.shadows import Floats
from vision.tray.die_masks import DIE_MM, SPECK_MM2, bodies_of, die_like, is_speck, stands_out, unlike_any_shadow
from vision.tray.die_outline import CameraOverTray, Cube, fit_cubes, likeness_to_disc
from vision.tray.pips import REWARD, Face, FacePrior, best_face, read_faces
from vision.tray.tray import STEP_MM, Tray, camera_over_tray, rectify_tray

LARGEST_DIE_MM2 = 700.0  # an 18 mm die with its side faces
RIM_MM = 1.2  # width of a die's rim that the lens blurs
LIKE_A_DIE = 0.9  # likeness of the best cube to a ball or a coin is about this
LIKE_A_DISC = 0.92  # likeness of the best disc to a ball or a coin is at least 0.94; a die's rounded corners had 0.93
HALF_HIDDEN = 0.82  # likeness for a die at the felt's rim, or with a side like the felt: its pips must be clear
PLAIN_SCORE, PLAIN_LEAD = 1.5, 3.0  # least score and lead of clear pips: 208 objects other than dice scored at most 0.6
SUREST_LEAD = 10.0  # one of these 208 led by more, and scored less than 0
PLAIN_LOSS = 2.0  # log-likelihood: one place of the face is two standard deviations off, all others are ideal
LEAST_SIDE_MM, MOST_SIDE_MM = 11.0, 21.4  # dice of 12–19 mm (¾ inch in casinos), and the rim on either side
ALIKE = 0.03
UNKNOWN = Die(value=None, state="unknown", confidence=0.0)
REACH_STEPS = 1.55  # of the lattice: farther out pips of the side faces may show over a blurred edge
PIPS_SIDE = 0.96  # of a fitted top: median over 157 drawn dice; the lens's blur widens an outline, not a lattice
BLURRED_SHARE = 0.9  # of the side of a cube whose outline the lens widens
FAIR_SCORE = -2.2
FAR_SCORE = -1.0  # of a face that leads far: 20 objects more like a cube than a disc scored at most -2.6


class Demands(msgspec.Struct, frozen=True):
    """What a face must show to be told, log-likelihoods: its `lead` over the other values, and if its pips lost more
    than `fair_loss` because they are far from ideal, `far_lead`.
    """

    lead: float
    fair_loss: float
    far_lead: float


IN_TRAY = Demands(0.75, 3.5, 5.0)  # of 1,265 drawn dice that were read right, all that lost more led by more


def read_die(image: Image, view: CameraView, rig: Rig) -> Die:
    """Read the die in the tray.

    :param image: BGR uint8 picture of the size `view` is for.
    """
    tray = rectify_tray(image, view, rig, DIE_MM)
    if tray is None:
        return UNKNOWN
    unlike_shadow = unlike_any_shadow(tray)
    group = die_like(tray, unlike_shadow)
    if not group or is_speck(tray, group, unlike_shadow):
        return Die(value=None, state="absent", confidence=1.0) if tray.clear else UNKNOWN
    if sum(lump.area_mm2 for lump in group) > LARGEST_DIE_MM2:
        return UNKNOWN  # a hand, a sheet of paper
    bodies = bodies_of(tray, group, unlike_shadow)
    over = camera_over_tray(view, rig, DIE_MM)
    die = _read_whole(tray, over, bodies, unlike_shadow)
    return die if die.state == "seen" else _read_top_alone(tray, over, bodies, unlike_shadow)


def _read_whole(tray: Tray, over: CameraOverTray, bodies: list[Image], unlike_shadow: Floats) -> Die:
    """Read a die whose sides show; "unknown" if no cube fits, or if its face is not clear."""
    best, cubes = _cubes(tray, over, bodies, top_alone=False)
    likeliest = _likeliest(tray, cubes, unlike_shadow)
    if likeliest is None:
        return UNKNOWN
    face = best_face(*(_read_top(tray, *each) for each in cubes))
    is_plain = face is not None and _is_plain(face)
    like_disc = _like_disc(tray, bodies)
    leads_far = face is not None and face.lead > IN_TRAY.far_lead and face.score > FAR_SCORE
    is_a_cubes = likeliest.likeness >= max(best, like_disc, HALF_HIDDEN if leads_far else LIKE_A_DIE)
    if is_a_cubes and as_die(face).state == "unknown":
        smaller = best_face(*(_read_top(tray, *each, share=BLURRED_SHARE) for each in cubes))
        return as_die(smaller) if smaller is not None and _is_plain(smaller) else UNKNOWN
    if is_a_cubes or (is_plain and like_disc < max(likeliest.likeness, LIKE_A_DISC)):
        return as_die(face)
    # A ball or a coin may mirror a lamp where a one has its pip, and never the pips of a lattice.
    return as_die(face) if is_plain and face is not None and face.score > REWARD else UNKNOWN


def _read_top_alone(tray: Tray, over: CameraOverTray, bodies: list[Image], unlike_shadow: Floats) -> Die:
    """Read a die whose sides are as dark as its shadow, or beyond the felt; "unknown" if its pips are not plain."""
    _, cubes = _cubes(tray, over, bodies, top_alone=True)
    likeliest = _likeliest(tray, cubes, unlike_shadow)
    face = best_face(*(_read_top(tray, *each) for each in cubes))
    if likeliest is None or face is None or not _is_plain(face):
        return UNKNOWN
    return as_die(face) if _like_disc(tray, bodies) < max(likeliest.likeness, LIKE_A_DISC) else UNKNOWN


def _cubes(
    tray: Tray, over: CameraOverTray, bodies: list[Image], *, top_alone: bool
) -> tuple[float, list[tuple[Cube, Image]]]:
    """Return the likeness of the cube that fits best, and all that fit as well and have a die's size, with its mask."""
    cubes = [
        (cube, body) for body in bodies for cube in fit_cubes(body, tray.inside, over, 1 / STEP_MM, top_alone=top_alone)
    ]
    best = max((cube.likeness for cube, _ in cubes), default=0.0)
    # at the felt's rim a cube that is mostly beyond it may be as likely
    return best, [each for each in cubes if each[0].likeness > best - ALIKE and _is_sized(each[0])]


def _likeliest(tray: Tray, cubes: list[tuple[Cube, Image]], unlike_shadow: Floats) -> Cube | None:
    """Return the cube that fits best; None if none fits well enough, or if another object lies beside it."""
    likeliest = max((cube for cube, _ in cubes), key=lambda cube: cube.likeness, default=None)
    if likeliest is None or likeliest.likeness < HALF_HIDDEN or _others(tray, likeliest, unlike_shadow):
        return None
    return likeliest


def _like_disc(tray: Tray, bodies: list[Image]) -> float:
    """Return the likeness of the most disc-like mask to a disc; a mask of one pip does not count."""
    sized = [body for body in bodies if body.sum() * STEP_MM**2 > LEAST_SIDE_MM**2]
    return max((likeness_to_disc(body, tray.inside) for body in sized), default=0.0)


def _is_sized(cube: Cube) -> bool:
    return LEAST_SIDE_MM < cube.side_px * STEP_MM < MOST_SIDE_MM


def _is_plain(face: Face) -> bool:
    """Return whether pips alone show that a face is a die's; few pips cannot score as much as many."""
    is_clear = face.score > PLAIN_SCORE or face.score > REWARD * face.value - PLAIN_LOSS
    return (face.lead > PLAIN_LEAD and is_clear) or (face.lead > SUREST_LEAD and face.score > 0)


def _others(tray: Tray, cube: Cube, unlike_shadow: Floats) -> bool:
    """Return whether another object lies beside the die, for example a second die.

    A single speck is ignored, and so is felt in the die's shadow or beside a shadow, which lamps may colour: a second
    die has pips that are neither.
    """
    hull = cv2.convexHull(cube.corners).astype(np.float64)
    own = np.zeros_like(tray.inside)
    cv2.fillConvexPoly(own, np.rint(hull * 16).astype(np.int32), (1,), shift=4)
    own = cv2.dilate(own, np.ones((2 * round(RIM_MM / STEP_MM) + 1,) * 2, np.uint8)).astype(np.uint8)
    beside = np.bincount(tray.labels[own == 0], minlength=tray.labels.max() + 1) * STEP_MM**2
    others = [
        lump
        for lump in tray.lumps
        if beside[lump.label] > lump.area_mm2 / 2 and stands_out(tray, lump, unlike_shadow) and not lump.may_be_lit
    ]
    return len(others) > 1 or any(lump.area_mm2 > SPECK_MM2 for lump in others)


def _read_top(tray: Tray, cube: Cube, body: Image, share: float = 1.0) -> dict[int, Face]:
    """Read the upper face of a cube, whose position, size and rotation are known, and whose mask is `body`.

    :param share: of the cube's side: less where the lens widens the outline.
    """
    top = np.zeros(tray.labels.shape, np.uint8)
    middle = cube.top.mean(axis=0)
    wider = middle + 1.06 * share * (cube.top - middle)
    cv2.fillConvexPoly(top, np.rint(wider * 16).astype(np.int32), (1,), shift=4)
    # beyond the felt's rim the mask of the die is not known
    own = cv2.erode(top & (body | (1 - tray.inside)), np.ones((3, 3), np.uint8)).astype(np.uint8)
    side = share * float(np.linalg.norm(cube.top[1] - cube.top[0]))
    reach = round(1.1 * side)
    x, y = np.rint(middle).astype(int)
    box = np.s_[y : y + 2 * reach + 1, x : x + 2 * reach + 1]
    picture = np.asarray(
        cv2.copyMakeBorder(tray.picture, reach, reach, reach, reach, cv2.BORDER_REPLICATE)[box], np.uint8
    )
    mask = cv2.copyMakeBorder(top, reach, reach, reach, reach, cv2.BORDER_CONSTANT, value=0)[box]
    body = np.asarray(cv2.copyMakeBorder(own, reach, reach, reach, reach, cv2.BORDER_CONSTANT, value=0)[box], np.uint8)
    even = on_own_colour(picture, body) if body.any() else picture
    prior = FacePrior(side_spread=0.07, middle_spread=0.06, reach=REACH_STEPS, turn_deg=cube.turn_deg)
    return read_faces(even, np.asarray(mask, np.float32), PIPS_SIDE * side, prior, aspects=(1.0,))


def on_own_colour(picture: Image, body: Image) -> Image:
    """Return a picture whose ground has the die's own colour, so that the die's edge is not taken for a spot."""
    soft = cv2.GaussianBlur(body.astype(np.float32), (0, 0), 0.7)[..., None]
    even = np.rint(picture * soft + np.median(picture[body > 0], axis=0) * (1 - soft))
    return np.asarray(even, dtype=np.uint8)


def as_die(face: Face | None, demands: Demands = IN_TRAY) -> Die:
    """Convert a face to an observation: unknown unless it leads the other values by as much as is demanded."""
    if face is None or face.score < FAIR_SCORE:
        return UNKNOWN
    is_fair = face.score > REWARD * face.value - demands.fair_loss
    if face.lead < (demands.lead if is_fair else demands.far_lead):
        return UNKNOWN
    return Die(value=face.value, state="seen", confidence=float(1 - np.exp(-face.lead)))
