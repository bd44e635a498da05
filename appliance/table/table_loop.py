"""The table's loop: any thread puts readings and jobs into an inbox; one thread processes them in order."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from appliance.table.game.adviser import TICK_S
from appliance.table.table_state import TableState
from appliance.words.errors import where_raised
from hardware.clock import Clock, ended
from hardware.readings import Reading

LEAST_WAIT_S = 0.001

_log = logging.getLogger(__name__)
T = TypeVar("T")


class TableLoop:
    """The only code that touches the state. While the loop does not run, posted jobs run in the caller's thread.

    :param patience_s: how long such a caller waits for the lock, in real seconds. After that its job stays queued.
    """

    def __init__(self, state: TableState, clock: Clock, patience_s: float) -> None:
        self._state = state
        self._clock = clock
        self._patience_s = patience_s
        self._inbox: queue.SimpleQueue[Reading | Callable[[], None] | None] = queue.SimpleQueue()
        self._turn = threading.RLock()
        self._looping = False
        self._thread: threading.Thread | None = None
        self.stopped = False
        """Whether `stop` was called."""

    def sense(self, reading: Reading) -> None:
        """Queue a reading."""
        self._inbox.put(reading)

    def post(self, job: Callable[[], T]) -> Future[T]:
        """Queue a job. The future gets its result once its changes are published."""
        future: Future[T] = Future()

        def work() -> None:
            try:
                result = job()
                self._state.publish()
            except Exception as error:
                future.set_exception(error)
                if self._looping:
                    self._recover(error)
            else:
                future.set_result(result)

        self._inbox.put(work)
        if (not self._looping or self.stopped) and self._turn.acquire(timeout=self._patience_s):
            try:
                self.step()
            finally:
                self._turn.release()
        return future

    def start(self) -> None:
        """Run in a thread of its own until `stop`."""
        self._looping = True
        self._thread = threading.Thread(target=self._run, name="table", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread after the queued work. If that work hangs, the thread and its queue are abandoned."""
        self.stopped = True
        self._inbox.put(None)
        if ended(self._thread):
            self._thread = None
            self.step()

    def step(self) -> None:
        """Process everything that is queued and due, in the caller's thread."""
        self._work(None)

    def _run(self) -> None:
        try:
            while not self.stopped:
                try:
                    item = self._inbox.get(timeout=self._until_due_s())
                except queue.Empty:
                    item = None
                try:
                    self._work(item)
                except Exception as error:
                    self._recover(error)
        finally:
            self._looping = False

    def _until_due_s(self) -> float | None:
        """Return how long to wait for work, in real seconds: until a tick or the end of a grace; None: for ever."""
        try:
            due_s = self._state.next_due_s()
        except Exception as error:
            self._recover(error)
            return TICK_S
        if due_s is None:
            return None
        wait_s = (due_s - self._clock.now_s()) / self._clock.speed
        # Compared so that the end of a grace that is not a number is waited for as a tick is.
        return max(wait_s, LEAST_WAIT_S) if wait_s < TICK_S else TICK_S

    def _work(self, item: Reading | Callable[[], None] | None) -> None:
        with self._turn:
            self._take_in(item)
            while not self._inbox.empty():
                self._take_in(self._inbox.get())
            self._state.tick()
            self._state.publish()

    def _take_in(self, item: Reading | Callable[[], None] | None) -> None:
        if isinstance(item, Reading):
            self._state.sense(item)
        elif item is not None:
            item()

    def _recover(self, error: Exception) -> None:
        """Log where a bug is, and continue with a new referee: a bug must not stop the game.

        The message is left out of the log, because it may quote a secret.
        """
        _log.error("%s; the referee starts afresh", where_raised(error))
        with self._turn:
            try:
                self._state.start_afresh()
            except Exception as again:
                _log.error("%s; nothing new is shown until that is over", where_raised(again))
