"""What runs while the appliance does: its parts, started in order, and the wait for the signal that ends them."""

from __future__ import annotations

import queue
import signal
from collections.abc import Callable, Sequence
from typing import NamedTuple

from appliance.table.table import Table

HEED_S = 1.0
"""A stop is heeded at the latest after this time, wherever the main thread was when it came."""


class Part(NamedTuple):
    """Something that runs while the appliance does."""

    start: Callable[[], None]
    stop: Callable[[], None]


class Appliance:
    """Everything that runs: parts start in order and stop in reverse."""

    def __init__(self, table: Table, address: str, phones: str, parts: Sequence[Part]) -> None:
        self.table, self.address, self.phones = table, address, phones
        self._parts = tuple(parts)
        # A SimpleQueue, because a handler may interrupt the very wait it ends; an Event would lock itself out then.
        self._ending: queue.SimpleQueue[int] = queue.SimpleQueue()

    def install_signal_handlers(self) -> None:
        """End `wait` on SIGINT or SIGTERM; call it before `start`, because a stop may come as soon as parts run."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: self._ending.put(number))

    def start(self) -> None:
        """Start all parts; when one fails, those already running are stopped again."""
        started: list[Part] = []
        try:
            for part in self._parts:
                part.start()
                started.append(part)
        except BaseException:
            for part in reversed(started):
                part.stop()
            raise

    def stop(self) -> None:
        """Stop all parts."""
        for part in reversed(self._parts):
            part.stop()

    def wait(self) -> None:
        """Run until a signal that is heeded, then stop."""
        try:
            while not self._ended():
                pass
        finally:
            self.stop()

    def _ended(self) -> bool:
        # Python runs a handler between its own steps: a signal that comes just before a wait waits for its end.
        try:
            self._ending.get(timeout=HEED_S)
        except queue.Empty:
            return False
        return True
