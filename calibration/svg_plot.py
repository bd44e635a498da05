"""Small line plots as inline SVG, for reports that must load nothing."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

import msgspec

Point = tuple[float, float, float]

_WIDTH, _HEIGHT = 460, 280
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 12, 14, 40


class Series(msgspec.Struct, frozen=True):
    """Points (x, y, half-length of the error bar), drawn as a line or as dots, in style 0 or 1."""

    name: str
    points: Sequence[Point]
    style: int = 0
    dots: bool = False


def plot(series: Sequence[Series], x_label: str, y_label: str, *, log: bool = False) -> str:
    """Return an `<svg>` of the series; with `log` both axes are logarithmic and all numbers must be > 0."""
    points = [point for one in series for point in one.points]
    x_axis = _Axis([x for x, _, _ in points], _LEFT, _WIDTH - _RIGHT, log)
    y_axis = _Axis([y + s * e for _, y, e in points for s in (-1, 1)], _HEIGHT - _BOTTOM, _TOP, log)
    label = html.escape(f"{y_label} over {x_label}")
    parts = [f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">']
    for tick in x_axis.ticks():
        x = x_axis.place(tick)
        parts.append(f'<path class="grid" d="M{x:.1f} {_TOP}V{_HEIGHT - _BOTTOM}"/>')
        parts.append(f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 15}" text-anchor="middle">{tick:g}</text>')
    for tick in y_axis.ticks():
        y = y_axis.place(tick)
        parts.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>')
    for one in series:
        parts += _draw(one, x_axis, y_axis)
    right, floor = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    parts += [
        f'<rect class="frame" x="{_LEFT}" y="{_TOP}" width="{right - _LEFT}" height="{floor - _TOP}"/>',
        f'<text x="{(_LEFT + right) // 2}" y="{_HEIGHT - 6}" text-anchor="middle">{html.escape(x_label)}</text>',
        f'<text transform="translate(12 {(_TOP + floor) // 2}) rotate(-90)" text-anchor="middle">'
        f"{html.escape(y_label)}</text></svg>",
    ]
    return "".join(parts)


def _draw(one: Series, x_axis: _Axis, y_axis: _Axis) -> list[str]:
    if not one.points:
        return []
    placed = [(x_axis.place(x), y_axis.place(y), y, e) for x, y, e in one.points]
    if not one.dots:
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y, _, _ in placed)
        return [f'<path class="s{one.style}" d="M{path}"><title>{html.escape(one.name)}</title></path>']
    drawn = []
    for x, y, value, error in placed:
        bar = f"M{x:.1f} {y_axis.place(value - error):.1f}V{y_axis.place(value + error):.1f}"
        drawn.append(f'<path class="s{one.style}" d="{bar}"/>')
        drawn.append(f'<circle class="d{one.style}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>')
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
            steps = (1,) if self._high - self._low > 2 else (1, 2, 5)
            ticks = [float(f"{step}e{decade}") for decade in decades for step in steps]
            return [tick for tick in ticks if self._low <= math.log10(tick) <= self._high]
        rough = (self._high - self._low) / 5
        unit = 10.0 ** math.floor(math.log10(rough))
        step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= rough)
        first = math.ceil(self._low / step)
        return [round(k * step, 12) for k in range(first, math.floor(self._high / step) + 1)]
