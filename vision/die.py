"""The die: its value in the tray, or in a close-up photograph."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.rig import Rig
from vision.camera_model import View
from vision.observations import Die
from vision.pips import Face, read_face
from vision.tray import LARGEST_GEM_MM2, OVERHANG_MM, STEP_MM, look_into_tray

Image = NDArray[np.uint8]

DIE_MM = 16.0
SURE_LEAD = 1.5
FAIR_SCORE = -12.0


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
    reach = round(DIE_MM * 1.1 / STEP_MM)
    pad = round(OVERHANG_MM / STEP_MM)
    x, y = (round(place) + pad for place in lump.middle_px)
    picture = cv2.copyMakeBorder(tray.picture, pad, pad, pad, pad, cv2.BORDER_REPLICATE)
    own = cv2.dilate((tray.labels == lump.label).astype(np.float32), np.ones((9, 9), np.uint8))
    body = cv2.copyMakeBorder(own, pad, pad, pad, pad, cv2.BORDER_CONSTANT, value=0.0)
    box = np.s_[max(y - reach, 0) : y + reach, max(x - reach, 0) : x + reach]
    return _die(read_face(np.asarray(picture[box], dtype=np.uint8), np.asarray(body[box]), DIE_MM / STEP_MM))


def read_die_close_up(image: Image) -> Die:
    """Read the die in the middle of a close-up (BGR uint8); side faces and neighbours may be in view."""
    height, width = image.shape[:2]
    rows, columns = np.mgrid[:height, :width]
    off = np.hypot((columns - (width - 1) / 2) / width, (rows - (height - 1) / 2) / height)
    body = np.exp(-0.5 * (off / 0.3) ** 4).astype(np.float32)
    return _die(read_face(image, body, 0.55 * min(height, width)))


def _die(face: Face | None) -> Die:
    if face is None or face.lead < SURE_LEAD or face.score < FAIR_SCORE:
        return Die(value=None, state="unknown", confidence=0.0)
    return Die(value=face.value, state="seen", confidence=float(1 - np.exp(-face.lead)))
