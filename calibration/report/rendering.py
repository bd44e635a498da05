"""Renders charts as SVG and reports as PNG with matplotlib. Import it only to make a report: it takes a second."""

from __future__ import annotations

import base64
import html
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import cv2
import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D

from calibration.report.chart import INKS, Chart, Ink
from calibration.store import REPORT_MARK

TEXT_PX = 11
_LEFT, _RIGHT, _TOP, _BOTTOM = 62.0, 12.0, 14.0, 44.0  # margins for the tick labels and axis labels of a plot
_DPI = 72  # a unit is a point
_FINENESS = 2  # pixels of a PNG per unit
_LOOK: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # included in matplotlib, so that every machine draws the same
    "font.size": TEXT_PX,
    "text.parse_math": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "smugglers",
    "axes.labelsize": TEXT_PX,
    "axes.labelcolor": INKS["soft"],
    "axes.edgecolor": INKS["soft"],
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": INKS["line"],
    "grid.linewidth": 1.0,
    "xtick.labelsize": TEXT_PX,
    "ytick.labelsize": TEXT_PX,
    "xtick.color": INKS["line"],
    "ytick.color": INKS["line"],
    "xtick.labelcolor": INKS["soft"],
    "ytick.labelcolor": INKS["soft"],
    "xtick.major.size": 0.0,
    "ytick.major.size": 0.0,
    "text.color": INKS["ink"],
}


@contextmanager
def look() -> Iterator[None]:
    """Apply the style of reports inside the context."""
    with mpl.rc_context(_LOOK):
        yield


def svg(chart: Chart) -> str:
    """Return the chart as an `<svg>` without external references, for a page with the inks as CSS variables."""
    with look():
        figure = Figure(figsize=(chart.width / _DPI, chart.height / _DPI), dpi=_DPI, facecolor="none")
        _draw(chart, figure, (0.0, 0.0, chart.width, chart.height), with_picture=False)
        file = io.StringIO()
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = file.getvalue()
    drawn = text[text.index(">", text.index("<svg")) + 1 :]
    for pattern, new in (
        (r"<metadata>.*?</metadata>", ""),
        (r"<defs>\s*<clipPath.*?</defs>", ""),
        (r' clip-path="[^"]*"', ""),
        (r' id="[\w.]+_\d+"', ""),
        (r"<!--.*?-->", ""),
        (r"font: ([\d.]+px) [^;\"]*", r"font-size: \1"),
        (r"xlink:href", "href"),
        (r"\n\s*", "\n"),
    ):
        drawn = re.sub(pattern, new, drawn, flags=re.DOTALL)
    for ink, colour in INKS.items():
        drawn = drawn.replace(colour, f"var(--{ink})")
    head = f'<svg viewBox="0 0 {chart.width:g} {chart.height:g}" role="img" aria-label="{html.escape(chart.title)}">'
    return head + _image(chart) + drawn.strip()


def _image(chart: Chart) -> str:
    """Return the picture under a chart as an embedded JPEG: a PNG would be six times as large."""
    if chart.picture is None:
        return ""
    _, data = cv2.imencode(".jpg", chart.picture, [cv2.IMWRITE_JPEG_QUALITY, 82])
    address = "data:image/jpeg;base64," + base64.b64encode(data.tobytes()).decode()
    return f'<image x="0" y="0" width="{chart.width:g}" height="{chart.height:g}" href="{address}"/>'


def _draw(chart: Chart, figure: Figure, box: tuple[float, float, float, float], *, with_picture: bool) -> None:
    """Draw a chart in a box of the figure: left, top, width, height in units, Y down."""
    left, top, width, height = box
    zoom = width / chart.width
    if not chart.bare:
        left, top = left + _LEFT * zoom, top + _TOP * zoom
        width, height = width - (_LEFT + _RIGHT) * zoom, height - (_TOP + _BOTTOM) * zoom
    whole_width, whole_height = figure.get_size_inches() * _DPI
    place = (left / whole_width, 1 - (top + height) / whole_height, width / whole_width, height / whole_height)
    axes: Axes = figure.add_axes(place)
    if chart.bare:
        axes.set_axis_off()
        axes.set_xlim(0.0, chart.width)
        axes.set_ylim(chart.height, 0.0)
        axes.autoscale(False)
    if chart.picture is not None and with_picture:
        rgb = np.asarray(cv2.cvtColor(chart.picture, cv2.COLOR_BGR2RGB))
        axes.imshow(rgb, extent=(0.0, chart.width, chart.height, 0.0), aspect="auto", interpolation="antialiased")
    chart.draw(axes)


class Sheet:
    """A raster page for text and charts. Coordinates are in units, Y down from the upper left corner."""

    def __init__(self, width: float, height: float) -> None:
        self._figure = Figure(figsize=(width / _DPI, height / _DPI), dpi=_DPI, facecolor=INKS["paper"])
        self._width, self._height = width, height

    def lay(self, chart: Chart, x: float, y: float, width: float) -> None:
        """Draw a chart, scaled to `width`, with its upper left corner at (x, y)."""
        _draw(chart, self._figure, (x, y, width, width * chart.height / chart.width), with_picture=True)

    def words(self, x: float, y: float, text: str, *, size: float, ink: Ink = "ink", right: bool = False) -> None:
        """Draw a line of text; (x, y) is the start of its baseline, or with `right` the end."""
        across, up = self._share(x, y)
        side = "right" if right else "left"
        self._figure.text(across, up, text, fontsize=size, color=INKS[ink], ha=side, va="baseline")

    def dot(self, x: float, y: float) -> None:
        """Draw the bullet before a sentence."""
        self.words(x, y, "•", size=14)

    def pill(self, x: float, y: float, text: str, ink: Ink) -> None:
        """Draw a word on a rounded patch of `ink`, which begins at x; the baseline is at y."""
        across, up = self._share(x + 10, y)
        patch = {"boxstyle": "round,pad=0.35,rounding_size=0.7", "facecolor": INKS[ink], "linewidth": 0}
        self._figure.text(across, up, text, fontsize=15, color=INKS["paper"], va="baseline", bbox=patch)

    def rule(self, x: float, y: float, width: float) -> None:
        """Draw a thin horizontal line."""
        (left, up), (right, _) = self._share(x, y), self._share(x + width, y)
        self._figure.add_artist(Line2D([left, right], [up, up], color=INKS["line"], linewidth=1))

    def png(self) -> bytes:
        """Return the sheet as a PNG."""
        out = io.BytesIO()
        self._figure.savefig(out, format="png", dpi=_DPI * _FINENESS, metadata={"Software": REPORT_MARK})
        return out.getvalue()

    def _share(self, x: float, y: float) -> tuple[float, float]:
        return x / self._width, 1 - y / self._height


def length(text: str, size: float) -> float:
    """Return the width of a line of text, in units."""
    with look():
        canvas: Any = FigureCanvasAgg(_ruler())
        width, _, _ = canvas.get_renderer().get_text_width_height_descent(text, FontProperties(size=size), False)
    return float(width)


@cache
def _ruler() -> Figure:
    return Figure(figsize=(1, 1), dpi=_DPI)
