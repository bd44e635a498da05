"""Why the system refuses to make a file in a folder, where the refusal itself does not say it."""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path


def refusal(folder: Path) -> int:
    """Return the error number with which the system refuses to make a file in a folder: on a failing card, `EROFS`."""
    if not folder.is_dir():
        return errno.ENOTDIR
    with contextlib.suppress(OSError):
        if os.statvfs(folder).f_flag & os.ST_RDONLY:
            return errno.EROFS
    return errno.EACCES
