"""Counts with known truth: an independent generator of load-cell noise, sharing nothing with the code under test."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SyntheticCell:
    """A cell whose every imperfection is known, in g and s."""

    rate_hz: float = 10.0
    counts_per_gram: float = -1013.0
    zero_counts: float = 84_321.0
    white_sd_g: float = 0.006
    walk_g_per_sqrt_s: float = 0.003
    creep_fraction: float = 0.0
    creep_s: float = 300.0
    hum_g: float = 0.0
    hum_hz: float = 0.0
    spikes_per_min: float = 0.0
    landing_s: float = 0.04
    clock_jitter: float = 0.0
    rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(1))

    def stamps(self, lasting_s: float) -> Floats:
        steps = np.full(round(lasting_s * self.rate_hz), 1 / self.rate_hz)
        steps *= 1 + self.clock_jitter * self.rng.uniform(-1, 1, steps.size)
        return np.cumsum(steps)

    def read(self, t_s: Floats, load_g: Floats) -> Floats:
        """Return whole counts for the load that truly lies on the pan at each stamp."""
        steps_s = np.diff(t_s, prepend=t_s[0] - 1 / self.rate_hz)
        grams = np.cumsum(self.rng.normal(0, self.walk_g_per_sqrt_s, t_s.size) * np.sqrt(steps_s))
        grams += self._lag(load_g, steps_s, self.landing_s)
        grams += self._lag(load_g, steps_s, self.creep_s) * self.creep_fraction
        grams += self.hum_g * np.sin(2 * np.pi * self.hum_hz * t_s + self.rng.uniform(0, 2 * np.pi))
        grams += self.rng.normal(0, self.white_sd_g, t_s.size)
        struck = self.rng.uniform(size=t_s.size) < self.spikes_per_min / 60 / self.rate_hz
        grams[struck] += self.rng.choice([-1.0, 1.0], struck.sum()) * self.rng.uniform(1, 200, struck.sum())
        return np.rint(self.zero_counts + self.counts_per_gram * grams)

    @staticmethod
    def _lag(load_g: Floats, steps_s: Floats, time_constant_s: float) -> Floats:
        followed = np.empty(load_g.size)
        level = load_g[0]
        for i, (target, step_s) in enumerate(zip(load_g, steps_s, strict=True)):
            level += (target - level) * -np.expm1(-step_s / time_constant_s)
            followed[i] = level
        return followed


def loads(t_s: Floats, masses_g: list[float], period_s: float = 10.0, on_s: float = 5.0) -> Floats:
    """One load after another: the pan empty, then `on_s` with the next mass, every `period_s`."""
    turn = (t_s // period_s).astype(int)
    on = (t_s % period_s > period_s - on_s) & (turn < len(masses_g))
    return np.where(on, np.array(masses_g)[np.minimum(turn, len(masses_g) - 1)], 0.0)
