"""Files of a data folder replaced together: after a power cut at any moment all are the old ones, or all the new ones.

The new ones are written whole into a folder of their own. Its renaming decides. What is left to do then is ended at the
next start, where it was cut off.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from hardware.regular_file import sync

DRAFT, STAGED = "restoring.new", "restoring"
_NEW, _AWAY = "new", "away"
"""In the folder: the new files, as they will lie in the data folder; a list of what they replace."""

_SHARED_MEMORY = "-shm"
"""SQLite's index of a write-ahead log, which it makes anew."""


@contextmanager
def drafted(folder: Path) -> Iterator[Path]:
    """Give a folder in which to write the new files of the data folder `folder`, as they will lie there.

    What is not committed when the context ends is removed.

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
    """Put the drafted files in place of those named `replaced`, and keep these.

    :param kept: beginning of the name of the folder in which they are kept.
    :returns: that folder; None: there was nothing to keep.
    :raises OSError: nothing was changed, or the next start ends what was begun.
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
    """End a replacement that a power cut interrupted after it was decided, as `commit`; forget one that was not."""
    if (folder / DRAFT).exists():
        shutil.rmtree(folder / DRAFT)
    staged = folder / STAGED
    if not staged.exists():
        return None
    fresh, away = staged / _NEW, staged / _AWAY
    kept = next((path for path in staged.iterdir() if path not in (fresh, away)), None)
    if kept is not None and away.exists():
        there = [folder / name for name in away.read_text(encoding="utf-8").splitlines()]
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


def _numbered(kept: Path, folder: Path) -> Path | None:
    """Move a folder of kept files to where people find it; None: it is empty."""
    if not any(kept.iterdir()):
        return None
    given = next(path for number in count(1) if not (path := folder / f"{kept.name}-{number}").exists())
    return kept.rename(given)


def _sync_all(*paths: Path) -> None:
    for path in dict.fromkeys(paths):
        sync(path)
