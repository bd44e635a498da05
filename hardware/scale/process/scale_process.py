"""Runs the scale's driver in a child process, and restarts the process when it dies or hangs.

A separate process is needed because `lgpio` holds Python's global lock during its calls. One busy thread in the same
process disturbs one frame in eighty.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection, Pipe
from pathlib import Path

from hardware.clock import Clock, ended
from hardware.scale.load_cell import Sample
from hardware.scale.process.child import STOP_SIGNALS, OpenCell, Report, health_of

FIRST_BACKOFF_S = 0.25
LONGEST_BACKOFF_S = 8.0
ENDS_WITHIN_S = 0.4
"""Longest wait for a child whose pipe is closed; then it is killed."""

HUNG_AFTER_S = 1.5
"""A child that is silent for longer hangs or waits for the processor. A healthy one is silent for 1.1 s at most."""
STARTS_WITHIN_S = 30.0
"""Time limit for a child's first report. On a busy processor a process takes many seconds to start."""
STARVED_AT_MOST_S = 10.0
"""A child that waits for the processor for longer counts as hung."""
_LOOK_S = 0.25

_log = logging.getLogger(__name__)


class ScaleProcess:
    """Reads a load cell in a child process and delivers its samples and health.

    :param open_cell: opens the cell, in the child.
    :param clock: clock of the timestamps in both processes; it must be picklable (`MonotonicClock`, `WarpedClock`).
    :param emit: called on a thread of this process with every `Sample`, every change of health, and counters of frames;
        it must enqueue and return.
    """

    def __init__(self, open_cell: OpenCell, clock: Clock, emit: Callable[[Report], None]) -> None:
        self._open_cell, self._clock, self._emit = open_cell, clock, emit
        self._stopping = threading.Event()
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._follow, name="scale", daemon=True)

    @property
    def pid(self) -> int | None:
        """The child's process id, or None when no child is running."""
        with self._lock:
            return self._child.pid if self._child is not None and self._child.poll() is None else None

    def start(self) -> None:
        """Start reading and return at once."""
        self._thread.start()

    def close(self) -> None:
        """Kill the child, which holds nothing that needs closing, and wait for the thread."""
        self._stopping.set()
        with self._lock:
            if self._child is not None:
                self._child.kill()
        ended(self._thread)

    def _follow(self) -> None:
        backoff_s = FIRST_BACKOFF_S
        # Reported here and not by the child, which may take many seconds to start.
        self._emit(health_of(self._clock, "scale_starting"))
        while not self._stopping.is_set():
            try:
                if self._run_child():
                    backoff_s = FIRST_BACKOFF_S
            except OSError as error:  # no memory, process or file descriptor is free now
                _log.error("the scale's process cannot be started: %s", error)
                self._emit(health_of(self._clock, "scale_restarting"))
            if self._stopping.wait(backoff_s):
                return
            backoff_s = min(2 * backoff_s, LONGEST_BACKOFF_S)

    def _run_child(self) -> bool:
        """Run one child to its end and report how it ended. Return whether it ever gave a sample.

        :raises OSError: no child can be started.
        """
        ours, theirs = Pipe()
        with theirs, self._lock:
            if self._stopping.is_set():
                return False
            signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)  # of this thread, and so of the child
            child = self._child = _spawned(theirs.fileno())
        gave_samples, code = False, "scale_restarting"
        watch = _Watch(child.pid)
        try:
            ours.send((self._open_cell, self._clock))
            while not watch.hangs(ours):
                for report in ours.recv():
                    gave_samples = gave_samples or isinstance(report, Sample)
                    if not self._stopping.is_set():
                        self._emit(report)
            code = "scale_hung"
        except (EOFError, OSError):  # it ended: between two batches, or within one
            pass
        finally:
            if not self._stopping.is_set():
                self._emit(health_of(self._clock, code))
            ours.close()
            self._end(child)
        return gave_samples

    def _end(self, child: subprocess.Popen[bytes]) -> None:
        try:
            child.wait(ENDS_WITHIN_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        with self._lock:
            self._child = None


def _spawned(pipe_fd: int) -> subprocess.Popen[bytes]:
    """Start the child with its end of the pipe. It imports from where this process does.

    :raises OSError: no process can be started now.
    """
    return subprocess.Popen(  # noqa: S603  # our own program
        [sys.executable, "-P", "-m", "hardware.scale.process", str(pipe_fd)],
        stdin=subprocess.DEVNULL,
        pass_fds=(pipe_fd,),
        env=os.environ | {"PYTHONPATH": os.pathsep.join(place or str(Path.cwd()) for place in sys.path)},
    )


class _Watch:
    """Detects a hanging child: it is silent and does not wait for the processor meanwhile."""

    def __init__(self, pid: int) -> None:
        self._schedule = Path(f"/proc/{pid}/schedstat")
        self._patience_s = STARTS_WITHIN_S

    def hangs(self, pipe: Connection) -> bool:
        """Wait for the child's next batch. Return True when the child hangs."""
        if pipe.poll(self._patience_s):
            self._patience_s = HUNG_AFTER_S
            return False
        until_s = time.monotonic() + STARVED_AT_MOST_S
        while time.monotonic() < until_s:
            before_s = self._waited_s()
            if pipe.poll(_LOOK_S):
                return False
            if self._waited_s() - before_s < _LOOK_S / 4:
                return True
        return True

    def _waited_s(self) -> float:
        """Return the total time that the child was runnable without a processor, in s; 0 if that is unknown."""
        try:
            return int(self._schedule.read_text().split()[1]) / 1e9
        except (OSError, IndexError, ValueError):
            return 0.0
