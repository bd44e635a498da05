"""Where a rolling sphere is, for drawing: its lane and its place along it, and nothing else.

Every sphere is drawn at one size, so the place must not tell a size either (AP-4). A large sphere meets the fence
farther uphill than a small one. So a place so near to the fence is not told until the sphere touches it, and then it
is `AT_HOLE` for all.
"""

from __future__ import annotations

from hardware.readings import AT_HOLE, BEYOND_FENCE
from hardware.rig import Rig

STEPS = 200
"""Places that are told apart between the start and the fence: about 1 mm each, a share of what a frame moves."""
LARGEST_RADIUS_MM = 22.5
"""Spheres of up to 45 mm are made (`TrackMonitor`'s sizes)."""
WEDGED_MM = 10.0
"""A wedged sphere's centre stands up to so far uphill of the place where it would touch a plain fence."""


def told_place(rig: Rig, y_mm: float, *, touched: bool, beyond: bool) -> int | None:
    """Return the place of a sphere that is at `y_mm`, has `touched` the fence, or has come out `beyond` it.

    It grows from 0 at the start. None is where nothing is told.
    """
    if beyond or touched:
        return BEYOND_FENCE if beyond else AT_HOLE
    if y_mm < rig.fence_y_mm + LARGEST_RADIUS_MM + WEDGED_MM:
        return None
    start_y_mm = (rig.ramp_top[0] + rig.platform_end_y_mm) / 2
    share = (start_y_mm - y_mm) / (start_y_mm - rig.fence_y_mm)
    return max(0, round(share * STEPS) * (AT_HOLE // STEPS))
