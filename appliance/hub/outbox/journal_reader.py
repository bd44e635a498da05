"""Reads the journal while the table runs, through its own read-only connections that hold no lock."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import msgspec

from appliance.journal.codes import SealProblem
from appliance.journal.entries import Acted, Amended, AnyBody, Entry
from appliance.journal.journal_file import JournalError, explained, read_only
from appliance.journal.rows import Row, Tip, Unchained
from appliance.words.errors import unusable

_log = logging.getLogger(__name__)
_body = msgspec.json.Decoder(AnyBody)
_SEALS = frozenset(get_args(SealProblem))


class JournalReader:
    """Reads one journal. With a write-ahead log, the writer never waits for readers.

    :param path: the journal's file.
    :param opened: converts a row into an entry and opens its seal (`Journal.entry`).
    """

    def __init__(self, path: Path, opened: Callable[[Unchained], Entry]) -> None:
        self._path = path
        self._opened = opened
        self._said = ""

    def entries_after(self, seq: int, at_most: int) -> Iterator[Entry]:
        """Yield at most `at_most` entries after number `seq`. An entry whose seal does not open has an empty action.

        :raises JournalError: the journal cannot be read.
        """
        return self._entries("seq > ? ORDER BY seq LIMIT ?", seq, at_most)

    def game_before(self, game: int, seq: int) -> Iterator[Entry]:
        """Yield the entries of a game before number `seq`, like `entries_after`.

        :raises JournalError: the journal cannot be read.
        """
        return self._entries("game = ? AND seq < ? ORDER BY seq", game, seq)

    def tip(self, seq: int) -> Tip | None:
        """Return number and digest of the entry `seq`; None if there is no such entry.

        :raises JournalError: the journal cannot be read.
        """
        rows = self._rows("seq = ?", seq)
        return Tip(rows[0].seq, rows[0].digest) if rows else None

    def written_s(self, seq: int) -> float | None:
        """Return the table's clock when the entry `seq` was written; None if there is no such entry.

        :raises JournalError: the journal cannot be read.
        """
        rows = self._rows("seq = ?", seq)
        return rows[0].wall_s if rows else None

    def _entries(self, where: str, *values: Any) -> Iterator[Entry]:
        return (self._entry(row.unchained) for row in self._rows(where, *values))

    def _entry(self, row: Unchained) -> Entry:
        try:
            return self._opened(row)
        except JournalError as error:
            if error.code not in _SEALS:
                raise
            self._say(error.code)
        seq, game, client_id, wall_s, raw, _ = row
        body = _body.decode(raw)
        if isinstance(body, Acted | Amended):
            body = msgspec.structs.replace(body, action={})
        return Entry(seq=seq, game=game, client_id=client_id, wall_s=wall_s, body=body)

    def _say(self, code: str) -> None:
        """Log a seal that does not open, unless the last logged one had the same code."""
        if code != self._said:
            self._said = code
            _log.warning("seals of old games do not open (%s): the hub is told of their opening and end alone", code)

    def _rows(self, where: str, *values: Any) -> list[Row]:
        with explained(self._path), read_only(self._path) as db:
            db.execute("PRAGMA cache_size = -256")
            rows: list[sqlite3.Row] = db.execute(f"SELECT * FROM entries WHERE {where}", values).fetchall()  # noqa: S608  # ours
        return [Row(*row) for row in rows]


def newest_entry(path: Path) -> int:
    """Return the number of a journal's newest entry; 0 if there is none, or no journal yet.

    :raises TableError: `file_unusable`, `journal_damaged`, or another code of a journal that cannot be read.
    """
    try:
        path.stat()
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise unusable(path, error) from None
    with explained(path), read_only(path) as db:
        return int(db.execute("SELECT coalesce(max(seq), 0) FROM entries").fetchone()[0])
