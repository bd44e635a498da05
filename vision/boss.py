"""The boss figure: where he stands behind the lanes.

His card hides a stretch of the platform's back edge. Along the lanes that edge looks the same everywhere, so each
column of the slot, seen along the lines of sight through the card, is compared with the median of all columns: no empty
picture is needed, and a table's texture behind the edge counts little.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera_model import Array, View
from hardware.rig import Rig
from vision.light import rectified
from vision.observations import Boss

Image = NDArray[np.uint8]

STEP_MM = 1.0
AT_LANE = 0.22  # of the lane pitch: 8.8 mm at 40; he is put down within a few millimetres
BETWEEN = 0.3
CONTRAST = 18.0  # Lab units by which a card differs from the edge it hides


def read_boss(image: Image, view: View, rig: Rig) -> Boss:
    """Say at which lane the boss stands.

    :param image: BGR uint8 picture of the size `view` is for.
    """
    lanes_x = np.array([lane.x_mm for lane in rig.lanes])
    margin = rig.lane_pitch_mm / 2
    xs = np.arange(lanes_x.min() - margin, lanes_x.max() + margin + STEP_MM / 2, STEP_MM)
    profile = _hidden(image, view, rig, xs)
    if profile is None:
        return Boss(lane=None, state="unknown", confidence=0.0)
    width = rig.boss_size_mm[0]
    place, inside, outside = _best_card(profile, xs, width)
    if inside < CONTRAST * 0.6:
        return Boss(lane=None, state="absent", confidence=float(np.clip(1 - inside / CONTRAST, 0.5, 1)))
    if inside < CONTRAST or inside < 1.6 * outside:
        return Boss(lane=None, state="unknown", confidence=0.0)
    nearest = int(np.abs(lanes_x - place).argmin())
    gap = abs(lanes_x[nearest] - place) / rig.lane_pitch_mm
    sure = float(np.clip(inside / (inside + 2 * outside), 0, 1))
    if gap <= AT_LANE:
        return Boss(lane=rig.lanes[nearest].number, state="lane", confidence=sure)
    return Boss(lane=None, state="between" if gap >= BETWEEN else "unknown", confidence=sure)


def _hidden(image: Image, view: View, rig: Rig, xs: Array) -> Array | None:
    """Return for each x how much the slot there differs from the slot elsewhere, in Lab units, shape (n,)."""
    zs = rig.boss_base_z_mm + np.arange(4.0, 17.0, 1.0)  # above the foot the card hides the platform's edge
    grid = np.stack(np.broadcast_arrays(xs[None, :], np.full((1, 1), rig.boss_slot_y_mm), zs[:, None]), axis=-1)
    corners = view.project(grid[[0, 0, -1, -1], [0, -1, 0, -1]])
    if (corners < 0).any() or (corners >= [image.shape[1], image.shape[0]]).any():
        return None
    strip = cv2.GaussianBlur(rectified(image, view, grid), (3, 3), 0)
    lab = cv2.cvtColor(strip.astype(np.float32) / 255, cv2.COLOR_BGR2Lab)
    usual = np.median(lab, axis=1, keepdims=True)
    return np.asarray(np.median(np.linalg.norm(lab - usual, axis=2), axis=0), dtype=np.float64)


def _best_card(profile: Array, xs: Array, width_mm: float) -> tuple[float, float, float]:
    """Return the middle of the card-wide stretch that differs most, its mean difference, and that elsewhere."""
    count = round(width_mm / STEP_MM)
    sums = np.convolve(profile, np.ones(count) / count, mode="valid")
    start = int(sums.argmax())
    outside = np.concatenate([profile[: max(start - 4, 0)], profile[start + count + 4 :]])
    middle = float((xs[start] + xs[start + count - 1]) / 2)
    return middle, float(sums[start]), float(np.percentile(outside, 90)) if len(outside) else 0.0
