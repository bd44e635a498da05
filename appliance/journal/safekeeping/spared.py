"""Small files beside the journal, each with a spare in the folder of copies: writing, repair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from appliance.journal.safekeeping.keys import SPARES
from hardware.files.regular_file import UNDECODABLE, kind_of, read_ordinary, write_alike, write_private

MOST_BYTES = 2**24
"""The largest such file that is read; a usual one has a few KiB."""

Mended = Literal["", "restored", "lost"]
"""The repair: none; restored from the spare or a copy; damaged, and none was left."""
T = TypeVar("T")
Decode = Callable[[bytes], T]
"""Returns what a file says, or raises `DamagedError`."""


class DamagedError(Exception):
    """The file cannot be decoded."""


def decoded(content: bytes, kind: type[T]) -> T:
    """Return the JSON of a file as `kind`.

    :raises DamagedError: it cannot be decoded.
    """
    try:
        return msgspec.json.decode(content, type=kind)
    except UNDECODABLE:
        raise DamagedError from None


def spare_of(file: Path) -> Path:
    """Return where the spare of the file is."""
    return file.parent / SPARES / file.name


def write_spared(file: Path, content: bytes) -> None:
    """Write the file and then its spare. A spare that is behind its file is written again at the next start.

    A file that is missing beside its spare was therefore lost: no power cut leaves that.

    :raises OSError: as `write_alike`.
    """
    write_alike((file, spare_of(file)), content)


def read_spared(file: Path, decode: Decode[T]) -> T | None:
    """Return what the file says; None where there is no file.

    :raises OSError: it cannot be read.
    :raises DamagedError: it cannot be decoded.
    """
    try:
        return decode(read_ordinary(file, MOST_BYTES))
    except (FileNotFoundError, NotADirectoryError):
        return None


def keep_alike(path: Path, content: bytes) -> None:
    """Write a spare or copy again if it differs from the file's content.

    :raises OSError: it cannot be read or written.
    """
    if kind_of(path) != "file" or read_ordinary(path, MOST_BYTES) != content:
        write_private(path, content)


def first_content(files: Sequence[Path], decode: Decode[object]) -> bytes | None:
    """Return the content of the first of these files that exists and can be decoded; None: there is none."""
    for file in files:
        with suppress(OSError, DamagedError):
            content = read_ordinary(file, MOST_BYTES)
            decode(content)
            return content
    return None


def mend(file: Path, decode: Decode[object], copies: Sequence[Path] = ()) -> Mended:
    """Restore the file from its spare, or else from a copy, if it is damaged or missing. A damaged file is renamed.

    A spare that differs from a file that can be decoded is written again.

    :raises OSError: the folder cannot be read or written.
    """
    damaged = False
    try:
        content = read_ordinary(file, MOST_BYTES)
        decode(content)
        keep_alike(spare_of(file), content)
        return ""
    except FileNotFoundError:
        pass
    except DamagedError:
        file.replace(file.with_name(f"{file.name}.damaged"))
        damaged = True
    kept = first_content((spare_of(file), *copies), decode)
    if kept is None:
        return "lost" if damaged else ""
    write_spared(file, kept)
    return "restored"
