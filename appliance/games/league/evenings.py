"""Which games belong to one evening."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import TypeVar

EVENING_S = 10 * 3600.0
"""Games that were opened within this time belong to one evening."""

T = TypeVar("T")


def newest_evening(games: Sequence[T], opened_s: Callable[[T], float]) -> tuple[T, ...]:
    """Return the newest game and those before it, as far as they were opened within `EVENING_S` of it.

    The wall clock may have been set back since an older game, which then seems to be opened later than the newest one.

    :param games: newest first.
    :param opened_s: when a game was opened, seconds since 1970.
    """
    return tuple(takewhile(lambda game: abs(opened_s(games[0]) - opened_s(game)) < EVENING_S, games))
