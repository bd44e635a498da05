"""The clock is passed in: everything that stamps or waits takes one of these."""

from __future__ import annotations

import threading
import time
from typing import Protocol


class Clock(Protocol):
    """Seconds on a monotonic axis; only differences mean anything."""

    def now_s(self) -> float:
        """Return the current time in seconds."""
        ...


class MonotonicClock:
    """The system's CLOCK_MONOTONIC, the axis of kernel GPIO stamps and camera sensor stamps."""

    def now_s(self) -> float:
        """Return seconds since an arbitrary fixed start."""
        return time.monotonic()


class WarpedClock:
    """CLOCK_MONOTONIC run `speed` times as fast; linear, so another process computes the same time.

    :param speed: simulated seconds per real second, > 0.
    :param origin_s: the real monotonic second at which simulated time equals real time.
    """

    def __init__(self, speed: float, origin_s: float | None = None) -> None:
        if not speed > 0:
            raise ValueError("speed must be greater than 0")
        self.speed = speed
        self.origin_s = time.monotonic() if origin_s is None else origin_s

    def now_s(self) -> float:
        """Return the simulated time in seconds."""
        return self.origin_s + (time.monotonic() - self.origin_s) * self.speed


class ManualClock:
    """A clock that moves only when told: for tests, recordings and games played as fast as possible."""

    def __init__(self, start_s: float = 0.0) -> None:
        self._now_s = start_s
        self._lock = threading.Lock()

    def now_s(self) -> float:
        """Return the time last set."""
        return self._now_s

    def advance_to(self, now_s: float) -> None:
        """Move forward to `now_s`; an earlier time is ignored (time never runs back)."""
        with self._lock:
            self._now_s = max(self._now_s, now_s)
