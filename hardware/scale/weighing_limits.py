"""Limits of weighing, in grams and seconds: what counts as a load, as stable, and as a fault."""

from __future__ import annotations

import msgspec


class WeighingLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What counts as a load, as stable, and as a fault. `tests/hardware/scale/test_weighing.py` holds them."""

    min_load_g: float = 0.5
    """A lighter load moves the zero instead."""
    gate_sd: float = 5.0
    """A sample is an outlier beyond so many standard deviations of its expectation."""
    spike_s: float = 0.06
    """Outliers that end sooner are spikes."""
    settle_s: float = 0.4
    """A level must be stable for so long."""
    average_s: float = 1.0
    longest_average_s: float = 3.0
    aim_sd_g: float = 0.02
    """Averaging goes on past `average_s` until the mass is this certain, more samples would not help, or
    `longest_average_s` is over. It is a tenth of the tie band (SM-54: 0.2 g), which makes orders certain."""
    still_g: float = 0.004
    """Movement up to this counts as stable whatever the noise: the resolution of a quiet cell."""
    shaking_after_s: float = 6.0
    """A pan that is not stable for so long shakes."""
    silent_after_s: float = 2.0
    """A scale without a sample for so long is silent: 20 samples at 10 a second."""
    drift_g_per_s: float = 0.3
    """A slope up to this may be the zero's; it is followed."""
    landing_s: float = 1.0
    """At least half of a load arrives within this; what comes more slowly is drift."""
    calm_s: float = 6.0
    calm_share: float = 0.4
    """A level is no load when the pan was stable for less than this share of about the last `calm_s`."""
    base_s: float = 30.0
    """How long a zero that fell is remembered, so that its recovery is no load."""
    relearn_zero_s: float = 15.0
    relearn_above_s: float = 30.0
    """A new zero is learnt after a stable level of so long below, or above, the lost one."""
    residue_g: float = 0.15
    """More than this left on an emptied pan is a residue."""
    bump_g: float = 0.1
    """A zero that jumps by more was bumped."""
    most_noise_g: float = 0.04
    """Noise of a sample up to this is learnt: a fifth of the tie band (SM-54). More is a table that shakes."""
    warm_g_per_min: float = 0.5
    """A zero that drifts faster is still warming up."""
