"""Reads the die in a close-up photograph, of which neither camera nor ground are known."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Image
from vision.observations import Die
from vision.tray.die import Demands, as_die, on_own_colour
from vision.tray.pips import Face, FacePrior, best_face, read_faces

CLOSE_UP = Demands(0.6, 6.0, 3.0)  # chosen on 742 photographs of dice, of which 1.9 % of the answers were wrong
CLOSE_UP_PX = 96  # more pixels cost time and give no more information about pips
GROUNDS_LAB = (14.0, 9.0)  # difference of a die from its ground: a coloured die, an ivory die on white
SIDES = (1.0, 0.88, 1.14)  # tried sides of the top face, relative to the expected one
SMALLEST_BODY = 0.06  # of the picture; with less, the die has the ground's own colour
MIDDLE_SPREAD = 0.18  # of the top face's centre around the visible die's, ÷ side; the scatter is 0.125, this reads more
REACH_STEPS = 2.3  # of the lattice: a second pip of the same look this near to a "one" makes it none
STRAIGHT = 0.25  # least resultant length of an outline's edges: 1 for a square, 0 for a disc
FACE_OF_BODY = 0.71  # side of the top face ÷ square root of the die's whole visible area


def read_die_close_up(image: Image) -> Die:
    """Read the die in the middle of a close-up (BGR uint8); side faces and neighbours may be in view."""
    return as_die(face_of_close_up(image), CLOSE_UP)


def face_of_close_up(image: Image) -> Face | None:
    """Return the face towards the camera in a close-up, also if it is doubtful; None if there is none.

    The ground and the size of the top face are not known, so every likely combination is tried.
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
        if body.mean() < SMALLEST_BODY or not body[height // 2, width // 2]:
            picture, share, expected = image, np.exp(-0.5 * (off / 0.3) ** 4), 0.55 * side
            prior = FacePrior(side_spread=0.2, middle_spread=MIDDLE_SPREAD, reach=REACH_STEPS, turn_deg=None)
        else:
            picture, share = on_own_colour(image, body), body.astype(np.float64)
            expected = min(FACE_OF_BODY * float(np.sqrt(body.sum())), 0.6 * side)
            prior = FacePrior(
                side_spread=0.11, middle_spread=MIDDLE_SPREAD, reach=REACH_STEPS, turn_deg=_turn_deg(body)
            )
        looks += [read_faces(picture, share.astype(np.float32), expected * part, prior) for part in SIDES]
    return best_face(*looks)


def _body(image: Image, off: NDArray[np.float64], least_lab: float) -> NDArray[np.uint8]:
    """Return the mask of the central object that differs from the ground at the rim, without its outermost pixel.

    :param off: distance of each pixel from the middle as a fraction of the picture, shape (h, w).
    :param least_lab: least difference, in Lab units with lightness weighted by 0.7.
    """
    soft = cv2.GaussianBlur(image, (3, 3), 0.6).astype(np.float32) / 255
    lab = cv2.cvtColor(soft, cv2.COLOR_BGR2Lab) * np.array([0.7, 1, 1], np.float32)
    border = max(2, round(0.06 * min(image.shape[:2])))
    rim = np.ones(image.shape[:2], bool)
    rim[border:-border, border:-border] = False
    ground = np.median(lab[rim], axis=0)
    for _ in range(5):  # robust median: the ground outvotes other objects at the rim
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


def _turn_deg(body: NDArray[np.uint8]) -> float | None:
    """Return the rotation of a die's edges in its outline, 0–90 degrees; None if no direction prevails.

    Opposite and neighbouring edges of a square agree in four times their angle (directional statistics of 4-fold
    axes): the long edges of the hull outvote those that perspective turns. It is within 9° of the pips' lattice on 45
    of 55 photographs of dice.
    """
    contours, _ = cv2.findContours(body, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    hull = cv2.convexHull(max(contours, key=len))[:, 0].astype(np.float64)
    edges = (np.roll(hull, -1, axis=0) - hull) @ np.array([1, 1j])
    lengths = np.abs(edges)
    total = (lengths * (edges / lengths) ** 4).sum()
    return float(np.degrees(np.angle(total)) / 4 % 90) if abs(total) > STRAIGHT * lengths.sum() else None
