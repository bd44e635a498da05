"""Restores a journal and the guest data from a backup or a copy, and keeps the files that it replaces."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import msgspec

from appliance.journal.journal import Journal
from appliance.journal.journal_file import (
    JOURNAL,
    UNREADABLE,
    JournalError,
    claim,
    read_only,
    refuse_other_formats,
    stored_rows,
)
from appliance.journal.rows import Row, sound
from appliance.journal.safekeeping.copy_file import MAGIC, CopyFile
from appliance.journal.safekeeping.evening import (
    EVENING,
    SECOND_EVENING,
    Kept,
    beside_restored,
    first_that_reads,
    joined,
    taken_from,
    write_kept,
)
from appliance.journal.safekeeping.keys import SPARES, seal_key, web_key
from appliance.journal.safekeeping.records import COPY, SECOND_COPY
from appliance.journal.safekeeping.recovery import GIVEN_UP, SUSPECT, adopt, furthest, given_up, write_given_up
from appliance.journal.safekeeping.spared import spare_of
from appliance.journal.safekeeping.staging import STAGED, commit, drafted, finish
from appliance.words.errors import TableError, unusable
from hardware.files.regular_file import is_missing, kind_of, open_ordinary

REPLACED = "replaced"
"""Beginning of the names of the folders in which replaced files are kept."""


_REPLACED = (
    JOURNAL,
    f"{JOURNAL}-wal",
    f"{JOURNAL}-shm",
    f"{JOURNAL}{SUSPECT}",
    f"{JOURNAL}{GIVEN_UP}",
    f"{SPARES}/{COPY}",
)
_BESIDE = {JOURNAL: EVENING, COPY: EVENING, SECOND_COPY: SECOND_EVENING}
"""The file of guest data beside a journal, or beside a copy that a table keeps, by the name of that file."""


class PutBack(msgspec.Struct, frozen=True):
    """The result of a restore.

    :param given_up: how many entries of the replaced journal are not in the restored one.
    :param kept: where the replaced files are kept; None: there were none.
    :param unread: how many entries the source had that were not restored, because it is damaged.
    :param closed: how many of the games have secrets that do not open with the key of the data folder.
    :param evening: whether the league night, the house rules and erased names came with it; else those here stay.
    """

    games: int
    entries: int
    given_up: int
    kept: Path | None
    unread: int
    closed: int
    evening: bool


def put_back(source: Path, folder: Path, last_step: Callable[[], None] = lambda: None) -> PutBack:
    """Make `source` the journal of a data folder whose table does not run. A name that was erased here stays erased.

    :param source: what `smugglers backup` wrote, the journal of another card, or a copy that a table keeps.
    :param last_step: called just before the files are replaced. Nothing is undone after that.
    :raises TableError: `restore_unreadable`, `restore_no_journal`, `restore_empty`, `restore_foreign` or
        `journal_newer`: nothing was changed; `restore_moved`: `source` was the folder's own, and a former restore,
        which is complete, moved it; or the code of what is wrong with the data folder, such as `journal_in_use`.
    """
    if (folder / STAGED).exists():
        with _claimed(folder):
            finish(folder)
    _refuse_moved(source, folder)
    games = {row.game for row in sound(_rows(source))}
    if not games:
        raise TableError("restore_empty", path=str(source))
    known = _newest_of(source)
    with _claimed(folder):
        finish(folder)
        shared, beyond = _beside(source, folder)
        # The new journal is complete before any file is moved: the source may be this folder's own copy.
        with drafted(folder) as draft:
            entries, closed = _written(source, folder, draft / JOURNAL)
            write_given_up(draft / JOURNAL, given_up(folder / JOURNAL), beyond[:1], _rows(source))
            evening, came = _evening_with(source, folder, entries, shared)
            if evening is not None:
                write_kept(draft / EVENING, evening)
            last_step()
            kept = commit(folder, (*_REPLACED, *((EVENING,) if evening is not None else ())), REPLACED)
    return PutBack(len(games), entries, len(beyond), kept, known - entries, closed, came)


@contextmanager
def _claimed(folder: Path) -> Iterator[None]:
    """Hold a data folder whose table does not run."""
    try:
        held = claim(folder / JOURNAL)
        try:
            yield
        finally:
            os.close(held)
    except OSError as error:
        raise unusable(folder, error, "folder_unusable") from None


def _refuse_moved(source: Path, folder: Path) -> None:
    """Refuse a missing file of `folder` that a restore has moved to a folder of replaced files."""
    if is_missing(source) and source.resolve() in [(folder / name).resolve() for name in _REPLACED]:
        moved = [path for path in folder.glob(f"{REPLACED}-*/{source.name}") if kind_of(path) == "file"]
        if moved:
            newest = max(moved, key=lambda path: path.parent.stat().st_mtime_ns)
            raise TableError("restore_moved", path=str(source), kept=str(newest))


def _written(source: Path, folder: Path, fresh: Path) -> tuple[int, int]:
    """Write the entries of `source`. Return how many, and how many games the key of `folder` does not open."""
    sealer, _ = seal_key(folder)
    web_key(folder)  # beside a journal, a start would take a missing key for a lost one
    closed = set[int]()

    def tried() -> Iterator[Row]:
        for row in sound(_rows(source)):
            if row.sealed is not None and not sealer.has_key_of(row.sealed):
                closed.add(row.game)
            yield row

    with closing(Journal(fresh, sealer)) as written:
        entries = adopt(written, tried())
    fresh.with_name(f"{fresh.name}.lock").unlink(missing_ok=True)
    return entries, len(closed)


def _newest_of(source: Path) -> int:
    """Return the number of the newest entry that `source` had, also where entries before it are damaged."""
    known = furthest(_rows(source))
    with suppress(OSError):
        known = max(known, CopyFile(source).newest_seq() if _is_copy(source) else 0)
    return known


def _is_copy(source: Path) -> bool:
    with open_ordinary(source) as file:
        return file.read(len(MAGIC)) == MAGIC


def _rows(source: Path) -> Iterator[Row]:
    try:
        if _is_copy(source):
            yield from CopyFile(source).rows()
            return
        with read_only(source) as db:
            refuse_other_formats(db, source)
            yield from stored_rows(db)
    except JournalError as error:
        if error.code != "journal_foreign":
            raise
        raise TableError("restore_foreign", path=str(source)) from None
    except UNREADABLE:
        raise TableError("restore_no_journal", path=str(source)) from None
    except OSError as error:
        raise TableError("restore_unreadable", path=str(source), reason=error.strerror or str(error)) from None


def _evening_with(source: Path, folder: Path, newest: int, shared: int) -> tuple[Kept | None, bool]:
    """Return the new guest data (None: that of this table stays), and whether `source` had any."""
    beside = [source.with_name(_BESIDE[source.name])] if source.name in _BESIDE else []
    came = taken_from(source) or first_that_reads(beside)
    file = folder / EVENING
    here = first_that_reads((file, spare_of(file)))
    fitted = None if here is None else beside_restored(here, newest, shared)
    if came is None:
        return fitted if fitted != here else None, False
    return joined(fitted, came), True


def _beside(source: Path, folder: Path) -> tuple[int, list[bytes]]:
    """Compare `source` with the journal in `folder`. Return the last entry that both share, and the digests of the
    later entries in `folder`.

    The entry is 0 where they share none, or where the journal in `folder` cannot be read.
    """
    shared, beyond = 0, list[bytes]()
    theirs = sound(_rows(source))
    for ours in _rows_here(folder):
        if beyond or ours != next(theirs, None):
            beyond.append(ours.digest)
        else:
            shared = ours.seq
    return shared, beyond


def _rows_here(folder: Path) -> Iterator[Row]:
    """Yield the rows of the journal in `folder` as far as it can be read, and then those that only its copy has."""
    seen = 0
    with suppress(OSError, *UNREADABLE), read_only(folder / JOURNAL) as db:
        for row in sound(stored_rows(db)):
            seen = row.seq
            yield row
    with suppress(OSError):
        yield from (row for row in sound(CopyFile(folder / SPARES / COPY).rows()) if row.seq > seen)
