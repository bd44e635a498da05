"""Gives a thread real-time priority where the system permits it: a wait of 60 µs disturbs a frame of the HX711."""

from __future__ import annotations

import contextlib
import os

PRIORITY = 10
"""Above every ordinary process, below the kernel's interrupt threads (50)."""


def run_before_others() -> bool:
    """Give the calling thread real-time priority on the last core; return whether the system permits it.

    A systemd service requests it with `LimitRTPRIO=`. The first core serves most interrupts. A thread without priority
    is not pinned to a core, because that core may be the busiest.
    """
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY))
    except OSError:
        return False
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    return True
