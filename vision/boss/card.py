"""Finds the boss's card by its two upright edges.

The picture is rectified to the upright plane of the slot, where the card is a rectangle of known size for any camera
position. Its two sides contrast with the background along most of its height, and their distance is the card's width.
The pattern of a cloth or the edge of a shadow is oblique on that plane, or has no second edge at that distance.
"""

from __future__ import annotations

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Array, CameraView, Image
from hardware.rig import Rig
from vision.linear_light import encoded, linear_over, sampled

STEP_MM = 1.0
ROW_MM = 1.5
FOOT_MM, TOP_MM = 3.0, 2.0  # margins of the card's height: its shadow on the ledge, and its blurred top edge
LEAST_HEIGHT_MM = 13.5
LEANS = np.tan(np.radians(np.arange(-5.0, 5.1, 1.25)))  # people place a card upright to within a few degrees
ACROSS = 2  # columns on either side of an edge that are compared, because the lens blurs the edge
SLACK = 2  # columns by which the width may differ: a card that is turned by 15° is narrower by 1 mm
HIDDEN_PERCENT = 25  # part of an edge that an object in front of it, or the card's print beside it, may hide


class UprightEdges(msgspec.Struct, frozen=True):
    """The likeliest card: `x_mm` of its middle, and `strength`, the contrast of its fainter side in Lab units.

    `rival` is the strength of the next best place, at least a quarter of a card's width aside. `backdrop` is the tenth
    percentile of the plane's L*, 0–100.
    """

    x_mm: float
    strength: float
    rival: float
    backdrop: float


def find_card(image: Image, view: CameraView, rig: Rig, white: Array) -> UprightEdges | None:
    """Return the likeliest card in the slot; None when too little of the slot's plane is in the picture.

    :param image: BGR uint8 picture of the size `view` is for.
    :param white: the light of white paper in the picture (`vision.linear_light.paper_white`).
    """
    half = round(rig.boss_size_mm[0] / 2 / STEP_MM)
    lanes_x = [lane.x_mm for lane in rig.lanes]
    reach = rig.lane_pitch_mm / 2
    aside = (half + SLACK + ACROSS) * STEP_MM
    xs = np.arange(min(lanes_x) - reach - aside, max(lanes_x) + reach + aside + STEP_MM / 2, STEP_MM)
    heights = np.arange(FOOT_MM, rig.boss_size_mm[2] - TOP_MM, ROW_MM)
    lab = _on_plane(image, view, rig, white, xs, heights)
    if lab is None:
        return None
    steps = np.zeros_like(lab)
    steps[:, ACROSS:-ACROSS] = lab[:, 2 * ACROSS :] - lab[:, : -2 * ACROSS]
    sharp = np.linalg.norm(steps, axis=2)
    both = np.max([_two_edges(_leaning(sharp, heights[: len(sharp)], lean), half) for lean in LEANS], axis=0)
    best = half + int(both[half:-half].argmax())
    plateau = np.nonzero((both >= 0.97 * both[best]) & (np.abs(np.arange(len(both)) - best) <= half // 2))[0]
    x_mm = float(xs[plateau].mean())
    clear = np.abs(xs - x_mm) > half * STEP_MM / 2
    return UprightEdges(x_mm, float(both[best]), float(both[clear].max()), float(np.percentile(lab[..., 0], 10)))


def _on_plane(
    image: Image, view: CameraView, rig: Rig, white: Array, xs: Array, heights: Array
) -> NDArray[np.float32] | None:
    """Rectify the visible rows of the slot's upright plane: Lab (rows, n, 3), the lowest row first; None if too few."""
    grid = np.stack(
        np.broadcast_arrays(xs[None, :], np.array(rig.boss_slot_y_mm), rig.boss_base_z_mm + heights[:, None]), axis=-1
    )
    places = view.project(grid.reshape(-1, 3)).reshape(*grid.shape[:2], 2)
    within = (places >= 0) & (places <= [image.shape[1] - 1, image.shape[0] - 1])
    seen = np.all(within, axis=(1, 2))
    rows = len(seen) if seen.all() else int(seen.argmin())
    if rows * ROW_MM < LEAST_HEIGHT_MM:
        return None
    codes = np.rint(sampled(image, places[:rows])).astype(np.uint8)
    light = encoded(linear_over(codes, white)).astype(np.float32)
    lab = cv2.cvtColor(light, cv2.COLOR_BGR2Lab)
    return np.asarray(cv2.GaussianBlur(lab, (3, 3), 0), dtype=np.float32)


def _leaning(sharp: NDArray[np.float32], heights: Array, lean: float) -> NDArray[np.float32]:
    """Return for each column, (n,), the contrast that a line from its foot has along all but `HIDDEN_PERCENT` of it."""
    moved = np.rint(heights * lean / STEP_MM).astype(int)
    columns = np.clip(np.arange(sharp.shape[1]) + moved[:, None], 0, sharp.shape[1] - 1)
    lines = np.take_along_axis(sharp, columns, axis=1)
    return np.asarray(np.percentile(lines, HIDDEN_PERCENT, axis=0), dtype=np.float32)


def _two_edges(line: NDArray[np.float32], half: int) -> NDArray[np.float32]:
    """Return for each column, (n,), the contrast of the fainter side of a card centred at the column."""
    near = cv2.dilate(line[None], np.ones((1, 2 * SLACK + 1)))[0]
    both = np.zeros_like(line)
    both[half:-half] = np.minimum(near[: -2 * half], near[2 * half :])
    return both
