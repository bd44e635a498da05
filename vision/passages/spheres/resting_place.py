"""Where a sphere rests, and whether it has left that place or only the lighting there has changed.

The distances were set on the staged pushes and hands of `tests/vision/test_passage.py` and on
`tests/bench/hard_passages.py`, which test them.
"""

from __future__ import annotations

import math
from statistics import median

from vision.passages.spheres.track_points import TrackPoint, TrackPoints

CALM_S, CALM_MM = 0.12, 1.2
"""A sphere is still when it stays within half a cell of the sheet (2.5 mm) for this time."""
SHIFT_S, SHIFT_MM = 0.35, 1.8
"""A sphere has a new resting place when it was still for this time at more than this distance from the old one. Flicker
moves it by up to `CALM_MM`."""
LIT_OTHERWISE = 0.25
"""If the radius changes by more than this fraction of the centre's apparent move, only the lighting has changed. When a
shadow hides a strip of a disc, the radius decreases by about half of the centre's move."""
COMES_OUT = 0.5
"""The same for a sphere that the sheet's upper edge cuts: as it comes out, its apparent radius grows by up to 0.45 of
its move."""


class RestingPlace:
    """The place where a sphere was still last, until it rolls.

    :param points: the sphere's points; the sphere adds each one before it calls `update`.
    :param t_s: when it was seen first.
    """

    still: TrackPoint
    """The sphere's point when it was still last; the newest one if it never was."""

    def __init__(self, points: TrackPoints, t_s: float) -> None:
        self._points = points
        self.lain = False
        """Whether it was ever still."""
        self.left_s = t_s
        """When it left the place: the last second at which it was seen there."""

    def update(self) -> None:
        """Follow the newest point. A move by a hand gives a new resting place."""
        point = self._points[-1]
        recent = self._points.since(point.t_s - CALM_S)
        calm = len(recent) > 2 and self._points.spread_mm(recent[0].t_s) < CALM_MM
        if not self.lain:
            self.still, self.lain = point, calm
        elif calm and abs(point.y_mm - self.still.y_mm) < CALM_MM:
            self.left_s = point.t_s
        elif not self._left_freely() and self._rests_elsewhere():
            # Without a hand it was pushed, or only the lighting has changed and it has not moved.
            self.still, self.left_s = point, point.t_s

    def begin_again(self) -> None:
        """Take the newest point as the place where it rests now."""
        self.still, self.lain = self._points[-1], True
        self.left_s = self.still.t_s

    def shifted(self) -> bool:
        """Return whether it has a new resting place a little downhill, with no hand at it: a push too weak to roll."""
        newest = self._points[-1]
        if not self.lain or not self._rests_elsewhere() or newest.y_mm > self.still.y_mm - SHIFT_MM:
            return False
        recent = self._points.since(newest.t_s - SHIFT_S)
        if median(point.uphill_y_mm for point in recent) > self.still.uphill_y_mm:
            return False  # its centre moved downhill but its rim uphill: only the lighting has changed
        moved_mm = self.still.y_mm - median(point.y_mm for point in recent)
        if moved_mm < SHIFT_MM or self.lit_otherwise(median(point.radius_mm for point in recent), moved_mm):
            return False
        return self._left_freely()

    def lit_otherwise(self, radius_mm: float, moved_mm: float) -> bool:
        """Return whether its radius has changed by more than a move explains."""
        grown_mm = radius_mm - self.still.radius_mm
        grows_mm = (COMES_OUT if self.still.cut else LIT_OTHERWISE) * moved_mm
        return not -LIT_OTHERWISE * moved_mm <= grown_mm <= grows_mm

    def holds_it(self) -> bool:
        """Return whether it is still, or again, where it lay. No ball rolls back uphill: then light moved over it."""
        return self.lain and self.still.y_mm - self._points[-1].y_mm < SHIFT_MM

    def _rests_elsewhere(self) -> bool:
        newest = self._points[-1]
        since_s = newest.t_s - SHIFT_S
        recent = self._points.since(since_s)
        lasted = len(recent) > 3 and recent[0].t_s < since_s + 0.3 * SHIFT_S
        calm = lasted and self._points.spread_mm(since_s, by_rim=False) < CALM_MM
        return calm and math.hypot(newest.x_mm - self.still.x_mm, newest.y_mm - self.still.y_mm) > SHIFT_MM

    def _left_freely(self) -> bool:
        return all(point.free for point in self._points.since(self.left_s))
