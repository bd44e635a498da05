"""Where the camera hangs over a table: high enough that its picture holds all markers and the boss."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
from numpy.typing import NDArray

from hardware.rig import Rig
from hardware.twin.drawing.viewpoint import AIM_MM, CAMERA_MM, WIDE_DEG, looking_at

_Point = tuple[float, float, float]

_MARKERS_WITHIN, _BOSS_WITHIN = 0.85, 1.01
"""Parts of half the picture in which they lie. The boss's upper edge may be cut off, as on the standard table."""
_STEP_MM, _ROUND_MM = 10.0, 5.0
_HIGHEST_MM = 2500.0


def camera_place(rig: Rig) -> tuple[_Point, _Point]:
    """Return the place of the camera and the point at which it looks, in mm.

    It looks at the middle of the markers as on the standard table, at the same angle. It hangs as high as there, or as
    much higher as a larger table needs.
    """
    middle, standard = _middle(rig), _middle(Rig())
    aim = tuple(at + own - usual for at, own, usual in zip(AIM_MM, (*middle, 0.0), (*standard, 0.0), strict=True))
    above = np.array(CAMERA_MM) - AIM_MM
    height_mm = CAMERA_MM[2]
    while True:
        camera = aim + above * (height_mm - aim[2]) / above[2]
        if height_mm >= _HIGHEST_MM or _is_seen(rig, camera, np.array(aim)):
            break
        height_mm += _STEP_MM
    x, y = (round(float(at) / _ROUND_MM) * _ROUND_MM for at in camera[:2])
    return (x, y, height_mm), (aim[0], aim[1], aim[2])


def _middle(rig: Rig) -> tuple[float, float]:
    xs, ys = [marker.x_mm for marker in rig.markers], [marker.y_mm for marker in rig.markers]
    return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2


def _is_seen(rig: Rig, camera: NDArray[np.float64], aim: NDArray[np.float64]) -> bool:
    half = rig.marker_side_mm / 2
    corners = [
        (marker.x_mm + x * half, marker.y_mm + y * half, marker.z_mm)
        for marker, x, y in product(rig.markers, (-1, 1), (-1, 1))
    ]
    top = rig.boss_base_z_mm + rig.boss_size_mm[2]
    boss = [(rig.lanes[place].x_mm, rig.boss_slot_y_mm, top) for place in (0, -1)]
    return _outermost(corners, camera, aim) <= _MARKERS_WITHIN and _outermost(boss, camera, aim) <= _BOSS_WITHIN


def _outermost(points: list[_Point], camera: NDArray[np.float64], aim: NDArray[np.float64]) -> float:
    """Return how far from the middle of a 16:9 picture the outermost point lies, as a part of half its side."""
    pose = looking_at(tuple(camera), tuple(aim))
    right, down, depth = pose.R @ np.array(points).T + np.reshape(pose.tvec, (3, 1))
    wide = math.tan(math.radians(WIDE_DEG / 2))
    if depth.min() <= 0:
        return math.inf
    return float(max(np.abs(right / depth).max() / wide, np.abs(down / depth).max() / (wide * 9 / 16)))
