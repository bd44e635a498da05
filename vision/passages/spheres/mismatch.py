"""Mismatch: how badly a blob of the newest frame fits as the next position of a tracked sphere.

Each coordinate has a gate, the largest distance that can be explained. A blob at the gate's edge has a mismatch of 1.
The gates were set on the staged rolls, pushes and hands of `tests/vision/test_passage.py` and on
`tests/bench/hard_passages.py`, which test them. Sizes are radii divided by the sphere's own radius.
"""

from __future__ import annotations

import math

from vision.passages.sheet.track_blobs import HUE_SLACK, TrackBlob, hue_gap
from vision.passages.spheres.tracked_sphere import CLEAR_BEYOND, HIDDEN_FROM_MM, TrackedSphere

NO_MATCH = 2.0
LARGEST_SIZE, SMALLEST_SIZE = 1.4, 0.65
"""A larger blob is another sphere. So is a smaller one, unless the fence hides a part of it."""
SHEET_END_MM = 35.0
"""Distance from the landing board's edge within which the end of the sheet may cut a sphere: it then looks smaller."""
ANOTHER_UPHILL_MM = 10.0
"""A blob farther uphill of the end of a roll is another sphere, or this one set down for another roll."""
FORGET_HAND_S = 0.3
LYING_GATE_MM, LYING_GATE_MM_S, LYING_GATE_MM_S2, LYING_LONGEST_S = 9.0, 250.0, 600.0, 0.2
"""Gate of a resting sphere: for noise, a knock, and the start of a roll (a little under half of `ROLLING_MM_S2`)."""
ROLLING_AWAY_SHARE = 0.3
"""Weight of a downhill move after the end: the sphere may still be rolling away on the landing board."""
HELD_GATE_MM, HELD_GATE_MM_S, HELD_LONGEST_S, HELD_ASIDE_MM, HELD_UPHILL = 30.0, 900.0, 0.3, 18.0, 2.0
"""Gate of a sphere with a hand at it. It is carried downhill at up to 0.9 m/s, and aside by less than half a lane.
`HELD_UPHILL` is the factor by which an uphill move is less likely."""
ROLLING_GATE_MM, SLOWER_SHARE, FASTER_SHARE = 9.0, 1.2, 0.35
"""Gate of a rolling sphere: for noise, and as fractions of the path since it was last seen whole. A wall slows it much
more than anything accelerates it."""
PUSHED_MM_S2, ROLLING_GATE_MM_S2 = 4000.0, 900.0
"""Half of the unmodelled acceleration: on the platform a finger may still push; elsewhere friction varies."""
STAY_GATE_MM, STAY_GATE_MM_S = 9.0, 600.0
"""Gate of a sphere half hidden at the fence: it may stay or come back although it is expected beyond the fence."""
ASIDE_GATE_MM, ASIDE_GATE_MM_S, ASIDE_LONGEST_S = 14.0, 120.0, 0.1
"""Gate across the lane: the room of a small sphere between the walls, and the speed of one that changes its lane."""
IN_HOLE_Y_MM, IN_HOLE_SIZE, IN_HOLE_COST = 8.0, 0.75, 0.5
"""A small part seen through the hole tells little about the sphere's position, so it costs more than a part uphill."""
PART_SIZE, PART_COST = 0.6, 0.5
HUE_COST = 4.0
"""Cost of a distance of two chromaticities beyond `HUE_SLACK`: 0.25 costs a whole gate."""
PLATFORM_REACH_MM = 15.0
"""Distance from the ramp's top within which a sphere may still touch the platform: the radius of a typical sphere."""


def mismatch(sphere: TrackedSphere, t_s: float, seen: TrackBlob) -> float:
    """Return how badly a blob fits as the sphere's next position: 0 is perfect, above 1 is no match."""
    dt = t_s - sphere.last.t_s
    size = seen.radius_mm / sphere.radius_mm
    near_fence = abs(seen.y_mm) < sphere.radius_mm + HIDDEN_FROM_MM
    if size > LARGEST_SIZE or (
        size < SMALLEST_SIZE and not near_fence and seen.y_mm > sphere.landing_end_y_mm + SHEET_END_MM
    ):
        return NO_MATCH
    if sphere.stage == "resting" and seen.y_mm < 0.0:
        return NO_MATCH  # it waits uphill of the fence: what is beyond has rolled, or is a shadow
    if sphere.stage == "rolling":
        gap = _rolling_gap(sphere, t_s, dt, seen)
    elif sphere.stage == "ended" and seen.y_mm > sphere.last.y_mm + ANOTHER_UPHILL_MM:
        return NO_MATCH
    elif sphere.stage == "ended" or sphere.held_s < t_s - FORGET_HAND_S:
        gap = _lying_gap(sphere, min(dt, LYING_LONGEST_S), seen)
    else:
        down = sphere.last.y_mm - seen.y_mm
        gate = HELD_GATE_MM + HELD_GATE_MM_S * min(dt, HELD_LONGEST_S)
        gap = max(abs(seen.x_mm - sphere.last.x_mm) / HELD_ASIDE_MM, (down if down > 0 else -HELD_UPHILL * down) / gate)
    part = PART_COST * max(0.0, PART_SIZE - size) / PART_SIZE + (IN_HOLE_COST if _in_hole(sphere, seen) else 0.0)
    return gap + part + HUE_COST * max(0.0, hue_gap(seen.bgr, sphere.colours[-1]) - HUE_SLACK)


def other_part(sphere: TrackedSphere, seen: TrackBlob, others: list[TrackBlob]) -> TrackBlob | None:
    """Return what shows of a rolling sphere beside `seen` where the fence cuts it in two: over its edge, in its hole.

    The two lie within the sphere's outline and cover less than all of it.
    """
    if sphere.stage != "rolling":
        return None
    for other in others:
        lower, upper = (other, seen) if other.y_mm < seen.y_mm else (seen, other)
        if (
            _in_hole(sphere, lower)
            and upper.y_mm > IN_HOLE_Y_MM
            and math.hypot(upper.x_mm - lower.x_mm, upper.y_mm - lower.y_mm) < 2 * sphere.radius_mm
            and math.hypot(upper.radius_mm, lower.radius_mm) < sphere.radius_mm
        ):
            return other
    return None


def _in_hole(sphere: TrackedSphere, seen: TrackBlob) -> bool:
    in_plane = -CLEAR_BEYOND * sphere.radius_mm < seen.y_mm < IN_HOLE_Y_MM
    return in_plane and seen.radius_mm < IN_HOLE_SIZE * sphere.radius_mm


def _lying_gap(sphere: TrackedSphere, dt: float, seen: TrackBlob) -> float:
    starting_mm = LYING_GATE_MM_S2 * dt * dt if sphere.stage == "resting" else 0.0
    gate = LYING_GATE_MM + starting_mm + LYING_GATE_MM_S * dt
    along = abs(seen.y_mm - sphere.last.y_mm)
    if sphere.stage == "ended" and seen.y_mm < sphere.last.y_mm:
        along *= ROLLING_AWAY_SHARE
    return max(along, abs(seen.x_mm - sphere.last.x_mm)) / gate


def _rolling_gap(sphere: TrackedSphere, t_s: float, dt: float, seen: TrackBlob) -> float:
    vx, vy = sphere.velocity_mm_s()
    unseen_s = t_s - sphere.pace[-1].t_s
    ahead = seen.y_mm - sphere.expected_y(t_s)
    on_platform = sphere.last.y_mm > sphere.ramp_top_y_mm - PLATFORM_REACH_MM
    surge = PUSHED_MM_S2 if on_platform else ROLLING_GATE_MM_S2
    share = FASTER_SHARE if ahead < 0 else SLOWER_SHARE
    on = abs(ahead) / (ROLLING_GATE_MM + share * abs(vy) * unseen_s + surge * unseen_s * unseen_s)
    stay = on
    if not sphere.last.whole:
        stay = abs(seen.y_mm - sphere.last.y_mm) / (STAY_GATE_MM + STAY_GATE_MM_S * dt)
    across_mm = abs(seen.x_mm - sphere.last.x_mm - vx * min(dt, ASIDE_LONGEST_S))
    return max(min(on, stay), across_mm / (ASIDE_GATE_MM + ASIDE_GATE_MM_S * dt))
