"""Zero tracking: the highest recent zero, the zero of a pan that was lifted off, and the drift while warming up."""

from __future__ import annotations

import math

from hardware.scale.stability import Level
from hardware.scale.weighing_limits import WeighingLimits

_MINUTE_S = 60.0


class ZeroTracker:
    """Tracks the zero, in g above the calibrated one.

    :param least_g: mass of the lightest load; levels that differ by less count as the same.
    """

    def __init__(self, limits: WeighingLimits, least_g: float) -> None:
        self._limits, self._least_g = limits, least_g
        self._base_g = -math.inf
        self._is_pan = True
        self._with_pan_g: float | None = None
        self._minute: Level | None = None
        self.warming = False
        """Whether the zero of the empty pan moved by more than `warm_g_per_min` in the last minute."""

    def pass_time(self, dt_s: float, zero_g: float) -> None:
        """Let the remembered higher zero decay with time constant `base_s`, so that its recovery is not a load."""
        fall_g = max(self._base_g - zero_g, 0.0)
        self._base_g = zero_g + fall_g * math.exp(-dt_s / self._limits.base_s)

    def note_empty(self, zero_g: float) -> None:
        """Note that the pan is empty and stable at this zero."""
        self._base_g = max(self._base_g, zero_g)

    def is_above(self, level_g: float) -> bool:
        """Return whether a level is above every recent zero by at least the lightest load."""
        return level_g - self._base_g >= self._least_g

    def give_up(self, zero_g: float, *, lighter: bool) -> None:
        """Give up the zero. If the level is below it (`lighter`), the pan may have been lifted off and may return."""
        self._with_pan_g = zero_g if lighter and self._is_pan else None
        self._is_pan = False

    def is_pan_back(self, level_g: float) -> bool:
        """Return whether a level is that of the pan, put back after it was lifted off, and not a load."""
        return self._with_pan_g is not None and abs(level_g - self._with_pan_g) < self._least_g

    def set_new_zero(self, level_g: float) -> None:
        """Note that a new zero was learnt at this level."""
        if self.is_pan_back(level_g):
            self._with_pan_g = None
            self._is_pan = True
        self._base_g = -math.inf

    def note_load(self) -> None:
        """Note that a load was weighed: a pan that was lifted off before it is no longer expected back."""
        self._with_pan_g = None

    def measure_drift(self, t_s: float, zero_g: float) -> None:
        """Measure once a minute how far the zero of the empty pan has moved."""
        if self._minute is None:
            self._minute = (t_s, zero_g)
        elif (lasted_s := t_s - self._minute[0]) >= _MINUTE_S:
            self.warming = abs(zero_g - self._minute[1]) > self._limits.warm_g_per_min * lasted_s / _MINUTE_S
            self._minute = (t_s, zero_g)
