"""Takes messages of tables from a broker, keeps them, tells each table what is committed, and folds.

Any number of workers run at once, on one machine or several. Any of them may die at any moment: what is not
acknowledged comes again, and what is kept already is known.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from appliance.hub.chain.rollouts import go_on, offers
from appliance.hub.folds.ratings import fold_some_ratings
from appliance.hub.folds.tables import fold_new
from appliance.hub.folds.taken_out import FormerNames, take_out_at_tables
from appliance.hub.link.wanted import SAID_EVERY_S
from appliance.hub.report import stored_of
from appliance.hub.store.database import AWAY, Database
from appliance.hub.store.envelopes_kept import Arrived, Stored, keep_status, store
from appliance.journal.table_error import way_to

_log = logging.getLogger(__name__)
BATCH_MOST = 2000
WAIT_S = 1.0
"""Longest wait for a first message."""
RATINGS_EVERY_S = 2.0
TIDIED_EVERY_S = 600.0
RATING_WAIT_S = 0.05
"""Longest wait for a first message while ratings are left to count."""
_M = TypeVar("_M", bound="Message")
_BACK_OFF_S = (0.5, 1.0, 2.0, 5.0, 10.0)


class Message(Protocol):
    """One envelope as the broker gave it: the table that was let send it, the entry it says to be, its unread bytes."""

    @property
    def table(self) -> str:
        """The table's id at the broker."""
        ...

    @property
    def seq(self) -> int:
        """The number of the entry; 0 where the message names none."""
        ...

    @property
    def data(self) -> bytes:
        """The bytes of the envelope."""
        ...


class Messages(Protocol[_M]):
    """What a broker offers to a worker. Every method may raise one of `away` while the broker is away."""

    def pull(self, at_most: int, wait_s: float) -> Sequence[_M]:
        """Return the next messages; none when none came within `wait_s` seconds."""
        ...

    def statuses(self) -> Mapping[str, bytes]:
        """Return the newest report of each table that said one since the last call."""
        ...

    def stored(self, newest: Mapping[str, int], written_s: Mapping[str, float]) -> None:
        """Tell tables up to which entry the database has committed all, and when that entry was written."""
        ...

    def wanted(self, offers: Mapping[str, bytes]) -> None:
        """Tell tables what the hub offers them."""
        ...

    def done(self, pulled: Sequence[_M]) -> None:
        """Let the broker forget these: all that is in them is committed, or refused for good."""
        ...


class Worker(Generic[_M]):
    """Works until `stop`.

    :param away: what `messages` raises while the broker is away.
    :param now_s: the hub's clock, seconds since 1970.
    :param former: which names tables had before they were invited anew.
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
        self._rated_s = self._offered_s = self._tidied_s = float("-inf")
        self._rates = False
        self._failures = 0

    def run(self) -> None:
        """Work; a database or broker that is away is waited for, and that is said once."""
        while not self._stopped.is_set():
            try:
                self.round()
            except self._away as error:
                if self._failures == 0:
                    _log.warning("database or broker is away, nothing is lost meanwhile: %s", type(error).__name__)
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
        """Let `run` end after the round it is in."""
        self._stopped.set()

    def round(self) -> None:
        """Take one batch as far as it goes: committed, told, acknowledged, and some of what waits folded.

        A bug in one part of the work keeps no other part from being done.

        :raises sqlalchemy.exc.SQLAlchemyError: the database is away; what was pulled is taken up by the next round.
        :raises Exception: one of `away`: the broker is away; it gives again what was not acknowledged.
        """
        bugs: list[Exception] = []
        for part in (self._take, self._hear, self._fold, self._rate, self._tidy, self._offer):
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
            # A message can be acknowledged only by the connection it came by: once that is lost, the batch comes again.
            self._pulled = ()
            for stored in committed:
                self._messages.stored(stored.contiguous, stored.written_s)
            self._messages.done(kept)

    def _hear(self) -> None:
        said = self._messages.statuses()
        reached = keep_status(self._database, said, self._now_s())
        # The database was put back to an older state: a table that has nothing to send would never be told.
        lost = {name: seq for name, seq in reached.items() if stored_of(said[name]) > seq}
        if lost:
            self._messages.stored(lost, {})
        take_out_at_tables(self._database, said, self._former)

    def _fold(self) -> None:
        if folded := fold_new(self._database):
            _log.debug("%d envelopes folded", folded)

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
        """Commit a batch; return what of it is kept or refused for good, and what came of it."""
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
