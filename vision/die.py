"""The die: its value in the tray, or in a close-up photograph."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera_model import View
from hardware.rig import Rig
from vision.observations import Die
from vision.pips import Face, best_face, read_faces
from vision.tray import LARGEST_GEM_MM2, OVERHANG_MM, STEP_MM, look_into_tray

Image = NDArray[np.uint8]

DIE_MM = 16.0
LARGEST_DIE_MM2 = 800.0  # a 20 mm die with its side faces
CLOSE_UP_PX = 96  # more pixels cost time and tell nothing more about pips
GROUNDS_LAB = (14.0, 9.0)  # how much a die differs from its ground: a coloured one, an ivory one on white
SIDES = (1.0, 0.88, 1.14)  # of the expected side of the top face
SMALLEST_BODY = 0.06  # of the picture; less is a die of the ground's own colour
FACE_OF_BODY = 0.71  # side of the top face ÷ square root of all that is seen of a die
SURE_LEAD = 0.75
FAIR_SCORE = -2.2


def read_die(image: Image, view: View, rig: Rig) -> Die:
    """Read the die in the tray.

    :param image: BGR uint8 picture of the size `view` is for.
    """
    tray = look_into_tray(image, view, rig, DIE_MM)
    if tray is None:
        return Die(value=None, state="unknown", confidence=0.0)
    if not tray.lumps or tray.lumps[0].area_mm2 <= LARGEST_GEM_MM2:
        return Die(value=None, state="absent", confidence=1.0)
    lump = tray.lumps[0]
    if (tray.labels > 0).sum() * STEP_MM**2 > LARGEST_DIE_MM2:
        return Die(value=None, state="unknown", confidence=0.0)  # a hand, a sheet of paper
    reach = round(DIE_MM * 1.1 / STEP_MM)
    pad = round(OVERHANG_MM / STEP_MM)
    x, y = (round(place) + pad for place in lump.middle_px)
    picture = cv2.copyMakeBorder(tray.picture, pad, pad, pad, pad, cv2.BORDER_REPLICATE)
    own = cv2.dilate((tray.labels == lump.label).astype(np.float32), np.ones((9, 9), np.uint8))
    body = cv2.copyMakeBorder(own, pad, pad, pad, pad, cv2.BORDER_CONSTANT, value=0.0)
    box = np.s_[max(y - reach, 0) : y + reach, max(x - reach, 0) : x + reach]
    patch = np.asarray(picture[box], dtype=np.uint8)
    return as_die(best_face(read_faces(patch, np.asarray(body[box]), DIE_MM / STEP_MM, aspects=(1.0,))))


def read_die_close_up(image: Image) -> Die:
    """Read the die in the middle of a close-up (BGR uint8); side faces and neighbours may be in view."""
    return as_die(face_of_close_up(image))


def face_of_close_up(image: Image) -> Face | None:
    """Return the face that looks at the camera in a close-up, however doubtful; None when there is none at all.

    What is ground and how much of the die is its top face are not known: every likely pair is tried.
    """
    height, width = image.shape[:2]
    side = min(height, width)
    if side > CLOSE_UP_PX:
        image = np.asarray(
            cv2.resize(image, None, fx=CLOSE_UP_PX / side, fy=CLOSE_UP_PX / side, interpolation=cv2.INTER_AREA),
            dtype=np.uint8,
        )
        height, width = image.shape[:2]
        side = min(height, width)
    rows, columns = np.mgrid[:height, :width]
    off = np.hypot((columns - (width - 1) / 2) / width, (rows - (height - 1) / 2) / height)
    looks = []
    for ground in GROUNDS_LAB:
        body = _body(image, off, ground)
        if body.mean() < SMALLEST_BODY:
            picture, share, expected, spread = image, np.exp(-0.5 * (off / 0.3) ** 4), 0.55 * side, 0.2
        else:
            # an even ground of the die's own colour leaves no edge round the die to be taken for a spot
            soft = cv2.GaussianBlur(body.astype(np.float32), (0, 0), 0.7)[..., None]
            even = np.rint(image * soft + np.median(image[body > 0], axis=0) * (1 - soft))
            picture, share = even.astype(np.uint8), body.astype(np.float64)
            expected, spread = min(FACE_OF_BODY * float(np.sqrt(body.sum())), 0.6 * side), 0.11
        looks += [read_faces(picture, share.astype(np.float32), expected * part, side_spread=spread) for part in SIDES]
    return best_face(*looks)


def _body(image: Image, off: NDArray[np.float64], least_lab: float) -> NDArray[np.uint8]:
    """Return the mask of the thing in the middle that differs from the ground at the rim, without its outermost pixel.

    :param off: distance of each pixel from the middle as a share of the picture, shape (h, w).
    :param least_lab: how much it differs, in Lab units with lightness taken at 0.7.
    """
    soft = cv2.GaussianBlur(image, (3, 3), 0.6).astype(np.float32) / 255
    lab = cv2.cvtColor(soft, cv2.COLOR_BGR2Lab) * np.array([0.7, 1, 1], np.float32)
    border = max(2, round(0.06 * min(image.shape[:2])))
    rim = np.ones(image.shape[:2], bool)
    rim[border:-border, border:-border] = False
    ground = np.median(lab[rim], axis=0)
    for _ in range(5):  # neighbours at the rim are outvoted by the ground
        gap = np.linalg.norm(lab[rim] - ground, axis=1)
        ground = np.median(lab[rim][gap <= max(float(np.median(gap)), 3.0)], axis=0)
    mask = (np.linalg.norm(lab - ground, axis=2) > least_lab).astype(np.uint8)
    for step in (cv2.MORPH_CLOSE, cv2.MORPH_OPEN):
        mask = cv2.morphologyEx(mask, step, np.ones((5, 5), np.uint8)).astype(np.uint8)
    count, labels = cv2.connectedComponents(mask, connectivity=4)
    if count < 2:
        return np.zeros_like(mask)
    central = np.bincount(labels.ravel(), weights=np.exp(-0.5 * (off / 0.2) ** 2).ravel(), minlength=count)
    central[0] = 0
    own = (labels == int(central.argmax())).astype(np.uint8)
    contours, _ = cv2.findContours(own, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    hull = np.zeros_like(mask)
    cv2.fillPoly(hull, [cv2.convexHull(max(contours, key=len))], (1,))
    return cv2.erode(hull * (off < 0.45).astype(np.uint8), np.ones((3, 3), np.uint8)).astype(np.uint8)


def as_die(face: Face | None) -> Die:
    """Return the reading of a face: unknown unless it leads the other values clearly."""
    if face is None or face.lead < SURE_LEAD or face.score < FAIR_SCORE:
        return Die(value=None, state="unknown", confidence=0.0)
    return Die(value=face.value, state="seen", confidence=float(1 - np.exp(-face.lead)))
