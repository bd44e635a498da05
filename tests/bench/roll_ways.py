"""How spheres roll, wedge, bounce, fly and fall, and how hands come and go: places over time, from mechanics."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.bench.lit_table import RIG, SLOPE

STEP_S = 0.001
RAMP_MM_S2 = 5 / 7 * 9810 * SLOPE / (1 + SLOPE**2) * 0.96  # rolling, less rolling friction
PLATFORM_MM_S2, BOARD_MM_S2, GRAVITY_MM_S2 = 150.0, 800.0, 9810.0
RUBS = 0.4  # of the radius before and behind the fence: where a tight hole rubs
LEAST_EXIT_MM_S = 240.0  # what the step from the ramp down to the board gives

Vector = NDArray[np.float64]
Way = Callable[[float], Vector | None]
"""Where something is at a time in seconds: table mm, shape (3,); None where it is away."""


@dataclass(frozen=True)
class Roll:
    """A rolling sphere's way; when it leaves its place, crosses the fence's plane and comes to rest, s."""

    way: Way
    left_s: float
    crossed_s: float | None
    rest_s: float | None


def height_mm(y_mm: float, radius_mm: float) -> float:
    """Return the height of the centre of a sphere that lies on the track."""
    if y_mm > RIG.ramp_top[0]:
        return RIG.ramp_top[1] + radius_mm
    return min(RIG.ramp_foot[1] + SLOPE * y_mm + radius_mm * math.hypot(1, SLOPE), RIG.ramp_top[1] + radius_mm)


def wedge_y_mm(radius_mm: float, hole_mm: float) -> float:
    """Return where a sphere larger than its hole stands: on the ramp and against the hole's upper rim."""
    low, high = 0.0, radius_mm

    def over(y: float) -> float:
        # The rim's top is `hole_mm` over the ramp's foot; the sphere stands uphill of it.
        return SLOPE * y + radius_mm * math.hypot(1, SLOPE) - hole_mm + math.sqrt(max(radius_mm**2 - (y - 1) ** 2, 0))

    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if over(middle) > 0 else (low, middle)
    return high


def rolled(
    radius_mm: float,
    lane: int,
    start: tuple[float, float, float],
    *,
    stops_at: tuple[float, ...] = (),
    rebound: float = 0.0,
    through_s: float | None = None,
    squeeze: float = 1.0,
    hop: tuple[float, float] | None = None,
    weave: tuple[float, float] = (0.0, 0.0),
) -> Roll:
    """Roll a sphere from `start` (s, y in mm, speed in mm/s after a short push) in a lane.

    :param stops_at: the y at which it wedges; a `rebound` share of its speed throws it back first.
    :param through_s: so long after it rests there, it slips through after all; `squeeze` is the share of its speed
        that the hole leaves.
    :param hop: from the first y to the second it changes over to the lane on its left.
    :param weave: swing across its lane, mm, and its phase.
    """
    left_s, y, speed = start
    ys, zs = [], []
    v, z, climb, crossed, rest, bounced = 0.0, height_mm(y, radius_mm), 0.0, None, None, 0
    push_s = 0.08
    step = 0
    while step * STEP_S < left_s + 6.0:
        t_s = step * STEP_S
        step += 1
        ys.append(y)
        zs.append(z)
        if t_s < left_s:
            continue
        if rest is not None and not (through_s is not None and t_s > rest + through_s):
            continue
        if rest is not None:
            stops_at, rest, v = (), None, 30.0
        if t_s < left_s + push_s:
            v = speed * (t_s - left_s) / push_s
        else:
            v += STEP_S * (RAMP_MM_S2 if 0 < y < RIG.ramp_top[0] else -(BOARD_MM_S2 if y <= 0 else PLATFORM_MM_S2))
        if v <= 0 and not (0 < y < RIG.ramp_top[0]) and t_s >= left_s + push_s:
            v, rest = 0.0, t_s
        after = y - v * STEP_S
        if stops_at and after <= stops_at[0]:
            after, v, bounced = stops_at[0], -v * rebound * 0.5**bounced, bounced + 1
            if abs(v) < 25.0:
                v, rest = 0.0, t_s
        if y > 0 >= after:
            crossed, v = t_s, max(v, LEAST_EXIT_MM_S)
        if abs(y) < RUBS * radius_mm and v > LEAST_EXIT_MM_S:
            v *= squeeze ** ((y - after) / (2 * RUBS * radius_mm))
        y = after
        floor = height_mm(y, radius_mm) if y > 0 else RIG.landing_z_mm + radius_mm
        climb -= GRAVITY_MM_S2 * STEP_S
        z = max(floor, z + climb * STEP_S)
        climb = 0.0 if z == floor else climb
        if z == floor and y > 0:
            climb = -v * SLOPE
    places = np.column_stack([ys, zs])
    x = RIG.lane(lane).x_mm

    def way(t_s: float) -> Vector | None:
        at = min(max(t_s / STEP_S, 0.0), len(places) - 1.001)
        share = at - int(at)
        y_mm, z_mm = (1 - share) * places[int(at)] + share * places[int(at) + 1]
        across = weave[0] * math.sin(y_mm / 35 + weave[1]) if y_mm < RIG.ramp_top[0] else 0.0
        if hop is not None:
            across -= RIG.lane_pitch_mm * min(max((hop[0] - y_mm) / (hop[0] - hop[1]), 0.0), 1.0)
        return np.array([x + across, y_mm, z_mm]) if y_mm > -200 else None

    return Roll(way, left_s, crossed, rest)


def flown(radius_mm: float, lane: int, start: tuple[float, float, float], leaves_y_mm: float, spare_mm: float) -> Way:
    """Roll a sphere from `start` as `rolled` does, throw it up at a y, and let it fall behind the fence.

    :param spare_mm: between the fence's top and the sphere, as it flies over.
    """
    roll = rolled(radius_mm, lane, start)
    x = RIG.lane(lane).x_mm
    left_s = next(t_s for t_s in np.arange(start[0], start[0] + 6, STEP_S) if _y_of(roll, t_s) <= leaves_y_mm)
    y, z = leaves_y_mm, height_mm(leaves_y_mm, radius_mm)
    pace = (y - _y_of(roll, left_s + STEP_S)) / STEP_S
    over_s = y / pace
    climb = (RIG.fence_top_mm + radius_mm + spare_mm - z) / over_s + GRAVITY_MM_S2 * over_s / 2
    lies_z = RIG.landing_z_mm + radius_mm

    def way(t_s: float) -> Vector | None:
        air_s = t_s - left_s
        if air_s < 0:
            return roll.way(t_s)
        at_y = y - pace * air_s
        at_z = z + climb * air_s - GRAVITY_MM_S2 * air_s**2 / 2
        return np.array([x, at_y, at_z if at_y > 0 else max(at_z, lies_z)]) if at_y > -200 else None

    return way


def _y_of(roll: Roll, t_s: float) -> float:
    at = roll.way(t_s)
    assert at is not None
    return float(at[1])


def eased(share: float) -> float:
    """Return 0–1 for 0–1, slow at both ends."""
    share = min(max(share, 0.0), 1.0)
    return share * share * (3 - 2 * share)


def reaching(target: Way, from_s: float, to_s: float, away: Vector, takes_s: float = 0.4) -> Way:
    """Return a hand's tip: in from `away` mm over `takes_s`, at `target` from `from_s` to `to_s`, and out again."""

    def way(t_s: float) -> Vector | None:
        out = eased((from_s - t_s) / takes_s) if t_s < from_s else eased((t_s - to_s) / takes_s)
        at = target(min(max(t_s, from_s), to_s))
        return None if at is None or out >= 1.0 else at + away * out

    return way


def taken(ball: Way, at_s: float, hand: Way) -> Way:
    """Return a ball's way that from `at_s` on moves with a hand."""
    start = ball(at_s)
    tip = hand(at_s)
    assert start is not None
    assert tip is not None

    def way(t_s: float) -> Vector | None:
        if t_s < at_s:
            return ball(t_s)
        now = hand(t_s)
        return None if now is None else start + now - tip

    return way
