"""Pulls tables' messages from a broker, stores them, tells each table what is committed, and folds.

Any number of workers run at once, on one machine or several. Any of them may die at any moment: messages that are not
acknowledged are delivered again, and those that are stored already are recognised.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from appliance.hub.chain.night_calls import close_calls
from appliance.hub.chain.rollouts import go_on, offers
from appliance.hub.folds.ratings import fold_some_ratings
from appliance.hub.folds.tables import fold_new
from appliance.hub.folds.taken_out import FormerNames, take_out_at_tables
from appliance.hub.link.wanted import SAID_EVERY_S
from appliance.hub.report import stored_of
from appliance.hub.store.database import Database
from appliance.hub.store.envelopes_kept import Arrived, Stored, keep_status, store
from appliance.hub.store.failures import AWAY, failure_name
from appliance.words.errors import way_to

_log = logging.getLogger(__name__)
BATCH_MOST = 2000
WAIT_S = 1.0
"""Longest wait for a first message."""
RATINGS_EVERY_S = 2.0
CALLS_EVERY_S = 2.0
TIDIED_EVERY_S = 600.0
RATING_WAIT_S = 0.05
"""Longest wait for a first message while there are ratings left to compute."""
_M = TypeVar("_M", bound="Message")
_BACK_OFF_S = (0.5, 1.0, 2.0, 5.0, 10.0)


class Message(Protocol):
    """One envelope from the broker: the table whose key sent it, its claimed entry number, its undecoded bytes."""

    @property
    def table(self) -> str:
        """The table's id at the broker."""
        ...

    @property
    def seq(self) -> int:
        """The number of the entry; 0 if the message names none."""
        ...

    @property
    def data(self) -> bytes:
        """The bytes of the envelope."""
        ...


class Messages(Protocol[_M]):
    """The broker interface of a worker. Every method may raise one of `away` while the broker is unreachable."""

    def pull(self, at_most: int, wait_s: float) -> Sequence[_M]:
        """Return the next messages; none if none arrived within `wait_s` seconds."""
        ...

    def statuses(self) -> Mapping[str, bytes]:
        """Return the newest report of each table that sent one since the last call."""
        ...

    def stored(self, newest: Mapping[str, int], written_s: Mapping[str, float]) -> None:
        """Tell tables the entry up to which the database has committed everything, and when that was written."""
        ...

    def wanted(self, offers: Mapping[str, bytes]) -> None:
        """Tell tables what the hub offers them."""
        ...

    def done(self, pulled: Sequence[_M]) -> None:
        """Acknowledge messages: everything in them is committed, or refused permanently."""
        ...


class Worker(Generic[_M]):
    """Works until `stop`.

    :param away: the exceptions of `messages` while the broker is unreachable.
    :param now_s: the hub's clock, seconds since 1970.
    :param former: returns the names that a table had before it was invited again.
    """

    def __init__(
        self,
        database: Database,
        messages: Messages[_M],
        away: tuple[type[Exception], ...] = (OSError,),
        now_s: Callable[[], float] = time.time,
        former: FormerNames = lambda table: (),
    ) -> None:
        self._database, self._messages, self._now_s, self._former = database, messages, now_s, former
        self._away: tuple[type[Exception], ...] = (*AWAY, *away)
        self._stopped = threading.Event()
        self._pulled: Sequence[_M] = ()
        self._rated_s = self._offered_s = self._tidied_s = self._closed_s = float("-inf")
        self._rates = False
        self._failures = 0

    def run(self) -> None:
        """Work until `stop`. If the database or the broker is unreachable, log it once and retry with back-off."""
        while not self._stopped.is_set():
            try:
                self.round()
            except self._away as error:
                if self._failures == 0:
                    _log.warning("database or broker is away, nothing is lost meanwhile: %s", failure_name(error))
                wait_s = _BACK_OFF_S[min(self._failures, len(_BACK_OFF_S) - 1)]
                self._failures += 1
                self._stopped.wait(wait_s)
            except Exception as bug:
                _log.error("bug while working; it goes on with the next round: %s", way_to(bug))
                self._stopped.wait(_BACK_OFF_S[-1])
            else:
                if self._failures:
                    _log.warning("database and broker are back")
                self._failures = 0

    def stop(self) -> None:
        """Make `run` end after the current round."""
        self._stopped.set()

    def round(self) -> None:
        """Commit one batch, tell the tables, acknowledge it, and fold some of the waiting envelopes.

        A bug in one part of the work does not stop the other parts. The first one is raised at the end.

        :raises sqlalchemy.exc.SQLAlchemyError: the database is unreachable; the next round continues the pulled batch.
        :raises Exception: one of `away`: the broker is unreachable; it delivers unacknowledged messages again.
        """
        bugs: list[Exception] = []
        for part in (self._take, self._hear, self._fold, self._close, self._rate, self._tidy, self._offer):
            try:
                part()
            except self._away:
                raise
            except Exception as bug:
                bugs.append(bug)
        if bugs:
            raise bugs[0]

    def _take(self) -> None:
        if not self._pulled:
            self._pulled = self._messages.pull(BATCH_MOST, RATING_WAIT_S if self._rates else WAIT_S)
        if self._pulled:
            kept, committed = self._keep(self._pulled)
            # A message can be acknowledged only on its own connection. If that is lost, the batch is delivered again.
            self._pulled = ()
            for stored in committed:
                self._messages.stored(stored.contiguous, stored.written_s)
            self._messages.done(kept)

    def _hear(self) -> None:
        said = self._messages.statuses()
        reached = keep_status(self._database, said, self._now_s())
        # An older database was restored: without this, a table that has nothing to send would never learn of it.
        lost = {name: seq for name, seq in reached.items() if stored_of(said[name]) > seq}
        if lost:
            self._messages.stored(lost, {})
        take_out_at_tables(self._database, said, self._former)

    def _fold(self) -> None:
        if folded := fold_new(self._database):
            _log.debug("%d envelopes folded", folded)

    def _close(self) -> None:
        if time.monotonic() - self._closed_s >= CALLS_EVERY_S:
            self._closed_s = time.monotonic()
            close_calls(self._database, self._now_s())

    def _rate(self) -> None:
        if self._rates or time.monotonic() - self._rated_s >= RATINGS_EVERY_S:
            self._rated_s = time.monotonic()
            self._rates = fold_some_ratings(self._database).goes_on

    def _tidy(self) -> None:
        if time.monotonic() - self._tidied_s >= TIDIED_EVERY_S:
            self._tidied_s = time.monotonic()
            self._database.leave_no_trace()

    def _offer(self) -> None:
        if time.monotonic() - self._offered_s >= SAID_EVERY_S:
            self._offered_s = time.monotonic()
            go_on(self._database, self._now_s())
            self._messages.wanted(offers(self._database))

    def _keep(self, pulled: Sequence[_M]) -> tuple[Sequence[_M], Sequence[Stored]]:
        """Commit a batch. Return the messages that are stored or refused permanently, and the results."""
        try:
            return pulled, [self._store(pulled)]
        except self._away:
            raise
        except Exception as bug:
            _log.error("bug while keeping what tables sent; each is kept by itself: %s", way_to(bug))
        of: dict[str, list[_M]] = {}
        for one in pulled:
            of.setdefault(one.table, []).append(one)
        kept, committed = list[_M](), list[Stored]()
        for table, own in of.items():
            try:
                committed.append(self._store(own))
                kept += own
            except self._away:
                raise
            except Exception as bug:
                _log.error("what %s sent cannot be kept, the broker gives it again: %s", table, way_to(bug))
        return kept, committed

    def _store(self, pulled: Sequence[_M]) -> Stored:
        stored = store(self._database, [Arrived(one.table, one.seq, one.data) for one in pulled], self._now_s())
        for table, seq in stored.conflicts:
            _log.warning("%s sent other content under number %d, which is kept: refused", table, seq)
        if stored.malformed:
            _log.warning("%d messages name no table or no number: refused", stored.malformed)
        return stored
