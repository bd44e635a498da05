"""Reads regular files of bounded size that come from people and other programs, and never blocks on a pipe or device.

It also writes small files atomically: a draft beside the file is renamed to it. A power cut can leave a draft behind.
Whoever writes a draft holds a lock on it (flock) until it is renamed. Whoever removes an abandoned one takes that lock
first. The kernel frees a lock however its process ends.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import stat
import tempfile
import tomllib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Any, Literal

import msgspec

MOST_TEXT_BYTES = 2**20
"""Largest accepted file of measures or settings. Those of this project have a few KiB."""
MOST_LINE_CHARACTERS = 10_000
"""Longest accepted line of TOML. The parser takes minutes for a key of many thousands of dotted parts."""
MOST_QUOTED_CHARACTERS = 300
"""Longest part of a file, or of what a parser says of one, in a message."""
UNDECODABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""What msgspec raises for bytes that are no valid JSON or MessagePack: also for text that is not UTF-8, or for lists in
lists by the thousand."""
NOT_ORDINARY = "Not an ordinary file"
"""Why a pipe or device is refused, in the place of the system's own words."""
_READ_TO = re.compile(r"at line (\d+), column (\d+)")
_DRAFT_SUFFIX = ".draft"
_DRAFT = re.compile(rf"\.(?P<of>.+)\.[a-z0-9_]{{8}}{re.escape(_DRAFT_SUFFIX)}", re.DOTALL)


def kind_of(path: Path) -> Literal["file", "folder", "other"] | None:
    """Return the kind of file at `path`; None when `stat` fails: absent, not accessible, or an invalid name."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return None
    return "file" if stat.S_ISREG(mode) else "folder" if stat.S_ISDIR(mode) else "other"


def is_missing(path: Path) -> bool:
    """Return whether nothing is at `path`; False when that cannot be known, as in a folder that may not be entered."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


def unfolded(paths: Sequence[Path], suffixes: Collection[str]) -> Iterator[Path]:
    """Yield the paths, and for a folder all files in it and below whose names end in one of `suffixes` (lower case).

    A folder without such a file is yielded itself, so that the reader refuses it.
    """
    for path in paths:
        inside: list[Path] = []
        if kind_of(path) == "folder":
            inside = sorted(file for file in path.rglob("*") if file.suffix.lower() in suffixes)
        yield from inside or [path]


def open_ordinary(path: Path, *, links: bool = True) -> BufferedReader:
    """Open a regular file for reading.

    :param links: whether a symbolic link is followed. Pass False for untrusted files, such as those on a USB stick.
    :raises OSError: it cannot be read, or is a folder, pipe or device. Those are not opened.
    """
    _must_be_ordinary(path, path.stat(follow_symlinks=links))
    # The file may have been replaced since `stat`. O_NONBLOCK: opening a pipe then does not wait for a writer.
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
        raise OSError(errno.EINVAL, NOT_ORDINARY, str(path))


def read_ordinary(path: Path, most_bytes: int, *, links: bool = True) -> bytes:
    """Return the content of a file of at most `most_bytes`.

    :raises OSError: as `open_ordinary`, or the file is larger (`EFBIG`).
    """
    with open_ordinary(path, links=links) as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise OSError(errno.EFBIG, "File too large", str(path))
    return content


class TextError(ValueError):
    """A text cannot be used. `line` and `column`, from 1, are where that shows; None: in no single one."""

    def __init__(self, message: str, line: int | None, column: int | None = None) -> None:
        super().__init__(message)
        self.line, self.column = line, column

    @property
    def place(self) -> str:
        """The line and the column, such as `2:10`, without words of any language; "" if there is none."""
        return ":".join(str(each) for each in (self.line, self.column) if each is not None)


def read_text(path: Path) -> str:
    """Return the text of a file of measures or settings, without a byte order mark, which some editors write.

    :raises OSError: as `read_ordinary`.
    :raises TextError: as `as_text`.
    """
    return as_text(read_ordinary(path, MOST_TEXT_BYTES))


def as_text(content: bytes) -> str:
    """Return the text of what was read from such a file, without a byte order mark.

    :raises TextError: it is not UTF-8. The message names the first line that is not.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        raise TextError(f"line {number} is not UTF-8 text", number) from None


def parse_toml(text: str) -> dict[str, Any]:
    """Parse a TOML text.

    :raises TextError: it is not TOML, a line is too long or it is nested too deeply.
    """
    if number := long_line(text, MOST_LINE_CHARACTERS):
        raise TextError(f"line {number} has more than {MOST_LINE_CHARACTERS} characters", number)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line, told = line_of_mistake(text, error), _READ_TO.search(str(error))
        column = int(told[2]) if told is not None else None
        shown = f"line {line}" if column is None else f"line {line}, column {column}"
        raise TextError(f"it is not TOML: the mistake shows in {shown}", line, column) from None
    except ValueError:
        # Raised by int() inside the parser.
        raise TextError("a number has thousands of digits", None) from None
    except RecursionError:
        raise TextError("it is nested too deeply", None) from None


def line_of_mistake(text: str, error: ValueError) -> int:
    """Return the line, from 1, up to which `tomllib` had read when it raised `error`."""
    told = _READ_TO.search(str(error))
    return int(told[1]) if told is not None else max(1, len(text.splitlines()))


def long_line(text: str, most: int) -> int | None:
    """Return the number, from 1, of the first line with more than `most` characters; None if there is none."""
    return next((number for number, line in enumerate(text.split("\n"), start=1) if len(line) > most), None)


def brief(said: object) -> str:
    """Return what a file has in it, or what a parser says of it, for a message: without the middle where it is long.

    Parsers quote what they found, however long it is, and end with where they found it.
    """
    text = str(said)
    half = MOST_QUOTED_CHARACTERS // 2
    return text if len(text) <= MOST_QUOTED_CHARACTERS else f"{text[: half - 1]}…{text[-half:]}"


def write_private(path: Path, data: bytes) -> None:
    """Write a file that only its owner may read. It replaces an old one atomically, also in a power cut.

    A missing folder is created.

    :raises OSError: it cannot be written; the old file is unchanged.
    """
    write_alike((path,), data)


def write_alike(paths: Sequence[Path], data: bytes) -> None:
    """Write the same content into several files as `write_private` writes one, in this order.

    :raises OSError: one of them cannot be written. If the disk has no room for all, none is changed.
    """
    with contextlib.ExitStack() as drafts:
        fresh = []
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            fresh.append(drafts.enter_context(prepared(path, data)))
        for draft, path in zip(fresh, paths, strict=True):
            draft.replace(path)
    for path in paths:
        sync(path.parent)


@contextmanager
def prepared(path: Path, data: bytes, mode: int = 0o600) -> Iterator[Path]:
    """Yield a flushed file with this content beside `path`, to be renamed to it; remove it if it was not.

    :param mode: its permissions, where the file system has any; left out, only its owner may read it.
    :raises OSError: it cannot be written or renamed. It names `path`.
    """
    try:
        handle, fresh = _locked(path)
        try:
            with os.fdopen(handle, "wb") as file:
                with contextlib.suppress(OSError):
                    os.fchmod(handle, mode)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
                yield fresh
        finally:
            fresh.unlink(missing_ok=True)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def _locked(path: Path) -> tuple[int, Path]:
    """Create an empty draft of `path`, and lock it. Return its descriptor and its path."""
    while True:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=_DRAFT_SUFFIX, dir=path.parent)
        # On a file system without locks `remove_abandoned_drafts` removes nothing.
        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:
            return handle, Path(name)
        os.close(handle)  # removed as abandoned before it was locked


def remove_abandoned_drafts(folder: Path, wanted: Callable[[str], bool] = lambda name: True) -> list[Path]:
    """Remove the drafts in a folder that nobody is writing, and return their paths.

    Drafts that cannot be locked or removed stay, and so does everything else.

    :param wanted: says of a file's name whether drafts of that file are removed.
    """
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        return []
    found = ((path, _DRAFT.fullmatch(path.name)) for path in paths)
    return [path for path, draft in found if draft is not None and wanted(draft["of"]) and _removed(path)]


def _removed(path: Path) -> bool:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return False
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()
    except OSError:
        return False
    finally:
        os.close(handle)
    return True


def sync(path: Path) -> None:
    """Call `fsync` on a file, or on a folder for its list of files, so that it survives a power cut.

    :raises OSError: the path does not exist, or the disk reports an error.
    """
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
