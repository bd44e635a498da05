"""Opens the files of a data folder, repairs disk damage, and returns remarks about the repairs."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from appliance.games.protocol import Json, Remark
from appliance.journal.codes import RecordsRemark, remark
from appliance.journal.journal import Journal
from appliance.journal.journal_file import JOURNAL, claim
from appliance.journal.media.medium import Medium
from appliance.journal.safekeeping.choices import mend_choices
from appliance.journal.safekeeping.copy_file import CopyDamagedError, CopyFile
from appliance.journal.safekeeping.evening import EVENING, SECOND_EVENING, EveningCopy, mend_evening
from appliance.journal.safekeeping.keys import SEAL_KEY, SPARES, WEB_KEY, Mended, seal_key, web_key
from appliance.journal.safekeeping.recovery import Restored, open_journal
from appliance.journal.safekeeping.staging import finish
from appliance.words.errors import unusable
from hardware.files.regular_file import remove_abandoned_drafts

COPY = "journal.copy"
SECOND_COPY = "smugglers-journal.copy"
"""The copy's name on a second medium, which holds other files too."""

_log = logging.getLogger(__name__)


class Records(NamedTuple):
    """An opened data folder."""

    journal: Journal
    copies: tuple[CopyFile, ...]
    evenings: tuple[EveningCopy, ...]
    """Copies of the guest data on a second medium."""
    web_key: bytes
    remarks: tuple[Remark, ...]
    """The repairs: shown at the table until the next game is opened."""


def open_records(folder: Path, second: Path | None = None, wall: Callable[[], float] = time.time) -> Records:
    """Open or create the journal, its copies and the keys, repair the other files, remove abandoned drafts.

    :param second: a folder on another medium for one more copy. If the medium hangs, the start goes on without reading
        it.
    :raises TableError: `folder_unusable`, `file_unusable`, `disk_full`, or the code of what is wrong with the journal
        or a key.
    """
    copies, evenings = _copies(folder, second)
    answering = second if second is not None and Medium().does(partial(_look_at, second)) else None
    readable, readable_evenings = _copies(folder, answering)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise unusable(folder, error, "folder_unusable") from None
    try:
        _end_restore(folder)
        is_new = not any((folder / name).exists() for name in (JOURNAL, f"{SPARES}/{COPY}"))
        sealer, sealing = seal_key(folder)
        signing, joining = web_key(folder)
        mended = mend_evening(folder, [copy.path for copy in readable_evenings]) | mend_choices(folder)
        journal, restored = open_journal(folder / JOURNAL, sealer, readable, wall)
    except OSError as error:
        raise unusable(Path(error.filename or folder), error) from None
    _tidy(folder, answering)
    remarks = [*_of_journal(restored, journal), *_of_key(SEAL_KEY, sealing, is_new), *_of_key(WEB_KEY, joining, is_new)]
    remarks += [remark(name, code, {"file": name}) for name, code in mended.items()]
    return Records(journal, copies, evenings, signing, tuple(remarks))


def _copies(folder: Path, second: Path | None) -> tuple[tuple[CopyFile, ...], tuple[EveningCopy, ...]]:
    """Return the journal's copies and those of the guest data; without a second medium only its own folder's."""
    own = CopyFile(folder / SPARES / COPY)
    if second is None:
        return (own,), ()
    return (own, CopyFile(second / SECOND_COPY)), (EveningCopy(folder / EVENING, second / SECOND_EVENING),)


def _look_at(second: Path) -> None:
    """Read what a second medium says of its copies. This returns unless the medium hangs."""
    with suppress(OSError, CopyDamagedError):
        CopyFile(second / SECOND_COPY).tip()


def _end_restore(folder: Path) -> None:
    """Complete a restore that a power cut interrupted."""
    held = claim(folder / JOURNAL)
    try:
        kept = finish(folder)
    finally:
        os.close(held)
    if kept is not None:
        _log.warning("a restore that was cut off is complete; what was there before is in %s", kept)


def _tidy(folder: Path, second: Path | None) -> None:
    """Remove the drafts that a power cut left. The second medium holds other programs' files, too."""
    removed = [*remove_abandoned_drafts(folder), *remove_abandoned_drafts(folder / SPARES)]
    if second is not None:
        removed += remove_abandoned_drafts(second, {SECOND_EVENING}.__contains__)
    for path in removed:
        _log.info("%s was cut off while it was written; it is removed", path)


def _of_journal(restored: Restored | None, journal: Journal) -> list[Remark]:
    if restored is None:
        return []
    code: RecordsRemark = "journal_restored_in_part" if restored.lost else "journal_restored"
    values: dict[str, Json] = {"entries": restored.entries, "lost": restored.lost, "kept": str(restored.kept or "")}
    return [remark("journal_restored", code if journal.last_seq() else "journal_lost", values)]


def _of_key(name: str, mended: Mended, is_new: bool) -> list[Remark]:
    if is_new and mended == "key_renewed":
        return []
    code: RecordsRemark | Literal[""] = "web_key_renewed" if (name, mended) == (WEB_KEY, "key_renewed") else mended
    return [remark(name, code, {"file": name})] if code else []
