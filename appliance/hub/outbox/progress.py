"""What of the journal was sent, and what the hub has stored. Sending moves nothing but what is sent next."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from appliance.hub.outbox.journal_reader import JournalReader
from appliance.hub.outbox.membership import Cursor, read_cursor, write_cursor
from appliance.journal.journal_file import JournalError
from appliance.journal.rows import Tip

KEPT_EVERY_S = 30.0
"""How often the cursor is written: a lost one costs nothing but sending again."""
_log = logging.getLogger(__name__)


class Progress:
    """One table's.

    :param clock: monotonic seconds.
    """

    def __init__(
        self,
        folder: Path,
        table: str,
        reader: JournalReader,
        clock: Callable[[], float],
    ) -> None:
        self._folder, self._reader, self._clock = folder, reader, clock
        self._cursor = read_cursor(folder, table)
        self._kept, self._kept_s = self._cursor, clock()
        self.hub_knows_more = self._is_other(self._cursor)
        """An older journal was put back here. What it goes on with is another story than the hub's."""
        self.rewinds = 0
        """How often the hub has said to have less than before."""
        self.sent = self._cursor.seq
        """The newest entry that the broker has acknowledged since it was last asked what it has."""

    def _is_other(self, cursor: Cursor) -> bool:
        """Say whether the journal does not hold what was stored of it."""
        try:
            return cursor.seq > 0 and self._reader.tip(cursor.seq) != Tip(cursor.seq, cursor.digest)
        except JournalError:
            return False

    @property
    def stored(self) -> int:
        """The newest entry up to which the hub's database has all."""
        return self._cursor.seq

    def _is_ours(self, seq: int, written_s: float | None) -> bool:
        """Say whether the journal holds an entry of that number and time; a hub of before says no time (None)."""
        own_s = self._reader.written_s(seq)
        return own_s is not None and written_s in (None, own_s)

    def heard(self, stored: int, written_s: float | None = None) -> bool:
        """Take what the hub said to have stored, up to an entry of that time; return whether that is news.

        Less than before: the hub's database was put back to an earlier state, and what it has not is sent again.

        :raises JournalError: the journal cannot be read.
        """
        if stored == self._cursor.seq:
            return False
        tip = self._reader.tip(stored) if stored else Tip(0, b"")
        if tip is None or (stored and not self._is_ours(stored, written_s)):
            self.hub_knows_more = True
            return False
        if stored < self._cursor.seq:
            self.sent = stored
            self.rewinds += 1
        self._cursor = Cursor(table=self._cursor.table, seq=tip.seq, digest=tip.digest)
        self.sent = max(self.sent, stored)
        if self._clock() - self._kept_s >= KEPT_EVERY_S:
            self.keep()
        return True

    def broker_has(self, newest: int | None, written_s: float | None = None) -> None:
        """Take which entry the broker holds as its newest; None: none, so all that is not stored is sent again.

        The broker takes a table's entries in order, and this is asked anew at each connection: it has those before.

        :raises JournalError: the journal cannot be read.
        """
        if newest is not None and not self._is_ours(newest, written_s):
            self.hub_knows_more = True
        self.sent = max(self.stored, newest or 0)

    @property
    def waiting(self) -> bool:
        """Whether something was sent that is not stored yet."""
        return self.sent > self.stored

    def keep(self) -> None:
        """Write the cursor."""
        if self._cursor == self._kept:
            return
        self._kept_s = self._clock()
        with suppress(OSError):
            write_cursor(self._folder, self._cursor)
            self._kept = self._cursor
