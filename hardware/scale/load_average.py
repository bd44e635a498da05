"""The samples of a load that is settling: do they still creep, and do they scatter more than the noise explains?"""

from __future__ import annotations

import math

from hardware.scale.stability import Level, mean_g

_CREEPS_SD = 3.0


class LoadAverage:
    """Samples since the load held still.

    :param sway_g: standard deviation of one sample at rest (white noise and hum).
    :param drift_g_per_sqrt_s: random walk that belongs to rest.
    """

    def __init__(self, sway_g: float, drift_g_per_sqrt_s: float) -> None:
        self._sway_g = sway_g
        self._drift_g_per_sqrt_s = drift_g_per_sqrt_s
        self._levels: list[Level] = []

    def start(self, levels: list[Level]) -> None:
        """Forget what was before and start with these."""
        self._levels = list(levels)

    def add(self, t_s: float, grams: float) -> None:
        """Take one sample."""
        self._levels.append((t_s, grams))

    @property
    def samples(self) -> int:
        """Return how many samples there are."""
        return len(self._levels)

    @property
    def lasted_s(self) -> float:
        """Return the time from the first to the last sample, in s."""
        return self._levels[-1][0] - self._levels[0][0] if self._levels else 0.0

    @property
    def trend_g(self) -> float:
        """Return how far the later half lies above the earlier; two samples or more."""
        half = len(self._levels) // 2
        return mean_g(self._levels[half:]) - mean_g(self._levels[:half])

    def creeps(self) -> bool:
        """Tell whether the load still moves more than noise and drift explain."""
        walk_g = self._drift_g_per_sqrt_s * math.sqrt(self.lasted_s / 3)
        by_chance_g = math.hypot(self._sway_g * math.sqrt(4 / len(self._levels)), walk_g)
        return abs(self.trend_g) > _CREEPS_SD * by_chance_g

    def more_would_help(self, sd_g: float) -> bool:
        """Tell whether white noise has a part in an error of `sd_g`; against drift alone waiting does not help."""
        return self._sway_g / math.sqrt(len(self._levels)) > 0.3 * sd_g

    def unrest_g(self) -> float:
        """Return the error of the mean from scatter beyond what the noise explains; 0 when it could be chance."""
        count = len(self._levels)
        centre = mean_g(self._levels)
        scatter2 = sum((grams - centre) ** 2 for _, grams in self._levels) / max(count - 1, 1)
        expected2 = self._sway_g**2 + self._drift_g_per_sqrt_s**2 * self.lasted_s / 6
        by_chance = 1 + 4 * math.sqrt(2 / max(count - 1, 1))
        return 0.0 if scatter2 < by_chance * expected2 else math.sqrt(2 * (scatter2 - expected2) / count)
