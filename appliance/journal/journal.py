"""The journal: every action at this table, append-only, in one SQLite file.

- Entries are written with WAL and synchronous FULL: what `append` returned survives a power cut.
- Triggers refuse every UPDATE and DELETE. A chained digest per game detects changes of the file from outside.
- Secret fields are sealed.
- Running timers are in a table of their own, which may be overwritten.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from appliance.journal.entries import AnyBody, Bodies, Closed, Entry, KeptTimer, Opened, decoded
from appliance.journal.journal_file import (
    LOCKED_S,
    JournalError,
    claim,
    damaged,
    explained,
    inspect,
    make_private,
    prepare,
)
from appliance.journal.rows import NO_ENTRY, Row, Tip, Unchained, chained
from appliance.journal.sealing import Sealer
from hardware.files.regular_file import UNDECODABLE

NEWEST_GAME = (
    "SELECT max(game) FROM entries WHERE seq = game AND coalesce(json_extract(CAST(body AS TEXT), '$.imported'), 0) = 0"
)
"""The game opened last at this table, named by the number of its opening entry. Imported games were never open."""


def open_game(db: sqlite3.Connection) -> int | None:
    """Return the game opened last at this table unless it was closed; None: no game is open.

    :raises Exception: one of `UNDECODABLE`: the journal is damaged.
    """
    (found,) = db.execute(NEWEST_GAME).fetchone()
    if found is None:
        return None
    (body,) = db.execute("SELECT body FROM entries WHERE game = ? ORDER BY seq DESC LIMIT 1", (found,)).fetchone()
    return None if isinstance(decoded(body), Closed) else int(found)


class Journal:
    """One journal file, held open by one process.

    :param path: the SQLite file; its folder is created when it is missing.
    :param sealer: seals and opens secret fields.
    :param wall: the wall clock, seconds since 1970.
    :raises JournalError: `journal_damaged`, `journal_newer`, `journal_foreign`, `journal_read_only`, `journal_in_use`,
        `disk_full` or `disk_failing`.
    """

    def __init__(self, path: Path, sealer: Sealer, wall: Callable[[], float] = time.time) -> None:
        self.path = path
        self._bodies = Bodies(path, sealer)
        self._wall = wall
        self._turn = threading.RLock()
        self._digests: dict[int, bytes] = {}
        self._failed: JournalError | None = None
        self._claim = claim(path)
        make_private(path)
        try:
            with self._explained():
                inspect(path)
                self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=LOCKED_S)
                try:
                    prepare(self._db)
                    self._last = int(self._db.execute("SELECT coalesce(max(seq), 0) FROM entries").fetchone()[0])
                except BaseException:
                    self._db.close()
                    raise
        except BaseException:
            os.close(self._claim)
            raise
        self._committed: Callable[[], None] = lambda: None
        self.commits = 0
        """How often entries were committed since the file was opened."""

    def close(self) -> None:
        """Merge the write-ahead log into the file, close it and free its lock. A second call does nothing.

        :raises JournalError: the file could not be closed. The lock is free all the same.
        """
        with self._turn, self._explained():
            if self._claim < 0:
                return
            claim, self._claim = self._claim, -1
            try:
                self._db.close()
            finally:
                os.close(claim)

    # -- writing -------------------------------------------------------------------------------------------------

    def append(
        self,
        game: int | None,
        bodies: Sequence[tuple[str, AnyBody]],
        secret_fields: Mapping[str, frozenset[str]] | None = None,
        timers: Sequence[KeptTimer] | None = None,
    ) -> tuple[int, ...]:
        """Commit (client id, body) pairs to disk, all or none, and return their entry numbers.

        :param game: the game they belong to; an `Opened` starts a game of its own, to which the later pairs belong.
        :param secret_fields: for each action tag, the fields to seal.
        :param timers: the timers that run after these entries, stored in the same transaction; None: unchanged.
        :raises JournalError: nothing was written; the code says why.
        """
        with self._turn, self._explained():
            seq, rows, digests = self._last, [], dict(self._digests)
            for client_id, body in bodies:
                seq += 1
                game = seq if isinstance(body, Opened) else game
                if game is None:
                    raise ValueError("only an opening belongs to no game yet")
                if game not in digests:
                    digests[game] = self._newest_digest(game)
                row = self._bodies.row(seq, game, client_id, self._wall(), body, secret_fields or {})
                digests[game] = chained(digests[game], row)
                rows.append((*row, digests[game]))
            with self._transaction():
                self._db.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
                if timers is not None and game is not None:
                    self._put_timers(game, timers)
            first, self._last, self._digests = self._last + 1, seq, digests
        self.commits += 1
        self._committed()
        return tuple(range(first, seq + 1))

    def _newest_digest(self, game: int) -> bytes:
        newest = "SELECT digest FROM entries WHERE game = ? ORDER BY seq DESC LIMIT 1"
        found = self._db.execute(newest, (game,)).fetchone()
        return bytes(found[0]) if found else b""

    # -- reading -------------------------------------------------------------------------------------------------

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Lend the file for reading while no other thread uses it.

        :raises JournalError: the file cannot be read.
        """
        with self._turn, self._explained():
            yield self._db

    def seq_of(self, client_id: str) -> int | None:
        """Return the number of the entry that has this client-made id, or None."""
        with self.reading() as db:
            found = db.execute("SELECT seq FROM entries WHERE client_id = ?", (client_id,)).fetchone()
            return int(found[0]) if found else None

    def last_seq(self) -> int:
        """Return the number of the newest entry; 0 when there is none."""
        return self._last

    def newest_game(self) -> int | None:
        """Return the game opened here last unless it was closed; None: no game is open.

        :raises JournalError: `journal_damaged`, or `journal_newer` where this release does not know the kind of its
            newest entry.
        """
        with self.reading() as db:
            try:
                return open_game(db)
            except UNDECODABLE:
                *_, newest = self._whole(*db.execute(NEWEST_GAME).fetchone())
                self._bodies.body(newest[4])
                raise damaged(self.path) from None

    def read(self, game: int) -> Iterator[Entry]:
        """Yield the entries of one game, opened and checked.

        :raises JournalError: `journal_damaged`, `journal_newer`, or the code of a seal that does not open.
        """
        return map(self.entry, self._whole(game))

    def check_chain(self, game: int) -> None:
        """Check the chained digests of one game, without opening seals.

        :raises JournalError: `journal_damaged`.
        """
        for _ in self._whole(game):
            pass

    def _whole(self, game: int) -> Iterator[Unchained]:
        """Yield the rows of one game, each after its digest was checked."""
        with self.reading() as db:
            rows = db.execute("SELECT * FROM entries WHERE game = ? ORDER BY seq", (game,)).fetchall()
        digest = b""
        for *row, written in rows:
            digest = chained(digest, tuple(row))
            if digest != written:
                raise damaged(self.path)
            yield tuple(row)

    def entry(self, row: Unchained) -> Entry:
        """Return the entry of a row, with its seal opened. Any thread may call it; it does not access the file.

        :raises JournalError: `journal_damaged`, `journal_newer`, or the code of a seal that does not open.
        """
        return self._bodies.entry(row)

    def body_if_known(self, raw: bytes) -> AnyBody | None:
        """Return the body stored in a row, its seal closed; None where this release does not know its kind.

        :raises JournalError: `journal_damaged`.
        """
        return self._bodies.body_if_known(raw)

    def rows_after(self, seq: int, at_most: int) -> tuple[Row, ...]:
        """Return at most `at_most` rows after entry `seq`, unchecked and with seals closed."""
        with self.reading() as db:
            found = db.execute("SELECT * FROM entries WHERE seq > ? ORDER BY seq LIMIT ?", (seq, at_most))
            return tuple(Row(*row) for row in found)

    # -- timers --------------------------------------------------------------------------------------------------

    def wall_s(self) -> float:
        """Return the wall clock that the ends of kept timers are on, seconds since 1970."""
        return self._wall()

    def keep_timers(self, game: int, timers: Sequence[KeptTimer]) -> None:
        """Store exactly these timers as running in `game`; earlier ones are deleted."""
        with self._turn, self._explained(), self._transaction():
            self._put_timers(game, timers)

    def _put_timers(self, game: int, timers: Sequence[KeptTimer]) -> None:
        now_s = self._wall()
        self._db.execute("DELETE FROM timers")
        self._db.executemany(
            "INSERT INTO timers VALUES (?, ?, ?, ?)", [(game, t.name, now_s + t.left_s, t.lasts_s) for t in timers]
        )

    def kept_timers(self, game: int) -> tuple[KeptTimer, ...]:
        """Return the timers that were running in `game`. `left_s` is below 0 for one that ran out meanwhile.

        The clock of a board without a battery may start in the past, so `left_s` is limited to `lasts_s`.
        """
        with self.reading() as db:
            now_s = self._wall()
            rows = db.execute("SELECT name, wall_ends_s, lasts_s FROM timers WHERE game = ?", (game,)).fetchall()
        return tuple(KeptTimer(name=n, left_s=min(ends - now_s, lasts), lasts_s=lasts) for n, ends, lasts in rows)

    # -- copies --------------------------------------------------------------------------------------------------

    def on_commit(self, call: Callable[[], None]) -> None:
        """Set the callback that runs in the writer's thread after each commit. It must return at once."""
        self._committed = call

    def tip(self) -> Tip:
        """Return the number and the digest of the newest entry."""
        rows = self.rows_after(self._last - 1, 1)
        return Tip(rows[0].seq, rows[0].digest) if rows else NO_ENTRY

    def adopt(self, rows: Sequence[Row]) -> None:
        """Commit rows of a copy that follow the newest entry and that this file has lost.

        :raises JournalError: `journal_damaged`: they do not follow; nothing was written.
        """
        with self._turn, self._explained(), self._transaction():
            for row in rows:
                if chained(self._newest_digest(row.game), row.unchained) != row.digest:
                    raise damaged(self.path)
                self._db.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)", msgspec.structs.astuple(row))
        self._last = rows[-1].seq if rows else self._last
        self._digests.clear()

    def checkpoint(self) -> None:
        """Merge the write-ahead log into the file, so that the loss of the log loses few entries."""
        with self._turn, self._explained():
            self._db.execute("PRAGMA wal_checkpoint(PASSIVE)")

    # -- the file ------------------------------------------------------------------------------------------------

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn SQLite's errors into `JournalError`.

        SQLite reports a page that the disk cannot read as corrupt (`SQLITE_IOERR_CORRUPTFS`). So once the disk has
        failed, damage is reported as `disk_failing` too: people must replace the disk.
        """
        try:
            with explained(self.path):
                yield
        except JournalError as error:
            if error.code == "journal_damaged" and self._failed is not None:
                raise self._failed from None
            if error.code == "disk_failing":
                self._failed = error
            raise
