"""Lets this thread run before all others, where the system permits it: a frame of the HX711 bears no wait of 60 µs."""

from __future__ import annotations

import contextlib
import os

PRIORITY = 10
"""Before every ordinary process, after the kernel's own threads for interrupts (50)."""


def run_before_others() -> bool:
    """Give the calling thread real-time priority on the last core; return whether the system permits it.

    A service may ask for it with `LimitRTPRIO=`. The first core serves most interrupts. A thread that is not before
    others stays free to move, because its core may be the busiest.
    """
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    except OSError:
        return False
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    return True
