"""How often guests did what everybody saw, over many games, folded from the journal."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

import msgspec

from appliance.games.game_words import words_of
from appliance.games.league.result import Result, name_key
from appliance.games.protocol import Action, Rejection, Setup
from appliance.table.table import Table
from web.evening.afterwards import happenings_of, statistics

AT_ONCE = 6
"""Closed games that one request folds at most: the table's own work goes first on its processor."""

Counts = Mapping[str, tuple[int, ...]]
"""What `statistics` returns of one game."""


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """How often a guest did one thing in how many games; `name` as it was spelt last."""

    name: str
    count: int
    games: int

    @property
    def a_game(self) -> float:
        """How often in a game."""
        return self.count / self.games


class Counted:
    """Folds each closed game once: it never changes. The one that still shows is folded anew after a correction."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._turn = threading.Lock()
        self._closed: dict[int, Counts] = {}
        self._shown: tuple[tuple[int | None, int], Counts] = (None, 0), {}

    def of(self, results: Sequence[Result]) -> tuple[dict[int, Counts], int]:
        """Return what is counted of these games by their number, and how many are still to be folded.

        A game that this release cannot fold counts nothing.
        """
        snapshot = self._table.snapshot()
        found: dict[int, Counts] = {}
        folded = missing = 0
        with self._turn:
            for one in reversed(results):
                if one.seq == snapshot.game_id:
                    found[one.seq] = self._showing((snapshot.game_id, snapshot.journal_seq), one)
                elif one.seq in self._closed:
                    found[one.seq] = self._closed[one.seq]
                elif folded < AT_ONCE:
                    folded += 1
                    history = self._table.past_history(one.seq)
                    if isinstance(history, Rejection) and history.code == "table_busy":
                        missing += 1
                        continue
                    read = {} if isinstance(history, Rejection) else _counts(one, history)
                    found[one.seq] = self._closed[one.seq] = read
                else:
                    missing += 1
        return found, missing

    def _showing(self, at: tuple[int | None, int], result: Result) -> Counts:
        if self._shown[0] != at:
            history = self._table.history()
            if history is None or isinstance(history, Rejection):
                return {}
            self._shown = at, _counts(result, history)
        return self._shown[1]


def _counts(result: Result, history: tuple[Setup, Sequence[Action]]) -> Counts:
    return statistics(happenings_of(*history), len(result.guests), words_of("en", result.game))


def tallies(results: Sequence[Result], counted: Mapping[int, Counts]) -> dict[str, tuple[Tally, ...]]:
    """Return by the code of its words who did it how often in the counted games, the one who does so most first.

    In it is every guest who played; what nobody did is left out.
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
