"""The exposure that is held, and whether the light flickers: arithmetic against the physics of lamps and shutters."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hardware.cameras.exposure import WISHED_US, HeldExposure, flicker_period_us, held_exposure
from hardware.cameras.flicker import FLICKERS, FRAMES, FlickerMeter

IMX708_GAINS = (1.12, 16.0)
ROW_S = 20e-6
"""Readout of a row in the IMX708's full-field mode of 1296 rows: 26 ms at most; of 432 rows here, three times that."""


@pytest.mark.parametrize(
    ("metered_us", "gain", "flickering", "held_us", "held_gain"),
    [
        (1_000, 1.2, False, 1_000, 1.2),  # bright: as metered
        (10_000, 1.12, False, WISHED_US, 5.6),  # a lit room: short, and as bright by gain
        (10_000, 8.0, False, 5_000, 16.0),  # dim: as short as the gain allows
        (17_800, 16.0, False, 10_000, 16.0),  # dark: no longer than the bound, and darker
        (10_000, 4.0, True, 10_000, 4.0),  # a lamp that flickers: a whole period
        (1_000, 1.2, True, 1_000, 1.2),  # and brighter than a whole period can take
    ],
)
def test_the_exposure_of_a_rolling_sphere_is_short_and_as_bright_as_can_be(
    metered_us: int, gain: float, flickering: bool, held_us: int, held_gain: float
) -> None:
    held = held_exposure(HeldExposure(metered_us, gain), IMX708_GAINS, flicker_period_us(50), flickering=flickering)
    assert held.time_us == held_us
    assert held.gain == pytest.approx(held_gain)


@pytest.mark.parametrize("mains_hz", [50, 60])
def test_no_exposure_smears_a_sphere_by_more_than_two_thirds_of_the_smallest(mains_hz: int) -> None:
    speed_mm_per_us, smallest_mm = 1e-3, 15.0
    for metered_us in (500, 5_000, 17_837):
        for flickering in (False, True):
            metered = HeldExposure(metered_us, 16.0)
            held = held_exposure(metered, IMX708_GAINS, flicker_period_us(mains_hz), flickering=flickering)
            assert held.time_us * speed_mm_per_us <= smallest_mm * 2 / 3


def rolling_shutter(
    t_s: float, exposure_s: float, mains_hz: int, depth: float, rows: int = 432
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Return a frame under a lamp 1 + depth·cos(2π·2f·t), integrated over each row's own exposure."""
    omega = 2 * math.pi * 2 * mains_hz
    begins_s = t_s + ROW_S * np.arange(rows)
    mean = 1 + depth * (np.sin(omega * (begins_s + exposure_s)) - np.sin(omega * begins_s)) / (omega * exposure_s)
    levels = 255 * (0.2 * mean) ** (1 / 2.2)
    noise = np.random.default_rng(round(t_s * 1e6)).normal(0, 3, (rows, 64, 3))
    return np.asarray(np.clip(levels[:, None, None] + noise, 0, 255), dtype=np.uint8)


def beat(exposure_s: float, lamp_hz: int, told_hz: int, depth: float = 0.4, fps: float = 56.0) -> float | None:
    meter = FlickerMeter()
    for k in range(FRAMES):
        meter.feed(rolling_shutter(k / fps, exposure_s, lamp_hz, depth), k / fps)
    return meter.amplitude(told_hz)


@pytest.mark.parametrize("mains_hz", [50, 60])
def test_a_lamp_on_the_mains_shows_in_a_short_exposure_and_not_in_a_whole_period(mains_hz: int) -> None:
    short = beat(0.002, mains_hz, mains_hz)
    whole = beat(flicker_period_us(mains_hz) / 1e6, mains_hz, mains_hz)
    assert short is not None
    assert short > 2 * FLICKERS
    assert whole is not None
    assert whole < FLICKERS / 4


def test_the_mains_of_another_country_and_a_lamp_on_direct_current_are_told_apart() -> None:
    other, direct = beat(0.002, 60, 50), beat(0.002, 50, 50, depth=0.0)
    assert other is not None
    assert direct is not None
    assert other < FLICKERS / 2
    assert direct < FLICKERS / 4


def test_what_a_frame_rate_cannot_show_is_not_told() -> None:
    assert beat(0.002, 60, 60, fps=30.0) is None
    assert beat(0.002, 50, 50, fps=25.0) is None
    assert FlickerMeter().amplitude(50) is None


def test_a_hand_that_waves_is_no_flicker() -> None:
    meter = FlickerMeter()
    for k in range(FRAMES):
        image = rolling_shutter(k / 56, 0.002, 50, 0.0)
        reach = round(100 + 90 * math.sin(2 * math.pi * 12 * k / 56))  # as fast as the beat
        image[:reach, :20] = 30
        meter.feed(image, k / 56)
    assert (meter.amplitude(50) or 0.0) < FLICKERS


def test_frames_that_all_fall_on_one_phase_of_the_lamp_tell_nothing() -> None:
    """A busy processor drops frames, so that their mean rate promises beats that those left cannot show."""
    meter, chance = FlickerMeter(), np.random.default_rng(1)
    for n in range(FRAMES):
        image = chance.normal(60.0, 2.0, (64, 64, 3)).clip(0, 255).astype(np.uint8)
        meter.feed(image, 0.01 * (3 * n + n // 7))
    assert meter.amplitude(50) is None
