"""Opens a journal whatever the disk did to it: what is lost is noticed, and the last good state is restored.

The journal and its copies prove each other: the chained digest of the newest common entry is the same in both. Damaged
files are kept beside the journal in a folder of their own.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from itertools import count, islice
from pathlib import Path

import msgspec

from appliance.journal.journal import Journal
from appliance.journal.journal_file import UNREADABLE, JournalError, damaged, stored_rows
from appliance.journal.rows import NO_ENTRY, Row, Tip, sound
from appliance.journal.safekeeping.copy_file import CopyDamagedError, CopyFile
from appliance.journal.sealing import Sealer

BATCH = 500
"""Rows that are held in memory at once."""
SUSPECT = ".suspect"
"""Ending of the file beside the journal that says: a look through it found damage, restore it at the next start."""
KEPT = "damaged"
"""Beginning of the names of the folders in which damaged files are kept."""


class Restored(msgspec.Struct, frozen=True):
    """What opening a journal had to mend.

    :param entries: how many entries were brought back.
    :param lost: how many are known to be gone for good.
    :param kept: where the damaged files are; None: nothing was moved.
    """

    entries: int
    lost: int
    kept: Path | None


def open_journal(
    path: Path, sealer: Sealer, copies: Sequence[CopyFile], wall: Callable[[], float] = time.time
) -> tuple[Journal, Restored | None]:
    """Open the journal, restored from its copies or from what is left of it when it is damaged or has lost entries.

    :returns: the journal, and what was mended; None: nothing was missing.
    :raises JournalError: as `Journal`, but never `journal_damaged`.
    """
    try:
        journal = _trusted(path, sealer, wall)
    except JournalError as error:
        if error.code != "journal_damaged":
            raise
        return _rebuilt(path, sealer, copies, wall)
    try:
        entries = sum(_brought_back(journal, copy) for copy in copies)
    except BaseException:
        journal.close()
        raise
    return journal, Restored(entries, 0, None) if entries else None


def catch_up(journal: Journal, copy: CopyFile) -> None:
    """Append to `copy` what the journal has and it has not. A copy of another history is moved away and made anew.

    :raises OSError: the medium of the copy is gone, full or read-only.
    :raises JournalError: the journal cannot be read.
    """
    try:
        tip = copy.tip()
    except CopyDamagedError:
        tip = None
    if tip is None or tip.seq > journal.last_seq() or not _goes_through(journal, tip):
        renew(copy)
        tip = NO_ENTRY
    while rows := journal.rows_after(tip.seq, BATCH):
        copy.extend(rows)
        tip = Tip(rows[-1].seq, rows[-1].digest)


def renew(copy: CopyFile) -> None:
    """Move a damaged copy away, or one of another history, so that the next `catch_up` makes it anew.

    :raises OSError: its medium cannot be written.
    """
    if copy.path.exists():
        copy.path.rename(numbered_folder(copy.path.parent, KEPT) / copy.path.name)


def mark_suspect(path: Path) -> None:
    """Let the next start restore the journal: some past game in it does not read as it was written."""
    path.with_name(path.name + SUSPECT).touch(0o600)


def _trusted(path: Path, sealer: Sealer, wall: Callable[[], float]) -> Journal:
    """Open the journal if it may be trusted: SQLite reads it, and the open game's chain is whole."""
    if path.with_name(path.name + SUSPECT).exists():
        raise damaged(path)
    journal = Journal(path, sealer, wall)
    try:
        game = journal.newest_game()
        if game is not None:
            journal.check_chain(game)
    except JournalError as error:
        # It is whole: what a newer release wrote waits for that release.
        if error.code != "journal_newer":
            journal.close()
            raise
    except BaseException:
        journal.close()
        raise
    return journal


def _brought_back(journal: Journal, copy: CopyFile) -> int:
    """Commit the entries that only `copy` has. Return how many."""
    try:
        tip = copy.tip()
    except (CopyDamagedError, OSError):
        return 0
    before = journal.tip()
    if tip.seq <= before.seq:
        return 0
    rows = sound(copy.rows())
    if before.seq and next((row.digest for row in rows if row.seq == before.seq), None) != before.digest:
        return 0
    return adopt(journal, rows)


def adopt(journal: Journal, rows: Iterator[Row]) -> int:
    """Commit rows that follow the newest entry, and return how many.

    :raises JournalError: they do not follow, or the disk refuses them.
    """
    before = journal.last_seq()
    while batch := tuple(islice(rows, BATCH)):
        journal.adopt(batch)
    return journal.last_seq() - before


def _rebuilt(
    path: Path, sealer: Sealer, copies: Sequence[CopyFile], wall: Callable[[], float]
) -> tuple[Journal, Restored]:
    """Move the damaged files away and write the journal anew from the source that goes furthest without a gap."""
    kept = numbered_folder(path.parent, KEPT)
    path.with_name(path.name + "-shm").unlink(missing_ok=True)
    for name in (path.name, path.name + "-wal"):
        if (path.parent / name).exists():
            (path.parent / name).rename(kept / name)
    with tempfile.TemporaryDirectory(dir=kept) as scratch:
        left = _left_of(kept / path.name, Path(scratch))
        sources = [left, *(copy.rows for copy in copies)]
        known = max(_furthest(rows()) for rows in sources)
        best = max(sources, key=lambda rows: _furthest(sound(rows())))
        journal = Journal(path, sealer, wall)
        try:
            entries = adopt(journal, sound(best()))
        except BaseException:
            journal.close()
            raise
    path.with_name(path.name + SUSPECT).unlink(missing_ok=True)
    return journal, Restored(entries, known - entries, kept)


def _left_of(journal: Path, scratch: Path) -> Callable[[], Iterator[Row]]:
    """Return what reads the rows that SQLite still finds in damaged files, on a copy of them."""
    for file in journal.parent.glob(journal.name + "*"):
        shutil.copy2(file, scratch / file.name)

    def rows() -> Iterator[Row]:
        try:
            with closing(sqlite3.connect(scratch / journal.name)) as db:
                yield from stored_rows(db)
        except UNREADABLE:
            return

    return rows


def _furthest(rows: Iterator[Row]) -> int:
    return max((row.seq for row in rows), default=0)


def numbered_folder(parent: Path, name: str) -> Path:
    """Make a new folder `name`-1, or with the next free number, for its owner alone."""
    for number in count(1):
        folder = parent / f"{name}-{number}"
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
            return folder
    raise AssertionError("numbers do not end")


def _goes_through(journal: Journal, tip: Tip) -> bool:
    rows = journal.rows_after(tip.seq - 1, 1)
    return tip.seq == 0 or (bool(rows) and rows[0].digest == tip.digest)
