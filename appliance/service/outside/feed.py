"""Keeps the newest events, so that a reader can continue where it stopped. Each stream and webhook has its own pace."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable
from itertools import takewhile
from typing import NamedTuple

from appliance.service.outside.events import OVER_PART, START, EventId, PublicEvent, closed, events_of
from appliance.snapshot import LOG_LINES, Snapshot
from appliance.table.broadcast import Snapshots, followed
from appliance.words.errors import where_raised

KEPT = 1000
"""Number of events that are kept. A reader that missed more is told so."""
_log = logging.getLogger(__name__)


class News(NamedTuple):
    """The kept events after a place, and whether there were more that are not kept any more."""

    missed: bool
    events: tuple[PublicEvent, ...]


class Feed:
    """Follows the table from the first `start` on, in a thread of its own. Any thread may read.

    :param kept: how many events are kept.
    """

    def __init__(self, table: Snapshots, kept: int = KEPT) -> None:
        self._table = table
        self._events: deque[tuple[EventId, PublicEvent]] = deque(maxlen=kept)
        self._whole_after = START
        self._newest = START
        self._last: Snapshot | None = None
        self._changed = threading.Condition()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to follow, unless that has begun. The open game's events are available at once."""
        with self._changed:
            if self._thread is not None or self._closed.is_set():
                return
            thread = threading.Thread(target=self._follow, name="feed", daemon=True)
            first = self._table.snapshot()
            self._events.clear()
            self._whole_after = _whole_after(first)
            self._newest = self._whole_after
            self._take(first)
            thread.start()
            # Not before: where the process may have no more threads, a later call begins.
            self._thread = thread

    def close(self) -> None:
        """Wake all waiting threads, and stop following within `appliance.table.broadcast.FOLLOW_S`."""
        self._closed.set()
        self.wake()

    @property
    def is_closed(self) -> bool:
        """Whether no more events come."""
        return self._closed.is_set()

    @property
    def newest(self) -> EventId:
        """The place of the newest event."""
        return self._newest

    @property
    def whole_after(self) -> EventId:
        """The place after which no event is missing."""
        return self._whole_after

    def after(self, place: EventId) -> News:
        """Return the kept events after `place`, and whether some are missing."""
        with self._changed:
            newer = list(takewhile(lambda kept: kept[0] > place, reversed(self._events)))
            return News(place < self._whole_after, tuple(event for _, event in reversed(newer)))

    def wait_after(self, place: EventId, timeout_s: float, given_up: Callable[[], bool] = lambda: False) -> News:
        """Wait for an event after `place`, and return what there is then; perhaps nothing after `timeout_s` or `close`.

        :param given_up: asked whenever `wake` was called; True ends the wait.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._newest > place or given_up() or self.is_closed, timeout_s)
        return self.after(place)

    def forget(self) -> None:
        """Delete all events kept so far, because a name in them was erased."""
        with self._changed:
            self._events.clear()
            self._whole_after = self._newest

    def wake(self) -> None:
        """Let waiting threads check `given_up`."""
        with self._changed:
            self._changed.notify_all()

    def _follow(self) -> None:
        begun = -1 if self._last is None else self._last.version
        for snapshot in followed(self._table, self._closed, begun):
            with self._changed:
                self._take(snapshot)

    def _take(self, snapshot: Snapshot) -> None:
        before, self._last = self._last, snapshot
        try:
            if before is not None and before.game_id is not None and before.game_id != snapshot.game_id:
                self._add(closed(before, snapshot))
            for event in events_of(snapshot, self._newest):
                self._add(event)
        except Exception as bug:
            _log.error("%s; events go on with the next change", where_raised(bug))
        self._changed.notify_all()

    def _add(self, event: PublicEvent) -> None:
        place = event.place
        if place <= self._newest:
            return
        if len(self._events) == self._events.maxlen:
            self._whole_after, _ = self._events[0]
        self._events.append((place, event))
        self._newest = place


def _whole_after(first: Snapshot) -> EventId:
    """Return the place after which no event is missing when following begins with the snapshot `first`."""
    if first.game_id is None:
        return EventId(first.journal_seq, OVER_PART) if first.journal_seq else START
    if len(first.log) < LOG_LINES:
        return EventId(first.game_id - 1, OVER_PART) if first.game_id > 1 else START
    return EventId(first.log[0].seq, OVER_PART - 1)
