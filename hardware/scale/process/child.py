"""The scale's child process: reads the cell until the parent process is gone, and sends it reports in batches."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import Protocol

from hardware.clock import Clock
from hardware.readings import DeviceHealth
from hardware.scale.load_cell import LoadCell, LoadCellError, ReadCounters, ReadFailure, Sample
from hardware.scale.process.real_time import run_before_others
from hardware.scale.process.rest import HOLD_S, CountRestDetector
from hardware.scale.scale_health import SCALE_HEALTH, ScaleHealthMonitor

REOPEN_CELL_AFTER_S = 2.0
"""Time between two attempts to open the cell, in real seconds."""
BEAT_S = 0.4
"""Interval of heartbeats (empty batches) when there is nothing to report, in real seconds."""
COUNTERS_EVERY_S = 2.0
"""Interval between two reports of the counters."""
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that Ctrl-C, a service manager or a terminal that is closed sends to the whole process group.

The child starts with them blocked."""
OUTLIVES_SIGTERM_S = 10
"""Time after SIGTERM within which the parent, which got the signal too, ends the child. Then the child ends itself."""

Report = Sample | DeviceHealth | ReadCounters


class OpenCell(Protocol):
    """Opens the cell in the child. It must be picklable, as `functools.partial(LoadCell, dout_pin=5)` is."""

    def __call__(self, clock: Clock, /) -> LoadCell:
        """Open the cell.

        :raises LoadCellError: it cannot be opened.
        """
        ...


class ScaleReader:
    """A cell and its health monitor: each read becomes a sample, a change of health, both or nothing."""

    def __init__(self, cell: LoadCell) -> None:
        self._cell, self._health = cell, ScaleHealthMonitor()
        self._counters_sent_s: float | None = None

    def poll(self) -> list[Report]:
        """Return the reports that are ready now, without waiting (lockstep play: once per step of simulated time)."""
        outcome = self._cell.poll()
        return [] if outcome is None else self._reports(outcome)

    def wait(self) -> list[Report]:
        """Wait for the next conversion or failure, 0.7 s at most. Return its reports, and the counters every 2 s.

        :raises LoadCellError: the bus or the kernel's driver is gone; open the cell again.
        """
        outcome = self._cell.sample(tries=1)
        reports = self._reports(outcome)
        if self._counters_sent_s is None or outcome.t_s - self._counters_sent_s >= COUNTERS_EVERY_S:
            self._counters_sent_s = outcome.t_s
            reports.append(self._cell.counters())
        return reports

    def _reports(self, outcome: Sample | ReadFailure) -> list[Report]:
        health: list[Report] = list(self._health.feed(outcome))
        return [*health, outcome] if isinstance(outcome, Sample) else health


class Outbox:
    """Sends reports in batches: at once on movement or a change of health, else every `HOLD_S`.

    Without reports it sends an empty batch every `BEAT_S` as a heartbeat.
    """

    def __init__(self, send: Callable[[Sequence[Report]], None]) -> None:
        self._send = send
        self._waiting: list[Report] = []
        self._oldest_s: float | None = None
        self._rest = CountRestDetector()
        self._sent_s = time.monotonic()

    def put(self, reports: Sequence[Report]) -> None:
        """Queue the reports of one read, which may be none, and send the batch when it is due.

        :raises OSError: the parent is gone.
        """
        urgent = False
        for report in reports:
            self._waiting.append(report)
            if isinstance(report, Sample):
                urgent = not self._rest.rests(report) or urgent
                self._oldest_s = report.t_s if self._oldest_s is None else self._oldest_s
                urgent = urgent or report.t_s - self._oldest_s >= HOLD_S
            elif isinstance(report, DeviceHealth):
                urgent = True
        if urgent or time.monotonic() - self._sent_s >= BEAT_S:
            self._send(self._waiting)
            self._waiting, self._oldest_s = [], None
            self._sent_s = time.monotonic()


def read_scale(pipe: Connection, open_cell: OpenCell, clock: Clock) -> None:
    """Read the cell and send reports until the parent process is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: signal.alarm(OUTLIVES_SIGTERM_S))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
    run_before_others()
    watch = threading.Thread(target=_die_with_parent, args=(pipe,), daemon=True)
    watch.start()
    outbox = Outbox(pipe.send)
    try:
        told = ""
        while True:
            try:
                cell = open_cell(clock)
                told = ""
                _read_cell(outbox, cell)
            except LoadCellError as error:
                if error.code != told:
                    told = error.code
                    outbox.put([health_of(clock, told)])
            _rest(outbox, REOPEN_CELL_AFTER_S)
    except (BrokenPipeError, ConnectionResetError):
        return


def _read_cell(outbox: Outbox, cell: LoadCell) -> None:
    reader = ScaleReader(cell)
    try:
        while True:
            outbox.put(reader.wait())
    finally:
        cell.close()


def _rest(outbox: Outbox, duration_s: float) -> None:
    end_s = time.monotonic() + duration_s
    while (left_s := end_s - time.monotonic()) > 0:
        time.sleep(min(left_s, BEAT_S))
        outbox.put([])


def health_of(clock: Clock, code: str) -> DeviceHealth:
    """Return a health reading for one of the driver's codes, with the present time."""
    return DeviceHealth(t_s=clock.now_s(), device="scale", status=SCALE_HEALTH[code], code=code)


def _die_with_parent(pipe: Connection) -> None:
    """Exit the process when the parent's end of the pipe is closed, even if the reader is blocked."""
    try:
        pipe.recv()
    except (EOFError, ConnectionResetError):
        os._exit(0)
