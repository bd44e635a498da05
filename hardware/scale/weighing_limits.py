"""What a scale's pan may do before it means something: grams and seconds."""

from __future__ import annotations

import msgspec


class WeighingLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What counts as a load, as still, and as trouble. Seconds and grams."""

    min_load_g: float = 0.5
    """A lighter load moves the zero instead."""
    gate_sd: float = 5.0
    spike_s: float = 0.06
    """Outliers that end sooner are spikes."""
    settle_s: float = 0.4
    average_s: float = 1.0
    longest_average_s: float = 3.0
    aim_sd_g: float = 0.02
    """Averaging goes on past `average_s` until the mass is this certain or `longest_average_s` is over."""
    still_g: float = 0.004
    shaking_after_s: float = 6.0
    silent_after_s: float = 2.0
    drift_g_per_s: float = 0.3
    """A slope up to this may be the zero's; it is followed."""
    landing_s: float = 1.0
    """At least half of a load arrives within this; what comes more slowly is drift."""
    calm_s: float = 6.0
    calm_share: float = 0.4
    """Below this share of calm in about the last `calm_s`, a level is not taken for a load."""
    base_s: float = 30.0
    """How long a zero that fell is remembered, so that its recovery is not a load."""
    relearn_zero_s: float = 15.0
    relearn_above_s: float = 30.0
    """A lost zero is learnt anew after this much stillness below, or above, the old one."""
    frozen_samples: int = 50
    residue_g: float = 0.15
    bump_g: float = 0.1
    warm_g_per_min: float = 0.5
