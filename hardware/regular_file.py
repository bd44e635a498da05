"""Reads whole files that people and other programs give: ordinary ones of bounded size, and nothing that waits.

Writes small private ones, whole or not at all.
"""

from __future__ import annotations

import errno
import os
import stat
import tomllib
from io import BufferedReader
from pathlib import Path
from typing import Any, Literal

MOST_TEXT_BYTES = 2**20
"""The largest file of measures or settings; ours have a few KiB."""
MOST_LINE_CHARACTERS = 10_000
"""The parser takes minutes over a name of many thousands of dotted parts."""


def kind_of(path: Path) -> Literal["file", "folder", "other"] | None:
    """Return what is at `path`; None when there is nothing, or nothing that may be looked at or can be named so."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return None
    return "file" if stat.S_ISREG(mode) else "folder" if stat.S_ISDIR(mode) else "other"


def open_ordinary(path: Path, *, links: bool = True) -> BufferedReader:
    """Open a file for reading.

    :param links: whether a link is followed. Who reads what strangers bring, as on a stick, follows none.
    :raises OSError: it cannot be read, or is a folder, pipe or device: those are not even opened.
    """
    _must_be_ordinary(path, path.stat(follow_symlinks=links))
    # What it was may have been replaced meanwhile: a pipe then ends at once instead of waiting for a writer.
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (0 if links else os.O_NOFOLLOW)
    file = os.fdopen(os.open(path, flags), "rb")
    try:
        _must_be_ordinary(path, os.fstat(file.fileno()))
    except BaseException:
        file.close()
        raise
    return file


def _must_be_ordinary(path: Path, found: os.stat_result) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "Is a directory", str(path))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "Not an ordinary file", str(path))


def read_ordinary(path: Path, most_bytes: int, *, links: bool = True) -> bytes:
    """Return what a file holds.

    :raises OSError: as `open_ordinary`, or it is larger (`EFBIG`).
    """
    with open_ordinary(path, links=links) as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise OSError(errno.EFBIG, "File too large", str(path))
    return content


def read_text(path: Path) -> str:
    """Return the text of a file of measures or settings.

    :raises OSError: as `read_ordinary`.
    :raises UnicodeDecodeError: it is not UTF-8.
    """
    return read_ordinary(path, MOST_TEXT_BYTES).decode()


def parse_toml(text: str) -> dict[str, Any]:
    """Return what a TOML text says.

    :raises ValueError: it is not TOML, or such that no parser should be asked.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > MOST_LINE_CHARACTERS:
            raise ValueError(f"line {number} has more than {MOST_LINE_CHARACTERS} characters")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def write_private(path: Path, data: bytes) -> None:
    """Write a file that only its owner may read, in place of any before: a power cut leaves the old one or the new one.

    Its folder is made where it is missing.

    :raises OSError: it cannot be written; what was there stays.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    fresh.rename(path)
    sync(path.parent)


def sync(path: Path) -> None:
    """Let what was written to a file survive a power cut, or which files a folder has.

    :raises OSError: the disk refuses, or it is not there.
    """
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
