"""Tracks noise beyond that of the calibration: a busier room, hum, people's steps.

Three things are learnt from the samples.

- The hum while the pan is empty (`hardware.scale.noise.hum_tracking`). The filter subtracts it. The other two use
  samples without it.
- The scatter of samples about the mean of half a second. It sets the thresholds for outliers and for stability.
- The error of a mass, from trial weighings of the empty pan. The mean of a second is compared with the zero that was
  estimated before it, as the mean of a load would be. This holds for stationary noise of any spectrum (an innovation
  test of the whole estimate: Bar-Shalom, Li, Kirubarajan, Estimation with Applications to Tracking and Navigation,
  2001, section 5.4).
"""

from __future__ import annotations

import math
import statistics
from collections import deque

from hardware.scale.noise.hum_tracking import HumTracker
from hardware.scale.scale_model import Hum

_BLOCK_S = 0.5
_FEWEST_SAMPLES = 5
_BLOCKS = 24
_FEWEST_BLOCKS = 8
_WINDOW_S = 1.0
"""Shortest averaging time of a load (`WeighingLimits.average_s`)."""
_GAP_S = 0.5
"""Time for a load to land and come to rest: from the last sample of the empty pan to the first averaged one."""
_KNOWN_S = 2.0
"""Once the pan has been empty for this time, its zero is known well enough for a weighing."""
_NOTHINGS = 120
_FEWEST_NOTHINGS = 12
_NOTHINGS_PER_TRUE = 3
"""Trial weighings per independent one: their seconds overlap by half, and their zeros by more."""
_SIGNIFICANT = 1.3
"""The scatter counts as grown above this ratio. A dozen blocks give it within a tenth."""


class NoiseTracker:
    """Learns the noise of one scale.

    :param white_sd_g: standard deviation of one sample's white noise as calibrated, g.
    :param drift_g_per_sqrt_s: random walk of the zero as calibrated, g/√s.
    :param most_g: scatter above this is movement and not noise, and is not learnt.
    :param hum: the hum found by the calibration, or None.
    """

    def __init__(self, white_sd_g: float, drift_g_per_sqrt_s: float, most_g: float, hum: Hum | None) -> None:
        self._calibrated_g, self._most_g = white_sd_g, most_g
        self._drift_g_per_sqrt_s = drift_g_per_sqrt_s
        self._hum_tracker = HumTracker(hum)
        self._block: list[float] = []
        self._block_from_s = -math.inf
        self._scatters: deque[float] = deque(maxlen=_BLOCKS)
        self._zeros: deque[tuple[float, float]] = deque()
        self._recent: deque[tuple[float, float]] = deque()
        self._nothings: deque[float] = deque(maxlen=_NOTHINGS)
        self._averaged = 1
        self._compared_s = self._empty_since_s = -math.inf
        self.white_sd_g = white_sd_g
        """Standard deviation of one sample without its hum, g: as calibrated, or as observed if that has grown."""

    @property
    def hum(self) -> Hum | None:
        """The present hum, or None."""
        return self._hum_tracker.hum

    @property
    def rest_sd_g(self) -> float:
        """Standard deviation of one sample at rest, including its hum, g."""
        return math.hypot(self.white_sd_g, self.hum.amplitude_g / math.sqrt(2)) if self.hum else self.white_sd_g

    def add(self, t_s: float, grams: float) -> bool:
        """Process a sample without its hum, with any load on the pan; return whether `white_sd_g` changed."""
        if t_s - self._block_from_s >= _BLOCK_S and len(self._block) >= _FEWEST_SAMPLES:
            self._scatters.append(statistics.variance(self._block) / _median_share(len(self._block) - 1))
            self._block = []
        if not self._block:
            self._block_from_s = t_s
        self._block.append(grams)
        if len(self._block) > 1 or len(self._scatters) < _FEWEST_BLOCKS:
            return False
        before, self.white_sd_g = self.white_sd_g, self._shown_g()
        return before != self.white_sd_g

    def _shown_g(self) -> float:
        shown_g = math.sqrt(statistics.median(self._scatters))
        grown = _SIGNIFICANT * self._calibrated_g < shown_g <= self._most_g
        return shown_g if grown else self._calibrated_g

    def listen(self, t_s: float, grams: float) -> bool:
        """Process a sample of the empty pan, including its hum; return whether `hum` changed."""
        return self._hum_tracker.add(t_s, grams)

    def weigh_nothing(self, t_s: float, grams: float, zero_g: float) -> None:
        """Process a sample of the empty pan without its hum, and the zero that was estimated including this sample."""
        if self._recent and t_s - self._recent[-1][0] > _WINDOW_S:
            self.interrupt()
        if not self._recent:
            self._empty_since_s = t_s
        self._recent.append((t_s, grams))
        if t_s - self._empty_since_s < _KNOWN_S:
            return
        self._zeros.append((t_s, zero_g))
        while self._recent[-1][0] - self._recent[0][0] > _WINDOW_S:
            self._recent.popleft()
        while len(self._zeros) > 1 and self._zeros[1][0] <= t_s - _WINDOW_S - _GAP_S:
            self._zeros.popleft()
        if self._zeros[0][0] > t_s - _WINDOW_S - _GAP_S or t_s - self._compared_s < _WINDOW_S / 2:
            return
        self._compared_s = t_s
        self._averaged = len(self._recent)
        mean_g = sum(grams for _, grams in self._recent) / self._averaged
        self._nothings.append(mean_g - self._zeros[0][1])

    def interrupt(self) -> None:
        """Discard the trial weighing in progress: the pan is no longer empty, or its zero was given up."""
        self._zeros.clear()
        self._recent.clear()

    def mass_sd_g(self, expected_g: float, samples: int) -> float:
        """Return the standard deviation of a mass, in g: the expected one, corrected by the trial weighings.

        The trial weighings are used where their error is significantly larger than expected, and where the scatter has
        grown: then it is not known how much of it remains after averaging. Their error is a 95 % limit divided by 1.96,
        so that heavy tails count.

        :param expected_g: standard deviation by the noise model, with the observed scatter.
        :param samples: number of averaged samples of the load.
        """
        count = len(self._nothings)
        if count < _FEWEST_NOTHINGS:
            return expected_g
        sizes_g = sorted(map(abs, self._nothings))
        limit_g = sizes_g[math.ceil(0.95 * count) - 1]
        shown_g = max(limit_g / 1.96, statistics.median(sizes_g) / 0.6745)
        # A trial weighing is the mean of a second; the load may have been averaged for longer.
        fewer = max(1 / self._averaged - 1 / max(samples, 1), 0.0)
        load_g = math.hypot(expected_g, self.white_sd_g * math.sqrt(fewer))
        # A trial weighing is a plain mean. For a load the filter weights the first samples most, before drift.
        walked_g = self._drift_g_per_sqrt_s * math.sqrt(_GAP_S + _WINDOW_S / 3)
        nothing_g = math.hypot(walked_g, self._calibrated_g / math.sqrt(self._averaged))
        ratio = shown_g / max(load_g, nothing_g)
        by_chance = 1 + 2 / math.sqrt(2 * count / _NOTHINGS_PER_TRUE)
        grown = self.white_sd_g / self._calibrated_g
        return expected_g * (ratio if ratio > by_chance else max(1 / grown, min(ratio, 1.0)))


def _median_share(freedom: int) -> float:
    """Return the median of a variance, as a share of its mean, by its degrees of freedom (Wilson and Hilferty 1931)."""
    return (1 - 2 / (9 * freedom)) ** 3
