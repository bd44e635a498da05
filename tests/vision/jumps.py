"""Staged spheres that roll through their hole, or leave the ramp, fly over the fence and fall on the landing board."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tests.vision.staged import BGR, HOLE, LANE_X, PULL, SLOPE, Ball, Stage

GRAVITY_MM_S2 = 9810.0
FENCE_TOP_MM = 70.0
STEP_S = 0.0005
WAIT_S = 0.2


@dataclass(frozen=True)
class Run:
    """One run to be drawn: `jump` says whether it goes over the fence."""

    lane: int
    fps: float
    radius_mm: float
    colour: str
    jump: bool
    places: tuple[tuple[float, float | None], ...]
    """y and, in the air, z, in mm, of each frame."""

    def frames(self, stage: Stage) -> list[np.ndarray]:
        """The pictures, the sphere waiting first."""
        wait = (self.places[0],) * round(WAIT_S * self.fps)
        return [
            stage.draw(Ball(LANE_X[self.lane], y, self.radius_mm, self.colour, z=z)) for y, z in (*wait, *self.places)
        ]


def any_run(random: np.random.Generator, *, jump: bool) -> Run:
    """Draw lane, speed, size, colour, the camera's rate and phase and, for a jump, where it leaves and how high."""
    lane, fps = int(random.integers(1, 8)), float(random.choice([28.0, 56.0]))
    radius_mm = float(random.uniform(9.0, 19.0) if jump else HOLE[lane] / 2 - random.uniform(0.4, 4.0))
    colour = str(random.choice(list(BGR)))
    leaves_y, spare_mm = float(random.uniform(20.0, 80.0)), float(random.uniform(1.0, 40.0))
    y, speed, t_s, due_s = 220.0, float(random.uniform(150.0, 420.0)), 0.0, float(random.uniform(0.0, 1.0)) / fps
    z, climb, flown = None, 0.0, False
    places: list[tuple[float, float | None]] = []
    while y > -88.0:
        if t_s >= due_s - 1e-9:
            places.append((y, z))
            due_s += 1.0 / fps
        if z is None:
            pull = PULL if 0 < y < 200 else (-1800.0 if y < 0 else -150.0)
            speed = max(speed + pull * STEP_S, 60.0)
            if jump and not flown and y <= leaves_y:
                flown, z = True, 8.0 + SLOPE * y + radius_mm * math.hypot(1.0, SLOPE)
                until_s = y / speed
                climb = (FENCE_TOP_MM + radius_mm + spare_mm - z + GRAVITY_MM_S2 * until_s**2 / 2) / until_s
        else:
            climb -= GRAVITY_MM_S2 * STEP_S
            z += climb * STEP_S
            z = None if y < 0 and z < 1.0 + radius_mm else z
        y -= speed * STEP_S
        t_s += STEP_S
    return Run(lane, fps, radius_mm, colour, jump, tuple(places))
