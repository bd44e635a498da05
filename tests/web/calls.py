"""Counts calls of Python functions, which tell what work costs without a clock."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import FrameType


def calls_of(work: Callable[[], object]) -> int:
    """Return how many calls of Python functions `work` makes.

    Garbage is not collected meanwhile: whoever registers at `gc.callbacks`, as Hypothesis does, is called at every
    collection, and when one is due depends on what ran before.
    """
    calls = 0

    def count(frame: FrameType, event: str, given: object) -> None:
        nonlocal calls
        calls += event == "call"

    before, collects = sys.getprofile(), gc.isenabled()
    gc.disable()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
        if collects:
            gc.enable()
    return calls
