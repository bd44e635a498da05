"""The guest data that a table keeps beside the journal: reading, writing, repair, backup and restore.

It is one small file. Its spare is in the folder of copies. If the settings name a second medium, it has one more copy.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import msgspec

from appliance.games.league.night import NightEvent
from appliance.games.protocol import Json
from appliance.journal.codes import RecordsRemark
from appliance.journal.journal_file import UNREADABLE, read_only
from appliance.journal.safekeeping.spared import (
    MOST_BYTES,
    DamagedError,
    decoded,
    first_content,
    keep_alike,
    mend,
    read_spared,
    write_spared,
)
from hardware.files.regular_file import read_ordinary

EVENING = "evening.json"
SECOND_EVENING = "smugglers-evening.json"
"""Its name on a second medium, which holds other files too."""
_TABLE = "beside"
"""The table of a backup that holds the guest data."""


class Night(msgspec.Struct, frozen=True, kw_only=True):
    """The current league night: the game, how many play it, its options, and the events so far.

    `started_s`: wall-clock seconds since 1970, up to the year 5000.
    """

    game: str
    size: int
    options: Mapping[str, Json] = {}
    started_s: Annotated[float, msgspec.Meta(ge=0, le=1e11)]
    events: tuple[NightEvent, ...] = ()


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """The content of the file. `erased`: by guest, the newest journal entry at the erasure; later games count again."""

    erased: Mapping[str, int] = {}
    night: Night | None = None
    house_rules: Mapping[str, Mapping[str, Mapping[str, Json]]] = {}
    """By game and name: its options."""
    newcomers: tuple[str, tuple[int, ...]] = ("", ())
    """The seating, and its seats whose players said that they are new."""
    deeds_before: tuple[int, Mapping[int, tuple[tuple[str, int | None, int], ...]]] = (0, {})
    """The game, and by seat whose player said so during it: the deeds until then, who did them, and how often."""


class EveningCopy:
    """A copy of the file on a second medium.

    :param source: the file.
    :param path: the copy.
    """

    def __init__(self, source: Path, path: Path) -> None:
        self.source, self.path = source, path

    def catch_up(self) -> None:
        """Write the copy again if it differs from the file.

        :raises OSError: a file cannot be read, or the medium is gone, full or read-only.
        """
        with suppress(FileNotFoundError):
            content = read_ordinary(self.source, MOST_BYTES)
            keep_alike(self.path, content)


def read_kept(file: Path) -> Kept:
    """Return the content of a file; an empty `Kept` where there is no file.

    :raises OSError: it cannot be read.
    :raises DamagedError: it cannot be decoded.
    """
    return read_spared(file, decode_kept) or Kept()


def write_kept(file: Path, kept: Kept) -> None:
    """Write the file and its spare.

    :raises OSError: one of them cannot be written.
    """
    write_spared(file, msgspec.json.encode(kept))


def decode_kept(content: bytes) -> Kept:
    """Return what a file says.

    :raises DamagedError: it cannot be decoded.
    """
    return decoded(content, Kept)


def mend_evening(folder: Path, copies: Sequence[Path]) -> dict[str, RecordsRemark]:
    """Restore the file of a data folder where it is damaged. Return the remark's code by the file's name.

    :raises OSError: the folder cannot be read or written.
    """
    how = mend(folder / EVENING, decode_kept, copies)
    return {EVENING: "evening_restored" if how == "restored" else "evening_lost"} if how else {}


def put_into(backup: sqlite3.Connection, kept: Kept) -> None:
    """Write the guest data into a backup of the journal."""
    backup.execute(f"CREATE TABLE {_TABLE} (name TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT")
    backup.execute(f"INSERT INTO {_TABLE} VALUES (?, ?)", (EVENING, msgspec.json.encode(kept)))  # noqa: S608


def taken_from(backup: Path) -> Kept | None:
    """Return the guest data in a backup; None: the file is not a backup, is an older one, or cannot be read."""
    with suppress(*UNREADABLE, DamagedError), read_only(backup) as db:
        return decode_kept(db.execute(f"SELECT content FROM {_TABLE} WHERE name = ?", (EVENING,)).fetchone()[0])  # noqa: S608
    return None


def first_that_reads(files: Sequence[Path]) -> Kept | None:
    """Return the content of the first of these files that exists and can be read; None: there is none."""
    content = first_content(files, decode_kept)
    return None if content is None else decode_kept(content)


def beside_restored(here: Kept, newest: int, shared: int) -> Kept:
    """Return the guest data of this table, fitted to a restored journal. If a name was erased at an entry that the
    restored journal does not have, it is erased from all games of that journal.

    :param newest: the restored journal's newest entry.
    :param shared: the last entry that the restored journal shares with the one before it; 0: there is none.
    """
    erased = {name: entry if 0 < entry <= shared else max(entry, newest) for name, entry in here.erased.items()}
    return msgspec.structs.replace(here, erased=erased)


def joined(here: Kept | None, restored: Kept) -> Kept:
    """Return the restored guest data with all names that were erased here added: an erased name stays erased."""
    erased = dict(restored.erased)
    for name, entry in ({} if here is None else here.erased).items():
        erased[name] = max(entry, erased.get(name, 0))
    return msgspec.structs.replace(restored, erased=erased)
