"""Limits of weighing, in grams and seconds, for loads, stability and faults."""

from __future__ import annotations

import msgspec


class WeighingLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits for loads, stability and faults. `tests/hardware/scale/test_weighing.py` tests them."""

    min_load_g: float = 0.5
    """Lightest load. A smaller change shifts the zero instead."""
    gate_sd: float = 5.0
    """A sample is an outlier if it deviates from its expectation by more than this many standard deviations."""
    spike_s: float = 0.06
    """Outliers that last no longer than this are spikes."""
    settle_s: float = 0.4
    """Shortest time for which a level must be stable."""
    average_s: float = 1.0
    longest_average_s: float = 3.0
    aim_sd_g: float = 0.02
    """Averaging continues after `average_s` until the mass has this standard deviation, more samples would not help, or
    `longest_average_s` is over. It is a tenth of the tie band (SM-54: 0.2 g), which makes orders certain."""
    still_g: float = 0.004
    """Movement up to this counts as stable at any noise: the resolution of a quiet cell."""
    shaking_after_s: float = 6.0
    """A pan that is not stable for longer than this is shaking."""
    silent_after_s: float = 2.0
    """A scale without a sample for longer than this is silent: 20 samples at 10 a second."""
    drift_g_per_s: float = 0.3
    """A slope up to this may be drift of the zero, which is then tracked."""
    landing_s: float = 1.0
    """At least half of a load arrives within this time; a slower change is drift."""
    calm_s: float = 6.0
    calm_share: float = 0.4
    """A level is not a load if the pan was stable for less than this fraction of about the last `calm_s`."""
    base_s: float = 30.0
    """Time for which a zero that fell is remembered, so that its recovery is not taken for a load."""
    relearn_zero_s: float = 15.0
    relearn_above_s: float = 30.0
    """A level below, or above, the lost zero becomes the new zero once it was stable for this time."""
    residue_g: float = 0.15
    """More than this left on an emptied pan is a residue."""
    bump_g: float = 0.1
    """If the zero jumps by more than this, the scale was bumped."""
    most_noise_g: float = 0.04
    """Largest noise of a sample that is learnt: a fifth of the tie band (SM-54). More noise means a shaking table."""
    warm_g_per_min: float = 0.5
    """If the zero drifts faster, the scale is still warming up."""
