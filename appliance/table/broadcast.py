"""A versioned value that threads wait for, and the loop that follows snapshots. Slow threads skip to the newest."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar

from appliance.snapshot import Snapshot

FOLLOW_S = 1.0
"""Longest wait of a follower, in seconds, before it checks whether it was stopped."""
TABLE_GONE_S = 0.02
"""Pause in seconds when no snapshot came: a stopped table answers at once, and the follower must not spin."""
T = TypeVar("T")


class Broadcast(Generic[T]):
    """The newest published value, numbered from 1, behind one condition variable."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._newest: T | None = None
        self._version = 0
        self._closed = False

    def publish(self, version: int, value: T) -> None:
        """Make `value` the newest and wake all threads that wait for a newer one."""
        with self._changed:
            self._newest, self._version = value, version
            self._changed.notify_all()

    def wait_newer(self, version: int, timeout_s: float) -> T | None:
        """Return the newest value as soon as its number is above `version`; None after `timeout_s` or when closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._version > version or self._closed, timeout_s)
            return self._newest if self._version > version else None

    def close(self) -> None:
        """Wake all waiting threads. Later calls of `wait_newer` return at once."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


class Snapshots(Protocol):
    """The part of the table's interface that a follower needs."""

    def snapshot(self) -> Snapshot:
        """Return the newest snapshot."""
        ...

    def wait_newer(self, version: int, timeout_s: float) -> Snapshot | None:
        """Return a snapshot newer than `version`, or None after `timeout_s`."""
        ...


def followed(table: Snapshots, stopped: threading.Event, after: int = -1) -> Iterator[Snapshot]:
    """Yield each snapshot newer than the version `after`, until `stopped` is set."""
    while not stopped.is_set():
        snapshot = table.wait_newer(after, FOLLOW_S)
        if snapshot is None:
            stopped.wait(TABLE_GONE_S)
            continue
        after = snapshot.version
        yield snapshot
