"""Reads the die in the tray.

Camera and felt are known: an object on the felt must have the outline of a cube, and the pips are read from the upper
face of that cube.
"""

from __future__ import annotations

import cv2
import numpy as np

from hardware.cameras.camera_model import CameraView, Image
from hardware.rig import Rig
from vision.observations import Die
from vision.shadows import Floats, beyond_shadow
from vision.tray.die_outline import Cube, fit_cubes, likeness_to_disc
from vision.tray.pips import REWARD, Face, FacePrior, best_face, read_faces
from vision.tray.tray import (
    GEM_STRETCH_MOST,
    LARGEST_GEM_MM2,
    SMALLEST_GEM_MM2,
    STEP_MM,
    Tray,
    TrayBlob,
    camera_over_tray,
    rectify_tray,
    stretch_of,
)

DIE_MM = 16.0
LARGEST_DIE_MM2 = 700.0  # an 18 mm die with its side faces
REACH_MM = 25.0  # between the centres of two parts of a die: the diagonal of an 18 mm die's face
RIM_MM = 1.2  # width of a die's rim that the lens blurs
SPECK_MM2 = 6.0
PIP_BLUR_MM = 0.6  # blur that a pip of 3 mm outlasts, and noise does not
SHADOW_LEVELS = 10.0  # from every shadow of the felt: less is noise, and what the tints of lamps leave unexplained
PIP_LEVELS = 14.0  # the same of a lump's farthest pixel; a white pip's is 40 where a twentieth of the light is left
WIDE_MM = 44.0  # a window of the tray of which a die covers less than half
LIKE_A_DIE = 0.9  # likeness of the best cube to a ball or a coin is about this
LIKE_A_DISC = 0.92  # likeness of the best disc to a ball or a coin is at least 0.94; a die's rounded corners had 0.93
HALF_HIDDEN = 0.82  # likeness for a die at the felt's rim, or with a side like the felt: its pips must be clear
PLAIN_SCORE, PLAIN_LEAD = 1.5, 3.0  # least score and lead of clear pips: objects other than dice score -4 at best
PLAIN_LOSS = 2.0  # log-likelihood: one place of the face is two standard deviations off, all others are ideal
LEAST_SIDE_MM, MOST_SIDE_MM = 11.0, 21.4  # dice of 12–19 mm (¾ inch in casinos), and the rim on either side
ALIKE = 0.03
UNKNOWN = Die(value=None, state="unknown", confidence=0.0)
REACH_STEPS = 1.55  # of the lattice: farther out pips of the side faces may show over a blurred edge
PIPS_SIDE = 0.96  # of a fitted top: median over 157 drawn dice; the lens's blur widens an outline, not a lattice
SURE_LEAD = 0.75
FAIR_SCORE = -2.2
FAIR_LOSS = 6.0  # log-likelihood; 600 drawn dice that were read right lost at most 5, or led by PLAIN_LEAD


def read_die(image: Image, view: CameraView, rig: Rig) -> Die:
    """Read the die in the tray.

    :param image: BGR uint8 picture of the size `view` is for.
    """
    tray = rectify_tray(image, view, rig, DIE_MM)
    if tray is None:
        return UNKNOWN
    group = _die_like(tray)
    if not group:
        return Die(value=None, state="absent", confidence=1.0) if tray.clear else UNKNOWN
    if sum(lump.area_mm2 for lump in group) > LARGEST_DIE_MM2:
        return UNKNOWN  # a hand, a sheet of paper
    eye = camera_over_tray(view, rig, DIE_MM)
    unlike_shadow = _unlike_shadow(tray)
    bodies = _bodies(tray, group, unlike_shadow)
    cubes = [(cube, body) for body in bodies for cube in fit_cubes(body, tray.inside, eye, 1 / STEP_MM)]
    best = max((cube.likeness for cube, _ in cubes), default=0.0)
    # at the felt's rim a cube that is mostly beyond it may be as likely
    cubes = [each for each in cubes if each[0].likeness > best - ALIKE and _is_sized(each[0])]
    likeliest = max((cube for cube, _ in cubes), key=lambda cube: cube.likeness, default=None)
    if likeliest is None or likeliest.likeness < HALF_HIDDEN or _others(tray, likeliest, unlike_shadow):
        return UNKNOWN
    face = best_face(*(_read_top(tray, *each) for each in cubes))
    is_plain = face is not None and _is_plain(face)
    like_disc = max(likeness_to_disc(body, tray.inside) for body in bodies)
    is_a_cubes = likeliest.likeness >= max(best, like_disc, LIKE_A_DIE)
    if is_a_cubes or (is_plain and like_disc < max(likeliest.likeness, LIKE_A_DISC)):
        return as_die(face)
    # A ball or a coin may mirror a lamp where a one has its pip, and never the pips of a lattice.
    return as_die(face) if is_plain and face is not None and face.score > REWARD else UNKNOWN


def _is_sized(cube: Cube) -> bool:
    return LEAST_SIDE_MM < cube.side_px * STEP_MM < MOST_SIDE_MM


def _is_plain(face: Face) -> bool:
    """Return whether pips alone show that a face is a die's; few pips cannot score as much as many."""
    return face.lead > PLAIN_LEAD and (face.score > PLAIN_SCORE or face.score > REWARD * face.value - PLAIN_LOSS)


def _die_like(tray: Tray) -> list[TrayBlob]:
    """Return the blobs that may be a die or its parts: a large blob, or several small ones close together (pips)."""
    if not tray.lumps:
        return []
    strays = [lump for lump in tray.lumps if lump.area_mm2 < SMALLEST_GEM_MM2 or _is_row(tray, lump)]
    first = tray.lumps[0] if tray.lumps[0].area_mm2 > LARGEST_GEM_MM2 or not strays else strays[0]
    near = [lump for lump in tray.lumps if _apart_mm(lump, first) < REACH_MM]
    large = first.area_mm2 > LARGEST_GEM_MM2
    return near if large or strays or len(near) > 2 else []


def _is_row(tray: Tray, lump: TrayBlob) -> bool:
    """Return whether a blob is longer than any gem for its width: pips of one side that the lens joins."""
    return stretch_of((tray.labels == lump.label).astype(np.uint8)) > GEM_STRETCH_MOST


def _others(tray: Tray, cube: Cube, unlike_shadow: Floats) -> bool:
    """Return whether another object lies beside the die, for example a second die.

    A single speck is ignored, and so is felt in the die's shadow, which the other lamps may colour: a second die has
    pips that are no shadow.
    """
    hull = cv2.convexHull(cube.corners).astype(np.float64)
    own = np.zeros_like(tray.inside)
    cv2.fillConvexPoly(own, np.rint(hull * 16).astype(np.int32), (1,), shift=4)
    own = cv2.dilate(own, np.ones((2 * round(RIM_MM / STEP_MM) + 1,) * 2, np.uint8)).astype(np.uint8)
    beside = np.bincount(tray.labels[own == 0], minlength=tray.labels.max() + 1) * STEP_MM**2
    others = [
        lump
        for lump in tray.lumps
        if beside[lump.label] > lump.area_mm2 / 2 and unlike_shadow[tray.labels == lump.label].max() > PIP_LEVELS
    ]
    return len(others) > 1 or any(lump.area_mm2 > SPECK_MM2 for lump in others)


def _apart_mm(one: TrayBlob, other: TrayBlob) -> float:
    return float(np.hypot(*np.subtract(one.middle_px, other.middle_px))) * STEP_MM


def _bodies(tray: Tray, group: list[TrayBlob], unlike_shadow: Floats) -> list[Image]:
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


def _unlike_shadow(tray: Tray) -> Floats:
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


def _filled(body: Image) -> Image:
    """Return the largest part of a mask with its holes filled. Pips and shaded sides leave holes."""
    closed = cv2.morphologyEx(body, cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8))
    contours, _ = cv2.findContours(closed, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    filled = np.zeros_like(body)
    if contours:
        cv2.fillPoly(filled, [max(contours, key=cv2.contourArea)], (1,))
    return filled


def _read_top(tray: Tray, cube: Cube, body: Image) -> dict[int, Face]:
    """Read the upper face of a cube, whose position, size and rotation are known, and whose mask is `body`."""
    share = np.zeros(tray.labels.shape, np.uint8)
    middle = cube.top.mean(axis=0)
    wider = middle + 1.06 * (cube.top - middle)
    cv2.fillConvexPoly(share, np.rint(wider * 16).astype(np.int32), (1,), shift=4)
    # beyond the felt's rim the mask of the die is not known
    own = cv2.erode(share & (body | (1 - tray.inside)), np.ones((3, 3), np.uint8)).astype(np.uint8)
    side = float(np.linalg.norm(cube.top[1] - cube.top[0]))
    reach = round(1.1 * side)
    x, y = np.rint(middle).astype(int)
    box = np.s_[y : y + 2 * reach + 1, x : x + 2 * reach + 1]
    picture = np.asarray(
        cv2.copyMakeBorder(tray.picture, reach, reach, reach, reach, cv2.BORDER_REPLICATE)[box], np.uint8
    )
    mask = cv2.copyMakeBorder(share, reach, reach, reach, reach, cv2.BORDER_CONSTANT, value=0)[box]
    body = np.asarray(cv2.copyMakeBorder(own, reach, reach, reach, reach, cv2.BORDER_CONSTANT, value=0)[box], np.uint8)
    even = on_own_colour(picture, body) if body.any() else picture
    prior = FacePrior(side_spread=0.07, middle_spread=0.06, reach=REACH_STEPS, turn_deg=cube.turn_deg)
    return read_faces(even, np.asarray(mask, np.float32), PIPS_SIDE * side, prior, aspects=(1.0,))


def on_own_colour(picture: Image, body: Image) -> Image:
    """Return a picture whose ground has the die's own colour, so that the die's edge is not taken for a spot."""
    soft = cv2.GaussianBlur(body.astype(np.float32), (0, 0), 0.7)[..., None]
    even = np.rint(picture * soft + np.median(picture[body > 0], axis=0) * (1 - soft))
    return np.asarray(even, dtype=np.uint8)


def as_die(face: Face | None, sure_lead: float = SURE_LEAD) -> Die:
    """Convert a face to an observation: unknown unless it leads the other values by `sure_lead`.

    Where its pips are far from ideal, it must lead by more.
    """
    if face is None or face.score < FAIR_SCORE:
        return UNKNOWN
    is_fair = face.score > REWARD * face.value - FAIR_LOSS
    if face.lead < (sure_lead if is_fair else PLAIN_LEAD):
        return UNKNOWN
    return Die(value=face.value, state="seen", confidence=float(1 - np.exp(-face.lead)))
