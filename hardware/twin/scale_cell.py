"""The physics of a load cell: force in, counts out, with creep, drift and noise.

Figures for a 100 g cell at 10 samples/s (HARDWARE.md): 1.2 mg rms of white noise, creep of 0.05 % of full scale in
30 min, and a zero that wanders. Deterministic: the noise of a conversion depends on the seed and its number alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

COUNTS_PER_G = 8_000.0
ZERO_COUNTS = 84_000
WHITE_SD_G = 0.004
DRIFT_G_PER_SQRT_S = 0.0015
CREEP_SHARE = 0.0005
CREEP_TIME_S = 600.0
NOISY_SUPPLY_SD_G = 1.5
STUCK_BIT = 1 << 14
LOWEST, HIGHEST = -(1 << 23), (1 << 23) - 1


class ScaleCell:
    """One load cell and its amplifier's analogue side.

    :param load_g: the force on the pan at a time, in grams.
    """

    def __init__(self, load_g: Callable[[float], float], *, seed: int, start_s: float = 0.0) -> None:
        self._load_g = load_g
        self._rng = Random(seed)
        self._now_s = start_s
        self._zero_g = 0.0
        self._creep_g = 0.0
        self.noisy_supply = False
        self.stuck_bit = False

    def counts_at(self, t_s: float) -> int:
        """Return the conversion finished at `t_s`: signed 24-bit counts, saturated. Times must not go back."""
        age_s = max(t_s - self._now_s, 0.0)
        self._now_s = max(t_s, self._now_s)
        load_g = self._load_g(t_s)
        self._zero_g += self._rng.gauss(0.0, 1.0) * DRIFT_G_PER_SQRT_S * math.sqrt(age_s)
        self._creep_g += (load_g * CREEP_SHARE - self._creep_g) * -math.expm1(-age_s / CREEP_TIME_S)
        noise_sd_g = NOISY_SUPPLY_SD_G if self.noisy_supply else WHITE_SD_G
        grams = load_g + self._zero_g + self._creep_g + self._rng.gauss(0.0, noise_sd_g)
        counts = min(max(round(ZERO_COUNTS + grams * COUNTS_PER_G), LOWEST), HIGHEST)
        return counts | STUCK_BIT if self.stuck_bit else counts
