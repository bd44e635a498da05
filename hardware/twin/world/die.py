"""The die in the tray: its motion while it tumbles, and its final upper face."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from hardware.rig import Rig
from hardware.twin.world.scene import DiePose

Array = NDArray[np.float64]

DIE_SIDE_MM = 16.0

_FACE_UP: dict[int, tuple[tuple[int, int, int], ...]] = {
    1: ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    6: ((1, 0, 0), (0, -1, 0), (0, 0, -1)),
    2: ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
    5: ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
    3: ((0, 0, -1), (0, 1, 0), (1, 0, 0)),
    4: ((0, 0, 1), (0, 1, 0), (-1, 0, 0)),
}
"""Value → rotation from die to table with that face up. In the die 1 faces +Z, 2 +Y, 3 +X; opposites sum to 7."""


@dataclass(frozen=True)
class ThrownDie:
    """One throw of the die: it tumbles from `from_mm` to `to_mm` until `still_s`, then shows `value`.

    `rest` is its final rotation (die to table); it spins `spin_rad` about `axis` on the way there.
    """

    value: int
    thrown_s: float
    still_s: float
    from_mm: tuple[float, float]
    to_mm: tuple[float, float]
    axis: Array
    spin_rad: float
    rest: Array

    def cube_at(self, t_s: float, floor_mm: float) -> DiePose:
        """Return the pose at `t_s` in a tray whose floor is at height `floor_mm`."""
        share = min(max((t_s - self.thrown_s) / (self.still_s - self.thrown_s), 0.0), 1.0)
        left = (1 - share) ** 2
        x = self.to_mm[0] + (self.from_mm[0] - self.to_mm[0]) * left
        y = self.to_mm[1] + (self.from_mm[1] - self.to_mm[1]) * left
        hop = 26.0 * abs(math.cos(share * math.pi * 2.5)) * left if share < 1 else 0.0
        z = floor_mm + DIE_SIDE_MM / 2 + hop
        return DiePose((x, y, z), _about(self.axis, self.spin_rad * left) @ self.rest, share < 1)


def throw(rig: Rig, rng: Random, *, value: int | None, from_mm: tuple[float, float], now_s: float) -> ThrownDie:
    """Throw the die into the tray. `rng` chooses the face (unless `value` is given) and the place where it stops."""
    face = value if value is not None else rng.randint(1, 6)
    yaw = rng.uniform(0, 2 * math.pi)
    around = np.array([[math.cos(yaw), -math.sin(yaw), 0], [math.sin(yaw), math.cos(yaw), 0], [0, 0, 1.0]])
    room = rig.tray_side_mm / 2 - DIE_SIDE_MM
    x, y = rig.tray_centre_mm
    axis = np.array([rng.gauss(0, 1), rng.gauss(0, 1), rng.gauss(0, 0.4)])
    return ThrownDie(
        value=face,
        thrown_s=now_s,
        still_s=now_s + rng.uniform(0.55, 0.95),
        from_mm=from_mm,
        to_mm=(x + rng.uniform(-room, room), y + rng.uniform(-room, room)),
        axis=axis / np.linalg.norm(axis),
        spin_rad=rng.uniform(9.0, 16.0),
        rest=around @ np.array(_FACE_UP[face], dtype=np.float64),
    )


def _about(axis: Array, angle: float) -> Array:
    """Return the rotation by `angle` about the unit vector `axis` (Rodrigues)."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross)
