"""The exposure that is held while spheres roll: short, so that they smear little, and as bright as was metered."""

from __future__ import annotations

import msgspec

WISHED_US = 2_000
"""A sphere at 1 m/s smears 1 mm in each millisecond: 2 mm are wanted."""
LONGEST_US = 8_000
"""In poor light up to 8 mm of smear are accepted, half of the smallest sphere; beyond that the picture gets darker."""


class HeldExposure(msgspec.Struct, frozen=True):
    """Exposure time in microseconds and analogue gain (1 and more)."""

    time_us: int
    gain: float


def held_exposure(metered: HeldExposure, most_gain: float) -> HeldExposure:
    """Return the exposure that gives the metered brightness with as little smear as the sensor's gain allows.

    :param metered: what the camera's own automatic found.
    :param most_gain: the highest analogue gain of the sensor.
    """
    brightness = metered.time_us * metered.gain
    time_us = min(max(WISHED_US, brightness / most_gain), LONGEST_US, metered.time_us)
    return HeldExposure(round(time_us), min(brightness / time_us, most_gain))
