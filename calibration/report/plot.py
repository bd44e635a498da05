"""Makes charts of small plots of numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from calibration.messages import Speaker
from calibration.report.chart import INKS, Chart

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

Point = tuple[float, float, float]

_WIDTH, _HEIGHT = 460.0, 280.0
_FEWEST_TICKS = 3
_MARGIN = 0.06
_STYLES = (INKS["cool"], INKS["mark"])


class Series(msgspec.Struct, frozen=True):
    """Points (x, y, half-length of the error bar), drawn as a line, as dots or as bars from zero; style 0 or 1."""

    name: str
    points: Sequence[Point]
    style: int = 0
    dots: bool = False
    bars: bool = False


def plot(series: Sequence[Series], x_name: str, y_name: str, speaker: Speaker, *, log: bool = False) -> Chart:
    """Return a chart of the series; with `log` both axes are logarithmic and all numbers must be > 0.

    The axes' labels are the sentences of the codes `report.axis.<name>`.
    """
    x_label, y_label = speaker.say(f"report.axis.{x_name}"), speaker.say(f"report.axis.{y_name}")

    def draw(axes: Axes) -> None:
        if log:
            axes.set_xscale("log")
            axes.set_yscale("log")
        points = [point for one in series for point in one.points]
        heights = [y + side * error for _, y, error in points for side in (-1, 1)]
        heights += [0.0] if any(one.bars for one in series) else []
        axes.set_xlim(*_limits([x for x, _, _ in points], log))
        axes.set_ylim(*_limits(heights, log))
        for axis in (axes.xaxis, axes.yaxis):
            _tick(axis, speaker, log=log)
        for one in series:
            _draw(axes, one)
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)

    title = speaker.say("report.axes", {"x": x_label, "y": y_label})
    return Chart(title=title, width=_WIDTH, height=_HEIGHT, draw=draw)


def _draw(axes: Axes, one: Series) -> None:
    if not one.points:
        return
    colour = _STYLES[one.style]
    x, y, errors = zip(*one.points, strict=True)
    if one.bars:
        axes.vlines(x, 0.0, y, colors=colour, linewidth=9)
    elif one.dots:
        axes.errorbar(x, y, yerr=errors, fmt="o", color=colour, markersize=6, linewidth=1.6)
    else:
        axes.plot(x, y, color=colour, linewidth=1.6, linestyle="--" if one.style == 1 else "-")


def _limits(numbers: Sequence[float], log: bool) -> tuple[float, float]:
    scaled = [math.log10(number) for number in numbers] if log else list(numbers)
    low, high = min(scaled, default=0.0), max(scaled, default=1.0)
    margin = _MARGIN * (high - low) or (0.5 if log else max(abs(high), 1.0) * 0.5)
    low, high = low - margin, high + margin
    return (10.0**low, 10.0**high) if log else (low, high)


def _tick(axis: Axis, speaker: Speaker, *, log: bool) -> None:
    """Set ticks at round numbers in the speaker's format; a logarithmic axis gets at least three if possible."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

    low, high = axis.get_view_interval()
    if log:
        for steps in ((1.0,), (1.0, 2.0, 5.0), tuple(float(step) for step in range(1, 10))):
            locator = LogLocator(subs=steps, numticks=50)
            if sum(low <= tick <= high for tick in locator.tick_values(low, high)) >= _FEWEST_TICKS:
                break
        axis.set_major_locator(locator)
    else:
        axis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10]))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda tick, _: speaker.number(round(tick, 12), "g")))
