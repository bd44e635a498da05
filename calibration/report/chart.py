"""A chart of a report: describes a drawing for matplotlib without importing it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Ink = Literal["ink", "soft", "line", "cool", "mark", "paper", "good"]

INKS: dict[Ink, str] = {
    "ink": "#1d2327",
    "soft": "#5f686f",
    "paper": "#fbfaf7",
    "line": "#d9d5cc",
    "mark": "#a8401f",
    "cool": "#24628f",
    "good": "#2f7a44",
}
"""The colours on paper. In HTML they are CSS variables, which change on dark screens."""


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """A chart. `width` and `height` are in units of about a pixel; `title` is the text for screen readers.

    :param draw: draws it on matplotlib's axes, only with the colours of `INKS`.
    :param bare: whether the axes fill the whole chart, with its units and the origin in the upper left corner.
    :param picture: BGR uint8, drawn under a bare chart.
    """

    title: str
    width: float
    height: float
    draw: Callable[[Axes], None]
    bare: bool = False
    picture: NDArray[np.uint8] | None = None
