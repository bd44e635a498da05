"""Physics of a load cell: force in, counts out, with creep, drift and noise.

Figures for a 100 g cell at 10 samples/s (HARDWARE.md): 1.2 mg rms of white noise, creep of 0.05 % of full scale in
30 min, and a drifting zero. It is deterministic: the noise of a conversion depends only on the seed and its number.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from random import Random

COUNTS_PER_G = 8_000.0
ZERO_COUNTS = 84_000
WHITE_SD_G = 0.004
"""Between the 1.2 mg of a 100 g cell and the 5.8 mg of a 500 g cell."""
DRIFT_G_PER_SQRT_S = 0.0015
CREEP_SHARE = 0.0005
CREEP_TIME_S = 600.0
PAN_RING_HZ = 11.0
PAN_RING_DECAY_S = 0.12
"""Frequency and time constant of the pan's oscillation after a change of load."""


def force_g(changes: Sequence[tuple[float, float]], t_s: float) -> float:
    """Return the force on the pan at `t_s`, in grams. After each change it oscillates and comes to rest.

    :param changes: (second, load in grams from then on), in order; the first also holds for all times before.
    """
    total = changes[0][1]
    for (_, before_g), (since_s, after_g) in itertools.pairwise(changes):
        if t_s >= since_s:
            age_s = t_s - since_s
            ring = math.exp(-age_s / PAN_RING_DECAY_S) * math.cos(2 * math.pi * PAN_RING_HZ * age_s)
            total = after_g + (before_g - after_g) * ring
    return total


class ScaleCell:
    """One load cell and its amplifier's analogue side.

    :param load_g: returns the force on the pan at a time, in grams.
    """

    def __init__(self, load_g: Callable[[float], float], *, seed: int, start_s: float = 0.0) -> None:
        self._load_g = load_g
        self._rng = Random(seed)
        self._now_s = start_s
        self._zero_g = 0.0
        self._creep_g = 0.0

    def counts_at(self, t_s: float) -> float:
        """Return the conversion finished at `t_s`: counts at gain 128, before rounding. Times must not decrease."""
        age_s = max(t_s - self._now_s, 0.0)
        self._now_s = max(t_s, self._now_s)
        load_g = self._load_g(t_s)
        self._zero_g += self._rng.gauss(0.0, 1.0) * DRIFT_G_PER_SQRT_S * math.sqrt(age_s)
        self._creep_g += (load_g * CREEP_SHARE - self._creep_g) * -math.expm1(-age_s / CREEP_TIME_S)
        grams = load_g + self._zero_g + self._creep_g + self._rng.gauss(0.0, WHITE_SD_G)
        return ZERO_COUNTS + grams * COUNTS_PER_G
