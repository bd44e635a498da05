"""Measures the circles printed on the platform, one per lane and of the size of its hole, in a rectified view."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import CameraView, Image
from hardware.rig import Lane, Rig
from vision.linear_light import linear, rectified, sampled

STEP_MM = 0.25


class LaneResult(msgspec.Struct, frozen=True):
    """One lane: centre x, outer diameter and rim scatter of its circle, in mm; None if no circle was found."""

    number: int
    x_mm: float | None
    diameter_mm: float | None
    scatter_mm: float | None


def find_circle(images: Sequence[Image], view: CameraView, rig: Rig, lane: Lane) -> LaneResult:
    """Find the circle printed on the platform at the top of a lane, and measure its line's outer edge."""
    top_y, top_z = rig.ramp_top
    half = rig.lane_pitch_mm * 0.65
    xs = np.arange(lane.x_mm - half, lane.x_mm + half, STEP_MM)
    ys = np.arange(top_y - 6, rig.platform_end_y_mm + 6, STEP_MM)
    grid = np.stack(np.broadcast_arrays(xs[None, :], ys[:, None], np.full((1, 1), top_z)), axis=-1)
    pictures = [linear(rectified(image, view, grid)).mean(axis=2) for image in images]
    light = np.asarray(np.mean(pictures, axis=0), dtype=np.float32)
    inkiness = np.clip(cv2.GaussianBlur(light, (0, 0), 8.0) - cv2.GaussianBlur(light, (0, 0), 1.2), 0, None)
    inkiness = (inkiness / max(float(np.percentile(inkiness, 98)), 1e-6)).clip(0, 1).astype(np.float32)
    best = _best_ring(inkiness)
    if best is None:
        return LaneResult(lane.number, None, None, None)
    column, row, radius = best
    turn = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    around = np.column_stack([np.cos(turn), np.sin(turn)])
    for _ in range(3):
        reach = np.arange(-5.0, 8.01, 0.5)
        places = np.array([column, row]) + around[:, None, :] * (radius + reach)[None, :, None]
        brightness = sampled(light, places)
        darkest = brightness.argmin(axis=1)
        rows = np.arange(len(around))
        ink, paper = brightness[rows, darkest], np.median(brightness[:, -4:], axis=1)
        # the rim is the outer edge of the line, where the light is half-way from ink to paper
        risen = (brightness > (ink + paper)[:, None] / 2) & (np.arange(len(reach)) > darkest[:, None])
        edge = risen.argmax(axis=1)
        good = (edge > 0) & (paper - ink > 0.35 * float(np.median(paper - ink)))
        after, before = brightness[rows, edge], brightness[rows, edge - 1]
        part = ((ink + paper) / 2 - before) / np.maximum(after - before, 1e-6)
        offset = (reach[edge] - 0.5 * (1 - np.clip(part, 0, 1)))[good]
        if good.sum() < 40:
            return LaneResult(lane.number, None, None, None)
        columns = np.column_stack([np.ones(good.sum()), around[good]])
        shift = np.linalg.lstsq(columns, offset, rcond=None)[0]
        radius, column, row = radius + float(shift[0]), column + float(shift[1]), row + float(shift[2])
    scatter = float(np.std(offset - columns @ shift)) * STEP_MM
    x = float(xs[0] + column * STEP_MM)
    if good.mean() < 0.6 or scatter > 0.6 or abs(x - lane.x_mm) > rig.lane_pitch_mm / 3:
        return LaneResult(lane.number, None, None, None)
    return LaneResult(lane.number, x, 2 * radius * STEP_MM, scatter)


def _best_ring(inkiness: NDArray[np.float32]) -> tuple[float, float, float] | None:
    """Return the (column, row, radius) in px of the ring with the most ink on it and the least beside it."""
    best = (0.12, 0.0, 0.0, 0.0)
    for radius in np.arange(8.0, 24.0, 0.25) / STEP_MM:
        reach = int(radius + 6)
        rows, columns = np.mgrid[-reach : reach + 1, -reach : reach + 1]
        beyond = np.hypot(columns, rows) - radius
        line = np.exp(-0.5 * (beyond / 1.5) ** 2)
        beside = np.exp(-0.5 * ((np.abs(beyond) - 5) / 1.5) ** 2)
        kernel = (line / line.sum() - beside / beside.sum()).astype(np.float32)
        score = cv2.filter2D(inkiness, -1, kernel, borderType=cv2.BORDER_CONSTANT)
        _, top, _, place = cv2.minMaxLoc(score)
        if top > best[0]:
            best = (top, float(place[0]), float(place[1]), float(radius))
    return None if best[3] == 0.0 else (best[1], best[2], best[3])
