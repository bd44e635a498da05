"""Statistics of guests' public actions over many games, folded from the journal."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

import msgspec

from appliance.games.game_words import words_of
from appliance.games.league.result import Result, name_key
from appliance.games.protocol import Action, Rejection, Setup
from appliance.table.table import BUSY, Table
from web.evening.afterwards import happenings_of, statistics

AT_ONCE = 6
"""Most closed games that one request folds, because the table's own work has priority on the processor."""

FOR_GOOD = frozenset(
    {"journal_damaged", "journal_newer", "key_missing", "rules_changed", "rules_newer", "seal_broken", "unknown_game"}
)
"""Error codes of games that this process can never fold. After any other error a game is tried again."""

Counts = Mapping[str, tuple[int, ...]]
"""The result of `statistics` for one game."""


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """How often a guest did one thing, in how many games. `name` has its newest spelling."""

    name: str
    count: int
    games: int

    @property
    def a_game(self) -> float:
        """The mean number per game."""
        return self.count / self.games


class Counted:
    """Folds each closed game once, because it never changes. The shown game is folded again after a correction."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._turn = threading.Lock()
        self._closed: dict[int, Counts | None] = {}
        self._shown: tuple[tuple[int | None, int], Counts] = (None, 0), {}

    def of(self, results: Sequence[Result]) -> tuple[dict[int, Counts], int]:
        """Return the counts of these games by number, and how many games are still to be folded.

        A game that can never be folded here is in neither. One request at a time folds. A concurrent one gets only
        what is folded already.
        """
        if not self._turn.acquire(blocking=False):
            known = {one.seq: counts for one in results if (counts := self._closed.get(one.seq)) is not None}
            return known, sum(one.seq not in self._closed for one in results)
        try:
            return self._fold(results)
        finally:
            self._turn.release()

    def _fold(self, results: Sequence[Result]) -> tuple[dict[int, Counts], int]:
        snapshot = self._table.snapshot()
        found: dict[int, Counts] = {}
        left, missing = AT_ONCE, 0
        for one in reversed(results):
            if one.seq == snapshot.game_id:
                counts = self._showing((snapshot.game_id, snapshot.journal_seq), one)
                missing += counts is None
            else:
                if one.seq not in self._closed and left > 0:
                    left = left - 1 if self._read(one) else 0
                counts = self._closed.get(one.seq)
                missing += one.seq not in self._closed
            if counts is not None:
                found[one.seq] = counts
        return found, missing

    def _read(self, result: Result) -> bool:
        """Fold a closed game, or note that it can never be folded. Return False if the table is busy."""
        history = self._table.past_history(result.seq)
        if not isinstance(history, Rejection):
            self._closed[result.seq] = _counts(result, history)
        elif history.code in FOR_GOOD:
            self._closed[result.seq] = None
        return not isinstance(history, Rejection) or history.code != BUSY.code

    def _showing(self, at: tuple[int | None, int], result: Result) -> Counts | None:
        """Return the counts of the shown game; None if it cannot be read now, for example because it was closed."""
        if self._shown[0] != at:
            history = self._table.history(result.seq)
            if history is None or isinstance(history, Rejection):
                return None
            self._shown = at, _counts(result, history)
        return self._shown[1]


def _counts(result: Result, history: tuple[Setup, Sequence[Action]]) -> Counts:
    return statistics(happenings_of(*history), len(result.guests), words_of("en", result.game))


def tallies(results: Sequence[Result], counted: Mapping[int, Counts]) -> dict[str, tuple[Tally, ...]]:
    """Return the tallies of all guests of the counted games, by the code of the statistic, the largest mean first.

    A statistic that is zero for everybody is left out.
    """
    names: dict[str, str] = {}
    games: dict[str, int] = {}
    did: dict[str, dict[str, int]] = {}
    for one in results:
        if one.seq not in counted:
            continue
        for seat, guest in enumerate(one.guests):
            if guest is None:
                continue
            key = name_key(guest)
            names[key] = guest
            games[key] = games.get(key, 0) + 1
            for code, counts in counted[one.seq].items():
                of = did.setdefault(code, {})
                of[key] = of.get(key, 0) + counts[seat]
    told = {
        code: [Tally(name=names[key], count=of.get(key, 0), games=games[key]) for key in names]
        for code, of in did.items()
        if any(of.values())
    }
    return {code: tuple(sorted(of, key=lambda one: (-one.a_game, one.name))) for code, of in told.items()}
