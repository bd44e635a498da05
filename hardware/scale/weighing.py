"""Counts → settled masses: spike rejection, zero tracking, step and settling detection, a mass with its true spread.

Pure: it takes stamped counts and owns no timer, so a recording replays in an instant. The estimate itself is
`hardware.scale.kalman_filter`; this module decides which samples belong to the empty pan, to a load, or to neither.
"""

from __future__ import annotations

import math
from typing import Literal

from hardware.readings import DeviceHealth, LoadRemoved, MassSettled
from hardware.scale.kalman_filter import MassFilter
from hardware.scale.load_average import LoadAverage
from hardware.scale.scale_model import ScaleModel
from hardware.scale.stability import Level, StabilityDetector, mean_g
from hardware.scale.weighing_health import CountFaultDetector, HealthReporter
from hardware.scale.weighing_limits import WeighingLimits
from hardware.scale.zero_tracking import ZeroTracker

ScaleReading = MassSettled | LoadRemoved | DeviceHealth
Phase = Literal["starting", "empty", "moving", "settling", "settled", "lost"]

_LEAN_GAIN = 0.125
_LEANS = 1.2  # 4.6 standard deviations of the running mean of innovations: the zero drifts faster than modelled


class Weigher:
    """Follows one pan. Feed it samples in order of time; it returns what became known.

    Numbers of any kind are taken: what is not finite, repeats a stamp or goes back in time is left out; a jump back of
    more than 2 s starts afresh. Nothing is raised.
    """

    def __init__(self, model: ScaleModel, limits: WeighingLimits | None = None) -> None:
        self.model = model
        self.limits = limits or WeighingLimits()
        # Not less than the rounding to whole counts.
        self._white_sd_g = max(model.white_sd_g, 0.29 / abs(model.counts_per_gram))
        self._sway_g = math.hypot(self._white_sd_g, model.hum_g / math.sqrt(2))
        wander_g = math.hypot(self._white_sd_g, model.drift_g_per_sqrt_s)
        self._least_g = max(self.limits.min_load_g, 8 * wander_g + 2 * model.hum_g)
        self._filter = MassFilter(model, self._white_sd_g)
        self._average = LoadAverage(self._sway_g, model.drift_g_per_sqrt_s)
        self._health = HealthReporter()
        self._restart()

    def _restart(self) -> None:
        limits = self.limits
        self._filter.reset_zero(0.0)
        self._recent = StabilityDetector(
            self._sway_g, self.model.drift_g_per_sqrt_s, limits.still_g, 1.1 * limits.relearn_above_s
        )
        self._phase: Phase = "starting"
        self._rate_hz = self.model.rate_hz
        self._last_s: float | None = None
        self._first_tick_s: float | None = None
        self._moving_since_s = -math.inf
        self._outliers: list[Level] = []
        self._begun_settling_s = 0.0
        self._load_g: float | None = None
        self._shown = False
        self._calm = 1.0
        self._lean = 0.0
        self._residue = False
        self._zeros = ZeroTracker(limits, self._least_g)
        self._counts = CountFaultDetector(self._white_sd_g * abs(self.model.counts_per_gram), limits.frozen_samples)

    @property
    def phase(self) -> Phase:
        """Return what the pan is doing."""
        return self._phase

    @property
    def live_g(self) -> float | None:
        """Return the present reading above the zero in g, for a maker's live display; None before the first."""
        return None if self._recent.newest is None else self._recent.newest[1] - self._filter.zero_g

    @property
    def zero_g(self) -> float:
        """Return how far the zero has moved since calibration, in g."""
        return self._filter.zero_g

    def tick(self, now_s: float) -> list[ScaleReading]:
        """Say so when no sample has come for `limits.silent_after_s`."""
        out: list[ScaleReading] = []
        if not math.isfinite(now_s):
            return out
        if self._first_tick_s is None:
            self._first_tick_s = now_s
        heard_s = self._first_tick_s if self._last_s is None else self._last_s
        if now_s - heard_s > self.limits.silent_after_s:
            out += self._health.tell(now_s, "scale_silent")
        return out

    def feed(self, t_s: float, counts: float) -> list[ScaleReading]:
        """Take one sample: its monotonic second and its counts."""
        out: list[ScaleReading] = []
        if not (math.isfinite(t_s) and math.isfinite(counts)):
            return out
        if self._last_s is not None and t_s <= self._last_s:
            if self._last_s - t_s <= 2.0:
                return out
            self._restart()
        useless, code = self._counts.judge(counts)
        if code is not None:
            out += self._health.tell(t_s, code)
        if useless:
            self._last_s = t_s
            return out
        self._pass_time(t_s)
        grams = self.model.grams(counts)
        self._recent.add(t_s, grams)
        if self._phase in ("starting", "moving", "lost"):
            self._seek_stillness(out, t_s)
        else:
            self._follow(out, t_s, grams)
        return out

    def _report_rest(self, out: list[ScaleReading], t_s: float) -> None:
        warming = "scale_warming_up" if self._zeros.warming else "scale_ok"
        out += self._health.tell(t_s, "scale_residue" if self._residue else warming)

    def _pass_time(self, t_s: float) -> None:
        dt_s = 0.0 if self._last_s is None else t_s - self._last_s
        self._last_s = t_s
        if 0.002 < dt_s < 1.0:
            self._rate_hz += (1 / dt_s - self._rate_hz) * 0.05
        calm = 0.0 if self._phase in ("moving", "lost") else 1.0
        self._calm += (calm - self._calm) * (1 - math.exp(-dt_s / self.limits.calm_s))
        self._zeros.pass_time(dt_s, self._filter.zero_g)

    def _still(self, span_s: float, slope_g_per_s: float = 0.0) -> list[Level] | None:
        return self._recent.still(max(span_s, 5.5 / self._rate_hz), self._moving_since_s, slope_g_per_s)

    def _follow(self, out: list[ScaleReading], t_s: float, grams: float) -> None:
        """Empty or loaded and still: learn from samples that fit, hold back those that do not."""
        before = self._filter.save()
        self._filter.predict(t_s)
        mean, var = self._filter.expected_sample()
        if abs(grams - mean) > self.limits.gate_sd * math.sqrt(var) + self.limits.still_g:
            self._filter.restore(before)
            self._outliers.append((t_s, grams))
            if len(self._outliers) > max(1, round(self.limits.spike_s * self._rate_hz)):
                self._phase = "moving"
                self._moving_since_s = self._outliers[0][0]
                self._outliers.clear()
            return
        self._outliers.clear()
        self._filter.update(grams)
        self._lean += ((grams - mean) / math.sqrt(var) - self._lean) * _LEAN_GAIN
        if self._phase == "empty" and abs(self._lean) > _LEANS:
            self._filter.inflate_zero_variance(0.5 * abs(self._lean) * math.sqrt(var))
        if self._phase == "settling":
            self._average.add(t_s, grams)
            self._judge(out, t_s)
            return
        if self._phase == "empty":
            self._zeros.watch_warmth(t_s, self._filter.zero_g)
        self._report_rest(out, t_s)

    def _seek_stillness(self, out: list[ScaleReading], t_s: float) -> None:
        if self._moving_since_s == -math.inf:
            self._moving_since_s = t_s
        kept = self._still(self.limits.settle_s)
        drifting = self._still(self.limits.settle_s, self.limits.drift_g_per_s) if kept is None else None
        if drifting is not None and self._phase == "starting":
            self._begin(out, t_s, drifting)
        elif drifting is not None and self._load_g is None and self._is_empty(mean_g(drifting) - self._filter.zero_g):
            self._filter.inflate_zero_variance(mean_g(drifting) - self._filter.zero_g)
            self._rest_empty(out, t_s, drifting)
        elif kept is None:
            if self._phase != "lost" and t_s - self._moving_since_s > self.limits.shaking_after_s:
                out += self._health.tell(t_s, "scale_shaking")
        elif self._phase == "starting":
            self._begin(out, t_s, kept)
        else:
            self._place(out, t_s, kept)

    def _begin(self, out: list[ScaleReading], t_s: float, kept: list[Level]) -> None:
        """The first still level: an empty pan near the calibrated zero, or a load that was there already."""
        level = mean_g(kept)
        if level > max(self._least_g, 4 * self.model.zero_sd_g):
            self._filter.reset_zero(0.0, self.model.zero_sd_g, kept[0][0])
            out += self._health.tell(t_s, "scale_not_empty_at_start")
            self._load(t_s, level, kept)
        else:
            self._filter.reset_zero(level, t_s=kept[0][0])
            self._rest_empty(out, t_s, kept)

    def _place(self, out: list[ScaleReading], t_s: float, kept: list[Level]) -> None:
        """A still level after movement: empty, a load, the same load, or none of these."""
        self._filter.predict(kept[0][0])
        level = mean_g(kept)
        above_g = level - self._filter.zero_g
        if self._is_empty(above_g):
            self._return_to_empty(out, t_s, kept, above_g)
        elif self._zeros.is_pan_back(level):
            self._rest_on(out, t_s, kept)
        elif above_g < 0 or self._phase == "lost" or self._calm < self.limits.calm_share:
            self._lose_zero(out, t_s, above_g)
        elif self._load_g is None and not self._landed(level, above_g):
            self._filter.inflate_zero_variance(above_g)
            self._rest_empty(out, t_s, kept)
        elif above_g > self.model.range_g:
            out += self._health.tell(t_s, "scale_overloaded")
        elif self._shown and self._load_g is not None and abs(above_g - self._load_g) < self._least_g / 2:
            self._phase = "settled"
            self._moving_since_s = -math.inf
            self._filter.inflate_zero_variance(abs(above_g - self._load_g))
        else:
            self._load(t_s, above_g, kept)

    def _is_empty(self, above_g: float) -> bool:
        zero_sd_g = math.sqrt(self._filter.zero_var_g2)
        return abs(above_g) < max(self._least_g, 4 * zero_sd_g, 0.1 * (self._load_g or 0.0))

    def _return_to_empty(self, out: list[ScaleReading], t_s: float, kept: list[Level], above_g: float) -> None:
        removed = self._shown
        noise_g = 5 * math.hypot(math.sqrt(self._filter.zero_var_g2), self._white_sd_g)
        if removed:
            self._residue = above_g > max(self.limits.residue_g, noise_g)
            out.append(LoadRemoved(t_s=t_s))
        elif abs(above_g) > max(self.limits.bump_g, noise_g):
            self._residue = False
            out += self._health.tell(t_s, "scale_bumped")
        self._filter.remove_load()
        self._filter.inflate_zero_variance(max(abs(above_g), self._white_sd_g))
        self._rest_empty(out, t_s, kept)

    def _landed(self, level: float, above_g: float) -> bool:
        """Tell a load from drift and from a recovery: it stands above every recent zero, and came as a step."""
        if not self._zeros.stands_above(level):
            return False
        within_s = self.limits.landing_s + 1.5 / self._rate_hz
        begun_s = self._moving_since_s - self.limits.landing_s
        return self._recent.rose_by(above_g / 2, within_s, begun_s, level + above_g / 2)

    def _lose_zero(self, out: list[ScaleReading], t_s: float, above_g: float) -> None:
        """Still, but lighter than empty or after long unrest: no mass can be told until a new zero is learnt."""
        self._phase = "lost"
        out += self._health.tell(t_s, "scale_below_zero" if above_g < 0 else "scale_shaking")
        wait_s = self.limits.relearn_zero_s if above_g < 0 else self.limits.relearn_above_s
        if (longer := self._still(wait_s)) is not None:
            self._zeros.lost(self._filter.zero_g, lighter=above_g < 0)
            self._rest_on(out, t_s, longer)

    def _rest_on(self, out: list[ScaleReading], t_s: float, levels: list[Level]) -> None:
        """Take this level for the new zero."""
        self._zeros.anew(mean_g(levels))
        self._filter.reset_zero(mean_g(levels), t_s=levels[0][0])
        self._rest_empty(out, t_s, levels)

    def _rest_empty(self, out: list[ScaleReading], t_s: float, kept: list[Level]) -> None:
        self._phase = "empty"
        self._moving_since_s = -math.inf
        self._load_g = None
        self._shown = False
        self._update_filter(kept)
        self._zeros.rested(self._filter.zero_g)
        self._report_rest(out, t_s)

    def _load(self, t_s: float, guess_g: float, kept: list[Level]) -> None:
        self._phase = "settling"
        self._moving_since_s = -math.inf
        self._load_g = guess_g
        self._shown = False
        self._residue = False
        self._begun_settling_s = t_s
        # The older part may still hold the tail of the landing.
        landed = kept[3 * len(kept) // 4 :]
        self._average.start(landed)
        self._filter.predict(landed[0][0])
        self._filter.add_load(guess_g)
        self._update_filter(landed)

    def _update_filter(self, levels: list[Level]) -> None:
        for t_s, grams in levels:
            self._filter.predict(t_s)
            self._filter.update(grams)

    def _judge(self, out: list[ScaleReading], t_s: float) -> None:
        """Report the mass when it is as certain as it will usefully get."""
        if self._average.lasted_s < self.limits.average_s:
            return
        creeps = self._average.creeps()
        patient = t_s - self._begun_settling_s < self.limits.longest_average_s
        if creeps and patient:
            self._filter.add_load(self._filter.mass_g)
            self._average.start([])
            return
        mass_g, sd_g = self._filter.mass_g, self._spread_g()
        if creeps:
            sd_g = math.hypot(sd_g, self._average.trend_g)
        elif patient and sd_g > self.limits.aim_sd_g and self._average.more_would_help(sd_g):
            return
        self._phase = "settled"
        self._load_g = mass_g
        self._shown = True
        self._zeros.loaded()
        self._report_rest(out, t_s)
        out.append(MassSettled(t_s=t_s, mass_g=mass_g, sd_g=sd_g, samples=self._average.samples))

    def _spread_g(self) -> float:
        """Return the standard deviation of the mass: filter, unrest, span and the creep that has already happened."""
        mass_g = self._filter.mass_g
        span_g = self.model.span_rel_sd * mass_g
        crept = 1 - math.exp(-self._average.lasted_s / self.model.creep_s)
        creep_g = self.model.creep_fraction * mass_g * crept
        return math.sqrt(self._filter.mass_sd_g**2 + self._average.unrest_g() ** 2 + span_g**2 + creep_g**2)
