"""Statistics of the samples of a settling load: trend, and scatter beyond the noise model."""

from __future__ import annotations

import math

from hardware.scale.stability import Level, mean_g

_CREEPS_SD = 3.0


class LoadAverage:
    """Averages the samples since the load became stable.

    :param rest_sd_g: standard deviation of one sample at rest, g (white noise and hum).
    :param drift_g_per_sqrt_s: random walk of the zero, g/√s.
    """

    def __init__(self, rest_sd_g: float, drift_g_per_sqrt_s: float) -> None:
        self.rest_sd_g = rest_sd_g
        self._drift_g_per_sqrt_s = drift_g_per_sqrt_s
        self._levels: list[Level] = []

    def start(self, levels: list[Level]) -> None:
        """Replace all samples by these."""
        self._levels = list(levels)

    def add(self, t_s: float, grams: float) -> None:
        """Add one sample."""
        self._levels.append((t_s, grams))

    @property
    def samples(self) -> int:
        """Return the number of samples."""
        return len(self._levels)

    @property
    def lasted_s(self) -> float:
        """Return the time from the first to the last sample, in s."""
        return self._levels[-1][0] - self._levels[0][0] if self._levels else 0.0

    @property
    def trend_g(self) -> float:
        """Return the mean of the later half minus that of the earlier half, in g. At least two samples are required."""
        half = len(self._levels) // 2
        return mean_g(self._levels[half:]) - mean_g(self._levels[:half])

    def is_creeping(self) -> bool:
        """Return whether the trend is larger than noise and drift explain (three standard deviations)."""
        walk_g = self._drift_g_per_sqrt_s * math.sqrt(self.lasted_s / 3)
        by_chance_g = math.hypot(self.rest_sd_g * math.sqrt(4 / len(self._levels)), walk_g)
        return abs(self.trend_g) > _CREEPS_SD * by_chance_g

    def more_would_help(self, sd_g: float) -> bool:
        """Return whether white noise is a relevant part of an error of `sd_g`. More samples do not reduce drift."""
        return self.rest_sd_g / math.sqrt(len(self._levels)) > 0.3 * sd_g

    def excess_scatter_g(self) -> float:
        """Return the error of the mean, in g, due to scatter beyond the noise model; 0 when it could be chance."""
        count = len(self._levels)
        centre = mean_g(self._levels)
        scatter2 = sum((grams - centre) ** 2 for _, grams in self._levels) / max(count - 1, 1)
        expected2 = self.rest_sd_g**2 + self._drift_g_per_sqrt_s**2 * self.lasted_s / 6
        by_chance = 1 + 4 * math.sqrt(2 / max(count - 1, 1))
        return 0.0 if scatter2 < by_chance * expected2 else math.sqrt(2 * (scatter2 - expected2) / count)
