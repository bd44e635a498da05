"""A chart of a report: what to draw with matplotlib, told without importing it."""

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
"""The inks on paper; on a page they are variables, which change on dark screens."""


class Chart(msgspec.Struct, frozen=True, kw_only=True):
    """A chart of a size in units of about a pixel; `title` is read to those who cannot see.

    :param draw: draws it on matplotlib's axes in the colours of `INKS` alone.
    :param bare: whether the axes fill the whole chart, counted in its units from the upper left corner.
    :param picture: BGR uint8, laid under a bare chart.
    """

    title: str
    width: float
    height: float
    draw: Callable[[Axes], None]
    bare: bool = False
    picture: NDArray[np.uint8] | None = None
