"""Takes messages of tables from a broker, keeps them, tells each table what is committed, and folds.

Any number of workers run at once, on one machine or several. Any of them may die at any moment: what is not
acknowledged comes again, and what is kept already is known.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol

import msgspec
from sqlalchemy.exc import SQLAlchemyError

from appliance.hub.folds.ratings import fold_ratings
from appliance.hub.folds.tables import fold_new
from appliance.hub.store.database import Database
from appliance.hub.store.envelopes_kept import Arrived, keep_status, store

_log = logging.getLogger(__name__)
BATCH_MOST = 2000
WAIT_S = 1.0
"""Longest wait for a first message."""
RATINGS_EVERY_S = 2.0
_BACK_OFF_S = (0.5, 1.0, 2.0, 5.0, 10.0)


class Message(msgspec.Struct, frozen=True):
    """One message as the broker gave it: whose subject it came by, what it is, its entry's number, the bytes.

    `seq` is None where the message names none. `handle` is the broker's own.
    """

    table: str
    what: Literal["journal", "status"]
    seq: int | None
    data: bytes
    handle: Any = None


class Messages(Protocol):
    """What a broker offers to a worker. Every method may raise OSError while the broker is away."""

    def pull(self, most: int, wait_s: float) -> Sequence[Message]:
        """Return the next messages, at most `most`; none when none came within `wait_s`."""
        ...

    def ack(self, messages: Sequence[Message]) -> None:
        """Let the broker forget these: all that is in them is committed, or refused for good."""
        ...

    def publish_stored(self, table: str, newest: int) -> None:
        """Tell a table the number up to which all its envelopes are committed."""
        ...


class Worker:
    """Works until `stop`.

    :param now_s: the hub's clock, seconds since 1970.
    """

    def __init__(self, database: Database, messages: Messages, now_s: Callable[[], float] = time.time) -> None:
        self._database, self._messages, self._now_s = database, messages, now_s
        self._stopped = threading.Event()
        self._pulled: Sequence[Message] = ()
        self._rated_s = float("-inf")
        self._failures = 0

    def run(self) -> None:
        """Work; a database or broker that is away is waited for, and that is said once."""
        while not self._stopped.is_set():
            try:
                self.round()
            except (SQLAlchemyError, OSError) as error:
                if self._failures == 0:
                    _log.warning("database or broker is away, nothing is lost meanwhile: %s", type(error).__name__)
                wait_s = _BACK_OFF_S[min(self._failures, len(_BACK_OFF_S) - 1)]
                self._failures += 1
                self._stopped.wait(wait_s)
            except Exception:
                _log.exception("bug while working; it goes on with the next round")
                self._stopped.wait(_BACK_OFF_S[-1])
            else:
                if self._failures:
                    _log.warning("database and broker are back")
                self._failures = 0

    def stop(self) -> None:
        """Let `run` end after the round it is in."""
        self._stopped.set()

    def round(self) -> None:
        """Take one batch as far as it goes: committed, told, acknowledged, and some of what waits folded.

        :raises sqlalchemy.exc.SQLAlchemyError: the database is away; what was pulled is taken up by the next round.
        :raises OSError: the broker is away.
        """
        if not self._pulled:
            self._pulled = self._messages.pull(BATCH_MOST, WAIT_S)
        if self._pulled:
            self._keep(self._pulled)
            self._messages.ack(self._pulled)
            self._pulled = ()
        folded = fold_new(self._database)
        if time.monotonic() - self._rated_s >= RATINGS_EVERY_S:
            fold_ratings(self._database)
            self._rated_s = time.monotonic()
        if folded:
            _log.debug("%d envelopes folded", folded)

    def _keep(self, messages: Sequence[Message]) -> None:
        now_s = self._now_s()
        journal = [one for one in messages if one.what == "journal"]
        stored = store(self._database, [Arrived(one.table, one.seq or 0, one.data) for one in journal], now_s)
        keep_status(self._database, {one.table: one.data for one in messages if one.what == "status"}, now_s)
        for table, seq in stored.conflicts:
            _log.warning("%s sent other content under number %d, which is kept: refused", table, seq)
        if stored.malformed:
            _log.warning("%d messages name no table or no number: refused", stored.malformed)
        for table, newest in stored.contiguous.items():
            self._messages.publish_stored(table, newest)
