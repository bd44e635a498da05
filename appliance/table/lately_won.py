"""The games that were won on the evening of the newest one, for the lobby."""

from __future__ import annotations

from appliance.games.league.evenings import newest_evening
from appliance.journal.journal import Journal
from appliance.journal.journal_file import JournalError
from appliance.journal.past_games import PastGames
from appliance.snapshot import PastGame

READ_MOST = 8


class LatelyWon:
    """Reads them from the journal again once it has a new entry."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._past_games = PastGames(journal)
        self._read_at: int | None = None
        self._games: tuple[PastGame, ...] = ()

    def games(self) -> tuple[PastGame, ...]:
        """Return the newest games that somebody won at this table; none where the journal cannot be read."""
        newest = self._journal.last_seq()
        if newest != self._read_at:
            self._read_at, self._games = newest, newest_evening(self._won(), lambda past: past.opened_s)
        return self._games

    def _won(self) -> list[PastGame]:
        try:
            newest = self._past_games.newest(READ_MOST)
        except JournalError:
            return []
        return [past for past in newest if past.outcome is not None and past.outcome.winners and not past.imported]
