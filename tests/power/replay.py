"""A disk at each moment at which the power may fail, made from the log of its writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import Literal, NamedTuple

from tests.power.block_log import Written

SECTOR = 512
"""What a card writes whole or not at all, in bytes."""

Kind = Literal["after each write", "in the middle of a write", "some of the cache lost"]


class Cut(NamedTuple):
    """One failure of the power.

    :param entry: how many entries of the log were complete.
    :param kind: what the disk holds of those.
    :param disk: its bytes.
    """

    entry: int
    kind: Kind
    disk: bytes


def cuts(empty: bytes, log: Iterable[Written], random: Random, *, torn: float, dropped: float) -> Iterator[Cut]:
    """Yield the disk after every entry of the log, and as a power cut in between could leave it.

    A write that is not followed by a flush yet may be on the disk or not, in any selection and in parts of 512 bytes.

    :param empty: the disk before the first entry.
    :param torn: the share of the writes of several sectors of which a beginning alone is tried as well.
    :param dropped: the share of the entries at which a selection of what was not flushed is tried as well.
    """
    disk, lasting = bytearray(empty), bytearray(empty)
    cached: list[Written] = []
    for number, written in enumerate(log, start=1):
        end = written.at + len(written.content)
        sectors = len(written.content) // SECTOR
        if sectors > 1 and random.random() < torn:
            some = bytearray(disk)
            part = random.randrange(1, sectors) * SECTOR
            some[written.at : written.at + part] = written.content[:part]
            yield Cut(number - 1, "in the middle of a write", bytes(some))
        disk[written.at : end] = written.content
        if written.lasts:
            lasting[written.at : end] = written.content
        else:
            cached.append(written)
        if written.flush:
            lasting[:] = disk
            cached.clear()
        yield Cut(number, "after each write", bytes(disk))
        if len(cached) > 1 and random.random() < dropped:
            yield Cut(number, "some of the cache lost", _some_of(lasting, cached, random))


def _some_of(lasting: bytearray, cached: list[Written], random: Random) -> bytes:
    some, kept = bytearray(lasting), random.random()
    for written in cached:
        for offset in range(0, len(written.content), SECTOR):
            if random.random() < kept:
                at = written.at + offset
                some[at : at + SECTOR] = written.content[offset : offset + SECTOR]
    return bytes(some)
