"""Physics of a rolling sphere: platform, ramp, fence, landing. It is deterministic and takes a few ms per roll.

A solid ball that rolls without slipping accelerates by 5/7 of gravity's component along its path. Putty loses some of
that to rolling friction, and much of its speed on landing. At the fence geometry decides: the sphere passes when its
largest caliper fits the hole. Otherwise its surface meets the rim and it wedges there, about 10 mm uphill
(HARDWARE.md). Friction, rebound and push were fitted to the traced clips; `tests/hardware/twin/test_physics.py`
compares with them.
"""

from __future__ import annotations

import math
from random import Random

import msgspec
import numpy as np

from hardware.rig import Rig
from hardware.twin.world.simulated_roll import SimulatedRoll, TrueOutcome

STEP_S = 0.002
GRAVITY_MM_S2 = 9810.0
ROLLING_SHARE = 5 / 7
FRICTION_PLATFORM = 0.030
FRICTION_RAMP = 0.012
FRICTION_LANDING = 0.21
LANDING_SPEED_KEPT = 0.58
EDGE_SPEED_MM_S = 300.0
"""Speed that a slow ball gains by rolling off the 7 mm edge behind the fence: √(2·g·7 mm·5/7)."""
SQUEEZE_MM = 0.04
"""Largest excess of a soft ball over its hole with which its own speed still presses it through."""
CENTRED_MM = 2.5
"""Largest offset beyond the hole's clearance at which a ball slips in along the rim. With more it bounces off first."""
PUSH_MM_S = (30.0, 420.0)
"""Speed after the gentlest and the strongest push."""
PUSH_S = 0.14
LONGEST_ROLL_S = 12.0


def centre_height_mm(rig: Rig, y_mm: float, radius_mm: float) -> float:
    """Return the height of the centre of a ball that rests on ramp or platform with its centre at `y_mm`."""
    (foot_y, foot_z), (top_y, top_z) = rig.ramp_foot, rig.ramp_top
    slope = (top_z - foot_z) / (top_y - foot_y)
    cosine = 1 / math.hypot(1, slope)
    if y_mm >= top_y:
        return top_z + radius_mm
    if y_mm >= top_y - radius_mm * slope * cosine:
        return top_z + math.sqrt(max(radius_mm**2 - (top_y - y_mm) ** 2, 0.0))
    return foot_z + slope * (y_mm - foot_y) + radius_mm / cosine


def rim_contact_y_mm(rig: Rig, lane: int, radius_mm: float, aside_mm: float = 0.0) -> float:
    """Return the y of the centre at which a rolling ball first touches the rim of its hole on the uphill face.

    Return minus infinity for a ball that fits and is well centred: it does not touch the rim.
    """
    face_y = rig.fence_y_mm + rig.fence_thickness_mm / 2
    hole_radius = rig.lane(lane).hole_mm / 2
    hole_z = rig.ramp_foot[1] + hole_radius
    for y_mm in np.arange(face_y + radius_mm, face_y - 1e-9, -0.05):
        off_centre = math.hypot(aside_mm, centre_height_mm(rig, float(y_mm), radius_mm) - hole_z)
        if (y_mm - face_y) ** 2 + (hole_radius - off_centre) ** 2 < radius_mm**2:
            return float(y_mm)
    return -math.inf


class PushedSphere(msgspec.Struct, frozen=True, kw_only=True):
    """A sphere on the platform, and the push that it gets.

    :param lane: the lane it is pushed into.
    :param strength: of the push, 0–1; below about 0.12 the sphere stays on the platform.
    :param start_mm: x and y of its centre on the platform.
    :param drift_to: a neighbouring lane that it jumps into on the way, for a badly aimed push.
    """

    mean_diameter_mm: float
    largest_caliper_mm: float
    lane: int
    strength: float
    start_mm: tuple[float, float]
    drift_to: int | None = None


def roll(rig: Rig, pushed: PushedSphere, start_s: float, rng: Random) -> SimulatedRoll:
    """Return how a sphere rolls that is pushed at the second `start_s`."""
    return _Rolling(rig, pushed, start_s, rng).run()


class _Rolling:
    """The state of one roll during its computation."""

    def __init__(self, rig: Rig, pushed: PushedSphere, start_s: float, rng: Random) -> None:
        self.rig, self.rng, self.start_s = rig, rng, start_s
        self.aimed, self.lane, self.drift_to = pushed.lane, pushed.lane, pushed.drift_to
        self.radius = pushed.mean_diameter_mm / 2
        self.caliper = pushed.largest_caliper_mm
        slowest, fastest = PUSH_MM_S
        self.push_speed = slowest + (fastest - slowest) * min(max(pushed.strength, 0.0), 1.0)
        self.t = start_s
        self.x, self.y = pushed.start_mm
        self.z = centre_height_mm(rig, self.y, self.radius)
        self.speed = 0.0
        self.speed_x = rng.gauss(0.0, 2.5)
        self.turned = 0.0
        self.path: list[tuple[float, float, float, float, float]] = []
        self.crossed_s: float | None = None
        self.touched_s: float | None = None

    def run(self) -> SimulatedRoll:
        self._note()
        if not self._down_the_ramp():
            return self._finish("short")
        if not self._at_the_fence():
            return self._finish("stuck" if self.lane == self.aimed else "astray")
        self._landing()
        return self._finish("passed" if self.lane == self.aimed else "astray")

    def _note(self) -> None:
        self.path.append((self.t, self.x, self.y, self.z, self.turned))

    def _finish(self, outcome: TrueOutcome) -> SimulatedRoll:
        table = np.array(self.path)
        return SimulatedRoll(
            times_s=table[:, 0],
            centres_mm=table[:, 1:4],
            turned_rad=table[:, 4],
            outcome=outcome,
            lane=self.lane,
            started_s=self.start_s,
            rest_s=self.t,
            crossed_s=self.crossed_s,
            touched_s=self.touched_s,
        )

    def _step_along(self) -> None:
        """Advance one step on ramp or platform. `speed` is along the path, positive downhill."""
        ahead = self.y - 0.5
        slope = (self.z - centre_height_mm(self.rig, ahead, self.radius)) / 0.5
        path = math.hypot(1, slope)
        on_ramp = self.y < self.rig.ramp_top[0]
        friction = (FRICTION_RAMP if on_ramp else FRICTION_PLATFORM) * GRAVITY_MM_S2 / path
        pull = GRAVITY_MM_S2 * slope / path
        drag = math.copysign(min(friction, abs(self.speed) / STEP_S / ROLLING_SHARE), self.speed)
        self.speed += ROLLING_SHARE * (pull - drag) * STEP_S
        self.y -= self.speed / path * STEP_S
        self.z = centre_height_mm(self.rig, self.y, self.radius)
        self.turned += self.speed * STEP_S / self.radius
        self._step_aside()
        self.t += STEP_S

    def _step_aside(self) -> None:
        """Advance one step sideways: a slow drift that the lane's walls reflect, or a jump into the next lane."""
        middle = self.rig.lane(self.lane).x_mm
        if self.drift_to is not None and self.y < 185:
            middle = self.rig.lane(self.drift_to).x_mm
            self.speed_x = math.copysign(0.45 * abs(self.speed) + 30.0, middle - self.x)
            if abs(self.x - middle) < 3:
                self.lane, self.drift_to, self.speed_x = self.drift_to, None, self.speed_x * 0.1
        self.x += self.speed_x * STEP_S
        wall = self.rig.wall_height_mm
        reach = math.sqrt(max(self.radius**2 - (self.radius - wall) ** 2, 0.0)) if self.radius > wall else self.radius
        room = max((self.rig.lane_pitch_mm - self.rig.wall_thickness_mm) / 2 - reach, 0.3)
        on_ramp = self.y < self.rig.ramp_top[0]
        if self.drift_to is None and on_ramp and abs(self.x - middle) > room:
            self.x = middle + math.copysign(room, self.x - middle)
            self.speed_x *= -0.35

    def _down_the_ramp(self) -> bool:
        """Roll from the push to the fence; return False when the ball stops before it."""
        while self.t - self.start_s < PUSH_S:
            self.speed = self.push_speed * min((self.t - self.start_s) / PUSH_S + 0.01, 1.0)
            self._step_along()
            self._note()
        reach = self.rig.fence_y_mm + self.rig.fence_thickness_mm / 2 + self.radius
        while self.y > reach:
            self._step_along()
            self._note()
            if self.speed <= 1.0 or self.t - self.start_s > LONGEST_ROLL_S:
                return False
        return True

    @property
    def fits(self) -> bool:
        """Whether the whole sphere can go through the hole of its lane (SM-38)."""
        return self.caliper <= self.rig.lane(self.lane).hole_mm + SQUEEZE_MM

    def _at_the_fence(self) -> bool:
        """Approach the fence, then bounce, wedge or go through; return True when the ball went through."""
        middle = self.rig.lane(self.lane).x_mm
        radius = self.caliper / 2
        clearance = (self.rig.lane(self.lane).hole_mm - self.caliper) / 2
        contact = -math.inf
        if not self.fits:
            contact = rim_contact_y_mm(self.rig, self.lane, radius, abs(self.x - middle) * 0.3)
            if not math.isfinite(contact):
                contact = self.rig.fence_y_mm + self.rig.fence_thickness_mm / 2
        elif abs(self.x - middle) > max(clearance, 0.0) + CENTRED_MM:
            contact = rim_contact_y_mm(self.rig, self.lane, radius, abs(self.x - middle))
        liveliness = self.rng.uniform(0.0, 0.38)
        while self.y > self.rig.fence_y_mm:
            self._step_along()
            self.x += (middle - self.x) * 0.02
            if self.y <= contact:
                self.touched_s = self.t if self.touched_s is None else self.touched_s
                self.y = contact
                self.z = centre_height_mm(self.rig, self.y, self.radius)
                self.x += (middle - self.x) * 0.6
                self.speed_x *= 0.3
                rebound = self.speed * liveliness
                if rebound < 45.0:
                    if not self.fits:
                        self.speed = 0.0
                        self._note()
                        return False
                    contact, rebound = -math.inf, 0.0
                self.speed = -rebound
            elif self.fits and abs(self.x - middle) <= max(clearance, 0.0) + CENTRED_MM:
                contact = -math.inf
            self._note()
        self.crossed_s = self.t + self.y / max(self.speed, 1.0)
        return True

    def _landing(self) -> None:
        """Roll over the edge, fall onto the board, and roll to a stop."""
        floor = self.rig.landing_z_mm + self.radius
        fall = 0.0
        self.speed_x += self.rng.gauss(0.0, 9.0)
        landed = False
        friction = FRICTION_LANDING * GRAVITY_MM_S2 * self.rng.uniform(0.85, 1.2)
        while self.speed > 0.0:
            self.y -= self.speed * STEP_S
            self.x += self.speed_x * STEP_S
            if not landed:
                fall += GRAVITY_MM_S2 * STEP_S
                self.z = max(self.z - fall * STEP_S, floor)
                if self.z <= floor:
                    landed = True
                    self.speed = max(self.speed * LANDING_SPEED_KEPT, EDGE_SPEED_MM_S)
            else:
                self.speed -= ROLLING_SHARE * friction * STEP_S
                self.speed_x *= 0.995
            self.turned += max(self.speed, 0.0) * STEP_S / self.radius
            self.t += STEP_S
            self._note()
        self.speed = 0.0
