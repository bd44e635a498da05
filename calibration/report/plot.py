"""Small line plots as drawings."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from calibration.messages import Speaker
from calibration.report.drawing import Dot, Drawing, Ink, Item, Label, Line

Point = tuple[float, float, float]

_WIDTH, _HEIGHT = 460, 280
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 12, 14, 40
_FEWEST_TICKS = 3


class Series(msgspec.Struct, frozen=True):
    """Points (x, y, half-length of the error bar), drawn as a line, as dots or as bars from zero; style 0 or 1."""

    name: str
    points: Sequence[Point]
    style: int = 0
    dots: bool = False
    bars: bool = False


def plot(series: Sequence[Series], x_name: str, y_name: str, speaker: Speaker, *, log: bool = False) -> Drawing:
    """Return a drawing of the series; with `log` both axes are logarithmic and all numbers must be > 0.

    The axes are named by their codes (`report.axis.<name>`), which the speaker says.
    """
    x_label, y_label = speaker.say(f"report.axis.{x_name}"), speaker.say(f"report.axis.{y_name}")
    points = [point for one in series for point in one.points]
    x_axis = _Axis([x for x, _, _ in points], _LEFT, _WIDTH - _RIGHT, log)
    heights = [y + s * e for _, y, e in points for s in (-1, 1)]
    if any(one.bars for one in series):
        heights.append(0.0)
    y_axis = _Axis(heights, _HEIGHT - _BOTTOM, _TOP, log)
    right, floor = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    items: list[Item] = []
    for tick in x_axis.ticks():
        x = x_axis.place(tick)
        items.append(Line(((x, _TOP), (x, floor)), "line", 1))
        items.append(Label((x, floor + 15), speaker.number(tick, "g"), anchor="middle"))
    for tick in y_axis.ticks():
        y = y_axis.place(tick)
        items.append(Line(((_LEFT, y), (right, y)), "line", 1))
        items.append(Label((_LEFT - 6, y + 4), speaker.number(tick, "g"), anchor="end"))
    for one in series:
        items += _draw(one, x_axis, y_axis)
    items += [
        Line(((_LEFT, _TOP), (right, _TOP), (right, floor), (_LEFT, floor)), "soft", 1, closed=True),
        Label(((_LEFT + right) / 2, _HEIGHT - 6), x_label, anchor="middle"),
        Label((12, (_TOP + floor) / 2), y_label, anchor="middle", upright=True),
    ]
    return Drawing(_WIDTH, _HEIGHT, speaker.say("report.axes", {"x": x_label, "y": y_label}), items)


def _draw(one: Series, x_axis: _Axis, y_axis: _Axis) -> list[Item]:
    if not one.points:
        return []
    ink: Ink = "cool" if one.style == 0 else "mark"
    placed = [(x_axis.place(x), y_axis.place(y), y, e) for x, y, e in one.points]
    if one.bars:
        floor = y_axis.place(0.0)
        return [Line(((x, floor), (x, y)), ink, 9) for x, y, value, _ in placed if value]
    if not one.dots:
        return [Line(tuple((x, y) for x, y, _, _ in placed), ink, dashed=one.style == 1)]
    drawn: list[Item] = []
    for x, y, value, error in placed:
        drawn.append(Line(((x, y_axis.place(value - error)), (x, y_axis.place(value + error))), ink))
        drawn.append(Dot((x, y), 4, ink))
    return drawn


class _Axis:
    """Maps numbers to the pixels from `start` to `end`, with round ticks."""

    def __init__(self, numbers: Sequence[float], start: float, end: float, log: bool) -> None:
        self._log = log
        scaled = [math.log10(number) for number in numbers] if log else list(numbers)
        low, high = min(scaled, default=0.0), max(scaled, default=1.0)
        margin = 0.06 * (high - low) or (0.5 if log else max(abs(high), 1.0) * 0.5)
        self._low, self._high = low - margin, high + margin
        self._start, self._end = start, end

    def place(self, number: float) -> float:
        """Return the pixel of a number."""
        scaled = math.log10(number) if self._log else number
        return self._start + (scaled - self._low) / (self._high - self._low) * (self._end - self._start)

    def ticks(self) -> list[float]:
        """Return round numbers inside the axis."""
        if self._log:
            decades = range(math.floor(self._low), math.ceil(self._high) + 1)
            for steps in ((1,), (1, 2, 5), range(1, 10)):
                ticks = [float(f"{step}e{decade}") for decade in decades for step in steps]
                ticks = [tick for tick in ticks if self._low <= math.log10(tick) <= self._high]
                if len(ticks) >= _FEWEST_TICKS:
                    break
            return ticks
        rough = (self._high - self._low) / 5
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
        first = math.ceil(self._low / step)
        return [round(k * step, 12) for k in range(first, math.floor(self._high / step) + 1)]
