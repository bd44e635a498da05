"""Finds the lane of a tracked sphere, and whether it has left that lane."""

from __future__ import annotations

from hardware.rig import Rig
from vision.passages.spheres.tracked_sphere import TrackedSphere

SWITCH_LANES = 0.6
"""A sphere farther from the middle of its lane, in lane pitches, is in another lane: the wall is at 0.5."""
LANE_EDGE_MM = 2.0
"""A sphere is at no lane if it is farther from every lane's middle than half a pitch plus this."""
ENTRY_MM = 4.0
"""Distance below the ramp's top at which a sphere is between the walls: its lane is determined here."""


def nearest_lane(rig: Rig, x_mm: float) -> int | None:
    """Return the number of the lane nearest to `x_mm`; None beside the track."""
    lane = min(rig.lanes, key=lambda each: abs(each.x_mm - x_mm))
    return lane.number if abs(lane.x_mm - x_mm) <= rig.lane_pitch_mm / 2 + LANE_EDGE_MM else None


def entered_lane(rig: Rig, sphere: TrackedSphere) -> int | None:
    """Return the number of the lane in which the sphere entered the ramp; before that, of the lane nearest to it."""
    entered_x_mm = sphere.points.x_at(rig.ramp_top[0] - ENTRY_MM)
    return nearest_lane(rig, sphere.last.x_mm if entered_x_mm is None else entered_x_mm)


def in_another_lane(rig: Rig, sphere: TrackedSphere, x_mm: float) -> bool:
    """Return whether `x_mm` is in another lane than the one in which the sphere entered the ramp."""
    lane = entered_lane(rig, sphere)
    return lane is not None and abs(x_mm - rig.lane(lane).x_mm) > SWITCH_LANES * rig.lane_pitch_mm


def has_switched(rig: Rig, sphere: TrackedSphere) -> bool:
    """Return whether the sphere has left the lane in which it entered the ramp. One frame is not enough."""
    lane = entered_lane(rig, sphere)
    return lane is not None and sphere.strayed(rig.lane(lane).x_mm, SWITCH_LANES * rig.lane_pitch_mm) > 1
