"""Opens a journal after disk damage: detects lost entries, and restores the last good state.

The journal and its copies verify each other: the chained digest of the newest common entry is the same in both. Damaged
files are kept in a separate folder beside the journal.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from functools import partial
from itertools import count, islice, takewhile
from pathlib import Path
from typing import NamedTuple

import msgspec

from appliance.journal.journal import Journal
from appliance.journal.journal_file import UNREADABLE, JournalError, claim, damaged, stored_rows
from appliance.journal.rows import NO_ENTRY, Row, Tip, sound
from appliance.journal.safekeeping.copy_file import CopyDamagedError, CopyFile
from appliance.journal.safekeeping.staging import commit, drafted
from appliance.journal.sealing import Sealer
from hardware.files.regular_file import MOST_TEXT_BYTES, kind_of, read_ordinary, write_private

BATCH = 500
"""Rows that are held in memory at once."""
SUSPECT = ".suspect"
"""Ending of the marker file beside the journal: a check found damage, and the next start restores the journal."""
GIVEN_UP = ".given-up"
"""Ending of the file beside the journal that lists the digests of entries that a restore has given up."""
KEPT = "damaged"
"""Beginning of the names of the folders in which damaged files are kept."""


class Restored(msgspec.Struct, frozen=True):
    """The repairs that were needed to open a journal.

    :param entries: how many entries were restored.
    :param lost: how many entries are known to be lost.
    :param kept: where the damaged files are; None: nothing was moved.
    """

    entries: int
    lost: int
    kept: Path | None


def open_journal(
    path: Path, sealer: Sealer, copies: Sequence[CopyFile], wall: Callable[[], float] = time.time
) -> tuple[Journal, Restored | None]:
    """Open the journal. If it is damaged or has lost entries, restore it from its copies or its readable rows first.

    :returns: the journal, and the repairs; None: nothing was missing.
    :raises JournalError: as `Journal`, but never `journal_damaged`.
    """
    try:
        journal = _trusted(path, sealer, wall)
    except JournalError as error:
        if error.code != "journal_damaged":
            raise
        return _rebuilt(path, sealer, copies, wall)
    refused = given_up(path)
    try:
        brought = [(_brought_back(journal, copy, refused), copy.path.parent) for copy in copies]
    except BaseException:
        journal.close()
        raise
    entries = sum(back.entries for back, _ in brought)
    known, folder = max(((back.known, folder) for back, folder in brought), default=(0, None))
    lost = max(known - journal.last_seq(), 0)
    if not entries and not lost:
        return journal, None
    # The keeper moves a damaged copy aside within its folder.
    return journal, Restored(entries, lost, folder if lost else None)


def catch_up(journal: Journal, copy: CopyFile) -> None:
    """Append to `copy` the entries that it lacks. A copy that is damaged or of another history is replaced.

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
    """Move away a copy that is damaged or of another history. The next `catch_up` creates a new one.

    :raises OSError: its medium cannot be written.
    """
    if copy.path.exists():
        copy.path.rename(numbered_folder(copy.path.parent, KEPT) / copy.path.name)


def mark_suspect(path: Path) -> None:
    """Mark the journal as damaged, so that the next start restores it."""
    path.with_name(path.name + SUSPECT).touch(0o600)


def _trusted(path: Path, sealer: Sealer, wall: Callable[[], float]) -> Journal:
    """Open the journal if it is not marked as damaged, SQLite can read it, and the open game's digests are right."""
    if path.with_name(path.name + SUSPECT).exists():
        raise damaged(path)
    journal = Journal(path, sealer, wall)
    try:
        game = journal.newest_game()
        if game is not None:
            journal.check_chain(game)
    except JournalError as error:
        # The file is intact: entries of a newer release wait for that release.
        if error.code != "journal_newer":
            journal.close()
            raise
    except BaseException:
        journal.close()
        raise
    return journal


def given_up(path: Path) -> frozenset[bytes]:
    """Return the digests of entries that a restore of the journal at `path` gave up: no copy may bring them back."""
    with suppress(OSError, ValueError):
        return frozenset(
            map(bytes.fromhex, read_ordinary(path.with_name(path.name + GIVEN_UP), MOST_TEXT_BYTES).decode().split())
        )
    return frozenset()


def write_given_up(path: Path, before: Iterable[bytes], now: Iterable[bytes], restored: Iterable[Row]) -> None:
    """Store which entries no copy may bring back into the journal at `path`: `before` and `now` without `restored`.

    :raises OSError: it cannot be written.
    """
    digests = sorted({*before, *now}.difference(row.digest for row in restored))
    if digests:
        write_private(path.with_name(path.name + GIVEN_UP), "\n".join(digest.hex() for digest in digests).encode())


def _wanted(copy: CopyFile, refused: frozenset[bytes]) -> Iterator[Row]:
    """Yield the rows of a copy up to the first that was given up."""
    return takewhile(lambda row: row.digest not in refused, copy.rows())


class _Brought(NamedTuple):
    """How many entries came back from a copy, and the number of the newest one that it had; 0: nothing was missing."""

    entries: int
    known: int


def _brought_back(journal: Journal, copy: CopyFile, refused: frozenset[bytes]) -> _Brought:
    """Commit the entries that only `copy` has, as far as it can be read."""
    before = journal.tip()
    try:
        newest = copy.tip().seq
    except OSError:
        return _Brought(0, 0)
    except CopyDamagedError:
        newest = 0 if kind_of(copy.path) != "file" else copy.newest_seq()
    if newest <= before.seq:
        return _Brought(0, 0)
    rows = sound(_wanted(copy, refused))
    if before.seq:
        met = next((row.digest for row in rows if row.seq == before.seq), None)
        if met is None:  # it is damaged before that entry
            return _Brought(0, _known(copy, refused))
        if met != before.digest:
            return _Brought(0, 0)
    return _Brought(adopt(journal, rows), _known(copy, refused))


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
    """Replace the damaged files by a new journal from the source with the longest unbroken series of entries."""
    folder, refused = path.parent, given_up(path)
    held = claim(path)
    try:
        with drafted(folder) as draft, tempfile.TemporaryDirectory(dir=draft.parent) as scratch:
            left = _left_of(path, Path(scratch))
            sources: list[Callable[[], Iterator[Row]]] = [left]
            sources += [partial(_wanted, copy, refused) for copy in copies]
            known = max(furthest(left()), *(_known(copy, refused) for copy in copies))
            best = max(sources, key=lambda rows: furthest(sound(rows())))
            with closing(Journal(draft / path.name, sealer, wall)) as fresh:
                entries = adopt(fresh, sound(best()))
            (draft / f"{path.name}.lock").unlink()
            shutil.rmtree(scratch)
            kept = commit(folder, [path.name + ending for ending in ("", "-wal", "-shm", SUSPECT)], KEPT)
    finally:
        os.close(held)
    return Journal(path, sealer, wall), Restored(entries, known - entries, kept)


def _left_of(journal: Path, scratch: Path) -> Callable[[], Iterator[Row]]:
    """Return a function that yields the rows that SQLite can still read, from a copy of the damaged files."""
    for name in (journal.name, f"{journal.name}-wal"):
        if (journal.parent / name).exists():
            shutil.copy2(journal.parent / name, scratch / name)

    def rows() -> Iterator[Row]:
        try:
            with closing(sqlite3.connect(scratch / journal.name)) as db:
                yield from stored_rows(db)
        except UNREADABLE:
            return

    return rows


def _known(copy: CopyFile, refused: frozenset[bytes]) -> int:
    """Return the number of the newest entry that a copy had, also where records before it cannot be read."""
    known = 0
    for row in copy.rows():
        if row.digest in refused:
            return known
        known = max(known, row.seq)
    return max(known, copy.newest_seq())


def furthest(rows: Iterator[Row]) -> int:
    """Return the highest number of these entries; 0: there is none."""
    return max((row.seq for row in rows), default=0)


def numbered_folder(parent: Path, name: str) -> Path:
    """Create a folder `name`-1, or with the next free number, that only its owner may read."""
    for number in count(1):
        folder = parent / f"{name}-{number}"
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
            return folder
    raise AssertionError("numbers do not end")


def _goes_through(journal: Journal, tip: Tip) -> bool:
    rows = journal.rows_after(tip.seq - 1, 1)
    return tip.seq == 0 or (bool(rows) and rows[0].digest == tip.digest)
