"""The results of the games that were played at this table, in the form that the league needs."""

from __future__ import annotations

import threading

import msgspec

from appliance.games.catalogue import GAMES, the_game
from appliance.games.league.result import Result
from appliance.games.protocol import Outcome, Player, Rejection, Setup
from appliance.snapshot import PastGame
from appliance.table.table import Table
from web.evening.kept import EveningStore
from web.evening.untyped import is_untyped

TABLE = "here"
"""The name of this table in results. The table's own pages know no other table."""


class PlayedHere:
    """Reads each closed game of the journal once, because it never changes. Thread-safe."""

    def __init__(self, table: Table, evening: EveningStore) -> None:
        self._table = table
        self._evening = evening
        self._turn = threading.Lock()
        self._closed: dict[int, PastGame] = {}

    def closed(self) -> tuple[PastGame, ...] | Rejection:
        """Return all closed games in order, also imported ones. Their set-ups have no options."""
        open_now = self._table.snapshot().game_id
        with self._turn:
            known = max((past.game for past in self._closed.values() if not past.imported), default=0)
            # An imported game may be newer than the one that is still open.
            read = self._table.past_games(None, known if open_now is None else min(known, open_now - 1))
            if isinstance(read, Rejection):
                return read
            self._closed |= {past.game: _without_options(past) for past in read}
            return tuple(self._closed[game] for game in sorted(self._closed) if game != open_now)

    def results(self) -> tuple[Result, ...] | Rejection:
        """Return the result of each game that somebody won here, in order, including the finished game still shown.

        A correction of the shown game changes or removes its result. Games that were played elsewhere, or whose kind
        this release does not have, are left out. Guests whose name was erased or never typed are None.
        """
        snapshot = self._table.snapshot()
        closed = self.closed()
        if isinstance(closed, Rejection):
            return closed
        own = [past for past in closed if not past.imported and past.game != snapshot.game_id]
        found = [self._result(past.game, past.opened_s, past.setup, past.outcome) for past in own]
        if snapshot.game is not None and snapshot.setup is not None and snapshot.game_id is not None:
            outcome = the_game(snapshot.game).rules.outcome(snapshot.state)
            opened_s = self._table.opened_s(snapshot.game_id)
            if isinstance(opened_s, Rejection):
                return opened_s
            found.append(self._result(snapshot.game_id, opened_s or 0.0, snapshot.setup, outcome))
        return tuple(sorted((one for one in found if one is not None), key=lambda one: one.seq))

    def _result(self, game: int, opened_s: float, setup: Setup, outcome: Outcome | None) -> Result | None:
        if outcome is None or not outcome.winners or setup.game not in GAMES:
            return None
        return Result(
            table=TABLE,
            seq=game,
            played_s=opened_s,
            game=setup.game,
            guests=tuple(None if self.nobody(player, game) else player.name for player in setup.players),
            ranks=tuple(1 if seat in outcome.winners else 2 for seat in range(len(setup.players))),
        )

    def nobody(self, player: Player, game: int) -> bool:
        """Return whether the player's name in that game identifies no guest: it was never typed, or it was erased."""
        return is_untyped(player) or self._evening.is_erased(player.name, game)


def _without_options(past: PastGame) -> PastGame:
    """Return a past game without its options, which no result needs: a table's own map has some 80 KB."""
    return msgspec.structs.replace(past, setup=msgspec.structs.replace(past.setup, options={}))
