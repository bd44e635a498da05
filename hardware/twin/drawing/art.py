"""Textures and colours: faces of the die, the boss figure's card, putty and gems."""

from __future__ import annotations

import cv2
import numpy as np

from hardware.cameras.camera_model import Image
from hardware.readings import Piece, PuttyColour

PUTTY_BGR: dict[PuttyColour, tuple[int, int, int]] = {
    "yellow": (32, 200, 238),
    "green": (62, 150, 52),
    "orange": (28, 110, 232),
    "pink": (160, 96, 228),
}
GEM_BGR: dict[Piece, tuple[int, int, int]] = {"sweet": (34, 24, 190), "sour": (30, 190, 228), "bomb": (150, 42, 112)}
DIE_FACES: dict[int, tuple[tuple[int, int, int], tuple[int, int, int]]] = {
    1: ((0, 0, 1), (1, 0, 0)),
    6: ((0, 0, -1), (1, 0, 0)),
    2: ((0, 1, 0), (1, 0, 0)),
    5: ((0, -1, 0), (1, 0, 0)),
    3: ((1, 0, 0), (0, 1, 0)),
    4: ((-1, 0, 0), (0, 1, 0)),
}
"""Value → outward normal of the face in the die's frame, and the direction to the right on the face."""
_PIPS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}


def die_face(value: int) -> Image:
    """Return one face of the die, BGRA: ivory with a soft bevel. Pips are black, on 5 and 6 red."""
    side = 96
    edge = np.minimum(np.arange(side) + 0.5, side - np.arange(side) - 0.5) / side * 16.0
    bevel = np.clip(np.minimum.outer(edge, edge) / 1.4, 0, 1) ** 0.5
    face = np.empty((side, side, 4), dtype=np.uint8)
    face[..., :3] = (np.array([226, 236, 240]) * (0.8 + 0.2 * bevel[..., None])).astype(np.uint8)
    face[..., 3] = 255
    ink = (30, 26, 176) if value >= 5 else (26, 24, 24)
    for x, y in _PIPS[value]:
        centre = (round((side / 2 + x * side * 0.26) * 16), round((side / 2 + y * side * 0.26) * 16))
        cv2.circle(face, centre, round(side * 0.098 * 16), (*ink, 255), -1, cv2.LINE_AA, 4)
    return face


def boss_card() -> Image:
    """Return the boss's card, BGRA, 260 × 480: a stout gentleman in a hat, dark suit, red tie."""
    card = np.zeros((480, 260, 4), dtype=np.uint8)
    card[:] = (72, 98, 112, 255)
    card[6:-6, 6:-6, :3] = (44, 58, 66)
    cv2.ellipse(card, (130, 470), (108, 190), 0, 180, 360, (30, 26, 24, 255), -1, cv2.LINE_AA)
    cv2.fillConvexPoly(card, np.array([[96, 292], [164, 292], [130, 420]]), (214, 220, 224, 255), cv2.LINE_AA)
    cv2.fillConvexPoly(
        card, np.array([[120, 300], [140, 300], [146, 392], [130, 416], [114, 392]]), (38, 30, 168, 255), cv2.LINE_AA
    )
    cv2.ellipse(card, (130, 218), (64, 82), 0, 0, 360, (122, 158, 204, 255), -1, cv2.LINE_AA)
    cv2.ellipse(card, (130, 262), (40, 12), 0, 180, 360, (34, 40, 52, 255), -1, cv2.LINE_AA)
    for x in (106, 154):
        cv2.circle(card, (x, 208), 8, (28, 26, 28, 255), -1, cv2.LINE_AA)
    cv2.ellipse(card, (130, 160), (112, 24), 0, 0, 360, (20, 18, 18, 255), -1, cv2.LINE_AA)
    cv2.ellipse(card, (130, 150), (66, 84), 0, 180, 360, (26, 24, 24, 255), -1, cv2.LINE_AA)
    cv2.rectangle(card, (64, 132), (196, 152), (40, 32, 150, 255), -1)
    return card
