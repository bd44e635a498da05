"""One value that many threads wait for. Slow threads skip to the newest."""

from __future__ import annotations

import threading
from typing import Generic, TypeVar

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
        """Wake all waiting threads. From now on nobody waits."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
