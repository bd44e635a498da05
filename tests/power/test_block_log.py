"""A log of writes is read as the format's document says, and power cuts leave what a card may leave."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from tests.power.block_log import LogError, Written, read_log
from tests.power.replay import SECTOR, Kind, cuts


def log_of(path: Path, entries: Sequence[tuple[int, int, int, bytes]], sector: int = 512, more: int = 0) -> Path:
    """Write a log of (sector, sectors, flags, what was written), by hand."""
    raw = struct.pack("<QQQI", 0x6A736677736872, 1, len(entries) + more, sector).ljust(sector, b"\0")
    for place, count, flags, content in entries:
        raw += struct.pack("<QQQQ", place, count, flags, 0).ljust(sector, b"\0") + content
    path.write_bytes(raw)
    return path


def test_entries_are_read_in_their_order(tmp_path: Path) -> None:
    log = log_of(
        tmp_path / "log",
        [(8, 2, 0, b"a" * 1024), (0, 0, 1, b""), (9, 1, 4, b""), (3, 1, 2, b"b" * 512), (4, 1, 3, b"c" * 512)],
    )
    assert list(read_log(log)) == [
        Written(8 * 512, b"a" * 1024, flush=False, lasts=False),
        Written(0, b"", flush=True, lasts=False),
        Written(9 * 512, bytes(512), flush=False, lasts=False),
        Written(3 * 512, b"b" * 512, flush=False, lasts=True),
        Written(4 * 512, b"c" * 512, flush=True, lasts=True),
    ]


@pytest.mark.parametrize("bad", ["empty", "foreign", "cut", "short", "marked"])
def test_what_is_no_whole_log_is_refused(tmp_path: Path, bad: str) -> None:
    log = log_of(tmp_path / "log", [(0, 1, 8 if bad == "marked" else 0, b"a" * 512)], more=bad == "short")
    raw = log.read_bytes()
    log.write_bytes({"empty": b"", "foreign": b"x" + raw[1:], "cut": raw[:-1]}.get(bad, raw))
    with pytest.raises(LogError):
        list(read_log(log))


def sector_of(letter: str) -> bytes:
    return letter.encode() * SECTOR


A, B, C = (sector_of(letter) for letter in "abc")
BLANK = bytes(SECTOR)
LOG = [
    Written(0, A + A, flush=False, lasts=False),
    Written(0, b"", flush=True, lasts=False),
    Written(SECTOR, B + B, flush=False, lasts=False),
    Written(3 * SECTOR, C, flush=False, lasts=False),
]


def left(kind: Kind, seed: int = 1) -> dict[int, set[tuple[bytes, ...]]]:
    """What the disk of four sectors may hold after each entry."""
    found: dict[int, set[tuple[bytes, ...]]] = {}
    for cut in cuts(bytes(4 * SECTOR), LOG, Random(seed), torn=1.0, dropped=1.0):
        if cut.kind == kind:
            sectors = tuple(bytes(cut.disk[at : at + SECTOR]) for at in range(0, 4 * SECTOR, SECTOR))
            found.setdefault(cut.entry, set()).add(sectors)
    return found


def test_the_disk_holds_each_write_that_was_complete() -> None:
    assert left("after each write") == {
        1: {(A, A, BLANK, BLANK)},
        2: {(A, A, BLANK, BLANK)},
        3: {(A, B, B, BLANK)},
        4: {(A, B, B, C)},
    }


def test_a_write_that_was_not_complete_is_there_from_its_beginning() -> None:
    assert left("in the middle of a write") == {0: {(A, BLANK, BLANK, BLANK)}, 2: {(A, B, BLANK, BLANK)}}


def test_what_was_not_flushed_may_be_missing_in_any_selection() -> None:
    seen = {sectors for seed in range(200) for sectors in left("some of the cache lost", seed)[4]}
    assert seen == {(A, x, y, z) for x in (A, B) for y in (BLANK, B) for z in (BLANK, C)}
