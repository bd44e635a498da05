"""Clocks, and functions that wait for a thread's end.

Code that timestamps or waits takes a clock as a parameter and never reads the system time.
"""

from __future__ import annotations

import logging
import threading
import time
from datetime import UTC, datetime
from typing import Protocol

END_S = 5.0
"""Longest wait for one thread's end, in real seconds: half of systemd's limit for the whole stop (TimeoutStopSec)."""

EARLIEST = datetime(2026, 1, 1, tzinfo=UTC)
"""No table is older than this: a system clock with an earlier time was never set."""

_log = logging.getLogger(__name__)


def ended(thread: threading.Thread | None, within_s: float = END_S) -> bool:
    """Wait at most `within_s` real seconds for the end of `thread`. Log an error and return False if it still runs.

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
    """Wait until `thread` has ended, without a limit. Log an error when it takes longer than `END_S`.

    Use it for threads that process pictures and always return: Python aborts when it exits while a thread is in OpenCV.
    """
    if not ended(thread) and thread is not None:
        thread.join()


class Clock(Protocol):
    """A monotonic clock in seconds. The origin is arbitrary: only differences have a meaning."""

    @property
    def speed(self) -> float:
        """Clock seconds per real second, > 0; 1 unless time is simulated at another pace."""
        ...

    def now_s(self) -> float:
        """Return the current time in seconds."""
        ...


class MonotonicClock:
    """The system's CLOCK_MONOTONIC. The kernel also timestamps GPIO edges and camera frames with it."""

    speed = 1.0

    def now_s(self) -> float:
        """Return seconds since an arbitrary fixed start."""
        return time.monotonic()


class WarpedClock:
    """CLOCK_MONOTONIC scaled by `speed` from now on. It is linear, so another process can compute the same time.

    :param speed: simulated seconds per real second, > 0.
    :raises ValueError: `speed` is not greater than 0.
    """

    def __init__(self, speed: float) -> None:
        if not speed > 0:
            raise ValueError("speed must be greater than 0")
        self.speed = speed
        self._origin_s = time.monotonic()

    def now_s(self) -> float:
        """Return the simulated time in seconds."""
        return self._origin_s + (time.monotonic() - self._origin_s) * self.speed


class ManualClock:
    """A clock that advances only by `advance_to`: for tests, recordings and games played as fast as possible.

    Its `speed` is 1: code that waits in real time waits real seconds.
    """

    speed = 1.0

    def __init__(self, start_s: float = 0.0) -> None:
        self._now_s = start_s
        self._lock = threading.Lock()

    def now_s(self) -> float:
        """Return the time last set, in seconds."""
        return self._now_s

    def advance_to(self, now_s: float) -> None:
        """Advance to `now_s`. An earlier time is ignored."""
        with self._lock:
            self._now_s = max(self._now_s, now_s)
