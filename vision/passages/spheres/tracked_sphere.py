"""One tracked sphere: its size, its speed, whether it moved by itself or by a hand, and how its roll ended.

Distances that were not derived from the rig or from sphere sizes (15–45 mm) were set on the staged rolls, pushes and
hands of `tests/vision/test_passage.py` and on `tests/bench/hard_passages.py`, which test them.
"""

from __future__ import annotations

import math
from statistics import median
from typing import Literal

from hardware.rig import Rig
from vision.passages.sheet.track_blobs import HUE_SLACK, TrackBlob, hue_gap
from vision.passages.spheres.over_or_through import OverOrThrough
from vision.passages.spheres.resting_place import RestingPlace
from vision.passages.spheres.track_points import TrackPoint, TrackPoints

ROLLING_MM_S2 = 1400.0
"""Acceleration of a rolling ball on the ramp: 5/7 g sin θ cos θ less rolling friction (1560 mm/s² without it)."""
HIDDEN_FROM_MM = 14.0
"""When its centre is less than its radius plus this uphill of the fence, the fence hides part of a sphere from the
slanted camera."""

# Leaving its resting place
LEFT_ASIDE = 1.0
"""A sphere rolls downhill. One that was still moves aside by at most this fraction of its way, however it is pushed."""
LEFT_MM, LEFT_FREELY_MM = 5.0, 2.5
"""A sphere that was still is rolling once it is this far downhill of its place and moved this far without a hand."""
FRESH_MM, FRESH_FREELY_MM, FRESH_Y_MM = 25.0, 4.0, 25.0
"""A sphere that was never still must move farther, and must be uphill of the last y, where the fence hides no part."""
FRESH_ASIDE = 0.25
"""It must also move along its lane: aside by at most this fraction of its path, as the walls leave a small sphere 6 mm
of 25."""
BACK_MM = 0.3
"""Largest apparent backward move of a rolling sphere between two frames: the noise of a blob's centre."""

# History
MEDIAN_OF, RIMS_OF, PACE_OF = 15, 5, 3
"""Number of newest values for the radius and colour, for the rim, and for the velocity."""
CLOSE_S = 0.001
"""Tolerance of timestamps."""
HELD_S = 0.05
"""A point counts as free of hands this long after the last hand."""

# Apparent size of a whole sphere, relative to its own radius
CLEAR_BEYOND = 0.9
"""Beyond this number of radii behind the fence's plane nothing hides a sphere."""
WHOLE_SIZES = 0.8, 1.3
EXIT_Y, EXIT_SIZE = 0.6, 0.6
"""A sphere has come out when over half of it is beyond the fence."""

# Blobs that are caused by a sphere but are not the sphere
TRAIL_MM = 60.0
"""Length of the colour smear behind a rolling sphere: two diameters of a 30 mm sphere."""
TRAIL_ASIDE_LANES = 0.5
"""Half width of the smear, in lane pitches."""

# Lanes
ON_RAMP_Y_MM = 15.0
"""Uphill of this a sphere has not yet reached the fence, and the walls keep it in its lane."""


class TrackedSphere:
    """The history of one sphere. Its stages are resting, rolling and ended; it is tracked on after the end.

    :param t_s: timestamp of `seen`, the first blob of this sphere.
    """

    def __init__(self, rig: Rig, t_s: float, seen: TrackBlob) -> None:
        self.ramp_top_y_mm = rig.ramp_top[0]
        self._lane_pitch_mm = rig.lane_pitch_mm
        self.landing_end_y_mm = rig.landing_y_mm[0]
        self.stage: Literal["resting", "rolling", "ended"] = "resting"
        self.outcome = ""
        self.born_s, self.born_y_mm = t_s, seen.y_mm
        self.started_s = t_s
        self.rolls_since_s = math.inf
        """When it was seen to roll, which is later than it started to."""
        self.ended_s = math.inf
        self.contact_s: float | None = None
        self.settled: TrackPoint | None = None
        self.held_s = -math.inf
        self.held_for_s = 0.0
        """How long hands were at it, all in all, since its last roll ended."""
        self._held_since_s = -math.inf
        self._by_light = False
        """Whether what is at it is light: it was there when the sphere came to the fence, and has been since."""
        self.missed_gap_s = 0.0
        self.glimpsed = False
        """Whether something like it was seen farther on than it can have rolled: it may have flown."""
        self.over_or_through = OverOrThrough()
        self.points = TrackPoints()
        self.resting_place = RestingPlace(self.points, t_s)
        self.exits: list[TrackPoint] = []
        self.radius_mm = seen.radius_mm
        self._radii: list[float] = []
        self.colours: list[tuple[float, float, float]] = []
        self._rims: list[float] = []
        self.pace: list[TrackPoint] = []
        self.box = seen.box
        self.add(t_s, seen)

    @property
    def last(self) -> TrackPoint:
        """The newest point."""
        return self.points[-1]

    @property
    def bgr(self) -> tuple[float, float, float]:
        """The median colour of the blobs that showed the whole sphere."""
        return (
            median(colour[0] for colour in self.colours),
            median(colour[1] for colour in self.colours),
            median(colour[2] for colour in self.colours),
        )

    def hold(self, t_s: float, gap_s: float) -> None:
        """Note that a hand is at it at `t_s`, `gap_s` after the frame before."""
        if t_s <= self.held_s:
            return
        if self.held_s < t_s - gap_s - CLOSE_S:
            self._held_since_s, self._by_light = t_s, False
        self.held_s = t_s
        self.held_for_s += 0.0 if self._by_light else gap_s

    def end(self, t_s: float, outcome: str) -> None:
        """Note that its roll ended at `t_s`.

        No hand comes down the ramp with it. What is at it since before it came to the fence is light.
        """
        comes_along = self.contact_s is not None and self._held_since_s < self.contact_s
        self._by_light = comes_along and self.held_s == t_s
        self.stage, self.outcome, self.ended_s = "ended", outcome, t_s
        self.held_for_s = 0.0

    def lifted(self, by_mm: float) -> bool:
        """Return whether it has been farther uphill than where its roll ended by more than `by_mm`."""
        after = self.points.since(self.ended_s)
        return max(point.y_mm for point in after) > after[0].y_mm + by_mm if after else False

    def add(self, t_s: float, seen: TrackBlob, part: TrackBlob | None = None) -> None:
        """Add the blob of this sphere at `t_s`, and the `part` that the fence separates from it."""
        held = self.held_s >= t_s - HELD_S
        if self.stage == "rolling":
            shown = (seen,) if part is None else (seen, part)
            size = math.hypot(*(each.radius_mm for each in shown)) / self.radius_mm
            y_mm = sum(each.y_mm * each.radius_mm**2 for each in shown) / sum(each.radius_mm**2 for each in shown)
            face_cover = min(each.face_cover for each in shown)  # blur lays the part in the hole over the face
            self.over_or_through.add(t_s, y_mm, size, face_cover, y_mm - self.expected_y(t_s), held=held)
        clear = seen.y_mm > self.radius_mm + HIDDEN_FROM_MM or seen.y_mm < -CLEAR_BEYOND * self.radius_mm
        joined = self.stage == "rolling" and self.joined(seen)
        if clear and seen.compact and not joined:
            self._radii = [*self._radii[1 - MEDIAN_OF :], seen.radius_mm]
            self.radius_mm = median(self._radii)
        whole = clear and not joined and WHOLE_SIZES[0] < seen.radius_mm / self.radius_mm < WHOLE_SIZES[1]
        free = not held and not (self.points and self.held_s > self.last.t_s)
        cut = seen.compact and seen.box[0] == 0
        point = TrackPoint(t_s, seen.x_mm, seen.y_mm, seen.uphill_y_mm, seen.radius_mm, whole, free, cut)
        self.points.take(point, resting=self.stage == "resting")
        self.pace = [*self.pace[1 - PACE_OF :], point] if whole or not self.pace else self.pace
        self.box = seen.box
        self.missed_gap_s = 0.0
        if whole or not self.colours:
            self.colours = [*self.colours[1 - MEDIAN_OF :], seen.bgr]
        if whole and seen.y_mm > 0:
            self._rims = [*self._rims[1 - RIMS_OF :], seen.uphill_y_mm - seen.y_mm]
        if self.stage == "resting":
            self.resting_place.update()
        elif seen.y_mm < -EXIT_Y * self.radius_mm and seen.radius_mm > EXIT_SIZE * self.radius_mm:
            self.exits.append(point)

    def rest_again(self) -> None:
        """Reset to the resting stage at the present place: a sphere that fell short may be pushed again (SM-40)."""
        self.stage = "resting"
        del self.points[:-3]
        self.exits = []
        self.contact_s = self.settled = None
        self.glimpsed = False
        self.over_or_through = OverOrThrough()
        self.born_s, self.born_y_mm = self.last.t_s, self.last.y_mm
        self.resting_place.begin_again()

    def joined(self, seen: TrackBlob) -> bool:
        """Return whether something of another colour is a part of this sphere's blob, which then tells no centre.

        A sphere that rolls comes into other light. One that rests keeps the colour that it had.
        """
        before = self.colours[-1 if self.stage == "rolling" else 0]
        return seen.radius_mm > self.radius_mm and hue_gap(seen.bgr, before) > HUE_SLACK

    def distance_mm(self, other: TrackedSphere) -> float:
        """Return the distance of two spheres' newest places."""
        return math.hypot(self.last.x_mm - other.last.x_mm, self.last.y_mm - other.last.y_mm)

    def keeps_beside(self, other: TrackedSphere, within_mm: float) -> bool:
        """Return whether its offset from `other` has changed by less than `within_mm` since both were seen first."""
        since_s = min(max(self.points[0].t_s, other.points[0].t_s), self.last.t_s, other.last.t_s)
        own, its = self.points.since(since_s)[0], other.points.since(since_s)[0]
        aside_mm = (self.last.x_mm - own.x_mm) - (other.last.x_mm - its.x_mm)
        along_mm = (self.last.y_mm - own.y_mm) - (other.last.y_mm - its.y_mm)
        return math.hypot(aside_mm, along_mm) < within_mm

    def overlaps(self, seen: TrackBlob) -> bool:
        """Return whether a blob's centre lies within this sphere, so that it is part of it and not another sphere."""
        return math.hypot(seen.x_mm - self.last.x_mm, seen.y_mm - self.last.y_mm) < self.radius_mm

    def trails(self, seen: TrackBlob) -> bool:
        """Return whether a blob may be the colour smear of this rolling sphere."""
        beside = abs(seen.x_mm - self.last.x_mm) < TRAIL_ASIDE_LANES * self._lane_pitch_mm
        return self.stage == "rolling" and beside and abs(seen.y_mm - self.last.y_mm) < TRAIL_MM

    def rested(self, t_s: float, rest_s: float, rest_mm: float) -> bool:
        """Return whether it stayed within `rest_mm` for `rest_s` since its roll began."""
        return t_s - self.started_s >= rest_s and self.points.rested(t_s, rest_s, rest_mm)

    def centre_y(self) -> float:
        """Return the y of its centre. If the fence hides a part of it, compute it from the uphill rim."""
        if self.last.whole or not self._rims:
            return self.last.y_mm
        return min(self.last.y_mm, self.last.uphill_y_mm - median(self._rims))

    def velocity_mm_s(self) -> tuple[float, float]:
        """Return the velocity (x, y) over the last points at which it was whole, mm/s."""
        span = self.pace[-1].t_s - self.pace[0].t_s
        if span <= 0.0:
            return 0.0, 0.0
        first, last = self.pace[0], self.pace[-1]
        return (last.x_mm - first.x_mm) / span, (last.y_mm - first.y_mm) / span

    def expected_y(self, t_s: float) -> float:
        """Return the expected y at `t_s`, rolling on from the last point at which it was whole."""
        last = self.pace[-1]
        dt = t_s - last.t_s
        pull = ROLLING_MM_S2 if 0.0 < last.y_mm < self.ramp_top_y_mm else 0.0
        return last.y_mm + self.velocity_mm_s()[1] * dt - pull * dt * dt / 2

    def rolls_freely(self) -> bool:
        """Return whether it has left its place downhill by itself: it moved while no hand was at it."""
        recent = self.points[-3:]
        if len(recent) < 3:
            return False
        if not recent[0].y_mm > recent[1].y_mm > recent[2].y_mm - BACK_MM:
            return False
        left = self.resting_place.still.y_mm - self.last.y_mm
        held = max((index for index, point in enumerate(recent) if not point.free), default=-1)
        free = recent[held + 1 :]  # before that, a hand may have moved the sphere
        moved_free = free[0].y_mm - free[-1].y_mm if len(free) > 1 else 0.0
        if self.resting_place.lain:
            if self.resting_place.lit_otherwise(self.last.radius_mm, left):
                return False  # light or a shadow has changed one side of it, or has merged it with another blob
            if abs(self.last.x_mm - self.resting_place.still.x_mm) > LEFT_ASIDE * left:
                return False
            return left > LEFT_MM and moved_free > min(LEFT_FREELY_MM, left / 4) and self.last.free
        above = [point for point in self.points if point.y_mm > self.last.y_mm + FRESH_MM]
        if not above or abs(above[-1].x_mm - self.last.x_mm) > FRESH_ASIDE * (above[-1].y_mm - self.last.y_mm):
            return False
        return moved_free > FRESH_FREELY_MM and self.last.y_mm > FRESH_Y_MM

    def strayed(self, lane_x_mm: float, by_mm: float) -> int:
        """Return how many of its last three points are on the ramp and more than `by_mm` from the lane's middle.

        A part of it, or of a hand, tells no middle. Before it rolled, a hand may have carried it.
        """
        recent = [point for point in self.points[-3:] if point.whole and point.t_s >= self.rolls_since_s]
        return sum(p.y_mm > ON_RAMP_Y_MM and abs(p.x_mm - lane_x_mm) > by_mm for p in recent)
