"""Weighing: turns counts into settled masses with a standard deviation.

The steps are spike rejection, zero tracking, step detection and stability detection. The estimate is made by
`hardware.scale.kalman_filter`; this module decides which samples belong to the empty pan, to a load, or to neither.
Pure: it takes timestamped counts and owns no timer, so a recording can be replayed without waiting.
"""

from __future__ import annotations

import math
from typing import Literal

from hardware.readings import DeviceHealth, LoadRemoved, MassSettled
from hardware.scale.kalman_filter import MassFilter
from hardware.scale.load_average import LoadAverage
from hardware.scale.noise.noise_tracking import NoiseTracker
from hardware.scale.scale_model import ScaleModel
from hardware.scale.stability import Level, StabilityDetector, mean_g
from hardware.scale.weighing_health import CountFaultDetector, HealthReporter
from hardware.scale.weighing_limits import WeighingLimits
from hardware.scale.zero_tracking import ZeroTracker

ScaleReading = MassSettled | LoadRemoved | DeviceHealth
Phase = Literal["starting", "empty", "moving", "settling", "settled", "lost"]

_INNOVATION_GAIN = 0.125
"""Weight of the newest innovation in the running mean, which thus averages about 15 samples."""
_INNOVATION_LIMIT = 1.2
"""Running mean of normalised innovations above which the zero drifts faster than modelled: 4.6 standard deviations."""
_ROUNDING_COUNTS = 0.29
"""Standard deviation of rounding to whole counts, 1/√12."""
_MOST_BACKWARDS_S = 2.0
"""A timestamp that goes back by more than this is from a new clock, not a late sample."""
_FEWEST_PERIODS = 5.5
"""Least sample periods in a stable span: stability detection needs five samples."""
_REMOVED_SHARE = 0.1
"""When at most this fraction of a load stays behind, it is a residue, and the pan counts as empty."""


class Weigher:
    """Weighs the load on one pan. Feed it samples in order of time; it returns new readings.

    Any number is accepted. A sample that is not finite, repeats a timestamp or goes back in time is ignored. A jump
    back of more than 2 s resets the weigher. Nothing is raised.
    """

    def __init__(self, model: ScaleModel) -> None:
        self.model = model
        self.limits = WeighingLimits()
        self._white_sd_g = max(model.white_sd_g, _ROUNDING_COUNTS / abs(model.counts_per_gram))
        self._calibrated_white_sd_g = self._white_sd_g
        wander_g = math.hypot(self._white_sd_g, model.drift_g_per_sqrt_s)
        self._least_g = max(self.limits.min_load_g, 8 * wander_g + 2 * model.hum_g)
        self._filter = MassFilter(model, self._white_sd_g)
        self._average = LoadAverage(self._white_sd_g, model.drift_g_per_sqrt_s)
        self._health = HealthReporter()
        self._restart()

    def _restart(self) -> None:
        limits, model = self.limits, self.model
        self._filter.reset_zero(0.0)
        self._noise = NoiseTracker(
            self._calibrated_white_sd_g, model.drift_g_per_sqrt_s, limits.most_noise_g, model.hum
        )
        self._stability = StabilityDetector(
            self._noise.rest_sd_g, model.drift_g_per_sqrt_s, limits.still_g, 1.1 * limits.relearn_above_s
        )
        self._take_noise()
        self._phase: Phase = "starting"
        self._rate_hz = self.model.rate_hz
        self._last_s: float | None = None
        self._first_tick_s: float | None = None
        self._is_unread = False
        self._moving_since_s = -math.inf
        self._outliers: list[Level] = []
        self._settling_since_s = 0.0
        self._load_g: float | None = None
        self._reported = False
        self._calm_share = 1.0
        self._innovation_mean = 0.0
        self._notice: Literal["", "scale_residue", "scale_bumped"] = ""
        self._found_loaded = False
        """Whether the pan has not been empty since the start, so that its zero is the calibrated one."""
        self._zeros = ZeroTracker(limits, self._least_g)
        self._count_faults = CountFaultDetector(self._white_sd_g * abs(self.model.counts_per_gram))

    @property
    def phase(self) -> Phase:
        """Return the state of the pan."""
        return self._phase

    @property
    def live_g(self) -> float | None:
        """Return the newest sample minus the zero, in g, for a live display outside games.

        None before the first, and while the cell is silent or its samples cannot be used.
        """
        newest = self._stability.newest
        return None if newest is None or self._is_unread else newest[1] - self._filter.zero_g

    @property
    def zero_g(self) -> float:
        """Return how far the zero has moved since calibration, in g."""
        return self._filter.zero_g

    def tick(self, now_s: float) -> list[ScaleReading]:
        """Report `scale_silent` when no sample has come for `limits.silent_after_s`."""
        out: list[ScaleReading] = []
        if not math.isfinite(now_s):
            return out
        if self._first_tick_s is None:
            self._first_tick_s = now_s
        heard_s = self._first_tick_s if self._last_s is None else self._last_s
        if now_s - heard_s > self.limits.silent_after_s:
            self._is_unread = True
            out += self._health.report(now_s, "scale_silent")
        return out

    def feed(self, t_s: float, counts: float) -> list[ScaleReading]:
        """Process one sample, its monotonic second and its counts; return new readings."""
        out: list[ScaleReading] = []
        if not (math.isfinite(t_s) and math.isfinite(counts)):
            return out
        if self._last_s is not None and t_s <= self._last_s:
            if self._last_s - t_s <= _MOST_BACKWARDS_S:
                return out
            self._restart()
        useless, code = self._count_faults.check(counts)
        self._is_unread = code is not None
        if code is not None:
            out += self._health.report(t_s, code)
        if useless:
            self._last_s = t_s
            return out
        self._advance(t_s)
        grams = self.model.grams(counts)
        calm_g = grams - self._filter.hum_at(t_s)
        self._stability.add(t_s, grams)
        if self._noise.add(t_s, calm_g):
            self._take_noise()
        if self._phase in ("starting", "moving", "lost"):
            self._await_stability(out, t_s)
        else:
            self._follow(out, t_s, grams, calm_g)
        return out

    def _take_noise(self) -> None:
        """Update the noise in the average, the stability detector and the filter."""
        self._white_sd_g = self._average.rest_sd_g = self._noise.white_sd_g
        self._stability.rest_sd_g = self._noise.rest_sd_g
        self._filter.white_var_g2 = self._white_sd_g**2
        self._filter.set_hum(self._noise.hum)

    def _report_ok(self, out: list[ScaleReading], t_s: float) -> None:
        calm = "scale_humming" if self._noise.hum and not self.model.hum else "scale_ok"
        warming = "scale_warming_up" if self._zeros.warming else calm
        found = "scale_not_empty_at_start" if self._found_loaded else ""
        out += self._health.report(t_s, found or self._notice or warming)

    def _advance(self, t_s: float) -> None:
        dt_s = 0.0 if self._last_s is None else t_s - self._last_s
        self._last_s = t_s
        if 0.002 < dt_s < 1.0:
            self._rate_hz += (1 / dt_s - self._rate_hz) * 0.05
        calm = 0.0 if self._phase in ("moving", "lost") else 1.0
        self._calm_share += (calm - self._calm_share) * (1 - math.exp(-dt_s / self.limits.calm_s))
        self._zeros.pass_time(dt_s, self._filter.zero_g)

    def _stable_levels(self, span_s: float, slope_g_per_s: float = 0.0) -> list[Level] | None:
        return self._stability.stable_levels(
            max(span_s, _FEWEST_PERIODS / self._rate_hz), self._moving_since_s, slope_g_per_s
        )

    def _follow(self, out: list[ScaleReading], t_s: float, grams: float, calm_g: float) -> None:
        """Process a sample while the level is stable: update the filter if it fits, collect it if it is an outlier."""
        before = self._filter.save()
        self._filter.predict(t_s)
        mean, var = self._filter.expected_sample()
        if abs(grams - mean) > self.limits.gate_sd * math.sqrt(var) + self.limits.still_g:
            self._filter.restore(before)
            self._outliers.append((t_s, grams))
            if len(self._outliers) > max(1, round(self.limits.spike_s * self._rate_hz)):
                self._phase = "moving"
                self._noise.interrupt()
                self._moving_since_s = self._outliers[0][0]
                self._outliers.clear()
            return
        self._outliers.clear()
        self._filter.update(grams)
        self._innovation_mean += ((grams - mean) / math.sqrt(var) - self._innovation_mean) * _INNOVATION_GAIN
        if self._phase == "empty" and abs(self._innovation_mean) > _INNOVATION_LIMIT:
            self._filter.inflate_zero_variance(0.5 * abs(self._innovation_mean) * math.sqrt(var))
        if self._phase == "settling":
            self._average.add(t_s, calm_g)
            self._settle(out, t_s)
            return
        if self._phase == "empty":
            self._zeros.measure_drift(t_s, self._filter.zero_g)
            self._noise.weigh_nothing(t_s, calm_g, self._filter.zero_g)
            if self._noise.listen(t_s, grams):
                self._take_noise()
        self._report_ok(out, t_s)

    def _await_stability(self, out: list[ScaleReading], t_s: float) -> None:
        if self._moving_since_s == -math.inf:
            self._moving_since_s = t_s
        kept = self._stable_levels(self.limits.settle_s)
        drifting = self._stable_levels(self.limits.settle_s, self.limits.drift_g_per_s) if kept is None else None
        if drifting is not None and self._phase == "starting":
            self._interpret_first(out, t_s, drifting)
        elif drifting is not None and self._load_g is None and self._is_empty(mean_g(drifting) - self._filter.zero_g):
            self._filter.inflate_zero_variance(mean_g(drifting) - self._filter.zero_g)
            self._enter_empty(out, t_s, drifting)
        elif kept is None:
            if self._phase != "lost" and t_s - self._moving_since_s > self.limits.shaking_after_s:
                out += self._health.report(t_s, "scale_shaking")
        elif self._phase == "starting":
            self._interpret_first(out, t_s, kept)
        else:
            self._interpret(out, t_s, kept)

    def _interpret_first(self, out: list[ScaleReading], t_s: float, kept: list[Level]) -> None:
        """Interpret the first stable level: an empty pan, or a load that was on the pan at the start."""
        level = mean_g(kept)
        if level > max(self._least_g, 4 * self.model.zero_sd_g):
            self._filter.reset_zero(0.0, self.model.zero_sd_g, kept[0][0])
            out += self._health.report(t_s, "scale_not_empty_at_start")
            self._found_loaded = True
            self._start_load(t_s, level, kept)
        else:
            self._filter.reset_zero(level, t_s=kept[0][0])
            self._enter_empty(out, t_s, kept)

    def _interpret(self, out: list[ScaleReading], t_s: float, kept: list[Level]) -> None:
        """Interpret a stable level after movement: empty, a load, the same load, or none of these."""
        self._filter.predict(kept[0][0])
        level = mean_g(kept)
        above_g = level - self._filter.zero_g
        if self._is_empty(above_g):
            self._return_to_empty(out, t_s, kept, above_g)
        elif self._zeros.is_pan_back(level):
            self._adopt_zero(out, t_s, kept)
        elif above_g < 0 or self._phase == "lost" or self._calm_share < self.limits.calm_share:
            self._lose_zero(out, t_s, above_g)
        elif self._load_g is None and not self._is_step(level, above_g):
            self._filter.inflate_zero_variance(above_g)
            self._enter_empty(out, t_s, kept)
        elif above_g > self.model.range_g:
            out += self._health.report(t_s, "scale_overloaded")
        elif self._reported and self._load_g is not None and abs(above_g - self._load_g) < self._least_g / 2:
            self._phase = "settled"
            self._moving_since_s = -math.inf
            self._filter.inflate_zero_variance(abs(above_g - self._load_g))
        else:
            self._start_load(t_s, above_g, kept)

    def _is_empty(self, above_g: float) -> bool:
        zero_sd_g = math.sqrt(self._filter.zero_var_g2)
        return abs(above_g) < max(self._least_g, 4 * zero_sd_g, _REMOVED_SHARE * (self._load_g or 0.0))

    def _return_to_empty(self, out: list[ScaleReading], t_s: float, kept: list[Level], above_g: float) -> None:
        noise_g = 5 * math.hypot(math.sqrt(self._filter.zero_var_g2), self._white_sd_g)
        bumped = abs(above_g) > max(self.limits.bump_g, noise_g)
        if self._load_g is None:
            self._notice = "scale_bumped" if bumped else self._notice
        elif above_g > max(self.limits.residue_g, noise_g):
            self._notice = "scale_residue"
        else:
            self._notice = "scale_bumped" if bumped and not self._found_loaded else ""
        self._filter.remove_load()
        self._filter.inflate_zero_variance(max(abs(above_g), self._white_sd_g))
        self._enter_empty(out, t_s, kept)

    def _is_step(self, level: float, above_g: float) -> bool:
        """Return whether a level is a load, not drift or recovery: above every recent zero, and reached in a step."""
        if not self._zeros.is_above(level):
            return False
        within_s = self.limits.landing_s + 1.5 / self._rate_hz
        begun_s = self._moving_since_s - self.limits.landing_s
        return self._stability.rose_by(above_g / 2, within_s, begun_s, level + above_g / 2)

    def _lose_zero(self, out: list[ScaleReading], t_s: float, above_g: float) -> None:
        """Stop weighing until a new zero is known: the level is below the zero, or followed long movement."""
        self._phase = "lost"
        out += self._health.report(t_s, "scale_below_zero" if above_g < 0 else "scale_shaking")
        wait_s = self.limits.relearn_zero_s if above_g < 0 else self.limits.relearn_above_s
        if (longer := self._stable_levels(wait_s)) is not None:
            self._zeros.give_up(self._filter.zero_g, lighter=above_g < 0)
            self._adopt_zero(out, t_s, longer)

    def _adopt_zero(self, out: list[ScaleReading], t_s: float, levels: list[Level]) -> None:
        """Set this level as the new zero."""
        self._zeros.set_new_zero(mean_g(levels))
        self._filter.reset_zero(mean_g(levels), t_s=levels[0][0])
        self._enter_empty(out, t_s, levels)

    def _enter_empty(self, out: list[ScaleReading], t_s: float, kept: list[Level]) -> None:
        if self._load_g is not None:
            out.append(LoadRemoved(t_s=t_s))
        self._phase = "empty"
        self._moving_since_s = -math.inf
        self._load_g = None
        self._reported = self._found_loaded = False
        self._update_filter(kept)
        self._zeros.note_empty(self._filter.zero_g)
        self._report_ok(out, t_s)

    def _start_load(self, t_s: float, guess_g: float, kept: list[Level]) -> None:
        self._phase = "settling"
        self._moving_since_s = -math.inf
        self._load_g = guess_g
        self._reported = False
        self._notice = ""
        self._settling_since_s = t_s
        # The older part may include the end of the landing.
        tail = kept[3 * len(kept) // 4 :]
        self._average.start(tail)
        self._filter.predict(tail[0][0])
        self._filter.add_load(guess_g)
        self._update_filter(tail)

    def _update_filter(self, levels: list[Level]) -> None:
        for t_s, grams in levels:
            self._filter.predict(t_s)
            self._filter.update(grams)

    def _settle(self, out: list[ScaleReading], t_s: float) -> None:
        """Report the mass once it is precise enough, more samples would not help, or the time limit is reached."""
        if self._average.lasted_s < self.limits.average_s:
            return
        creeping = self._average.is_creeping()
        patient = t_s - self._settling_since_s < self.limits.longest_average_s
        if creeping and patient:
            self._filter.add_load(self._filter.mass_g)
            self._average.start([])
            return
        mass_g, sd_g = self._filter.mass_g, self._mass_sd_g()
        if creeping:
            sd_g = math.hypot(sd_g, self._average.trend_g)
        elif patient and sd_g > self.limits.aim_sd_g and self._average.more_would_help(sd_g):
            return
        self._phase = "settled"
        self._load_g = mass_g
        self._reported = True
        self._zeros.note_load()
        self._report_ok(out, t_s)
        out.append(MassSettled(t_s=t_s, mass_g=mass_g, sd_g=sd_g, samples=self._average.samples))

    def _mass_sd_g(self) -> float:
        """Return the standard deviation of the mass, in g, from filter, excess scatter, span and creep so far."""
        mass_g = self._filter.mass_g
        span_g = self.model.span_rel_sd * mass_g
        crept = 1 - math.exp(-self._average.lasted_s / self.model.creep_s)
        creep_g = self.model.creep_fraction * mass_g * crept
        expected_g = math.hypot(self._filter.mass_sd_g, self._average.excess_scatter_g())
        shown_g = self._noise.mass_sd_g(expected_g, self._average.samples)
        return math.sqrt(shown_g**2 + span_g**2 + creep_g**2)
