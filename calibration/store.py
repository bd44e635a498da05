"""Stores calibration files atomically, keeps the previous version, and restores it on request."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from calibration.messages import CodedError
from hardware.clock import EARLIEST
from hardware.files.refusal import refusal
from hardware.files.regular_file import (
    MOST_TEXT_BYTES,
    NOT_ORDINARY,
    is_missing,
    kind_of,
    open_ordinary,
    prepared,
    read_ordinary,
    sync,
)

STALE_DAYS = 90
_PDF = b"%PDF-"
REPORT_MARK = "smugglers calibration report"
"""Written near the beginning of both files of a report."""
_HEAD_BYTES = 1024
_MODE = 0o644
"""The table may run as another user than the one who calibrates."""


class StoreError(CodedError):
    """A result cannot be stored or restored."""


def previous(path: Path) -> Path:
    """Return the path of the previous version of `path`."""
    return path.with_name(path.name + ".previous")


def write(path: Path, text: str, last_step: Callable[[], None] = lambda: None) -> None:
    """Replace the content of `path` by `text` atomically, flush it, and keep the old version as `previous(path)`.

    :param last_step: called before either version changes. Nothing is undone after that.
    :raises StoreError: `store_unwritable`; both versions are then unchanged.
    """
    with _writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with _prepared(path, text.encode()) as fresh:  # first, so that a full disk costs neither version
            last_step()
            # The same text again is no new version: it must not cost the one before.
            if path.exists() and (before := read_ordinary(path, MOST_TEXT_BYTES)) != text.encode():
                _replace(previous(path), before)
            fresh.replace(path)
        sync(path.parent)


def check_places(out: Path, report: Path | None) -> None:
    """Check that a result and its report can be written, before people do the work. Create nothing.

    :raises StoreError: `store_unwritable`, or `store_same_place`: one would overwrite the other.
    """
    pages = () if report is None else report_files(report)
    if out.resolve() in (page.resolve() for page in pages):
        message = f"{out}: the report would take the place of the calibration; give them two names"
        raise StoreError("store_same_place", message, path=str(out))
    for path in (out, *pages):
        folder = path.parent
        try:
            while not folder.exists() and folder != folder.parent:
                folder = folder.parent
            ready = folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)
            taken = path.exists() and not path.is_file()
        except OSError:
            ready = taken = False
        if taken or not ready:
            there = os.strerror(errno.EISDIR) if path.is_dir() else NOT_ORDINARY
            raise _unwritable(path, there if taken else os.strerror(refusal(folder)))


def put(path: Path, content: bytes, last_step: Callable[[], None] = lambda: None) -> None:
    """Write a file atomically, flush it, and keep no previous version: for reports and sheets.

    :param last_step: called just before `path` changes. Nothing is undone after that.
    :raises StoreError: `store_unwritable`; `path` is then unchanged.
    """
    with _writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with _prepared(path, content) as fresh:
            last_step()
            fresh.replace(path)
        sync(path.parent)


def can_undo(path: Path) -> bool:
    """Return whether there is another version to restore. After a power cut amid a `write` both may be the same."""
    former = previous(path)
    if is_missing(former):
        return False
    try:
        return is_missing(path) or read_ordinary(former, MOST_TEXT_BYTES) != read_ordinary(path, MOST_TEXT_BYTES)
    except OSError:
        return True  # `undo` says what is wrong


def undo(path: Path, last_step: Callable[[], None] = lambda: None) -> None:
    """Swap `path` with its previous version. A second call swaps them back.

    :param last_step: called before either of them changes. Nothing is undone after that.
    :raises StoreError: `store_nothing_to_undo`, or `store_unwritable`.
    """
    former = previous(path)
    if not can_undo(path):
        message = f"{path}: there is no version before it to restore"
        raise StoreError("store_nothing_to_undo", message, path=str(path))
    if not path.exists():  # `undo_first` moved it there
        _rename(former, path, last_step)
        return
    with _writing(path):
        with _prepared(former, read_ordinary(path, MOST_TEXT_BYTES)) as undone:
            last_step()
            # First what is wanted back: what was undone is the lesser loss of a power cut between the two.
            former.replace(path)
            undone.replace(former)
        sync(path.parent)


def undo_first(path: Path, last_step: Callable[[], None] = lambda: None) -> None:
    """Remove a file that has no previous version: it becomes that, and `undo` brings it back.

    :param last_step: called just before that. Nothing is undone after that.
    :raises StoreError: `store_unwritable`.
    """
    _rename(path, previous(path), last_step)


def must_replace_pdf_alone(path: Path) -> None:
    """Check that `path` is the name of a PDF, and that nothing is there, or a PDF, which may be replaced.

    :raises StoreError: `store_no_pdf`, `store_pdf_name`, or `store_unwritable`.
    """
    head = _head(path)
    if head is not None and not head.startswith(_PDF):
        message = f"{path}: it is there already and no PDF; choose another --out"
        raise StoreError("store_no_pdf", message, path=str(path))
    if path.suffix.lower() != ".pdf":
        message = f"{path}: the sheets are a PDF; give a name that ends in .pdf"
        raise StoreError("store_pdf_name", message, path=str(path))


def report_files(report: Path) -> tuple[Path, Path]:
    """Return the paths of a report's HTML and PNG; `report` names one of them, the other is beside it."""
    if report.suffix.lower() == ".png":
        return report.with_suffix(".html"), report
    return report, report.with_suffix(".png")


def must_replace_report_alone(report: Path) -> None:
    """Check that `report` is the name of an HTML or PNG file, and that both files are new or of a former report.

    :raises StoreError: `store_report_name`, `store_no_report`, or `store_unwritable`.
    """
    if report.suffix.lower() not in (".html", ".png"):
        message = f"{report}: a report is HTML and PNG; give a name that ends in .html or .png"
        raise StoreError("store_report_name", message, path=str(report))
    for path in report_files(report):
        head = _head(path)
        if head is not None and REPORT_MARK.encode() not in head:
            message = f"{path}: it is there already and no report of a calibration; choose another --report"
            raise StoreError("store_no_report", message, path=str(path))


def age_days(made_utc: str, now: datetime | None = None) -> float | None:
    """Return the age of a result in days from its ISO 8601 timestamp.

    None: that is not valid, or comes from a clock that was never set.
    """
    with contextlib.suppress(ValueError):
        made = datetime.fromisoformat(made_utc)
        made = made if made.tzinfo else made.replace(tzinfo=UTC)
        if made >= EARLIEST:
            return ((now or datetime.now(UTC)) - made).total_seconds() / 86400
    return None


def _head(path: Path) -> bytes | None:
    """Return the beginning of a file that would be replaced, or None if there is none.

    :raises StoreError: `store_unwritable`.
    """
    if kind_of(path) is None:
        return None
    with _writing(path), open_ordinary(path) as file:
        return file.read(_HEAD_BYTES)


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Raise a `StoreError` with the system's own words where `path` cannot be written within this context."""
    try:
        yield
    except OSError as error:
        raise _unwritable(path, error.strerror) from None


def _unwritable(path: Path, reason: str | None) -> StoreError:
    message = f"{path} cannot be written ({reason}): make room, or choose a place that you may write to"
    return StoreError("store_unwritable", message, path=str(path), reason=reason)


def _rename(path: Path, to: Path, last_step: Callable[[], None]) -> None:
    with _writing(path):
        last_step()
        path.rename(to)
        sync(path.parent)


def _replace(path: Path, content: bytes) -> None:
    with _prepared(path, content) as fresh:
        fresh.replace(path)


@contextlib.contextmanager
def _prepared(path: Path, content: bytes) -> Iterator[Path]:
    """Yield a flushed file with this content beside `path`, which all users may read, to be renamed to it."""
    if path.exists() and not path.is_file():  # a device would be replaced by a file
        raise OSError(errno.EINVAL, "not an ordinary file")
    with prepared(path, content, _MODE) as fresh:
        yield fresh
