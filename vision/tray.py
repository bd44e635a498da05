"""The tray: what lies on its felt, as patches that stand out from the felt's own colour."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from hardware.camera_model import Array, View
from hardware.rig import Rig
from vision.light import linear, paper_white, sampled

Image = NDArray[np.uint8]

STEP_MM = 0.4
LARGEST_GEM_MM2 = 110.0  # two 8 mm gems that touch; a 12 mm die and its side faces cover more
SMALLEST_MM2 = 8.0
FELT_MARGIN_MM = 2.0
OVERHANG_MM = 8.0  # a die at the rim reaches over it
STANDS_OUT = 7.0  # times the felt's own scatter


class Lump(msgspec.Struct, frozen=True):
    """One thing on the felt: its area, and middle on the rectified picture, in px of `STEP_MM`; its own label."""

    area_mm2: float
    middle_px: tuple[float, float]
    label: int


class Tray(msgspec.Struct, frozen=True):
    """The tray seen straight from above, Y up the picture, a pixel a `STEP_MM`.

    `picture` BGR uint8 (h, w, 3); `light` the same as linear light over paper white, a little smoothed; `labels` (h, w)
    of the lumps, largest first; `felt` (3,) the felt's own light.
    """

    picture: Image
    light: NDArray[np.float32]
    labels: NDArray[np.int32]
    lumps: tuple[Lump, ...]
    felt: NDArray[np.float32]


def look_into_tray(image: Image, view: View, rig: Rig, height_mm: float) -> Tray | None:
    """Rectify the tray at `height_mm` above its felt and find what lies on it; None when it is outside the picture."""
    places, inside, seen = _geometry(view, rig, height_mm)
    if (seen < 0).any() or (seen >= [image.shape[1], image.shape[0]]).any():
        return None
    picture = np.asarray(np.rint(sampled(image, places)), dtype=np.uint8)
    light = (linear(picture) / paper_white(image, view, rig)).astype(np.float32)
    return _on_felt(picture, light, inside)


@lru_cache(maxsize=4)  # a camera stays where it is: die and gems, before and after it was pushed
def _geometry(view: View, rig: Rig, height_mm: float) -> tuple[NDArray[np.float32], NDArray[np.uint8], Array]:
    """Return where each pixel of the rectified tray lies in a picture, (h, w, 2) px; which of them are felt, (h, w), 0
    or 1; and the felt's corners in the picture, (4, 2) px."""
    x, y = rig.tray_centre_mm
    half = rig.tray_side_mm / 2
    span = np.arange(-half - OVERHANG_MM, half + OVERHANG_MM + STEP_MM / 2, STEP_MM)
    z = rig.tray_z_mm + height_mm
    grid = np.stack(np.broadcast_arrays(x + span[None, :], y - span[:, None], np.full((1, 1), z)), axis=-1)
    places = view.project(grid.reshape(-1, 3)).reshape(*grid.shape[:2], 2).astype(np.float32)
    rim = half - FELT_MARGIN_MM
    square = np.array([[-rim, -rim], [rim, -rim], [rim, rim], [-rim, rim]])
    seen = view.project(np.column_stack([square + np.array([x, y]), np.full(4, rig.tray_z_mm)]))
    lifted = (view.on_plane(seen, z)[:, :2] - [x + span[0], y - span[0]]) * [1, -1] / STEP_MM
    inside = np.zeros((len(span), len(span)), np.uint8)
    cv2.fillPoly(inside, [lifted.round().astype(np.int32)], 1)
    return places, inside, seen


def look_at_ground(picture: Image) -> Tray:
    """Find what lies on the even ground of a close-up, in px: a pixel counts as `STEP_MM`."""
    return _on_felt(picture, linear(picture), np.ones(picture.shape[:2], np.uint8))


def _on_felt(picture: Image, light: NDArray[np.float32], inside: NDArray[np.uint8]) -> Tray:
    soft = cv2.GaussianBlur(light, (0, 0), 0.4 / STEP_MM).astype(np.float32)
    ground = soft[inside > 0]
    felt = np.median(ground, axis=0)
    scatter = np.maximum(1.4826 * np.median(np.abs(ground - felt), axis=0), 0.0015)
    # a shadow is the felt's own colour, darker; what differs from every shade of the felt is a thing
    shade = np.clip((soft / scatter) @ (felt / scatter) / ((felt / scatter) ** 2).sum(), 0.0, 1.25)
    apart = np.linalg.norm((soft - shade[..., None] * felt) / scatter, axis=2)
    mask: NDArray[Any] = ((apart > STANDS_OUT) & (inside > 0)).astype(np.uint8)
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    count, labels, stats, middles = cv2.connectedComponentsWithStats(mask, connectivity=8)
    lumps = []
    for index in range(1, count):
        area = float(stats[index, cv2.CC_STAT_AREA]) * STEP_MM**2
        if area >= SMALLEST_MM2:
            lumps.append(Lump(area, (float(middles[index, 0]), float(middles[index, 1])), index))
    lumps.sort(key=lambda lump: -lump.area_mm2)
    return Tray(picture, soft, labels.astype(np.int32), tuple(lumps), np.asarray(felt, dtype=np.float32))
