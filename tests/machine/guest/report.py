"""The way out of the guest: one JSON object a line on the second serial line."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import msgspec

_LINE = Path("/dev/ttyS1")


def report(what: str, held: bool, **figures: object) -> None:
    """Tell one row of the table: what was tried, whether it held, what was measured, and the guest's second."""
    told = {"what": what, "held": held, "guest_s": time.monotonic(), **figures}
    with _LINE.open("ab", buffering=0) as line:
        line.write(msgspec.json.encode(told) + b"\n")
    print(what, "held" if held else "DID NOT HOLD", figures, flush=True)


def run_all(parts: Iterable[Callable[[], None]]) -> None:
    """Run parts one after the other; one that raises is a row that did not hold."""
    for part in parts:
        try:
            part()
        except Exception as error:
            traceback.print_exc(file=sys.stdout)
            report(_name(part), False, error=f"{type(error).__name__}: {error}")


def _name(part: Callable[[], None]) -> str:
    """Return what a part that raised is called in the table."""
    if isinstance(part, partial):
        return f"{part.func.__name__} {part.args}"
    return part.__name__.replace("_", " ")
