"""Stability detection: whether a scale's recent samples vary more than its noise explains."""

from __future__ import annotations

import math
from collections import deque
from itertools import takewhile

Level = tuple[float, float]
"""A sample: its timestamp in s and its reading in g."""

_LEAST_SAMPLES = 5


class StabilityDetector:
    """Keeps the samples of the last `memory_s` seconds and detects whether they are stable.

    :param rest_sd_g: standard deviation of one sample at rest, g (white noise and hum).
    :param drift_g_per_sqrt_s: random walk of the zero, g/√s.
    :param still_g: movement up to this, g, always counts as stable.
    """

    def __init__(self, rest_sd_g: float, drift_g_per_sqrt_s: float, still_g: float, memory_s: float) -> None:
        self.rest_sd_g = rest_sd_g
        self._drift_g_per_sqrt_s = drift_g_per_sqrt_s
        self._still_g = still_g
        self._memory_s = memory_s
        self._levels: deque[Level] = deque(maxlen=8192)

    @property
    def newest(self) -> Level | None:
        """Return the newest sample, or None."""
        return self._levels[-1] if self._levels else None

    def add(self, t_s: float, grams: float) -> None:
        """Add one sample, later than those before."""
        self._levels.append((t_s, grams))
        # The newest older sample is kept at any age, so that a step during a gap is detected.
        while len(self._levels) > 1 and t_s - self._levels[1][0] > self._memory_s:
            self._levels.popleft()

    def since(self, since_s: float) -> list[Level]:
        """Return the samples from `since_s` on."""
        newest = list(takewhile(lambda level: level[0] >= since_s, reversed(self._levels)))
        return newest[::-1]

    def stable_levels(self, span_s: float, since_s: float, slope_g_per_s: float = 0.0) -> list[Level] | None:
        """Return the samples after `since_s` of the last `span_s`, without spikes, if they are stable; else None.

        :param slope_g_per_s: a steady slope up to this counts as stable.
        """
        if not self._levels:
            return None
        window = self.since(max(self._levels[-1][0] - span_s, since_s))
        if len(window) < _LEAST_SAMPLES:
            return None
        lasted_s = window[-1][0] - window[0][0]
        if lasted_s < span_s - 1.5 * lasted_s / (len(window) - 1):
            return None
        middle = sorted(grams for _, grams in window)[len(window) // 2]
        wander_g = math.hypot(self._drift_g_per_sqrt_s * math.sqrt(span_s / 3), slope_g_per_s * span_s / math.sqrt(12))
        rest_and_wander_g = math.hypot(self.rest_sd_g, wander_g)
        far_g = max(5 * rest_and_wander_g, self._still_g)
        kept = [level for level in window if abs(level[1] - middle) <= far_g]
        if len(kept) < max(_LEAST_SAMPLES, 0.8 * len(window)):
            return None
        half = len(kept) // 2
        early = sum(grams for _, grams in kept[:half]) / half
        late = sum(grams for _, grams in kept[half:]) / (len(kept) - half)
        centre = (early + late) / 2
        scatter_g = math.sqrt(sum((grams - centre) ** 2 for _, grams in kept) / len(kept))
        if scatter_g > 2 * rest_and_wander_g + self._still_g / 2:
            return None
        slack_g = 2 * math.hypot(self.rest_sd_g * math.sqrt(4 / len(kept)), wander_g) + self._still_g / 2
        return kept if abs(late - early) <= slack_g else None

    def rose_by(self, rise_g: float, within_s: float, since_s: float, ceiling_g: float) -> bool:
        """Return whether the level rose by `rise_g` within `within_s` since `since_s`, to `ceiling_g` at most.

        A rise between two successive samples counts at any interval.
        """
        window: deque[Level] = deque()
        count = len(self.since(since_s)) + 1
        for t_s, grams in list(self._levels)[-count:]:
            window.append((t_s, grams))
            while len(window) > 2 and t_s - window[0][0] > within_s:
                window.popleft()
            if grams <= ceiling_g and grams - min(level for _, level in window) >= rise_g:
                return True
        return False


def mean_g(levels: list[Level]) -> float:
    """Return the mean of one or more samples, in g."""
    return sum(grams for _, grams in levels) / len(levels)
