"""Tracks which journal entries were sent and which are stored at the hub. Only the hub's word moves the cursor."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from appliance.hub.outbox.journal_reader import JournalReader
from appliance.hub.outbox.membership import Cursor, read_cursor, write_cursor
from appliance.journal.journal_file import JournalError
from appliance.journal.rows import Tip

KEPT_EVERY_S = 30.0
"""Interval at which the cursor is written. A lost cursor only costs sending again."""


class Progress:
    """The progress of one table.

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
        """Whether an older journal was restored here, so that its new entries differ from those at the hub."""
        self.rewinds = 0
        """How often the hub has reported fewer stored entries than before."""
        self.sent = self._cursor.seq
        """The newest entry that is known to be at the broker or stored at the hub."""

    def _is_other(self, cursor: Cursor) -> bool:
        """Return whether the journal lacks the stored entry, or has another one under its number."""
        try:
            return cursor.seq > 0 and self._reader.tip(cursor.seq) != Tip(cursor.seq, cursor.digest)
        except JournalError:
            return False

    @property
    def stored(self) -> int:
        """The entry up to which the hub's database has everything."""
        return self._cursor.seq

    def _is_ours(self, seq: int, written_s: float | None) -> bool:
        """Return whether the journal has an entry of that number and time. An older hub sends no time (None)."""
        own_s = self._reader.written_s(seq)
        return own_s is not None and written_s in (None, own_s)

    def heard(self, stored: int, written_s: float | None = None) -> bool:
        """Process the hub's message that everything up to entry `stored`, of that time, is stored.

        Return whether the cursor moved. If it moved back, an older database was restored at the hub, and the missing
        entries are sent again.

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
        """Process the number of the newest entry that the broker holds. None: all entries not stored are sent again.

        The broker then has all earlier entries too: it accepts a table's entries in order, and is asked at each
        connection.

        :raises JournalError: the journal cannot be read.
        """
        if newest is not None and not self._is_ours(newest, written_s):
            self.hub_knows_more = True
        self.sent = max(self.stored, newest or 0)

    @property
    def waiting(self) -> bool:
        """Whether there are entries that were sent and are not stored yet."""
        return self.sent > self.stored

    def keep(self) -> None:
        """Write the cursor."""
        if self._cursor == self._kept:
            return
        self._kept_s = self._clock()
        with suppress(OSError):
            write_cursor(self._folder, self._cursor)
            self._kept = self._cursor
