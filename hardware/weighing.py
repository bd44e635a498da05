"""Counts → settled masses: spike rejection, zero tracking, step and settling detection, a mass with its true spread.

Pure: it takes stamped counts and owns no timer, so a recording replays in an instant. The estimate itself is
`hardware.mass_filter`; this module decides which samples belong to the empty pan, to a load, or to neither.
"""

from __future__ import annotations

import math
from collections import deque
from itertools import takewhile
from typing import Literal

import msgspec

from hardware.mass_filter import MassFilter
from hardware.readings import DeviceHealth, LoadRemoved, MassSettled, Status
from hardware.scale_model import COUNTS_MAX, COUNTS_MIN, ScaleModel

ScaleReading = MassSettled | LoadRemoved | DeviceHealth
Phase = Literal["starting", "empty", "moving", "settling", "settled", "lost"]

HEALTH: dict[str, Status] = {
    "scale_ok": "ok",
    "scale_silent": "absent",
    "scale_saturated": "faulty",
    "scale_frozen": "faulty",
    "scale_overloaded": "faulty",
    "scale_shaking": "faulty",
    "scale_below_zero": "faulty",
    "scale_not_empty_at_start": "starting",
    "scale_warming_up": "starting",
    "scale_residue": "ok",
    "scale_bumped": "ok",
}
"""Every health code of the scale, with its status. `ok` codes are remarks: weighing goes on."""


class WeighingLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What counts as a load, as still, and as trouble. Seconds and grams."""

    min_load_g: float = 0.5
    gate_sd: float = 5.0
    spike_s: float = 0.06
    settle_s: float = 0.4
    average_s: float = 1.0
    longest_average_s: float = 3.0
    aim_sd_g: float = 0.02
    still_g: float = 0.02
    shaking_after_s: float = 6.0
    silent_after_s: float = 2.0
    relearn_zero_s: float = 8.0
    relearn_above_s: float = 30.0
    landing_s: float = 1.0
    base_s: float = 30.0
    calm_s: float = 6.0
    calm_share: float = 0.4
    frozen_samples: int = 50
    warm_g_per_min: float = 0.5


class Weigher:
    """Follows one pan. Feed it samples in order of time; it returns what became known.

    Numbers of any kind are taken: what is not finite, repeats a stamp or goes back in time is left out; a jump back of
    more than 2 s starts afresh. Nothing is raised. A load smaller than `limits.min_load_g` moves the zero instead.
    """

    def __init__(self, model: ScaleModel, limits: WeighingLimits | None = None) -> None:
        self.model = model
        self.limits = limits or WeighingLimits()
        white = max(model.white_sd_g, 0.3 / abs(model.counts_per_gram))
        self._rate_hz = model.rate_hz
        self._white_sd_g = white
        self._filter = MassFilter(model, white)
        self._least_g = max(self.limits.min_load_g, 8 * math.hypot(white, model.drift_g_per_sqrt_s) + 2 * model.hum_g)
        self._health = ""
        self._restart()

    def _restart(self) -> None:
        self._phase: Phase = "starting"
        self._recent: deque[tuple[float, float]] = deque(maxlen=4096)
        self._last_s: float | None = None
        self._first_tick_s: float | None = None
        self._outliers: list[tuple[float, float]] = []
        self._moving_since_s: float | None = None
        self._still_from_s = 0.0
        self._base_g = -math.inf
        self._load_g: float | None = None
        self._shown = False
        self._settling: list[tuple[float, float]] = []
        self._calm = 1.0
        self._saturated = 0
        self._same_counts = 0
        self._last_counts: float | None = None
        self._filter.forget_zero(0.0)

    @property
    def phase(self) -> Phase:
        """Return what the pan is doing."""
        return self._phase

    @property
    def live_g(self) -> float | None:
        """Return the present reading above the zero in g, for a maker's live display; None before the first."""
        return self._recent[-1][1] - self._filter.zero_g if self._recent else None

    @property
    def zero_g(self) -> float:
        """Return how far the zero has moved since calibration, in g."""
        return self._filter.zero_g

    def tick(self, now_s: float) -> list[ScaleReading]:
        """Say so when no sample has come for `limits.silent_after_s`."""
        out: list[ScaleReading] = []
        if self._first_tick_s is None:
            self._first_tick_s = now_s
        heard_s = self._last_s if self._last_s is not None else self._first_tick_s
        if now_s - heard_s > self.limits.silent_after_s:
            self._report(out, now_s, "scale_silent")
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
        self._watch_line(out, t_s, counts)
        if counts >= COUNTS_MAX or counts <= COUNTS_MIN:
            return out
        dt_s = 0.0 if self._last_s is None else t_s - self._last_s
        self._last_s = t_s
        self._filter.pass_time(dt_s)
        calm = 0.0 if self._phase in ("moving", "lost") else 1.0
        self._calm += (calm - self._calm) * (1 - math.exp(-dt_s / self.limits.calm_s))
        fall_g = self._base_g - self._filter.zero_g
        self._base_g = self._filter.zero_g + max(fall_g, 0.0) * math.exp(-dt_s / self.limits.base_s)
        grams = self.model.grams(counts)
        self._recent.append((t_s, grams))
        while self._recent[-1][0] - self._recent[0][0] > self.limits.relearn_above_s:
            self._recent.popleft()
        if 0 < dt_s < 1.0:
            self._rate_hz += (1 / dt_s - self._rate_hz) * 0.05 if dt_s > 0.002 else 0.0
        if self._phase in ("starting", "moving", "lost"):
            self._seek_stillness(out, t_s)
        else:
            self._follow(out, t_s, grams)
        return out

    def _report(self, out: list[ScaleReading], t_s: float, code: str) -> None:
        if code != self._health:
            self._health = code
            out.append(DeviceHealth(t_s=t_s, device="scale", status=HEALTH[code], code=code))

    def _watch_line(self, out: list[ScaleReading], t_s: float, counts: float) -> None:
        """Faults of the wire and the chip, seen in the counts alone."""
        self._saturated = self._saturated + 1 if counts >= COUNTS_MAX or counts <= COUNTS_MIN else 0
        if self._saturated >= 3:
            self._report(out, t_s, "scale_saturated")
        self._same_counts = self._same_counts + 1 if counts == self._last_counts else 0
        self._last_counts = counts
        noisy = self._white_sd_g * abs(self.model.counts_per_gram) >= 1.0
        if noisy and not self._saturated and self._same_counts >= self.limits.frozen_samples:
            self._report(out, t_s, "scale_frozen")

    def _follow(self, out: list[ScaleReading], t_s: float, grams: float) -> None:
        """Empty or loaded and still: learn from samples that fit, hold back those that do not."""
        mean, var = self._filter.expect()
        if abs(grams - mean) > self.limits.gate_sd * math.sqrt(var) + self.limits.still_g:
            self._outliers.append((t_s, grams))
            if len(self._outliers) > max(1, round(self.limits.spike_s * self._rate_hz)):
                self._start_moving()
            return
        self._outliers.clear()
        self._filter.learn(grams)
        if self._phase == "empty":
            self._report(out, t_s, "scale_ok")
        elif self._phase == "settling":
            self._settling.append((t_s, grams))
            self._judge(out, t_s)

    def _start_moving(self) -> None:
        self._phase = "moving"
        self._moving_since_s = self._outliers[0][0]
        self._outliers.clear()
        self._settling.clear()

    def _still_window(self, span_s: float) -> list[tuple[float, float]] | None:
        """Return the last `span_s` of samples when the level held still in it, spikes left out."""
        assert self._last_s is not None
        span_s = max(span_s, 5.5 / self._rate_hz)
        since_s = max(self._last_s - span_s, self._moving_since_s or -math.inf)
        window = self._since(since_s)
        if len(window) < 5 or window[-1][0] - window[0][0] < 0.7 * span_s:
            return None
        levels = sorted(grams for _, grams in window)
        middle = levels[len(levels) // 2]
        sway_g = math.hypot(self._white_sd_g, self.model.hum_g / math.sqrt(2))
        wander_g = self.model.drift_g_per_sqrt_s * math.sqrt(span_s / 3)
        far = max(5 * math.hypot(sway_g, wander_g), self.limits.still_g)
        kept = [sample for sample in window if abs(sample[1] - middle) <= far]
        if len(kept) < max(5, 0.8 * len(window)):
            return None
        half = len(kept) // 2
        early = sum(grams for _, grams in kept[:half]) / half
        late = sum(grams for _, grams in kept[half:]) / (len(kept) - half)
        scatter_g = math.sqrt(sum((grams - (early + late) / 2) ** 2 for _, grams in kept) / len(kept))
        if scatter_g > 2 * math.hypot(sway_g, wander_g) + self.limits.still_g / 2:
            return None
        slack = 3.5 * math.hypot(sway_g * math.sqrt(4 / len(kept)), wander_g) + self.limits.still_g / 2
        return kept if abs(late - early) <= slack else None

    def _since(self, since_s: float) -> list[tuple[float, float]]:
        """Return the recent samples from `since_s` on."""
        newest = list(takewhile(lambda sample: sample[0] >= since_s, reversed(self._recent)))
        return newest[::-1]

    def _seek_stillness(self, out: list[ScaleReading], t_s: float) -> None:
        if self._moving_since_s is None:
            self._moving_since_s = t_s
        kept = self._still_window(self.limits.settle_s)
        if kept is None:
            moving_s = t_s - self._moving_since_s
            if self._phase != "lost" and moving_s > self.limits.shaking_after_s:
                self._report(out, t_s, "scale_shaking")
            return
        level = sum(grams for _, grams in kept) / len(kept)
        if self._phase == "starting":
            self._begin(out, t_s, level, kept)
        else:
            self._place(out, t_s, level, kept)

    def _begin(self, out: list[ScaleReading], t_s: float, level: float, kept: list[tuple[float, float]]) -> None:
        """The first still level: an empty pan near the calibrated zero, or a load that was there already."""
        if level > max(self._least_g, 4 * self.model.zero_sd_g):
            self._filter.forget_zero(0.0, self.model.zero_sd_g)
            self._report(out, t_s, "scale_not_empty_at_start")
            self._load(level, kept)
        else:
            self._filter.forget_zero(level)
            self._rest_empty(out, t_s, kept)

    def _place(self, out: list[ScaleReading], t_s: float, level: float, kept: list[tuple[float, float]]) -> None:
        """A still level after movement: empty, a load, the same load, or below zero."""
        above_g = level - self._filter.zero_g
        residue_g = 0.1 * (self._load_g or 0.0)
        if abs(above_g) < max(self._least_g, 4 * math.sqrt(self._filter.zero_var_g2), residue_g):
            was_loaded = self._shown
            self._filter.take_load()
            self._filter.loosen_zero(max(abs(above_g), self._white_sd_g))
            self._rest_empty(out, t_s, kept)
            if was_loaded:
                out.append(LoadRemoved(t_s=t_s))
        elif above_g < 0 or self._phase == "lost" or self._calm < self.limits.calm_share:
            self._lose_zero(out, t_s, above_g)
        elif level - self._base_g < self._least_g or not self._landed(level, above_g):
            self._filter.take_load()
            self._filter.loosen_zero(above_g)
            self._rest_empty(out, t_s, kept)
        elif above_g > self.model.range_g:
            self._report(out, t_s, "scale_overloaded")
        elif self._shown and self._load_g is not None and abs(above_g - self._load_g) < self._least_g / 2:
            self._phase = "settled"
            self._moving_since_s = None
            self._filter.loosen_zero(self._white_sd_g)
        else:
            self._load(above_g, kept)

    def _lose_zero(self, out: list[ScaleReading], t_s: float, above_g: float) -> None:
        """Still, but lighter than empty or after long unrest: no mass can be told until a new zero is learnt."""
        self._phase = "lost"
        self._report(out, t_s, "scale_below_zero" if above_g < 0 else "scale_shaking")
        wait_s = self.limits.relearn_zero_s if above_g < 0 else self.limits.relearn_above_s
        if (longer := self._still_window(wait_s)) is not None:
            self._filter.forget_zero(sum(grams for _, grams in longer) / len(longer))
            self._base_g = -math.inf
            self._rest_empty(out, t_s, longer)

    def _landed(self, level: float, above_g: float) -> bool:
        """Tell a load from drift: at least half of a load arrives within `limits.landing_s`."""
        if self._load_g is not None:
            return True
        window: deque[tuple[float, float]] = deque()
        begun_s = (self._moving_since_s or 0.0) - self.limits.landing_s
        for t_s, grams in self._since(begun_s):
            window.append((t_s, grams))
            while t_s - window[0][0] > self.limits.landing_s + 1.5 / self._rate_hz:
                window.popleft()
            if grams - min(g for _, g in window) >= above_g / 2 and grams <= level + above_g / 2:
                return True
        return False

    def _rest_empty(self, out: list[ScaleReading], t_s: float, kept: list[tuple[float, float]]) -> None:
        self._phase = "empty"
        self._moving_since_s = None
        self._load_g = None
        self._shown = False
        self._base_g = max(self._base_g, self._filter.zero_g)
        for _, grams in kept:
            self._filter.learn(grams)
        self._report(out, t_s, "scale_ok")

    def _load(self, guess_g: float, kept: list[tuple[float, float]]) -> None:
        self._phase = "settling"
        self._moving_since_s = None
        self._load_g = guess_g
        self._shown = False
        self._filter.put_load(guess_g)
        # The older half may still hold the tail of the landing.
        self._settling = list(kept[len(kept) // 2 :])
        for _, grams in self._settling:
            self._filter.learn(grams)

    def _judge(self, out: list[ScaleReading], t_s: float) -> None:
        """Report the mass when it is as certain as it will usefully get."""
        lasted_s = t_s - self._settling[0][0]
        mass_g, sd_g = self._filter.mass_g, self._spread_g(lasted_s)
        if lasted_s < self.limits.average_s:
            return
        if sd_g > self.limits.aim_sd_g and lasted_s < self.limits.longest_average_s:
            return
        self._phase = "settled"
        self._load_g = mass_g
        self._shown = True
        self._report(out, t_s, "scale_ok")
        out.append(MassSettled(t_s=t_s, mass_g=mass_g, sd_g=sd_g, samples=len(self._settling)))

    def _spread_g(self, lasted_s: float) -> float:
        """Return the standard deviation of the mass: filter, span and the creep that has already happened."""
        mass_g = self._filter.mass_g
        span_g = self.model.span_rel_sd * mass_g
        creep_g = self.model.creep_fraction * mass_g * (1 - math.exp(-lasted_s / self.model.creep_s))
        return math.sqrt(self._filter.mass_sd_g**2 + span_g**2 + creep_g**2)
