"""Replaces files of a data folder together: after a power cut at any moment, all are old or all are new.

The new files are written completely into a separate folder. Renaming that folder commits the replacement. If a power
cut interrupts the remaining steps, the next start completes them.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from appliance.words.errors import TableError
from hardware.files.regular_file import MOST_TEXT_BYTES, read_ordinary, sync

DRAFT, STAGED = "restoring.new", "restoring"
_NEW, _AWAY = "new", "away"
"""In that folder: the new files, under their paths in the data folder; a list of the files that they replace."""

_SHARED_MEMORY = "-shm"
"""SQLite's index of a write-ahead log. SQLite creates it again."""


@contextmanager
def drafted(folder: Path) -> Iterator[Path]:
    """Yield a folder for the new files of the data folder `folder`, under the paths that they will have there.

    Files that are not committed when the context ends are removed.

    :raises OSError: it cannot be written.
    """
    draft = folder / DRAFT
    if draft.exists():
        shutil.rmtree(draft)
    (draft / _NEW).mkdir(parents=True, mode=0o700)
    try:
        yield draft / _NEW
    finally:
        if draft.exists():
            shutil.rmtree(draft)


def commit(folder: Path, replaced: Iterable[str], kept: str) -> Path | None:
    """Put the drafted files in place, and move the files named `replaced` to a folder that keeps them.

    :param kept: beginning of that folder's name.
    :returns: that folder; None: there was nothing to keep.
    :raises OSError: nothing was changed, or the next start completes the replacement.
    """
    draft = folder / DRAFT
    (draft / kept).mkdir(mode=0o700)
    (draft / _AWAY).write_text("\n".join(replaced), encoding="utf-8")
    for path in sorted(draft.rglob("*"), reverse=True):
        sync(path)
    sync(draft)
    draft.rename(folder / STAGED)
    sync(folder)
    return finish(folder)


def finish(folder: Path) -> Path | None:
    """Complete a committed replacement that was interrupted, and return as `commit`; discard one not committed.

    :raises OSError: a file cannot be read or written. Without the list of replaced files nothing is replaced: a
        write-ahead log that stayed would be taken for the new journal's.
    """
    if (folder / DRAFT).exists():
        shutil.rmtree(folder / DRAFT)
    staged = folder / STAGED
    if not staged.exists():
        return None
    fresh, away = staged / _NEW, staged / _AWAY
    kept = next((path for path in staged.iterdir() if path not in (fresh, away)), None)
    if kept is not None and away.exists():
        there = [folder / name for name in _listed(away)]
        for path in there:
            if path.name.endswith(_SHARED_MEMORY):
                path.unlink(missing_ok=True)
            elif path.exists():
                path.rename(kept / path.name)
        _sync_all(kept, folder, *(path.parent for path in there if path.parent.exists()))
        away.unlink()
        sync(staged)
    for path in sorted(fresh.rglob("*")) if fresh.exists() else ():
        if path.is_file():
            target = folder / path.relative_to(fresh)
            target.parent.mkdir(exist_ok=True, mode=0o700)
            path.replace(target)
            _sync_all(target.parent, path.parent)
    given = None if kept is None else _numbered(kept, folder)
    sync(folder)
    shutil.rmtree(staged)
    return given


def missing(journal: Path) -> TableError:
    """Return why a journal is not in its folder: a replacement was interrupted, or no game was opened yet."""
    return TableError("restore_interrupted" if (journal.parent / STAGED).exists() else "journal_missing", path=journal)


def _listed(away: Path) -> list[str]:
    try:
        return read_ordinary(away, MOST_TEXT_BYTES).decode().splitlines()
    except UnicodeDecodeError:
        raise OSError(errno.EIO, os.strerror(errno.EIO), str(away)) from None


def _numbered(kept: Path, folder: Path) -> Path | None:
    """Move a folder of kept files into the data folder, with the next free number; None: it is empty."""
    if not any(kept.iterdir()):
        return None
    given = next(path for number in count(1) if not (path := folder / f"{kept.name}-{number}").exists())
    return kept.rename(given)


def _sync_all(*paths: Path) -> None:
    for path in dict.fromkeys(paths):
        sync(path)
