"""The gain that makes up for a shortened exposure, found by its effect on the picture."""

from __future__ import annotations

from hardware.cameras.camera_model import Image
from hardware.cameras.light_lock import LAG_FRAMES
from hardware.cameras.v4l2_controls import Range

GAIN_STEPS = 6
"""Bisections of the gain's range. V4L2's gain has no unit, so the gain is searched by its effect on the picture."""
AS_BRIGHT = 0.9
"""A picture with at least this fraction of the metered level (0–255) counts as equally bright."""


class GainSearch:
    """Searches, by bisection, for the gain that restores the metered brightness.

    :param range_: from the gain before the search to the highest.
    """

    def __init__(self, wanted_level: float, range_: Range) -> None:
        self._wanted_level, self._range = wanted_level, range_
        self._low, self._high = range_.low, range_.high
        self._frames = self._steps = 0
        self.done = self.too_dark = False

    def start_over(self) -> int | None:
        """Begin again with the next frame. Return the gain before the search if another one is set, else None."""
        gain = self._range.low if self._steps else None
        self._low, self._high = self._range.low, self._range.high
        self._frames = self._steps = 0
        return gain

    def next(self, level: float) -> int | None:
        """Process the level of a frame; return the gain to set now, or None."""
        self._frames += 1
        if self._frames % LAG_FRAMES:  # the last setting has not taken effect yet
            return None
        tried = self._tried
        if self._steps:
            bright = level >= self._wanted_level
            self._low, self._high = (self._low, tried) if bright else (tried, self._high)
        self._steps += 1
        self.done = self._steps > GAIN_STEPS
        self.too_dark = level < AS_BRIGHT * self._wanted_level
        return None if self.done else self._tried

    @property
    def _tried(self) -> int:
        # Round up, so that the highest gain is reached.
        return -(-(self._low + self._high) // 2)


def level_of(image: Image) -> float:
    """Return the mean level of a picture, 0–255."""
    return float(image[::8, ::8].mean())
