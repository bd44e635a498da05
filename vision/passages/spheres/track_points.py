"""The points of one tracked sphere, and how much it has moved by them."""

from __future__ import annotations

from typing import NamedTuple

KEPT_POINTS, KEPT_POINTS_RESTING = 400, 90
"""Points kept of a roll (7 s at 56 frames a second; then each new point replaces one in the middle) and of a resting
sphere (1.6 s)."""


class TrackPoint(NamedTuple):
    """A sphere's position and apparent radius at one time.

    `whole`: nothing hid it or joined it; `free`: no hand was near, nor had been since the point before; `cut`: the
    sheet's upper edge cuts it.
    """

    t_s: float
    x_mm: float
    y_mm: float
    uphill_y_mm: float
    radius_mm: float
    whole: bool
    free: bool
    cut: bool


class TrackPoints(list[TrackPoint]):
    """The points of one sphere, the oldest first."""

    def take(self, point: TrackPoint, *, resting: bool) -> None:
        """Add the newest point, and drop one that is not needed any more."""
        self.append(point)
        if resting:
            del self[:-KEPT_POINTS_RESTING]
        elif len(self) > KEPT_POINTS:
            del self[len(self) // 2]

    def since(self, t_s: float) -> list[TrackPoint]:
        """Return the points from `t_s` on."""
        first = len(self)
        while first > 0 and self[first - 1].t_s >= t_s:
            first -= 1
        return self[first:]

    def spread_mm(self, t_s: float, *, by_rim: bool = True) -> float:
        """Return the spread of the positions since `t_s`, in mm.

        The rim flickers by a whole row of cells, and the centre moves when something hides a part of the sphere. At
        rest one of the two is still, so the smaller spread along the lane counts.

        :param by_rim: False where no fence hides a part of it. If the centre moves there and the rim does not, a shadow
            moves the centre.
        """
        recent = self.since(t_s)
        xs = [point.x_mm for point in recent]
        rims = [point.uphill_y_mm for point in recent]
        middles = [point.y_mm for point in recent]
        along = max(middles) - min(middles)
        return max(max(xs) - min(xs), min(along, max(rims) - min(rims)) if by_rim else along)

    def rested(self, t_s: float, rest_s: float, rest_mm: float) -> bool:
        """Return whether it stayed within `rest_mm` for `rest_s` until `t_s` and was seen often enough in that time."""
        if self[0].t_s > t_s - rest_s:
            return False
        recent = self.since(t_s - rest_s)
        return len(recent) > 3 and recent[0].t_s < t_s - 0.7 * rest_s and self.spread_mm(t_s - rest_s) < rest_mm

    def rests_now(self, least_s: float, rest_mm: float) -> bool:
        """Return whether its last points, at least three over at least `least_s`, lie within `rest_mm`."""
        since_s = min(self[-1].t_s - least_s, self[-3:][0].t_s)
        return len(self) > 2 and self[0].t_s <= since_s and self.spread_mm(since_s) < rest_mm

    def x_at(self, y_mm: float) -> float | None:
        """Return the x at which it first passed `y_mm` on its way down, or None if it has not."""
        before: TrackPoint | None = None
        for point in self:
            if point.y_mm <= y_mm:
                if before is None:
                    return point.x_mm
                share = (before.y_mm - y_mm) / (before.y_mm - point.y_mm)
                return before.x_mm + share * (point.x_mm - before.x_mm)
            before = point
        return None
