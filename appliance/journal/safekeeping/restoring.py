"""Puts a journal back from a backup or a copy, on purpose, and keeps what was there before."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec

from appliance.journal.journal import Journal
from appliance.journal.journal_file import JournalError, claim, read_only, stored_rows
from appliance.journal.rows import Row, sound
from appliance.journal.safekeeping.copy_file import MAGIC, CopyFile
from appliance.journal.safekeeping.keys import SPARES, seal_key
from appliance.journal.safekeeping.records import COPY, JOURNAL
from appliance.journal.safekeeping.recovery import adopt, numbered_folder
from appliance.journal.table_error import TableError

REPLACED = "replaced"
"""Beginning of the names of the folders in which what was replaced is kept."""


class PutBack(msgspec.Struct, frozen=True):
    """What was put back, and where the journal that was there before is kept (None: there was none)."""

    games: int
    entries: int
    kept: Path | None


def put_back(source: Path, folder: Path) -> PutBack:
    """Make `source` the journal of a data folder whose table does not run.

    :param source: what `smugglers backup` wrote, the journal of another card, or a copy that a table keeps.
    :raises TableError: `restore_unreadable` or `restore_empty`: nothing was changed; or the code of what is wrong with
        the data folder, as `journal_in_use`.
    """
    games = {row.game for row in sound(_rows(source))}
    if not games:
        raise TableError("restore_empty", path=str(source))
    journal = folder / JOURNAL
    try:
        held = claim(journal)
        try:
            # It is written whole before anything is moved: the source may be this folder's own copy.
            fresh, entries = _written(source, folder)
            kept = _moved_away(folder)
            fresh.rename(journal)
        finally:
            os.close(held)
    except JournalError as error:
        raise TableError(error.code, path=str(journal)) from None
    except OSError as error:
        raise TableError("folder_unusable", path=str(folder), reason=error.strerror) from None
    return PutBack(len(games), entries, kept)


def _written(source: Path, folder: Path) -> tuple[Path, int]:
    fresh = folder / f"{JOURNAL}.new"
    for ending in ("", "-wal", "-shm"):
        fresh.with_name(fresh.name + ending).unlink(missing_ok=True)
    sealer, _ = seal_key(folder)
    with closing(Journal(fresh, sealer)) as written:
        entries = adopt(written, sound(_rows(source)))
    fresh.with_name(f"{fresh.name}.lock").unlink(missing_ok=True)
    return fresh, entries


def _rows(source: Path) -> Iterator[Row]:
    try:
        with source.open("rb") as file:
            is_copy = file.read(len(MAGIC)) == MAGIC
        if is_copy:
            yield from CopyFile(source).rows()
            return
        with read_only(source) as db:
            yield from stored_rows(db)
    except (OSError, sqlite3.Error, TypeError) as error:
        raise TableError("restore_unreadable", path=str(source), reason=str(error)) from None


def _moved_away(folder: Path) -> Path | None:
    there = [folder / JOURNAL, folder / f"{JOURNAL}-wal", folder / SPARES / COPY]
    if not any(path.exists() for path in there):
        return None
    kept = numbered_folder(folder, REPLACED)
    for path in there:
        if path.exists():
            path.rename(kept / path.name)
    (folder / f"{JOURNAL}-shm").unlink(missing_ok=True)
    return kept
