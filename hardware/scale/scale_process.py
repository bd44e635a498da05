"""Runs the scale's driver in a child process, which is started again when it dies. Samples and health come out.

A process of its own is needed because `lgpio` keeps Python's lock while it works: one busy thread beside it disturbs
one frame in eighty.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Protocol

from hardware.clock import Clock, ended
from hardware.readings import DeviceHealth
from hardware.scale.load_cell import FrameTally, LoadCell, LoadCellError, ReadFailure, Sample
from hardware.scale.real_time import run_before_others
from hardware.scale.scale_health import SCALE_HEALTH, ScaleHealthMonitor

FIRST_BACKOFF_S = 0.25
LONGEST_BACKOFF_S = 8.0
REOPEN_AFTER_S = 5.0
TERMINATES_S = 0.4
"""Longest wait for a child that was told to terminate; it is killed then."""

TALLY_EVERY = 20
"""Reads between two tallies of frames."""

Report = Sample | DeviceHealth | FrameTally


class OpenCell(Protocol):
    """How the child opens its cell; it must survive pickling: `functools.partial(LoadCell, dout_pin=5)` does."""

    def __call__(self, clock: Clock, /) -> LoadCell:
        """Open the cell.

        :raises LoadCellError: it cannot be opened.
        """
        ...


class ScaleReader:
    """A cell and its health monitor: each read becomes a sample, a change of health, both or nothing."""

    def __init__(self, cell: LoadCell) -> None:
        self._cell, self._health = cell, ScaleHealthMonitor()
        self._reads = 0

    def poll(self) -> list[Report]:
        """Return what is ready now, without waiting (lockstep play: once per step of simulated time)."""
        outcome = self._cell.poll()
        return [] if outcome is None else self._reports(outcome)

    def wait(self) -> list[Report]:
        """Wait for the next conversion or failure, 1.9 s at most, and return what it says, sometimes with a tally."""
        reports = self._reports(self._cell.sample())
        self._reads += 1
        return reports if self._reads % TALLY_EVERY else [*reports, self._cell.tally()]

    def _reports(self, outcome: Sample | ReadFailure) -> list[Report]:
        health: list[Report] = list(self._health.feed(outcome))
        return [*health, outcome] if isinstance(outcome, Sample) else health


class ScaleProcess:
    """Reads a load cell in a child process and passes its samples and health on.

    :param open_cell: opens the cell, in the child.
    :param clock: stamps there and here; it must be picklable (`MonotonicClock`, `WarpedClock`).
    :param emit: called on a thread of this process with every `Sample`, every change of health, and tallies of frames;
        it must enqueue and return.
    """

    def __init__(self, open_cell: OpenCell, clock: Clock, emit: Callable[[Report], None]) -> None:
        self._open_cell, self._clock, self._emit = open_cell, clock, emit
        self._context = multiprocessing.get_context("spawn")
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._child: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection | None = None
        self._thread = threading.Thread(target=self._follow, name="scale", daemon=True)

    @property
    def pid(self) -> int | None:
        """The child's process id while there is one."""
        with self._lock:
            return self._child.pid if self._child is not None and self._child.is_alive() else None

    def start(self) -> None:
        """Start reading; returns at once."""
        self._thread.start()

    def close(self) -> None:
        """End the child, within a second."""
        self._stopping.set()
        with self._lock:
            if self._child is not None:
                self._child.terminate()
        if self._thread.is_alive():
            self._thread.join(TERMINATES_S)
        with self._lock:
            if self._child is not None:
                self._child.kill()
        ended(self._thread)

    def _follow(self) -> None:
        backoff_s = FIRST_BACKOFF_S
        while not self._stopping.is_set():
            if self._run_child():
                backoff_s = FIRST_BACKOFF_S
            if self._stopping.is_set():
                return
            self._emit(_health(self._clock, "scale_restarting"))
            self._stopping.wait(backoff_s)
            backoff_s = min(2 * backoff_s, LONGEST_BACKOFF_S)

    def _run_child(self) -> bool:
        """Run one child to its end; return whether it ever gave a sample."""
        ours, theirs = self._context.Pipe()
        child = self._context.Process(
            target=_read_scale, args=(theirs, self._open_cell, self._clock), name="scale", daemon=True
        )
        with self._lock:
            if self._stopping.is_set():
                return False
            # Said here and not in the child: where the processor is busy, a process takes many seconds to begin.
            self._emit(_health(self._clock, "scale_starting"))
            child.start()
            self._child = child
        theirs.close()
        gave_samples = False
        try:
            while True:
                report = ours.recv()
                gave_samples = gave_samples or isinstance(report, Sample)
                if not self._stopping.is_set():
                    self._emit(report)
        except (EOFError, ConnectionResetError):
            pass
        finally:
            ours.close()
            self._end(child)
        return gave_samples

    def _end(self, child: multiprocessing.process.BaseProcess) -> None:
        child.join(TERMINATES_S)
        if child.is_alive():
            child.kill()
            child.join()
        with self._lock:
            self._child = None
        child.close()


def _read_scale(pipe: Connection, open_cell: OpenCell, clock: Clock) -> None:
    """Run in the child: read until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    run_before_others()
    watch = threading.Thread(target=_die_with_parent, args=(pipe,), daemon=True)
    watch.start()
    try:
        reader = ScaleReader(_opened(pipe, open_cell, clock))
        while True:
            for report in reader.wait():
                pipe.send(report)
    except (BrokenPipeError, ConnectionResetError):
        return


def _opened(pipe: Connection, open_cell: OpenCell, clock: Clock) -> LoadCell:
    """Open the cell, trying again until it can be opened; report each reason once."""
    last_code = ""
    while True:
        try:
            return open_cell(clock)
        except LoadCellError as error:
            if error.code != last_code:
                last_code = error.code
                pipe.send(_health(clock, last_code))
            time.sleep(REOPEN_AFTER_S)


def _health(clock: Clock, code: str) -> DeviceHealth:
    return DeviceHealth(t_s=clock.now_s(), device="scale", status=SCALE_HEALTH[code], code=code)


def _die_with_parent(pipe: Connection) -> None:
    """Exit when the parent's end of the pipe is gone, whatever the reader is waiting for."""
    try:
        pipe.recv()
    except (EOFError, ConnectionResetError):
        os._exit(0)
