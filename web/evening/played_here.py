"""The results of the games that were played at this table, as the league takes them."""

from __future__ import annotations

import threading
from functools import cache
from itertools import product

from appliance.games.catalogue import GAMES
from appliance.games.game_words import words_of
from appliance.games.league.result import Result, name_key
from appliance.games.protocol import Outcome, Rejection, Setup
from appliance.snapshot import PastGame
from appliance.table.table import Table
from appliance.words import LANGUAGES
from web.evening.kept import EveningStore
from web.game_pages import rules_of

TABLE = "here"
"""What results call this table: its own pages know no other."""
_SEATS_MOST = 16


class PlayedHere:
    """Reads the journal's games once each: what was closed never changes. Any thread."""

    def __init__(self, table: Table, evening: EveningStore) -> None:
        self._table = table
        self._evening = evening
        self._turn = threading.Lock()
        self._closed: dict[int, PastGame] = {}

    def results(self) -> tuple[Result, ...] | Rejection:
        """Return the result of each game that somebody won here, in order; the finished one that still shows too.

        A game that is amended or undone, as long as it shows, has another result, or none. Games that were played
        elsewhere, or are of a kind that this table has no more, are left out. Nobody is known whose name was erased or
        never typed in.
        """
        snapshot = self._table.snapshot()
        with self._turn:
            known = max((game for game, past in self._closed.items() if not past.imported), default=0)
            # An imported game may be newer than the one that is still open.
            after = known if snapshot.game_id is None else min(known, snapshot.game_id - 1)
            read = self._table.past_games(None, after)
            if isinstance(read, Rejection):
                return read
            self._closed |= {past.game: past for past in read}
            own = [past for past in self._closed.values() if not past.imported and past.game != snapshot.game_id]
        found = [self._result(past.game, past.opened_s, past.setup, past.outcome) for past in own]
        if snapshot.game is not None and snapshot.setup is not None and snapshot.game_id is not None:
            outcome = rules_of(snapshot.game).outcome(snapshot.state)
            opened_s = self._table.opened_s(snapshot.game_id)
            if isinstance(opened_s, Rejection):
                return opened_s
            found.append(self._result(snapshot.game_id, opened_s or 0.0, snapshot.setup, outcome))
        return tuple(sorted((one for one in found if one is not None), key=lambda one: one.seq))

    def _result(self, game: int, opened_s: float, setup: Setup, outcome: Outcome | None) -> Result | None:
        if outcome is None or not outcome.winners or setup.game not in GAMES:
            return None
        names = (player.name for player in setup.players)
        return Result(
            table=TABLE,
            seq=game,
            played_s=opened_s,
            game=setup.game,
            guests=tuple(None if self.nobody(name, game) else name for name in names),
            ranks=tuple(1 if seat in outcome.winners else 2 for seat in range(len(setup.players))),
        )

    def nobody(self, name: str, game: int) -> bool:
        """Say whether `name` in the game of that number is nobody's: a set-up page put it there, or it was erased."""
        return name_key(name) in _untyped() or self._evening.is_erased(name, game)


@cache
def _untyped() -> frozenset[str]:
    """Return what set-up pages call players who typed no name, in every language."""
    names = set()
    for game, language in product(GAMES, LANGUAGES):
        words = words_of(language, game)
        for code in ("general.player", "setup.player"):
            if code in words:
                names |= {words.say(code, {"n": n}) for n in range(1, _SEATS_MOST + 1)}
        names |= {words.say(code) for code in words.codes() if code.startswith("colour.")}
    return frozenset(map(name_key, names))
