"""The newest happenings, from which pages draw moments. Each has an id, so that a page shows its moment once."""

from __future__ import annotations

from collections.abc import Container, Sequence
from itertools import takewhile
from typing import NamedTuple

from appliance.snapshot import Announcement

DRAWN = 8
"""The newest lines of the log whose moments are drawn."""
REMEMBERED = 14
"""The newest lines that are returned. The older ones may belong to a newer moment, as equals' first dice do."""


class Recent(NamedTuple):
    """One happening: its id, its line of the log, and whether its moment is drawn."""

    id: str
    line: Announcement
    drawn: bool


def recent(log: Sequence[Announcement], game_id: int | None, codes: Container[str]) -> list[Recent]:
    """Return the newest happenings whose code is among `codes`, the last one at the end. Corrections are left out."""
    first = max(len(log) - REMEMBERED, 0)
    number = sum(1 for _ in takewhile(lambda line: line.seq == log[first].seq, reversed(log[:first])))
    found = []
    for place in range(first, len(log)):
        line = log[place]
        if place > first:
            number = number + 1 if line.seq == log[place - 1].seq else 0
        if line.kind == "happening" and line.happening.code in codes:
            found.append(Recent(f"{game_id}.{line.seq}.{number}", line, place >= len(log) - DRAWN))
    return found
