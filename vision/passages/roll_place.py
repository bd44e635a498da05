"""Converts the y of a rolling sphere to a place along its lane, for drawing.

Every sphere is drawn at the same size, so the place must not reveal its size either (AP-4). A large sphere touches the
fence farther uphill than a small one. So no place is given close to the fence until the sphere touches it; then the
place is `AT_HOLE` for all sizes.
"""

from __future__ import annotations

from hardware.readings import AT_HOLE, BEYOND_FENCE
from hardware.rig import Rig

STEPS = 200
"""Number of places between the start and the fence: about 1 mm each, less than the movement in a frame."""
LARGEST_RADIUS_MM = 22.5
"""Radius of a sphere of 45 mm, the largest that a game allows."""
WEDGED_MM = 10.0
"""A wedged sphere's centre is up to this far uphill of the place where it would touch a fence without holes."""


def told_place(rig: Rig, y_mm: float, *, touched: bool, beyond: bool) -> int | None:
    """Return the place of a sphere that is at `y_mm`, has `touched` the fence, or has come out `beyond` it.

    The place increases from 0 at the start. It is None close to the fence.
    """
    if beyond or touched:
        return BEYOND_FENCE if beyond else AT_HOLE
    if y_mm < rig.fence_y_mm + LARGEST_RADIUS_MM + WEDGED_MM:
        return None
    start_y_mm = (rig.ramp_top[0] + rig.platform_end_y_mm) / 2
    share = (start_y_mm - y_mm) / (start_y_mm - rig.fence_y_mm)
    return max(0, round(share * STEPS) * (AT_HOLE // STEPS))
