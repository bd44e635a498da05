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
    :param disk: its bytes; they change when the next cut is made.
    """

    entry: int
    kind: Kind
    disk: bytearray


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
        sectors = len(written.content) // SECTOR
        if sectors > 1 and random.random() < torn:
            part = random.randrange(1, sectors) * SECTOR
            _put(disk, written.at, written.content[:part])
            yield Cut(number - 1, "in the middle of a write", disk)
        _put(disk, written.at, written.content)
        cached.append(written)
        if written.lasts:
            _put(lasting, written.at, written.content)
        if written.flush:
            for one in cached:
                _put(lasting, one.at, one.content)
            cached.clear()
        yield Cut(number, "after each write", disk)
        if len(cached) > 1 and random.random() < dropped:
            some = list(_some_of(cached, random))
            before = [(at, bytes(lasting[at : at + len(content)])) for at, content in some]
            for at, content in some:
                _put(lasting, at, content)
            yield Cut(number, "some of the cache lost", lasting)
            for at, content in before:
                _put(lasting, at, content)


def _some_of(cached: list[Written], random: Random) -> Iterator[tuple[int, bytes]]:
    """Yield the sectors of a selection, the latest of each place alone."""
    kept = random.random()
    latest = {
        one.at + offset: one.content[offset : offset + SECTOR]
        for one in cached
        for offset in range(0, len(one.content), SECTOR)
        if one.lasts or random.random() < kept
    }
    yield from latest.items()


def _put(disk: bytearray, at: int, content: bytes) -> None:
    disk[at : at + len(content)] = content
