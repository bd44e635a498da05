"""Starts the appliance's parts in order, waits for a signal, and stops them."""

from __future__ import annotations

import logging
import queue
import signal
from collections.abc import Callable, Sequence
from typing import NamedTuple

from appliance.service.stop_signals import stop_signals
from appliance.table.table import Table
from appliance.words.catalogues import Words
from appliance.words.errors import where_raised

HEED_S = 1.0
"""Longest time until a stop signal takes effect, wherever the main thread is when it arrives."""


_log = logging.getLogger(__name__)


class Part(NamedTuple):
    """A component with a start and a stop."""

    start: Callable[[], None]
    stop: Callable[[], None]


class StopSignal:
    """Receives the signals that ask a command to end (`stop_signals`)."""

    def __init__(self) -> None:
        # A SimpleQueue, because the handler may interrupt the wait that it ends. An Event would deadlock there.
        self._ending: queue.SimpleQueue[int] = queue.SimpleQueue()

    def install(self) -> None:
        """Install the signal handlers."""
        for number in stop_signals():
            signal.signal(number, lambda number, _: self._ending.put(number))

    def given(self) -> bool:
        """Wait up to `HEED_S` and return whether a signal came."""
        # Python runs a handler between bytecodes: a signal just before a blocking wait is handled only after it.
        try:
            self._ending.get(timeout=HEED_S)
        except queue.Empty:
            return False
        return True


def _stop(parts: Sequence[Part]) -> None:
    """Stop parts in reverse order. An error of one is logged, without its message: it may quote a secret."""
    for part in reversed(parts):
        try:
            part.stop()
        except Exception as error:
            _log.error("%s; the other parts stop", where_raised(error))


class Appliance:
    """The running appliance: parts start in order and stop in reverse order."""

    def __init__(self, table: Table, address: str, phones: str, parts: Sequence[Part]) -> None:
        self.table, self.address, self.phones = table, address, phones
        self._parts = tuple(parts)
        self._stop = StopSignal()

    def install_signal_handlers(self) -> None:
        """End `serve` on a stop signal; call it before `start`, because a stop may come as soon as parts run."""
        self._stop.install()

    def start(self) -> None:
        """Start all parts; when one fails, those already running are stopped again."""
        started: list[Part] = []
        try:
            for part in self._parts:
                part.start()
                started.append(part)
        except BaseException:
            _stop(started)
            raise

    def stop(self) -> None:
        """Stop all parts, even if some of them fail."""
        _stop(self._parts)

    def greeting(self, words: Words, *, simulated: bool) -> str:
        """Return the lines for a terminal: what hardware it runs on, and the addresses of its pages."""
        say = words.say
        return "\n".join(
            (
                say("start.hardware", {"hardware": say("start.simulated" if simulated else "start.own_hardware")}),
                say("start.wall", {"address": self.address}),
                say("start.touchscreen", {"address": self.address}),
                say("start.phones", {"address": self.phones}),
                say("start.end"),
            )
        )

    def serve(self, greet: Callable[[], None]) -> None:
        """Call `greet`, run until a stop signal, then stop. If `greet` fails, as on a closed pipe, it stops, too."""
        try:
            greet()
            while not self._stop.given():
                pass
        finally:
            self.stop()
