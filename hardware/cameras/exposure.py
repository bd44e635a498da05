"""The exposure that is held while spheres roll: short, for little motion blur, and as bright as the metered one."""

from __future__ import annotations

import msgspec

WISHED_US = 2_000
"""Preferred exposure time. A sphere at 1 m/s, a fast roll, blurs by 1 mm per millisecond: 2 mm are acceptable."""


class HeldExposure(msgspec.Struct, frozen=True):
    """Exposure time in microseconds and analogue gain (1 and more)."""

    time_us: int
    gain: float


def flicker_period_us(mains_hz: int) -> int:
    """Return the flicker period of a lamp on the mains, half a mains cycle: 10 ms (50 Hz), 8.3 ms (60 Hz).

    It is also the longest exposure that is held. A sphere at 1 m/s then blurs by 8 to 10 mm, two thirds of the smallest
    sphere (15 mm). When more light is needed, the picture gets darker instead.
    """
    return round(1e6 / (2 * mains_hz))


def held_exposure(
    metered: HeldExposure,
    gains: tuple[float, float],
    period_us: int,
    *,
    flickering: bool = False,
) -> HeldExposure:
    """Return the exposure that gives the metered brightness with as little motion blur as the sensor's gain allows.

    :param metered: result of the camera's auto-exposure.
    :param gains: the lowest and the highest analogue gain of the sensor.
    :param period_us: flicker period of lamps on the mains (`flicker_period_us`).
    :param flickering: whether the lamp flickers. Then the exposure time is a whole period, so that every picture gets
        the same light, unless that is too bright at the lowest gain.
    """
    least_gain, most_gain = gains
    brightness = metered.time_us * metered.gain
    if flickering and brightness >= period_us * least_gain:
        return HeldExposure(period_us, min(brightness / period_us, most_gain))
    time_us = min(max(WISHED_US, brightness / most_gain), period_us, metered.time_us)
    return HeldExposure(round(time_us), min(brightness / time_us, most_gain))
