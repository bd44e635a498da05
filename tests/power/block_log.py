"""Reads what a disk was told to write, in the order of completion, from a log in dm-log-writes' format.

The format is that of Linux's Documentation/admin-guide/device-mapper/log-writes.rst. All numbers are little-endian. The
first sector of the log holds a magic number, a version, how many entries follow (64 bits each) and the size of a sector
in bytes (32 bits). An entry is a sector that begins with four numbers of 64 bits: the sector on the disk, how many
sectors, flags, and a length for marks; what was written follows it. A discard has nothing that follows. QEMU's block
driver `blklogwrites` logs a write or a flush when it is complete. It makes no marks.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MAGIC, VERSION = 0x6A736677736872, 1
FLUSH, FUA, DISCARD = 1, 2, 4
_HEAD = struct.Struct("<QQQI")
_ENTRY = struct.Struct("<QQQQ")


class Written(NamedTuple):
    """One entry of the log.

    :param at: the first byte on the disk.
    :param content: what was written; of a discard, zeros.
    :param flush: whether all that was complete before it lasts from now on.
    :param lasts: whether it was on the medium when it was complete (FUA).
    """

    at: int
    content: bytes
    flush: bool
    lasts: bool


class LogError(ValueError):
    """The file is no log of this format, or ends within an entry."""


def read_log(path: Path) -> Iterator[Written]:
    """Yield the entries of a log in their order.

    :raises LogError: it cannot be read to its end.
    """
    with path.open("rb") as log:
        head = log.read(_HEAD.size)
        if len(head) < _HEAD.size:
            raise LogError(f"{path} is no log of writes")
        magic, version, entries, sector = _HEAD.unpack(head)
        if (magic, version) != (MAGIC, VERSION) or sector < _ENTRY.size:
            raise LogError(f"{path} is no log of writes that this reads")
        log.seek(sector)
        for number in range(entries):
            first = log.read(sector)
            if len(first) < sector:
                raise LogError(f"{path} ends before entry {number} of {entries}")
            place, count, flags, _ = _ENTRY.unpack(first[: _ENTRY.size])
            if flags & ~(FLUSH | FUA | DISCARD):
                raise LogError(f"{path} has an entry {number} that this does not read")
            content = bytes(count * sector) if flags & DISCARD else log.read(count * sector)
            if len(content) < count * sector:
                raise LogError(f"{path} ends within entry {number} of {entries}")
            yield Written(place * sector, content, bool(flags & FLUSH), bool(flags & FUA))
