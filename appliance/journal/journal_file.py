"""The journal's file: its tables and triggers, its lock, and its errors."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path

from appliance.journal.codes import JournalProblem
from appliance.journal.rows import Row
from appliance.words.errors import NO_ROOM, TableError

JOURNAL = "journal.sqlite3"
"""Its name in the folder of a table."""
FORMAT = 1
APPLICATION_ID = 0x534D5447
"""SQLite's application id of our files ("SMTG")."""

LOCKED_S = 1.0
"""Longest wait, in real seconds, for another program's lock on the file."""

SCHEMA = """
BEGIN IMMEDIATE;
CREATE TABLE entries (
    seq INTEGER PRIMARY KEY,
    game INTEGER NOT NULL,
    client_id TEXT NOT NULL UNIQUE,
    wall_s REAL NOT NULL,
    body BLOB NOT NULL,
    sealed BLOB,
    digest BLOB NOT NULL
) STRICT;
CREATE INDEX entries_of_game ON entries (game, seq);
CREATE TRIGGER entries_are_final BEFORE UPDATE ON entries
    BEGIN SELECT RAISE(ABORT, 'journal entries are never changed'); END;
CREATE TRIGGER entries_stay BEFORE DELETE ON entries
    BEGIN SELECT RAISE(ABORT, 'journal entries are never deleted'); END;
CREATE TRIGGER entries_follow BEFORE INSERT ON entries
    WHEN NEW.seq IS NOT 1 + coalesce((SELECT max(seq) FROM entries), 0)
        OR EXISTS (SELECT 1 FROM entries WHERE client_id = NEW.client_id)
    BEGIN SELECT RAISE(ABORT, 'journal entries are never replaced'); END;
CREATE TABLE timers (
    game INTEGER NOT NULL,
    name TEXT NOT NULL,
    wall_ends_s REAL NOT NULL,
    lasts_s REAL NOT NULL,
    PRIMARY KEY (game, name)
) STRICT;
PRAGMA application_id = 0x534D5447;
PRAGMA user_version = 1;
COMMIT;
"""

_PROBLEMS: Mapping[int, JournalProblem] = {
    sqlite3.SQLITE_NOTADB: "journal_damaged",
    sqlite3.SQLITE_CORRUPT: "journal_damaged",
    sqlite3.SQLITE_READONLY: "journal_read_only",
    sqlite3.SQLITE_PERM: "journal_read_only",
    sqlite3.SQLITE_CANTOPEN: "journal_read_only",
    sqlite3.SQLITE_FULL: "disk_full",
    sqlite3.SQLITE_IOERR_SHMSIZE: "disk_full",
    sqlite3.SQLITE_IOERR: "disk_failing",
    sqlite3.SQLITE_BUSY: "journal_in_use",
    sqlite3.SQLITE_LOCKED: "journal_in_use",
}


UNREADABLE = (sqlite3.Error, UnicodeDecodeError, TypeError)
"""Exceptions from reading a damaged or foreign database: SQLite's messages may quote bytes that are not text."""


class JournalError(TableError):
    """The journal in `path`, or a copy of it, cannot do what was asked."""

    code: JournalProblem

    def __init__(self, code: JournalProblem, path: Path) -> None:
        super().__init__(code, path=str(path))


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn SQLite's errors about the disk of `path` into a `JournalError`. Other errors are bugs and pass through."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", None) or 0
        problem = _PROBLEMS.get(code) or _PROBLEMS.get(code & 0xFF)
        if problem is None:
            raise
        raise JournalError(problem, path) from None
    except UnicodeDecodeError:
        raise damaged(path) from None


def damaged(path: Path) -> JournalError:
    """Return the error of a journal that cannot be trusted."""
    return JournalError("journal_damaged", path)


def read_only(path: Path, locked_s: float = 5.0) -> AbstractContextManager[sqlite3.Connection]:
    """Open a database read-only. Another process may write to it meanwhile.

    A journal that was closed has no write-ahead log beside it, and SQLite makes one to read it. Where this user may not
    write, as on a read-only card or stick, it is read as a file that nobody changes.

    :param locked_s: how long to wait for another's lock, in seconds.
    :raises sqlite3.Error: it cannot be opened.
    """
    file = path.resolve()
    is_closed = not os.access(file.parent, os.W_OK) and not file.with_name(f"{file.name}-wal").exists()
    how = "mode=ro&immutable=1" if is_closed else "mode=ro"
    return closing(sqlite3.connect(f"{file.as_uri()}?{how}", uri=True, timeout=locked_s))


def stored_rows(db: sqlite3.Connection) -> Iterator[Row]:
    """Yield the rows of all entries in order, unchecked.

    :raises sqlite3.Error: at the first row that cannot be read.
    :raises TypeError: they are of another format.
    """
    return (Row(*row) for row in db.execute("SELECT * FROM entries ORDER BY seq"))


def claim(path: Path) -> int:
    """Take the lock that lets only one process write. The kernel frees it however the process ends.

    :returns: the descriptor of the lock's own file; closing it frees the lock.
    :raises JournalError: `journal_in_use`, or `disk_full` or `journal_read_only` where the folder cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = os.open(path.with_name(path.name + ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if error.errno in NO_ROOM:
            raise JournalError("disk_full", path) from None
        raise JournalError("journal_read_only", path) from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise JournalError("journal_in_use", path) from None
    return lock


def inspect(path: Path) -> None:
    """Check the file without writing to it, so that a damaged file is not changed.

    A file with a rollback journal beside it was being created when the power failed. Opening it for writing repairs it.

    :raises JournalError: `journal_foreign`, `journal_newer` or `journal_damaged`.
    """
    with read_only(path, LOCKED_S) as db:
        try:
            _look_at(db, path)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_READONLY_ROLLBACK:
                raise


def _look_at(db: sqlite3.Connection, path: Path) -> None:
    refuse_other_formats(db, path)
    if db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
        raise damaged(path)


def refuse_other_formats(db: sqlite3.Connection, path: Path) -> None:
    """Check that a database is empty or a journal in a format that this release knows. Its rows are not read.

    :raises JournalError: `journal_foreign` or `journal_newer`.
    :raises sqlite3.Error: it is no database.
    """
    version, ours = (int(db.execute(f"PRAGMA {name}").fetchone()[0]) for name in ("user_version", "application_id"))
    if _is_empty(db):
        return
    if ours != APPLICATION_ID:
        raise JournalError("journal_foreign", path)
    if version > FORMAT:
        raise JournalError("journal_newer", path)


def prepare(db: sqlite3.Connection) -> None:
    """Configure a connection so that commits survive a power cut, and create the tables of a new file."""
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    # Written pages are hardly read again: most of SQLite's default cache of 2 MiB would be wasted.
    db.execute("PRAGMA cache_size = -256")
    if _is_empty(db):
        db.executescript(SCHEMA)


def _is_empty(db: sqlite3.Connection) -> bool:
    return bool(db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0)


def make_private(path: Path) -> None:
    """Let only the owner read the file; SQLite gives its log the same mode. Errors show when the file is opened."""
    with suppress(OSError):
        os.close(os.open(path, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
        for file in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
            if file.exists() and file.stat().st_mode & 0o077:
                file.chmod(0o600)
