"""Errors as people and the log see them: people get a code, the log gets the place in the source.

The sentence of a code is in the word catalogues. The message of an exception is left out: it may quote a secret.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from traceback import extract_tb

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})
"""The disk is full, or its user's share of it."""
_NOT_ALLOWED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


class TableError(Exception):
    """The table cannot do what was asked.

    :param code: stable. The sentence `error.<code>` of the word catalogues says what is wrong and what to do.
    :param values: the placeholders of that sentence.
    """

    def __init__(self, code: str, **values: object) -> None:
        super().__init__(code, values)
        self.code = code
        self.values = values


def unusable(path: Path, error: OSError, code: str = "file_unusable") -> TableError:
    """Return the error of a file or folder that cannot be read or written: `disk_full` without room, else `code`."""
    if error.errno in NO_ROOM:
        return TableError("disk_full", path=str(path))
    return TableError(code, path=str(path), reason=error.strerror)


def unwritable(path: Path, error: OSError, *, in_place: bool = False) -> TableError:
    """Return the error of a file that cannot be written: `folder_unusable` where its folder is why, else as `unusable`.

    :param in_place: the file itself was opened. Otherwise a new one was to be renamed to it.
    """
    is_own = in_place and error.errno != errno.EROFS and os.path.exists(path)  # noqa: PTH110  # `Path.exists` raises
    if error.errno in _NOT_ALLOWED and not is_own:
        return unusable(path.parent, error, "folder_unusable")
    return unusable(path, error)


def where_raised(bug: BaseException) -> str:
    """Return the type of an exception and where it was raised, on one line."""
    where = extract_tb(bug.__traceback__)[-1]
    return f"{type(bug).__name__} at {where.filename}:{where.lineno}"


def way_to(bug: BaseException) -> str:
    """Return the type of an exception, then one line for each call that led to it, without the message."""
    frames = extract_tb(bug.__traceback__)
    return "\n".join([type(bug).__name__, *(f"{one.filename}:{one.lineno} in {one.name}" for one in frames)])
