"""An append-only copy of the journal's entries in a separate file: one record per entry, in order.

A record is its length, a CRC-32 (zlib's), the row in MessagePack, and its length again, so that the newest record is
found without reading the whole file. An incomplete record at the end, as a power cut leaves it, is cut off. Any other
record that cannot be read is damage.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from appliance.journal.rows import NO_ENTRY, Row, Tip
from hardware.files.regular_file import UNDECODABLE, kind_of, open_ordinary, sync

MAGIC = b"SMTGCOPY1\n"
_HEAD = struct.Struct(">II")
_TAIL = struct.Struct(">I")
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Row).decode


class CopyDamagedError(Exception):
    """The file is not a copy of a journal, or a record before its end cannot be read."""


class CopyFile:
    """One copy. The file is created with its first entry, readable by its owner only.

    :param path: the file; its folder is created when it is missing.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def tip(self) -> Tip:
        """Return the number and the digest of the newest entry, and cut off an incomplete record at the end.

        :raises CopyDamagedError: it cannot be read to its end.
        :raises OSError: the medium cannot be read or written.
        """
        if kind_of(self.path) in ("folder", "other"):
            raise CopyDamagedError
        try:
            file = self.path.open("r+b")
        except FileNotFoundError:
            return NO_ENTRY
        with file:
            row = (file.read(len(MAGIC)) == MAGIC and _newest(file)) or _cut_off(file)
        return NO_ENTRY if row is None else Tip(row.seq, row.digest)

    def rows(self) -> Iterator[Row]:
        """Yield the rows before the first record that cannot be read.

        :raises OSError: the medium cannot be read.
        """
        try:
            file = open_ordinary(self.path)
        except FileNotFoundError:
            return
        with file:
            if file.read(len(MAGIC)) == MAGIC:
                while (row := _next(file)) is not None:
                    yield row

    def newest_seq(self) -> int:
        """Return the number of the newest entry that the file had; 0: none.

        It is that of the last record. If that one cannot be read, records are counted from the beginning, up to the
        first whose length is damaged, too. It only reads.

        :raises OSError: the medium cannot be read.
        """
        try:
            with open_ordinary(self.path) as file:
                row = _newest(file)
                return _counted(file) if row is None else row.seq
        except FileNotFoundError:
            return 0

    def extend(self, rows: Iterable[Row]) -> None:
        """Append rows, and return once they are on the medium.

        :raises OSError: the medium is gone, full or read-only. The next `tip` cuts off a record that is incomplete.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        with os.fdopen(os.open(self.path, flags, 0o600), "ab") as file:
            is_new = file.tell() == 0
            if is_new:
                file.write(MAGIC)
            for row in rows:
                payload = _encode(row)
                file.write(_HEAD.pack(len(payload), zlib.crc32(payload)) + payload + _TAIL.pack(len(payload)))
            file.flush()
            os.fdatasync(file.fileno())
        if is_new:
            sync(self.path.parent)


def _next(file: BinaryIO) -> Row | None:
    """Read the record at the current position; None: there is none that can be read."""
    head = file.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    length, checksum = _HEAD.unpack(head)
    payload = file.read(min(length, _size(file)))
    if len(payload) < length or zlib.crc32(payload) != checksum or file.read(_TAIL.size) != _TAIL.pack(length):
        return None
    try:
        return _decode(payload)
    except UNDECODABLE:
        return None


def _newest(file: BinaryIO) -> Row | None:
    """Read the last record, found from the end of the file; None: the file does not end with one."""
    size = _size(file)
    least = len(MAGIC) + _HEAD.size + _TAIL.size
    if size < least:
        return None
    file.seek(size - _TAIL.size)
    (length,) = _TAIL.unpack(file.read(_TAIL.size))
    begins = size - _TAIL.size - length - _HEAD.size
    if begins < len(MAGIC):
        return None
    file.seek(begins)
    return _next(file)


def _counted(file: BinaryIO) -> int:
    """Return the number of the last record that begins in the file, and is not just an incomplete end."""
    file.seek(0)
    begins, newest = file.read(len(MAGIC)), 0
    while begins == MAGIC:
        at = file.tell()
        row = _next(file)
        if row is not None:
            newest = row.seq
            continue
        file.seek(at)
        rest = file.read()
        if _is_incomplete(rest):
            break
        newest += 1
        length = _HEAD.unpack(rest[: _HEAD.size])[0]
        ends = _HEAD.size + length + _TAIL.size
        if not length or rest[ends - _TAIL.size : ends] != _TAIL.pack(length):
            break
        file.seek(at + ends)
    return newest


def _is_incomplete(rest: bytes) -> bool:
    """Return whether the rest of a file is an end that a power cut left, and no damage.

    That is a record that is longer than the rest, or zeros: a file system leaves them where it had allocated space and
    not yet written.
    """
    promised = _HEAD.unpack(rest[: _HEAD.size])[0] if len(rest) >= _HEAD.size else len(rest)
    return not rest.strip(b"\0") or _HEAD.size + promised + _TAIL.size > len(rest)


def _cut_off(file: BinaryIO) -> Row | None:
    """Cut off an incomplete end and return the last row before it; None: there is none."""
    file.seek(0)
    begins = file.read(len(MAGIC))
    if begins != MAGIC[: len(begins)] and begins.strip(b"\0"):
        raise CopyDamagedError
    last, whole = None, len(MAGIC) if begins == MAGIC else 0
    while begins == MAGIC and (row := _next(file)) is not None:
        last, whole = row, file.tell()
    file.seek(whole)
    if not _is_incomplete(file.read()):
        raise CopyDamagedError
    file.truncate(whole)
    return last


def _size(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size
