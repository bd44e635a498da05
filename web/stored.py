"""Small files that the pages keep: written whole or not at all, readable by the table alone."""

from __future__ import annotations

import os
from pathlib import Path


def store(file: Path, content: bytes) -> None:
    """Write `content` to `file` atomically, and to the disk.

    :raises OSError: it cannot be stored; what was there stays.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(".new")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as written:
        written.write(content)
        written.flush()
        os.fsync(written.fileno())
    draft.replace(file)
