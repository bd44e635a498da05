"""Keeps the copies of the journal up to date in the background, and checks past games and copies for damage."""

from __future__ import annotations

import errno
import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from appliance.games.protocol import Remark
from appliance.journal.codes import remark
from appliance.journal.journal import Journal
from appliance.journal.journal_file import JournalError
from appliance.journal.media.medium import Medium
from appliance.journal.media.removable_media import Sticks
from appliance.journal.rows import Row, sound
from appliance.journal.safekeeping.copy_file import CopyFile
from appliance.journal.safekeeping.evening import EveningCopy
from appliance.journal.safekeeping.recovery import catch_up, mark_suspect, renew
from appliance.words.errors import where_raised
from hardware.clock import ended

GATHER_S = 0.25
"""Seconds in which entries are collected before they are copied: the few entries of one tap need one write."""
QUIET_S = 2.0
"""Seconds after the newest entry until the write-ahead log is merged into the file: players are thinking then."""
RETRY_S = 30.0
"""Seconds until a medium that failed is tried again when there are no new entries."""
LOOKED_AT = 200
"""Rows of past games that are checked in one step. A step takes some milliseconds; then the table has its turn."""
JOIN_S = 10.0
"""Longest wait of `stop` for the last copy, in seconds: as long as the init system waits (TimeoutStopSec)."""
NO_STICKS = Sticks(())
COPY, MERGED, PAST = "copy", "merged", "past_games"
"""Topics of the remarks: `copy_failing`; why the write-ahead log cannot be merged; `past_games_damaged`."""
_log = logging.getLogger(__name__)


class Keeper:
    """Copies committed entries within `GATHER_S`, in a thread of its own. The table never waits for it.

    :param copies: brought up to date in this order, first those in the journal's folder. One that fails, or whose
        medium hangs, is reported and does not stop the others.
    :param tell: shows a remark at the table; an empty code removes it.
    :param evenings: copies of the guest data, as `copies`; within `RETRY_S` when there are no new entries.
    :param sticks: a copy on a medium that they lack fails: nothing is written where that medium will be mounted.
    """

    def __init__(
        self,
        journal: Journal,
        copies: Sequence[CopyFile],
        tell: Callable[[Remark], None],
        evenings: Sequence[EveningCopy] = (),
        sticks: Sticks = NO_STICKS,
    ) -> None:
        self._journal = journal
        self._copies = tuple(copies)
        deeds: list[tuple[Path, Callable[[], None]]] = [(one.path, partial(catch_up, journal, one)) for one in copies]
        deeds += [(one.path, one.catch_up) for one in evenings]
        self._own = [deed for deed in deeds if self._is_here(deed[0])]
        self._elsewhere = [deed for deed in deeds if not self._is_here(deed[0])]
        self._second = Medium()
        self._sticks = sticks
        self._tell = tell
        self._news = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="keeper", daemon=True)
        self._failing: dict[Path, str] = {}
        self._told_unmerged = False
        self._past: Iterator[None] = self._look_through()

    def start(self) -> None:
        """Keep copies until `stop`."""
        self._journal.on_commit(self._news.set)
        self._thread.start()

    def stop(self) -> None:
        """Make the last copies and end."""
        self._stopping.set()
        self._news.set()
        ended(self._thread, JOIN_S)

    def copy(self) -> None:
        """Bring all copies up to date now."""
        for path, deed in self._own:
            self._try(path, deed)
        if self._elsewhere:
            self._copy_elsewhere()
        first = next(iter(self._failing.copy().items()), None)
        values = {} if first is None else {"path": str(first[0]), "reason": first[1]}
        self._tell(remark(COPY, "copy_failing" if first else "", values))

    def merge(self) -> bool:
        """Merge the write-ahead log into the journal. Return whether it succeeded; a remark shows a failure."""
        try:
            self._journal.checkpoint()
        except JournalError as error:
            self._told_unmerged = True
            self._tell(remark(MERGED, error.code))
            return False
        self._told_unmerged = False
        self._tell(remark(MERGED, ""))
        return True

    def _is_here(self, path: Path) -> bool:
        """Return whether a copy lies in the journal's own folder, not on a second medium."""
        return path.is_relative_to(self._journal.path.parent)

    def _copy_elsewhere(self) -> None:
        """Bring the copies on the second medium up to date, or report that it does not answer."""
        if not self._second.does(self._write_elsewhere):
            self._failing[self._elsewhere[0][0]] = os.strerror(errno.ETIMEDOUT)

    def _write_elsewhere(self) -> None:
        for path, deed in self._elsewhere:
            self._try(path, partial(self._on_medium, path, deed))

    def _on_medium(self, path: Path, deed: Callable[[], None]) -> None:
        if self._sticks.lacks(path):
            raise OSError(errno.ENOMEDIUM, os.strerror(errno.ENOMEDIUM))
        deed()

    def _try(self, path: Path, deed: Callable[[], None]) -> None:
        try:
            deed()
        except OSError as error:
            self._failing[path] = error.strerror or type(error).__name__
        except JournalError as error:
            self._failing[path] = error.code
        except Exception as bug:
            _log.error("%s; the copy is tried again", where_raised(bug))
            self._failing[path] = type(bug).__name__
        else:
            self._failing.pop(path, None)

    def look_on(self) -> bool:
        """Check the next rows of past games and copies. Return whether there are more.

        Damage is reported now and repaired at the next start, so that an open game goes on.
        """
        return next(self._past, self) is not self

    def _run(self) -> None:
        self.copy()
        merged = True
        while not self._stopping.is_set():
            looking = self.look_on()
            if self._news.wait(GATHER_S if looking else QUIET_S if not merged else RETRY_S):
                self._news.clear()
                self._stopping.wait(GATHER_S)
                merged = self._told_unmerged and self.merge()
            elif not merged and not looking:
                merged = self.merge()
            self.copy()

    def _look_through(self) -> Iterator[None]:
        until, seen = self._journal.last_seq(), 0
        try:
            for row in sound(self._rows(until)):
                seen = row.seq
                if seen % LOOKED_AT == 0:
                    yield
        except JournalError as error:
            # A read error of the disk does not show that the entries are damaged.
            if error.code != "journal_damaged":
                return
        if seen < until:
            self._tell(remark(PAST, "past_games_damaged"))
            with suppress(OSError):
                mark_suspect(self._journal.path)
            return
        for copy in self._copies:
            looking = self._look_at(copy, until)
            yield from looking if self._is_here(copy.path) else self._elsewhere_too(looking)

    def _look_at(self, copy: CopyFile, until: int) -> Iterator[None]:
        """Check a copy up to the entry `until`, and move it away if it is damaged."""
        with suppress(OSError):
            for row in sound(copy.rows()):
                if row.seq % LOOKED_AT == 0:
                    yield
                if row.seq == until:
                    break
            else:
                renew(copy)

    def _elsewhere_too(self, steps: Iterator[None]) -> Iterator[None]:
        """Take the same steps in the second medium's thread. While it is busy, no step is taken."""
        through = threading.Event()

        def step() -> None:
            if next(steps, self) is self:
                through.set()

        while not through.is_set():
            self._second.does(step)
            yield

    def _rows(self, until: int) -> Iterator[Row]:
        at = 0
        while at < until and (rows := self._journal.rows_after(at, min(LOOKED_AT, until - at))):
            yield from rows
            at = rows[-1].seq
