"""Clocks, and the limit of waiting for a thread's end.

Code that stamps facts or waits takes a clock as a parameter and never asks the system for the time.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import Protocol

END_S = 5.0
"""Longest wait for one thread's end, in real seconds: half of what systemd gives the whole stop (TimeoutStopSec)."""

_log = logging.getLogger(__name__)


def ended(thread: threading.Thread | None, within_s: float = END_S) -> bool:
    """Wait until `thread` has ended; say in the log when it has not `within_s` (real seconds), and return False.

    A thread that was never started counts as ended.
    """
    if thread is None or thread.ident is None:
        return True
    thread.join(within_s)
    if thread.is_alive():
        _log.error("the thread %s has not ended within %g s; it is left behind", thread.name, within_s)
        return False
    return True


def wait_out(thread: threading.Thread | None) -> None:
    """Wait until `thread` has ended, however long that takes; the log says when it is long.

    For threads that draw or look at pictures and always come back: Python aborts when it ends while one is in OpenCV.
    """
    if not ended(thread) and thread is not None:
        thread.join()


class Clock(Protocol):
    """Seconds on a monotonic axis. The origin is arbitrary: only differences have a meaning."""

    @property
    def speed(self) -> float:
        """Clock seconds per real second, > 0; 1 unless time is simulated at another pace."""
        ...

    def now_s(self) -> float:
        """Return the current time in seconds."""
        ...


class MonotonicClock:
    """The system's CLOCK_MONOTONIC, which also stamps the kernel's GPIO edges and the camera sensor's frames."""

    speed = 1.0

    def now_s(self) -> float:
        """Return seconds since an arbitrary fixed start."""
        return time.monotonic()


class WarpedClock:
    """CLOCK_MONOTONIC run `speed` times as fast. It is linear, so another process computes the same time.

    :param speed: simulated seconds per real second, > 0.
    :param origin_s: the real monotonic second at which simulated time equals real time; None: now.
    :raises ValueError: `speed` is not greater than 0.
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
    """A clock that moves only when it is told to: for tests, recordings and games played as fast as possible.

    Its speed counts as 1: a wait beside it lasts real seconds.
    """

    speed = 1.0

    def __init__(self, start_s: float = 0.0) -> None:
        self._now_s = start_s
        self._lock = threading.Lock()

    def now_s(self) -> float:
        """Return the time last set."""
        return self._now_s

    def advance_to(self, now_s: float) -> None:
        """Move forward to `now_s`; an earlier time is ignored, as time never runs back."""
        with self._lock:
            self._now_s = max(self._now_s, now_s)
