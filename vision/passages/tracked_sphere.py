"""One sphere as it was seen over time: where, how fast, and whether it moved by itself."""

from __future__ import annotations

import math
from statistics import median
from typing import Literal, NamedTuple

from vision.passages.over_or_through import OverOrThrough
from vision.passages.track_blobs import TrackBlob

ROLLING_MM_S2 = 1400.0
"""About what a rolling ball gains on the ramp: 5/7 g sin θ cos θ less rolling friction."""
HIDDEN_FROM_MM = 14.0
"""From this far uphill of its own radius on, the fence hides part of a sphere."""
_CALM_S = 0.12
_CALM_MM = 1.2
_SHIFT_S = 0.35
_SHIFT_MM = 1.8
_LEFT_MM = 5.0
_TRAIL_MM, _TRAIL_ASIDE_MM = 60.0, 20.0
_FREE_MM = 2.5
_FRESH_MM = 25.0
_KEPT = 400
_KEPT_RESTING = 90


class TrackPoint(NamedTuple):
    """A sphere's place at one stamp. `whole`: nothing hid it; `free`: no hand was near."""

    t_s: float
    x_mm: float
    y_mm: float
    uphill_y_mm: float
    whole: bool
    free: bool


class TrackedSphere:
    """The history of one sphere: resting, then rolling, then ended (and followed while it lies there)."""

    def __init__(self, t_s: float, seen: TrackBlob) -> None:
        self.stage: Literal["resting", "rolling", "ended"] = "resting"
        self.outcome = ""
        self.born_s = t_s
        self.started_s = t_s
        self.ended_s = math.inf
        self.contact_s: float | None = None
        self.held_s = -math.inf
        self.missed_gap_s = 0.0
        self.flight = OverOrThrough()
        self.samples: list[TrackPoint] = []
        self.exits: list[TrackPoint] = []
        self.radius_mm = seen.radius_mm
        self._radii: list[float] = []
        self._colours: list[tuple[float, float, float]] = []
        self._rims: list[float] = []
        self._lain = False
        self._still_s = t_s
        self._pace: list[TrackPoint] = []
        self.box = seen.box
        self._still = TrackPoint(t_s, seen.x_mm, seen.y_mm, seen.uphill_y_mm, False, False)
        self.add(t_s, seen)

    @property
    def last(self) -> TrackPoint:
        """The newest sample."""
        return self.samples[-1]

    @property
    def bgr(self) -> tuple[float, float, float]:
        """The median colour of its whole sightings."""
        return (
            median(colour[0] for colour in self._colours),
            median(colour[1] for colour in self._colours),
            median(colour[2] for colour in self._colours),
        )

    def add(self, t_s: float, seen: TrackBlob) -> None:
        """Take the sighting that is this sphere at `t_s`."""
        if self.stage == "rolling":
            size, ahead_mm = seen.radius_mm / self.radius_mm, seen.y_mm - self.expected_y(t_s)
            self.flight.near(seen.y_mm, size, seen.face_cover, ahead_mm)
        clear = seen.y_mm > self.radius_mm + HIDDEN_FROM_MM or seen.y_mm < -0.9 * self.radius_mm
        if clear and seen.compact:
            self._radii = [*self._radii[-14:], seen.radius_mm]
            self.radius_mm = median(self._radii)
        whole = clear and 0.8 < seen.radius_mm / self.radius_mm < 1.3
        sample = TrackPoint(t_s, seen.x_mm, seen.y_mm, seen.uphill_y_mm, whole, self.held_s < t_s - 0.05)
        self.samples.append(sample)
        if self.stage == "resting":
            del self.samples[:-_KEPT_RESTING]
        elif len(self.samples) > _KEPT:
            del self.samples[len(self.samples) // 2]
        self._pace = [*self._pace[-2:], sample] if whole or not self._pace else self._pace
        self.box = seen.box
        self.missed_gap_s = 0.0
        if whole or not self._colours:
            self._colours = [*self._colours[-14:], seen.bgr]
        if whole and seen.y_mm > 0:
            self._rims = [*self._rims[-4:], seen.uphill_y_mm - seen.y_mm]
        if self.stage == "resting":
            self._settle(sample)
        elif seen.y_mm < -0.6 * self.radius_mm and seen.radius_mm > 0.6 * self.radius_mm:
            self.exits.append(sample)

    def _settle(self, sample: TrackPoint) -> None:
        """Remember where it lay still: the place that a roll leaves. Being moved by a hand makes a new place."""
        recent = self.since(sample.t_s - _CALM_S)
        calm = len(recent) > 2 and self.spread_mm(recent[0].t_s) < _CALM_MM
        if not self._lain:
            self._still, self._lain = sample, calm
        elif calm and abs(sample.y_mm - self._still.y_mm) < _CALM_MM:
            self._still_s = sample.t_s
        elif self._rests_elsewhere() and not self.shifted():
            self._still, self._still_s = sample, sample.t_s

    def _rests_elsewhere(self) -> bool:
        since_s = self.last.t_s - _SHIFT_S
        recent = self.since(since_s)
        calm = len(recent) > 3 and recent[0].t_s < since_s + 0.3 * _SHIFT_S and self.spread_mm(since_s) < _CALM_MM
        return calm and math.hypot(self.last.x_mm - self._still.x_mm, self.last.y_mm - self._still.y_mm) > _SHIFT_MM

    def shifted(self) -> bool:
        """Whether it rests a little downhill of where it lay, and no hand was at it: a push too weak to roll on."""
        if not self._lain or not self._rests_elsewhere() or self.last.y_mm > self._still.y_mm - _SHIFT_MM:
            return False
        return all(sample.free for sample in self.since(self._still_s))

    def again(self) -> None:
        """Lie here as if just set down: a sphere that fell short may be pushed again (SM-40)."""
        self.stage = "resting"
        self.samples = self.samples[-3:]
        self.exits = []
        self.contact_s = None
        self.flight = OverOrThrough()
        self.born_s = self._still_s = self.last.t_s
        self._still, self._lain = self.last, True

    def near(self, seen: TrackBlob) -> bool:
        """Whether a sighting overlaps this sphere, so that it is a part of it rather than another."""
        return math.hypot(seen.x_mm - self.last.x_mm, seen.y_mm - self.last.y_mm) < self.radius_mm

    def trails(self, seen: TrackBlob) -> bool:
        """Whether a sighting may be colour that this sphere, rolling, drags along in a smeared picture."""
        beside = abs(seen.x_mm - self.last.x_mm) < _TRAIL_ASIDE_MM
        return self.stage == "rolling" and beside and abs(seen.y_mm - self.last.y_mm) < _TRAIL_MM

    def since(self, t_s: float) -> list[TrackPoint]:
        """Return the samples from `t_s` on."""
        first = len(self.samples)
        while first > 0 and self.samples[first - 1].t_s >= t_s:
            first -= 1
        return self.samples[first:]

    def spread_mm(self, t_s: float) -> float:
        """Return how far apart the places since `t_s` lie.

        The rim flickers by a whole row of cells, the middle moves with what hides it: at rest one of them keeps still.
        """
        recent = self.since(t_s)
        xs = [sample.x_mm for sample in recent]
        rims = [sample.uphill_y_mm for sample in recent]
        middles = [sample.y_mm for sample in recent]
        return max(max(xs) - min(xs), min(max(rims) - min(rims), max(middles) - min(middles)))

    def rested(self, t_s: float, rest_s: float, rest_mm: float) -> bool:
        """Whether it has lain within `rest_mm` for `rest_s`, and was seen often enough to say so."""
        if t_s - self.started_s < rest_s or self.samples[0].t_s > t_s - rest_s:
            return False
        recent = self.since(t_s - rest_s)
        return len(recent) > 3 and recent[0].t_s < t_s - 0.7 * rest_s and self.spread_mm(t_s - rest_s) < rest_mm

    def rests_now(self, least_s: float, rest_mm: float) -> bool:
        """Whether its last three samples or more, over at least `least_s`, lie within `rest_mm`."""
        since_s = min(self.last.t_s - least_s, self.samples[-3:][0].t_s)
        return len(self.samples) > 2 and self.samples[0].t_s <= since_s and self.spread_mm(since_s) < rest_mm

    def centre_y(self) -> float:
        """Return the y of its centre, by its uphill rim where the fence hides the rest."""
        if self.last.whole or not self._rims:
            return self.last.y_mm
        return min(self.last.y_mm, self.last.uphill_y_mm - median(self._rims))

    def speed_mm_s(self) -> tuple[float, float]:
        """Return the velocity over the last whole samples, mm/s."""
        span = self._pace[-1].t_s - self._pace[0].t_s
        if span <= 0.0:
            return 0.0, 0.0
        first, last = self._pace[0], self._pace[-1]
        return (last.x_mm - first.x_mm) / span, (last.y_mm - first.y_mm) / span

    def expected_y(self, t_s: float) -> float:
        """Return where it would be now, rolling on from where it was last seen whole."""
        last = self._pace[-1]
        dt = t_s - last.t_s
        pull = ROLLING_MM_S2 if 0.0 < last.y_mm < 200.0 else 0.0
        return last.y_mm + self.speed_mm_s()[1] * dt - pull * dt * dt / 2

    def mismatch(self, t_s: float, seen: TrackBlob) -> float:
        """Return how badly a sighting fits as this sphere's next: 0 is perfect, over 1 is no match."""
        dt = t_s - self.last.t_s
        size = seen.radius_mm / self.radius_mm
        near_fence = abs(seen.y_mm) < self.radius_mm + HIDDEN_FROM_MM
        if size > 1.4 or (size < 0.65 and not near_fence and seen.y_mm > -60.0):
            return 2.0
        if self.stage == "rolling":
            gap = self._rolling_gap(t_s, dt, seen)
        elif self.stage == "ended" and seen.y_mm > self.last.y_mm + 10.0:
            return 2.0  # uphill of where a roll ended lies another sphere, or this one set down for another roll
        elif self.stage == "ended" or self.held_s < t_s - 0.3:
            gap = self._lying_gap(min(dt, 0.2), seen)
        else:
            down = self.last.y_mm - seen.y_mm
            reach = 30.0 + 900.0 * min(dt, 0.3)
            gap = max(abs(seen.x_mm - self.last.x_mm) / 18.0, (down if down > 0 else -2 * down) / reach)
        # Through the hole a part of it shows that says little about where it is; what shows uphill says more.
        in_hole = -0.9 * self.radius_mm < seen.y_mm < 8.0 and size < 0.75
        part = 0.5 * max(0.0, 0.6 - size) / 0.6 + (0.5 if in_hole else 0.0)
        return gap + part + 4.0 * max(0.0, _hue_gap(seen.bgr, self._colours[-1]) - 0.08)

    def _lying_gap(self, dt: float, seen: TrackBlob) -> float:
        reach = 9.0 + (600.0 * dt * dt if self.stage == "resting" else 0.0) + 250.0 * dt
        along = abs(seen.y_mm - self.last.y_mm)
        if self.stage == "ended" and seen.y_mm < self.last.y_mm:
            along *= 0.3  # it may still be rolling away
        return max(along, abs(seen.x_mm - self.last.x_mm)) / reach

    def _rolling_gap(self, t_s: float, dt: float, seen: TrackBlob) -> float:
        vx, vy = self.speed_mm_s()
        far = t_s - self._pace[-1].t_s
        ahead = seen.y_mm - self.expected_y(t_s)
        surge = 4000.0 if self.last.y_mm > 185.0 else 900.0  # on the platform a finger may still be pushing
        on = abs(ahead) / (9.0 + (0.35 if ahead < 0 else 1.2) * abs(vy) * far + surge * far * far)
        # Half hidden at the fence it may stay, or come back, while it was expected beyond.
        stay = abs(seen.y_mm - self.last.y_mm) / (9.0 + 600.0 * dt) if not self.last.whole else on
        across = abs(seen.x_mm - self.last.x_mm - vx * min(dt, 0.1)) / (14.0 + 120.0 * dt)
        return max(min(on, stay), across)

    def rolls_freely(self) -> bool:
        """Whether it has left its place downhill, by itself: samples with no hand at it carry the move."""
        recent = self.samples[-3:]
        if len(recent) < 3:
            return False
        if not recent[0].y_mm > recent[1].y_mm > recent[2].y_mm - 0.3:
            return False
        left = self._still.y_mm - self.last.y_mm
        free = [sample for sample in recent if sample.free]
        moved_free = free[0].y_mm - free[-1].y_mm if len(free) > 1 else 0.0
        if self._lain:
            return left > _LEFT_MM and moved_free > min(_FREE_MM, left / 4) and self.last.free
        return self.samples[0].y_mm - self.last.y_mm > _FRESH_MM and moved_free > 4.0 and self.last.y_mm > 25.0

    def left_s(self) -> float:
        """Return when it left the place where it lay."""
        return self._still_s

    def x_at(self, y_mm: float) -> float | None:
        """Return the x at which it first came past `y_mm` on its way down, or None if it has not."""
        before: TrackPoint | None = None
        for sample in self.samples:
            if sample.y_mm <= y_mm:
                if before is None:
                    return sample.x_mm
                share = (before.y_mm - y_mm) / (before.y_mm - sample.y_mm)
                return before.x_mm + share * (sample.x_mm - before.x_mm)
            before = sample
        return None

    def strayed(self, lane_x_mm: float, by_mm: float) -> int:
        """Return how many of its last three samples on the ramp lie in another lane."""
        return sum(sample.y_mm > 15.0 and abs(sample.x_mm - lane_x_mm) > by_mm for sample in self.samples[-3:])


def _hue_gap(a: tuple[float, float, float], b: tuple[float, float, float]) -> float:
    """Return how far apart two colours are whatever their brightness (distance of their shares of blue, green, red)."""
    total_a, total_b = sum(a) + 1.0, sum(b) + 1.0
    return math.sqrt(sum((p / total_a - q / total_b) ** 2 for p, q in zip(a, b, strict=True)))
