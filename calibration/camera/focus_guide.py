"""The first step of the lens calibration: the lens is focused on the board, which lies on the table. Pure.

A lens with a motor focuses by itself and is then held. For a lens turned by hand the sharpness is shown live. It is
done when the picture is sharp, or when the sharpest position was passed and found again.
"""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from vision.sharpness import edge_blur_px

Ask = Literal["lay", "wait", "turn", "hold"]

SHARPEST_PX = 0.45
"""Edge blur (standard deviation) that fills the bar: a stream of 768 px does not show a smaller one."""
SHARP_PX = 0.7
"""Largest edge blur that is sharp enough: 0.6 mm on a table 50 cm away."""
HELD_S = 1.5
PATIENCE_S = 3.0
"""A motor focuses again if its position is not sharp after this time."""
TRIES = 3
"""After this number of tries the focus is accepted as it is."""
_NEAR_BEST, _PASSED = 0.95, 0.85
"""Fractions of the best sharpness: above the first it counts as equal, below the second as clearly worse."""


class FocusState(msgspec.Struct, frozen=True, kw_only=True):
    """Sharpness of the picture.

    `ask` is what to do: lay the board on the table, wait for the motor, turn the lens, hold on. `sharpness` and `best`
    are 0–1. `held`, 0–1, is how long it has been sharp. `refocus`: the motor should focus again.
    """

    ask: Ask
    sharpness: float
    best: float
    held: float
    refocus: bool = False


class FocusGuide:
    """Tracks the sharpness from frame to frame.

    :param motor: whether the lens focuses by itself. If so, pass `found` to `look`.
    """

    def __init__(self, *, motor: bool) -> None:
        self._motor = motor
        self._best = 0.0
        self._passed = False
        self._sharp_since_s: float | None = None
        self._found_s: float | None = None
        self._tries = 1
        self.done = False

    def look(self, image: NDArray[np.uint8], t_s: float, *, found: bool = False) -> FocusState:
        """Process a frame (BGR uint8) of the stream; `found`: autofocus has ended and the lens is held."""
        blur_px = edge_blur_px(image)
        sharpness = 0.0 if blur_px is None else min(SHARPEST_PX / max(blur_px, SHARPEST_PX), 1.0)
        if sharpness < _PASSED * self._best:
            self._passed = True
        self._best = max(self._best, sharpness)
        good = blur_px is not None and blur_px <= SHARP_PX
        refocus = False
        if self._motor:
            self._found_s = (self._found_s if self._found_s is not None else t_s) if found else None
            late = self._found_s is not None and t_s - self._found_s >= PATIENCE_S
            refocus = late and not good and self._tries < TRIES
            self._tries += refocus
            good = found and (good or (late and not refocus))
        elif self._passed and self._best > 0:
            good = sharpness >= _NEAR_BEST * self._best
        self._sharp_since_s = (self._sharp_since_s if self._sharp_since_s is not None else t_s) if good else None
        held = 0.0 if self._sharp_since_s is None else min((t_s - self._sharp_since_s) / HELD_S, 1.0)
        self.done = held >= 1.0
        ask = self._ask(good, sharpness)
        return FocusState(ask=ask, sharpness=sharpness, best=self._best, held=held, refocus=refocus)

    def _ask(self, good: bool, sharpness: float) -> Ask:
        if good:
            return "hold"
        if self._motor:
            return "wait"
        return "turn" if sharpness > 0 else "lay"
