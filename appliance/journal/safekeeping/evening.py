"""What the table keeps of its guests beside the journal, through a damaged disk, into backups and back.

It is one small file. Its spare lies among the copies; one more copy is on the second medium, where one is named.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from appliance.games.league.night import NightEvent
from appliance.games.protocol import Json
from appliance.journal.journal_file import UNREADABLE, read_only
from appliance.journal.safekeeping.keys import SPARES
from hardware.regular_file import kind_of, read_ordinary, write_private

EVENING = "evening.json"
SECOND_EVENING = "smugglers-evening.json"
"""Its name on a second medium, where other files are."""
MOST_BYTES = 2**24
"""The largest file that is read; ours has a few KiB."""
_TABLE = "beside"
"""The table of a backup that holds what lay beside the journal."""

Mended = Literal["", "evening_restored", "evening_lost"]
"""What had to be done: nothing; put back from a copy; begun anew, because none was left."""


class Night(msgspec.Struct, frozen=True, kw_only=True):
    """The league night that is on: the game, how many play it, its options, and what happened so far.

    `started_s`: wall-clock seconds since 1970, up to the year 5000.
    """

    game: str
    size: int
    options: Mapping[str, Json] = {}
    started_s: Annotated[float, msgspec.Meta(ge=0, le=1e11)]
    events: tuple[NightEvent, ...] = ()


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """The content of the file. `erased`: by guest, the newest journal entry at that time; later games count again."""

    erased: Mapping[str, int] = {}
    night: Night | None = None
    house_rules: Mapping[str, Mapping[str, Mapping[str, Json]]] = {}
    """By game and name: its options."""
    newcomers: tuple[str, tuple[int, ...]] = ("", ())
    """The seating, and those of its seats that said they are new."""


class EveningDamagedError(Exception):
    """The file does not read."""


class EveningCopy:
    """A copy of the file on a second medium.

    :param source: the file.
    :param path: the copy.
    """

    def __init__(self, source: Path, path: Path) -> None:
        self.source, self.path = source, path

    def catch_up(self) -> None:
        """Write the copy anew if it differs.

        :raises OSError: a file cannot be read, or the medium is gone, full or read-only.
        """
        with suppress(FileNotFoundError):
            content = read_ordinary(self.source, MOST_BYTES)
            if kind_of(self.path) != "file" or read_ordinary(self.path, MOST_BYTES) != content:
                write_private(self.path, content)


def read_kept(file: Path) -> Kept:
    """Return what a file keeps; nothing where there is none.

    :raises OSError: it cannot be read.
    :raises EveningDamagedError: it is no such file.
    """
    try:
        return _decoded(read_ordinary(file, MOST_BYTES))
    except FileNotFoundError:
        return Kept()


def write_kept(file: Path, kept: Kept) -> None:
    """Write the file and its spare.

    :raises OSError: one of them cannot be written.
    """
    for path in (file, spare_of(file)):
        write_private(path, msgspec.json.encode(kept))


def spare_of(file: Path) -> Path:
    """Return where the spare of the file is."""
    return file.parent / SPARES / file.name


def mend(file: Path, copies: Sequence[Path]) -> Mended:
    """Put the file back from its spare, or else from a copy, where it is damaged or gone. A damaged one is kept aside.

    :raises OSError: the folder cannot be read or written.
    """
    damaged = False
    with suppress(FileNotFoundError):
        try:
            _decoded(read_ordinary(file, MOST_BYTES))
        except EveningDamagedError:
            file.replace(file.with_name(f"{file.name}.damaged"))
            damaged = True
        else:
            return ""
    kept = first_that_reads((spare_of(file), *copies))
    if kept is None:
        return "evening_lost" if damaged else ""
    write_kept(file, kept)
    return "evening_restored"


def put_into(backup: sqlite3.Connection, kept: Kept) -> None:
    """Write what is kept into a copy of the journal."""
    backup.execute(f"CREATE TABLE {_TABLE} (name TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT")
    backup.execute(f"INSERT INTO {_TABLE} VALUES (?, ?)", (EVENING, msgspec.json.encode(kept)))  # noqa: S608


def taken_from(backup: Path) -> Kept | None:
    """Return what is kept in a copy of the journal; None: it is no such copy, is an older one, or does not read."""
    with suppress(*UNREADABLE, EveningDamagedError), read_only(backup) as db:
        return _decoded(db.execute(f"SELECT content FROM {_TABLE} WHERE name = ?", (EVENING,)).fetchone()[0])  # noqa: S608
    return None


def first_that_reads(files: Sequence[Path]) -> Kept | None:
    """Return what the first of these files keeps that is there and reads; None: none is."""
    for file in files:
        with suppress(OSError, EveningDamagedError):
            return _decoded(read_ordinary(file, MOST_BYTES))
    return None


def beside_restored(here: Kept, newest: int, shared: int) -> Kept:
    """Return what is kept here, beside a journal that was restored. A name whose erasure is counted in entries that
    the restored journal does not have is erased from all of its games.

    :param newest: the restored journal's newest entry.
    :param shared: the entry up to which it is the journal that was here; 0: it is another one.
    """
    erased = {name: entry if 0 < entry <= shared else max(entry, newest) for name, entry in here.erased.items()}
    return msgspec.structs.replace(here, erased=erased)


def joined(here: Kept | None, restored: Kept) -> Kept:
    """Return what is restored, together with all names that were erased here: who was erased stays so."""
    erased = dict(restored.erased)
    for name, entry in ({} if here is None else here.erased).items():
        erased[name] = max(entry, erased.get(name, 0))
    return msgspec.structs.replace(restored, erased=erased)


def _decoded(content: bytes) -> Kept:
    try:
        return msgspec.json.decode(content, type=Kept)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise EveningDamagedError from None
