"""The parameters of `table_wires`, the kernel module that is the table's wires."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

_PARAMETERS = Path("/sys/module/table_wires/parameters")


class MadeEdge(msgspec.Struct, frozen=True):
    """An edge as the kernel made it: the line, its level from then on, and the second on CLOCK_MONOTONIC."""

    line: int
    high: bool
    made_s: float


def tell(name: str, value: object) -> None:
    """Set a parameter."""
    (_PARAMETERS / name).write_text(f"{value}\n")


def ask(name: str) -> int:
    """Return a parameter that is a number."""
    return int((_PARAMETERS / name).read_text())


def schedule(edges: Iterable[tuple[float, int, bool]]) -> None:
    """Let the kernel make edges: (seconds from now, line, high), in order of time."""
    tell("edges", " ".join(f"{round(at_s * 1e6)}:{line}:{int(high)}" for at_s, line, high in edges))


def made() -> list[MadeEdge]:
    """Return the edges that were made since they were scheduled."""
    rows = (row.split() for row in (_PARAMETERS / "edges").read_text().splitlines())
    return [MadeEdge(int(line), level == "1", float(second)) for line, level, second in rows]
