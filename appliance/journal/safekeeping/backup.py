"""Backs up a journal and the guest data to one consistent file without the key. The table may be running."""

from __future__ import annotations

import fcntl
import os
import re
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import msgspec

from appliance.journal.journal_file import APPLICATION_ID, explained, read_only
from appliance.journal.safekeeping.evening import EVENING, first_that_reads, put_into
from appliance.journal.safekeeping.spared import spare_of
from appliance.journal.safekeeping.staging import missing
from appliance.words.errors import TableError, unusable
from hardware.files.regular_file import kind_of, sync


class BackUp(msgspec.Struct, frozen=True):
    """What a backup holds."""

    games: int
    entries: int


def back_up(journal: Path, copy: Path, last_step: Callable[[], None] = lambda: None) -> BackUp:
    """Write a consistent copy of `journal` to the new file `copy`; entries that are committed meanwhile are not in it.

    `copy` appears only once it is whole, checked and on the disk.

    :param last_step: called just before it appears. Nothing is undone after that.

    :raises TableError: `journal_missing`, `restore_interrupted`, `journal_foreign`, `journal_damaged`, `copy_exists`,
        `copy_unwritable`, or another error of the disk.
    """
    if kind_of(journal) is None:
        raise missing(journal)
    if os.path.lexists(copy):
        raise TableError("copy_exists", path=copy)
    fresh = copy.with_name(f"{copy.name}.{os.getpid()}.new")
    try:
        with _under_way(journal.parent, copy):
            # Names and games are private to the table: only the owner may read the copy.
            os.close(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            held = _copied(journal, fresh, copy)
            sync(fresh)
            last_step()
            fresh.rename(copy)
            sync(copy.parent)
    except OSError as error:
        raise unusable(copy, error, "copy_unwritable") from None
    finally:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
    return held


@contextmanager
def _under_way(folder: Path, copy: Path) -> Iterator[None]:
    """Lock the data folder as one that is being backed up. Before that, if no other backup of it is under way, remove
    what backups to `copy` left when they were cut off.

    The lock is on the data folder: one beside `copy`, which may be on a network share, could hinder SQLite there.
    """
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove_cut_off(copy)
        with suppress(OSError):
            fcntl.flock(held, fcntl.LOCK_SH)
        yield
    finally:
        os.close(held)


def _remove_cut_off(copy: Path) -> None:
    cut_off = re.compile(rf"{re.escape(copy.name)}\.[0-9]+\.new(-journal|-wal|-shm)?")
    for path in copy.parent.iterdir():
        if cut_off.fullmatch(path.name) and stat.S_ISREG(path.lstat().st_mode):
            path.unlink()


def _copied(journal: Path, fresh: Path, copy: Path) -> BackUp:
    with explained(journal), read_only(journal) as source:
        if source.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            raise TableError("journal_foreign", path=journal)
        # Read before the journal is copied, so that a night names no game that the copy lacks.
        evening = first_that_reads((journal.with_name(EVENING), spare_of(journal.with_name(EVENING))))
        with explained(copy), closing(sqlite3.connect(fresh, isolation_level=None)) as written:
            source.backup(written)
            if evening is not None:
                put_into(written, evening)
            # One file only: a write-ahead log beside it could be left behind.
            written.execute("PRAGMA journal_mode = DELETE")
            if written.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
                raise TableError("journal_damaged", path=journal)
            return BackUp(*written.execute("SELECT count(DISTINCT game), count(*) FROM entries").fetchone())
