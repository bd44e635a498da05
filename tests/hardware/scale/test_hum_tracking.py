"""A hum under the empty pan: found with its frequency and strength, and dropped when it is gone."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.scale.noise.hum_tracking import HumTracker
from hardware.scale.scale_model import Hum

RATE_HZ = 10.0
LASTS_S = 60.0


def heard(
    hum_g: float, hz: float, *, white_g: float = 0.0046, known: Hum | None = None, seed: int = 1
) -> tuple[HumTracker, list[float]]:
    """Return a tracker after samples of an empty pan that hums, and the seconds at which it told of a change."""
    rng, tracker = np.random.default_rng(seed), HumTracker(known)
    t_s = np.arange(0.0, LASTS_S, 1 / RATE_HZ) + rng.normal(0, 0.0002, round(LASTS_S * RATE_HZ))
    grams = rng.normal(0, white_g, t_s.size) + hum_g * np.sin(2 * np.pi * hz * t_s + rng.uniform(0, 6.28))
    return tracker, [t for t, g in zip(t_s.tolist(), grams.tolist(), strict=True) if tracker.add(t, g)]


@pytest.mark.parametrize(("hz", "appears_at_hz"), [(0.21, 0.21), (2.0, 2.0), (4.7, 4.7), (6.3, 3.7), (50.37, 0.37)])
def test_it_is_found_within_a_minute_also_where_it_is_aliased(hz: float, appears_at_hz: float) -> None:
    tracker, told_s = heard(0.03, hz)
    assert tracker.hum is not None
    assert tracker.hum.hz == pytest.approx(appears_at_hz, abs=0.01)
    assert tracker.hum.amplitude_g == pytest.approx(0.03, rel=0.1)
    assert told_s, "whoever weighs is told of the change"


@pytest.mark.parametrize(("hum_g", "white_g"), [(0.0, 0.0046), (0.0, 0.015), (0.001, 0.0002)])
def test_noise_and_what_is_too_faint_to_matter_are_no_hum(hum_g: float, white_g: float) -> None:
    """A milligram is a two-hundredth of the tie band (SM-54)."""
    for seed in range(4):
        tracker, told_s = heard(hum_g, 2.0, white_g=white_g, seed=seed)
        assert (tracker.hum, told_s) == (None, [])


def test_what_calibration_heard_and_is_gone_is_dropped() -> None:
    tracker, told_s = heard(0.0, 0.0, known=Hum(0.03, 2.0))
    assert tracker.hum is None
    assert len(told_s) == 1


def test_what_calibration_heard_and_still_hums_stays() -> None:
    tracker, _ = heard(0.03, 2.0, known=Hum(0.03, 2.0))
    assert tracker.hum is not None
    assert tracker.hum.hz == pytest.approx(2.0, abs=0.01)
