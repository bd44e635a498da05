"""The scale in its own process: killed, unplugged, closed, orphaned."""

from __future__ import annotations

import errno
import gc
import os
import queue
import select
import signal
import struct
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from hardware.clock import Clock, WarpedClock
from hardware.readings import DeviceHealth
from hardware.scale.load_cell import LoadCell, LoadCellError, Sample
from hardware.scale.process import child
from hardware.scale.process.child import Report
from hardware.scale.process.scale_process import ScaleProcess
from hardware.twin.wires.scale_wiring import OpenTwinCell, TwinLoad
from tests.patience import GIVEN_UP_S
from tests.places import ROOT

pytestmark = pytest.mark.slow


class Told:
    """What the process said, in order; waiting ends at the first report that fits."""

    def __init__(self) -> None:
        self.reports: queue.Queue[Report] = queue.Queue()

    def until(self, fits: Callable[[Report], bool]) -> Report:
        while True:
            report = self.reports.get(timeout=GIVEN_UP_S)
            if fits(report):
                return report


def coded(code: str) -> Callable[[Report], bool]:
    return lambda report: isinstance(report, DeviceHealth) and report.code == code


def heavy(low: int, high: int) -> Callable[[Report], bool]:
    return lambda report: isinstance(report, Sample) and low < report.counts < high


def test_a_cell_whose_bus_is_gone_is_closed_before_it_is_opened_again() -> None:
    """Pins that stay claimed could not be opened again."""
    closed: list[bool] = []

    class Gone(LoadCell):
        def __init__(self) -> None:
            """Open nothing."""

        def sample(self, tries: int = 3) -> Sample:
            raise LoadCellError("scale_no_bus", "The SPI bus cannot be used.")

        def close(self) -> None:
            closed.append(True)

    with pytest.raises(LoadCellError):
        child._read_cell(child.Outbox(lambda reports: None), Gone())
    assert closed == [True]


@contextmanager
def running(load: TwinLoad) -> Iterator[tuple[ScaleProcess, Told, WarpedClock]]:
    clock, told = WarpedClock(8.0), Told()
    process = ScaleProcess(OpenTwinCell(load=load, seed=5), clock, told.reports.put)
    process.start()
    try:
        yield process, told, clock
    finally:
        process.close()
        assert process.pid is None


def test_the_load_arrives_with_stamps_on_our_clock() -> None:
    load = TwinLoad()
    with running(load) as (_, told, clock):
        told.until(coded("scale_ok"))
        told.until(heavy(80_000, 88_000))
        load.set_changes([(0.0, 0.0), (clock.now_s(), 20.0)])
        sample = told.until(heavy(240_000, 248_000))
        assert sample.t_s <= clock.now_s()


def test_killed_it_starts_again() -> None:
    load = TwinLoad()
    with running(load) as (process, told, _):
        told.until(coded("scale_ok"))
        first = process.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        told.until(coded("scale_restarting"))
        told.until(coded("scale_ok"))
        assert process.pid not in (None, first)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("when", ["starting", "reading"])
def test_a_signal_to_the_whole_process_group_is_no_fault_of_the_scale(when: str, number: signal.Signals) -> None:
    told, clock = Told(), WarpedClock(1.0)
    process = ScaleProcess(OpenTwinCell(load=TwinLoad(), seed=5), clock, told.reports.put)
    process.start()
    try:
        if when == "reading":
            told.until(coded("scale_ok"))
        started = until_started(process)
        sent_s = clock.now_s()
        os.kill(started, number)
        ended_or_read = told.until(
            lambda report: coded("scale_restarting")(report) or (isinstance(report, Sample) and report.t_s > sent_s + 1)
        )
        assert isinstance(ended_or_read, Sample)
        assert process.pid == started
    finally:
        process.close()
    while not told.reports.empty():
        assert not coded("scale_restarting")(told.reports.get())


def until_started(process: ScaleProcess) -> int:
    ticker = threading.Event()
    for _ in range(int(GIVEN_UP_S / 0.01)):
        if (pid := process.pid) is not None:
            return pid
        ticker.wait(0.01)
    raise AssertionError("no child was started")


def open_for_a_second_after_sigterm(clock: Clock) -> LoadCell:
    child.OUTLIVES_SIGTERM_S = 1
    return OpenTwinCell(load=TwinLoad(), seed=5)(clock)


def test_a_process_whose_parent_does_not_end_it_obeys_sigterm_all_the_same() -> None:
    told = Told()
    process = ScaleProcess(open_for_a_second_after_sigterm, WarpedClock(1.0), told.reports.put)
    process.start()
    try:
        told.until(coded("scale_ok"))
        os.kill(until_started(process), signal.SIGTERM)
        told.until(coded("scale_restarting"))
    finally:
        process.close()


def test_unplugged_and_plugged_in_again() -> None:
    load = TwinLoad()
    with running(load) as (_, told, _clock):
        told.until(coded("scale_ok"))
        load.set_faults({"scale unplugged", "beam dead"})
        told.until(coded("scale_absent"))
        load.set_faults(())
        told.until(coded("scale_ok"))


def test_closed_before_it_was_ever_ready() -> None:
    told = Told()
    process = ScaleProcess(OpenTwinCell(load=TwinLoad()), WarpedClock(1.0), told.reports.put)
    process.start()
    process.close()
    assert process.pid is None


def refuse(clock: Clock) -> LoadCell:
    raise LoadCellError("scale_no_gpio", "There is no header here.")


def test_a_cell_that_cannot_be_opened_is_told_once_and_the_process_stays() -> None:
    told = Told()
    process = ScaleProcess(refuse, WarpedClock(1.0), told.reports.put)
    process.start()
    told.until(coded("scale_no_gpio"))
    assert process.pid is not None
    process.close()
    assert told.reports.empty()


def test_it_imports_from_where_its_parent_does(tmp_path: Path) -> None:
    """`python -c` imports from the present folder, for which Python's path has an empty entry."""
    (tmp_path / "own_cell.py").write_text(
        "from hardware.scale.load_cell import LoadCellError\n"
        "def open_cell(clock):\n"
        "    raise LoadCellError('scale_absent', 'no such cell')\n"
    )
    script = """
        import queue
        from own_cell import open_cell
        from hardware.clock import WarpedClock
        from hardware.scale.process.scale_process import ScaleProcess

        told = queue.Queue()
        process = ScaleProcess(open_cell, WarpedClock(1.0), told.put)
        process.start()
        print(told.get().code, told.get().code)
        process.close()
    """
    asked = [sys.executable, "-c", textwrap.dedent(script)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(asked, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["scale_starting", "scale_absent"], done.stderr


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs Linux's pidfd")
def test_it_dies_with_its_parent() -> None:
    script = """
        import queue
        from hardware.clock import WarpedClock
        from hardware.scale.load_cell import Sample
        from hardware.scale.process.scale_process import ScaleProcess
        from hardware.twin.wires.scale_wiring import OpenTwinCell, TwinLoad

        if __name__ == "__main__":
            told = queue.Queue()
            process = ScaleProcess(OpenTwinCell(load=TwinLoad()), WarpedClock(1.0), told.put)
            process.start()
            while not isinstance(told.get(), Sample):
                pass
            print(process.pid, flush=True)
            told.get() and process._thread.join()
    """
    parent = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    ended = select.poll()
    watched = os.pidfd_open(child)
    ended.register(watched, select.POLLIN)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert ended.poll(GIVEN_UP_S * 1000)
    os.close(watched)


def test_a_process_that_hangs_is_told_as_that_and_is_replaced() -> None:
    """SIGSTOP stops a process as a driver does that never comes back."""
    told, clock = Told(), WarpedClock(1.0)
    process = ScaleProcess(OpenTwinCell(load=TwinLoad(), seed=5), clock, told.reports.put)
    process.start()
    try:
        told.until(coded("scale_ok"))
        hung = process.pid
        assert hung is not None
        os.kill(hung, signal.SIGSTOP)
        said = told.until(lambda report: isinstance(report, DeviceHealth))
        assert isinstance(said, DeviceHealth)
        assert (said.code, said.status) == ("scale_hung", "faulty")
        told.until(coded("scale_ok"))
        assert process.pid not in (None, hung)
    finally:
        process.close()


def crash(clock: Clock) -> LoadCell:
    raise ZeroDivisionError("a fault of the driver's own")


def test_a_process_that_crashes_is_told_as_that_and_is_started_again(capfd: pytest.CaptureFixture[str]) -> None:
    told = Told()
    process = ScaleProcess(crash, WarpedClock(1.0), told.reports.put)
    process.start()
    told.until(coded("scale_restarting"))
    told.until(coded("scale_restarting"))
    process.close()
    assert "a fault of the driver's own" in capfd.readouterr().err


def end_within_a_batch(clock: Clock) -> LoadCell:
    """Send the head of a batch and half of its content, and end as a process does that is killed."""
    [pipe] = [each for each in gc.get_objects() if isinstance(each, Connection)]
    os.write(pipe.fileno(), struct.pack("!i", 1000) + b"half")
    os._exit(9)


def test_a_process_that_is_killed_within_a_batch_is_started_again() -> None:
    told = Told()
    process = ScaleProcess(end_within_a_batch, WarpedClock(1.0), told.reports.put)
    process.start()
    for _ in range(2):
        told.until(coded("scale_restarting"))
    process.close()


def test_a_process_that_cannot_be_started_now_is_started_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel refuses a new process while memory or process numbers are short."""
    refusals = [OSError(errno.EAGAIN, os.strerror(errno.EAGAIN)), OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))]
    fork = subprocess._fork_exec  # type: ignore[attr-defined]  # the system call itself

    def short(*asked: Any) -> int:
        if refusals:
            raise refusals.pop()
        return int(fork(*asked))

    monkeypatch.setattr(subprocess, "_fork_exec", short)
    told = Told()
    process = ScaleProcess(OpenTwinCell(load=TwinLoad(), seed=5), WarpedClock(1.0), told.reports.put)
    process.start()
    try:
        told.until(coded("scale_restarting"))
        told.until(coded("scale_ok"))
    finally:
        process.close()
