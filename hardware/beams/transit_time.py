"""The least time that a sphere needs from breaking the front beam to breaking the back one. Pure."""

from __future__ import annotations

import math

from hardware.rig import Beam, Rig

FASTEST_PUSH_M_S = 2.0
"""Speed at the top of the ramp after a flick, in m/s. It is almost five times the strongest push that the simulated
table was fitted to (`PUSH_MM_S` in `hardware.twin.world.physics`)."""
LARGEST_SPHERE_MM = 45.0
SMALLEST_SPHERE_MM = 15.0
GRAVITY_M_S2 = 9.81


def least_transit_s(rig: Rig) -> float:
    """Return the least time between the breaks of both beams by one sphere, in seconds: 8.6 ms on the standard rig.

    0 means that no time is too short: the back beam is so near that a large sphere may reach it first, or the rig does
    not have both beams.

    The speed is √(push² + 2·g·h). h is the height of the ramp's top over the landing. A sphere that rolls is slower,
    because it also gains spin. The way is that of the sphere's centre: the front beam breaks half a chord before the
    centre reaches it, the back beam at most a radius before. It is shortest for the largest or for the smallest sphere.
    """
    beams = {beam.name: beam for beam in rig.beams}
    if not {"front", "back"} <= beams.keys():
        return 0.0
    drop_m = max(rig.ramp_top[1] - rig.landing_z_mm, 0.0) / 1000
    fastest_m_s = math.sqrt(FASTEST_PUSH_M_S**2 + 2 * GRAVITY_M_S2 * drop_m)
    apart_mm = beams["front"].y_mm - beams["back"].y_mm
    lead_mm = min(
        _half_chord_mm(rig, beams["front"], diameter_mm) - diameter_mm / 2
        for diameter_mm in (SMALLEST_SPHERE_MM, LARGEST_SPHERE_MM)
    )
    return max(apart_mm + lead_mm, 0.0) / 1000 / fastest_m_s


def _half_chord_mm(rig: Rig, front: Beam, diameter_mm: float) -> float:
    """Return half the length on which a sphere on the ramp breaks the front beam; 0 where it passes beside the beam."""
    above_mm = front.z_mm - rig.ramp_z_mm(front.y_mm)
    return math.sqrt(max(above_mm * (diameter_mm - above_mm), 0.0))
