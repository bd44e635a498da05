"""A data folder whose table was cut off, and what a failing disk does to files."""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Callable
from pathlib import Path

from appliance.journal.media.removable_media import Sticks
from appliance.journal.safekeeping.copy_file import CopyFile
from appliance.journal.safekeeping.keeper import Keeper
from appliance.journal.safekeeping.records import open_records
from appliance.table.table import Table
from tests.appliance.conftest import PortersTable
from tests.patience import GIVEN_UP_S

JOURNAL, WAL, COPY = "journal.sqlite3", "journal.sqlite3-wal", "copy/journal.copy"
Damage = Callable[[Path], object]


class Kept(PortersTable):
    """A table on its records as `smugglers run` opens them; its copies are made when a test says so."""

    second: Path | None = None
    sticks = Sticks(())

    def _connect(self) -> None:
        self.records = open_records(self.folder, self.second, lambda: self.wall_s)
        self.journal = self.records.journal
        self.table = Table(journal=self.journal, games=self.games, clock=self.clock, answer_within_s=GIVEN_UP_S)
        for remark in self.records.remarks:
            self.table.tell(remark)
        self.keeper = Keeper(self.journal, self.records.copies, self.table.tell, self.records.evenings, self.sticks)

    def told(self) -> dict[str, str]:
        return {topic: remark.code for topic, remark in self.table.snapshot().remarks.items()}


class Crashed:
    """The data folder of a table whose plug was pulled: a past game, an open one, the newest entries in the WAL."""

    def __init__(self, folder: Path, *, copied: bool = True) -> None:
        table = Kept(folder / "alive")
        table.open()
        table.half_a_round()
        table.accepted(table.table.close_game(table.new_id()))
        table.journal.checkpoint()
        table.keeper.copy()
        table.open()
        table.half_a_round()
        if copied:
            table.keeper.copy()
        self.last = table.journal.last_seq()
        self.history = table.table.history()
        self.folder = folder / "crashed"
        shutil.copytree(folder / "alive", self.folder, ignore=shutil.ignore_patterns("*-shm", "*.lock"))
        table.close()


def zeroed(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def halved(path: Path) -> None:
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) // 2])


def garbled(path: Path) -> None:
    raw = path.read_bytes()
    path.write_bytes(b"\xa5" * 100 + raw[100:])


def no_text_in_its_tables(path: Path) -> None:
    """SQLite quotes what it cannot read there, and Python cannot read that as text."""
    path.write_bytes(path.read_bytes().replace(b"entries_follow BEFORE", b"entries_follow BE\xc6ORE"))


def flipped(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2 + 7] ^= 0x10
    path.write_bytes(raw)


def changed_in_the_open_game(path: Path) -> None:
    """SQLite fills a page from its end: what comes first in the file was written last."""
    raw = path.read_bytes()
    at = raw.index(b'"outcome":"stuck"')
    path.write_bytes(raw[: at + 11] + b"STUCK" + raw[at + 16 :])


def no_text_in_its_newest_record(path: Path) -> None:
    """The record is whole, as another program may write it, but the id in it is no text."""
    raw, newest = path.read_bytes(), list(CopyFile(path).rows())[-1].client_id.encode()
    begins = len(raw) - 4 - int.from_bytes(raw[-4:], "big")
    payload = raw[begins:-4].replace(newest, b"\xff" * len(newest))
    path.write_bytes(raw[: begins - 4] + zlib.crc32(payload).to_bytes(4, "big") + payload + raw[-4:])


def deleted(path: Path) -> None:
    path.unlink()


def deleted_with_its_wal(path: Path) -> None:
    path.unlink()
    path.with_name(WAL).unlink()


def changed(damage: Damage, path: Path) -> None:
    before = path.read_bytes()
    damage(path)
    assert not path.exists() or path.read_bytes() != before
