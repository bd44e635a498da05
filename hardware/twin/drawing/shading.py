"""Light on the simulated table: two lamps and ambient light, soft shadows, conversion of linear light to pixels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Image
from hardware.rig import Rig

Floats = NDArray[np.floating[Any]]

GAMMA = 2.2
EXPOSURE = 0.92


@dataclass(frozen=True)
class Lamp:
    """A lamp: its position and radius in mm (the radius softens shadows), its level, its colour as BGR."""

    place_mm: tuple[float, float, float]
    radius_mm: float
    level: float
    colour: tuple[float, float, float]


KEY = Lamp((-330.0, 470.0, 860.0), 70.0, 0.78, (0.93, 0.98, 1.0))
FILL = Lamp((620.0, -260.0, 900.0), 140.0, 0.20, (1.0, 0.97, 0.93))
LAMPS = (KEY, FILL)
AMBIENT = np.array([0.175, 0.165, 0.16], dtype=np.float32)


_LINEAR = np.power(np.arange(256, dtype=np.float32) / np.float32(255), np.float32(GAMMA))


def linear(colour: Image) -> Floats:
    """Convert 8-bit gamma-encoded values to linear light 0–1."""
    return np.asarray(_LINEAR[colour])


_TABLE = np.asarray(
    np.clip(255 * np.power(np.linspace(0, 1, 4097), 1 / GAMMA), 0, 255).astype(np.uint8), dtype=np.uint8
)


def pixels(light: Floats) -> Image:
    """Convert linear light to 8-bit pixels."""
    index = np.clip(light * np.float32(EXPOSURE * 4096), 0, 4096).astype(np.uint16)
    return np.asarray(_TABLE[index], dtype=np.uint8)


class Shadows:
    """Casts shadows of the fixed parts: the fence with its holes, ramp and platform, the pan."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        self._half_mm = (rig.lanes[-1].x_mm - rig.lanes[0].x_mm + rig.lane_pitch_mm) / 2 + 2

    def blocked(self, points: Floats, lamp: tuple[float, float, float]) -> NDArray[np.bool_]:
        """Return which points, shape (n, 3), are in the shadow of a point lamp at `lamp`; shape (n,)."""
        rig = self._rig
        towards = np.asarray(lamp, dtype=np.float32) - points
        return np.asarray(
            self._fence(points, towards)
            | self._board(points, towards, rig.ramp_foot, rig.ramp_top)
            | self._board(points, towards, rig.ramp_top, (rig.platform_end_y_mm + 15, rig.ramp_top[1]))
            | self._pan(points, towards)
        )

    def _fence(self, points: Floats, towards: Floats) -> NDArray[np.bool_]:
        rig = self._rig
        with np.errstate(divide="ignore", invalid="ignore"):
            share = (rig.fence_y_mm - points[:, 1]) / towards[:, 1]
        crosses = (share > 0.004) & (share < 1)
        share = np.where(crosses, share, 0)
        x, z = points[:, 0] + share * towards[:, 0], points[:, 2] + share * towards[:, 2]
        solid = crosses & (np.abs(x) < self._half_mm + 16) & (z < rig.fence_top_mm)
        for lane in rig.lanes:
            radius = lane.hole_mm / 2
            solid &= (x - lane.x_mm) ** 2 + (z - rig.ramp_foot[1] - radius) ** 2 > radius**2
        return np.asarray(solid)

    def _board(
        self, points: Floats, towards: Floats, low: tuple[float, float], high: tuple[float, float]
    ) -> NDArray[np.bool_]:
        slope = (high[1] - low[1]) / (high[0] - low[0])
        above = points[:, 2] - low[1] - slope * (points[:, 1] - low[0])
        climb = towards[:, 2] - slope * towards[:, 1]
        share = np.where(above < -2.5, -above / np.where(np.abs(climb) < 1e-6, 1e-6, climb), -1)
        x, y = points[:, 0] + share * towards[:, 0], points[:, 1] + share * towards[:, 1]
        inside = (np.abs(x) < self._half_mm) & (y > low[0]) & (y < high[0])
        return np.asarray((share > 0) & (share < 1) & inside)

    def _pan(self, points: Floats, towards: Floats) -> NDArray[np.bool_]:
        rig = self._rig
        share = np.where(points[:, 2] < rig.pan_z_mm - 1, (rig.pan_z_mm - points[:, 2]) / towards[:, 2], -1)
        x = points[:, 0] + share * towards[:, 0] - rig.pan_centre_mm[0]
        y = points[:, 1] + share * towards[:, 1] - rig.pan_centre_mm[1]
        radius = rig.pan_diameter_mm / 2
        return np.asarray(
            (share > 0) & ((x**2 + y**2 < radius**2) | (np.maximum(np.abs(x), np.abs(y)) < radius * 0.93))
        )


def lamp_points(lamp: Lamp, count: int) -> list[tuple[float, float, float]]:
    """Return `count` points spread over the lamp's disc (Vogel's spiral), for soft shadows."""
    x, y, z = lamp.place_mm
    radii = lamp.radius_mm * np.sqrt((np.arange(count) + 0.5) / count)
    turns = np.arange(count) * 2.39996
    return [(float(x + r * np.cos(a)), float(y + r * np.sin(a)), z) for r, a in zip(radii, turns, strict=True)]


def light_on(points: Floats, normal: tuple[float, float, float], shadows: Shadows | None, samples: int = 12) -> Floats:
    """Return the linear BGR light, shape (n, 3), that matt white points, shape (n, 3) mm, reflect."""
    n = np.asarray(normal, dtype=np.float32)
    total: Floats = np.tile(AMBIENT * np.float32(0.6 + 0.4 * max(normal[2], 0.0)), (len(points), 1))
    for lamp in LAMPS:
        towards = np.asarray(lamp.place_mm, dtype=np.float32) - points
        distance: Floats = np.linalg.norm(towards, axis=1)
        facing = np.clip(towards @ n / distance, 0, None)
        fade = (900.0 / distance) ** 2
        seen: Floats = np.ones(len(points), dtype=np.float32)
        if shadows is not None:
            spots = lamp_points(lamp, samples)
            seen = np.asarray(1 - np.mean([shadows.blocked(points, spot) for spot in spots], axis=0, dtype=np.float32))
        colour = np.asarray(lamp.colour, dtype=np.float32) * np.float32(lamp.level)
        total += (facing * fade * seen)[:, None].astype(np.float32) * colour
    return np.asarray(total, dtype=np.float32)
