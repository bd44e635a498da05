"""The past games of a journal: which there are, and when they were played."""

from __future__ import annotations

from appliance.journal.entries import AnyBody, Closed, Opened
from appliance.journal.journal import NEWEST_GAME, Journal
from appliance.journal.journal_file import JournalError
from appliance.snapshot import PastGame

_SELECT = "SELECT game, min(seq), max(seq), count(*), min(wall_s) FROM entries WHERE game"


class PastGames:
    """Reads what was opened at this table or imported, and is not open now. Any thread may use it.

    Every method raises `JournalError` when the journal cannot be read.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def newest(self, most: int | None = None, after: int = 0) -> tuple[PastGame, ...]:
        """Return past games with a number above `after`, newest first, at most `most` (None: all).

        Games whose set-up only a newer release can read are left out. The lock is free between any two games.
        """
        with self._journal.reading() as db:
            # An index has the games in this order, so SQLite reads only those that are asked for.
            rows = db.execute(
                f"{_SELECT} > ? AND game IS NOT ? GROUP BY game ORDER BY game DESC LIMIT ?",
                (after, self._still_open(), -1 if most is None else most),
            ).fetchall()
        return tuple(past for row in rows if (past := self._past_game(*row)) is not None)

    def past_game(self, game: int) -> PastGame | None:
        """Return a past game; None where there is none of that number, or only a newer release can read its set-up."""
        if not self.is_past(game):
            return None
        with self._journal.reading() as db:
            row = db.execute(f"{_SELECT} = ? GROUP BY game", (game,)).fetchone()
        return self._past_game(*row)

    def is_past(self, game: int) -> bool:
        """Return whether `game` was opened at this table or imported, and is not open now."""
        return self.opened_s(game) is not None and game != self._still_open()

    def opened_s(self, game: int) -> float | None:
        """Return when a past or open game was opened, seconds since 1970; None where there is none of that number."""
        if game > self._journal.last_seq():  # it may be larger than any number of SQLite
            return None
        with self._journal.reading() as db:
            found = db.execute("SELECT wall_s FROM entries WHERE seq = ? AND game = seq", (game,)).fetchone()
        return None if found is None else float(found[0])

    def _still_open(self) -> int | None:
        """Return the open game. A game whose newest entry is from a newer release may be open, and counts as open."""
        try:
            return self._journal.newest_game()
        except JournalError as error:
            if error.code != "journal_newer":
                raise
            with self._journal.reading() as db:
                return int(db.execute(NEWEST_GAME).fetchone()[0])

    def _past_game(self, game: int, first: int, last: int, entries: int, first_s: float) -> PastGame | None:
        opened, closed = self._body_if_known(first), self._body_if_known(last)
        if opened is None:
            return None
        assert isinstance(opened, Opened), "a game's first entry opens it"
        return PastGame(
            game=game,
            opened_s=first_s,
            entries=entries,
            setup=opened.setup,
            imported=opened.imported,
            outcome=closed.outcome if isinstance(closed, Closed) else None,
        )

    def _body_if_known(self, seq: int) -> AnyBody | None:
        with self._journal.reading() as db:
            (raw,) = db.execute("SELECT body FROM entries WHERE seq = ?", (seq,)).fetchone()
        return self._journal.body_if_known(raw)
