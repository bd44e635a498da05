"""A hand over the table, drawn from its fingertips back to the edge of the picture."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import CameraView
from hardware.twin.drawing.shading import Floats
from hardware.twin.world.scene import Reach

SKIN_BGR, SLEEVE_BGR = (124, 152, 196), (92, 62, 44)
_FROM = {
    "right": (0.86, -0.46, 0.2),
    "back": (0.06, 0.93, 0.34),
    "front": (0.06, -0.97, 0.2),
    "left": (-0.9, -0.35, 0.2),
}
_TONES = ((0.0, 0.62), (3.5, 0.86), (7.0, 1.0))
"""(mm thinner, brightness) of the strokes of a limb: a dark rim, a body, a light middle."""
_MARGIN_PX = 48


def draw_hand(view: CameraView, reach: Reach) -> tuple[tuple[slice, slice], Floats, Floats] | None:
    """Draw a hand and its sleeve; return their box in the picture, colour (h, w, 3) and alpha (h, w, 1), or None."""
    tip = np.asarray(reach.tip_mm, dtype=np.float64)
    away = np.asarray(_FROM[reach.side]) / np.linalg.norm(_FROM[reach.side])
    aside = np.cross(away, [0.0, 0.0, 1.0])
    aside /= np.linalg.norm(aside)
    knuckle, wrist, elbow = tip + away * 46 + [0, 0, 16], tip + away * 104, tip + away * 420
    elbow[2] = min(elbow[2], 230.0)
    box = _box(view, _pinhole(view, np.array([tip, knuckle, wrist, elbow])))
    if box is None:
        return None
    shape = (box[0].stop - box[0].start, box[1].stop - box[1].start)
    colour, cover = np.zeros((*shape, 3), dtype=np.uint8), np.zeros(shape, dtype=np.uint8)
    corner = np.array([box[1].start, box[0].start])
    px_per_mm = view.camera.focal_px[0] / float(np.linalg.norm(view.pose.camera_position_mm - tip))

    def limb(a: NDArray[np.float64], b: NDArray[np.float64], thick_mm: float, bgr: tuple[int, int, int]) -> None:
        ends = np.round((_pinhole(view, np.array([a, b])) - corner) * 16).astype(int).tolist()
        for thinner_mm, bright in _TONES:
            width = max(round((thick_mm - thinner_mm * min(thick_mm / 40, 1.5)) * px_per_mm), 1)
            cv2.line(colour, ends[0], ends[1], [int(v * bright) for v in bgr], width, cv2.LINE_AA, 4)
            cv2.line(cover, ends[0], ends[1], 255, width, cv2.LINE_AA, 4)

    limb(wrist, wrist + away * 30, 42, SKIN_BGR)
    limb(wrist + away * 30, elbow, 60, SLEEVE_BGR)
    limb(tip - aside * 16 + away * 8, wrist - aside * 20, 15, SKIN_BGR)
    limb(knuckle + away * 4, wrist, 54, SKIN_BGR)
    for spread in (-1.5, 1.5, -0.5, 0.5):
        limb(tip + aside * spread * 9 + away * abs(spread) * 5, knuckle + aside * spread * 13, 14, SKIN_BGR)
    soft = cv2.GaussianBlur(colour, (5, 5), 0).astype(np.float32)
    alpha = cv2.GaussianBlur(cover, (3, 3), 0).astype(np.float32) / 255
    return box, np.asarray(soft), np.asarray(alpha[..., None])


def _pinhole(view: CameraView, spots: NDArray[np.float64]) -> NDArray[np.float64]:
    """Project without lens distortion, because the distortion model is not valid far outside the picture."""
    seen = spots @ view.pose.R.T + np.asarray(view.pose.tvec)
    return np.asarray(seen[:, :2] / seen[:, 2:] * view.camera.focal_px + view.camera.centre_px)


def _box(view: CameraView, seen: NDArray[np.float64]) -> tuple[slice, slice] | None:
    margin = _MARGIN_PX * view.camera.width_px / 768
    low, high = seen.min(axis=0) - margin, seen.max(axis=0) + margin
    left, top = max(int(low[0]), 0), max(int(low[1]), 0)
    right, bottom = min(int(high[0]) + 1, view.camera.width_px), min(int(high[1]) + 1, view.camera.height_px)
    return (slice(top, bottom), slice(left, right)) if right - left > 1 and bottom - top > 1 else None
