"""The load cell where calls are slow and the processor is wanted by others.

Truth is the number that the chip model converted. The real kernel's answer is `python -m tests.machine load`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from hardware.clock import ManualClock
from hardware.scale.chip.driver_on_pins import SCK_HIGH_LIMIT_S, high_at_most_s
from hardware.scale.load_cell import LoadCell, ReadFailure, Sample
from hardware.scale.process.real_time import PRIORITY
from hardware.twin.wires.chip import Hx711Chip
from hardware.twin.wires.fake_lgpio import Header, SimulatedTime, Stalls, hx711_on
from hardware.twin.wires.scale_wiring import wire_scale
from tests.hardware.scale.test_load_cell_contract import Truth

SLOWEST_CALL_S = 250e-6 / 6
"""Output, input and output through rpi-lgpio are six calls; they took 250 µs on a Zero 2 W (waveform80/rpi-lgpio#2)."""


def read(call_s: float, stalls: Stalls | None = None, rate_sps: int = 80) -> tuple[list[object], set[int]]:
    time, truth = SimulatedTime(ManualClock(0.0)), Truth()
    header = Header(time, stalls=stalls, seed=3, call_s=call_s)
    wire_scale(header, Hx711Chip(truth, rate_sps=rate_sps))
    cell = LoadCell(time, rate_sps=rate_sps, package=hx711_on(header))  # type: ignore[arg-type]
    return [cell.sample(tries=1) for _ in range(1_000)], set(truth.converted)


@pytest.mark.parametrize("rate_sps", [10, 80])
def test_every_frame_is_read_where_calls_are_as_slow_as_on_the_slowest_pi(rate_sps: int) -> None:
    outcomes, converted = read(SLOWEST_CALL_S, rate_sps=rate_sps)
    assert all(isinstance(outcome, Sample) and outcome.counts in converted for outcome in outcomes)


def test_an_interrupt_that_the_chip_bears_costs_no_frame() -> None:
    """Two calls of 20 µs and an interrupt of 30 µs take 70 µs, but SCK is high for 50."""
    outcomes, converted = read(20e-6, Stalls(0.02, duration_s=30e-6, where=frozenset({"high"})))
    assert all(isinstance(outcome, Sample) and outcome.counts in converted for outcome in outcomes)


def test_frames_that_the_processor_spoilt_are_counted_and_no_others() -> None:
    """`smugglers check` tells their share, and what helps."""
    time = SimulatedTime(ManualClock(0.0))
    header, chip = Header(time, stalls=Stalls(0.002, duration_s=200e-6), seed=3), Hx711Chip(lambda t_s: 4_711)
    wire_scale(header, chip)
    cell = LoadCell(time, package=hx711_on(header))
    outcomes = [cell.sample(tries=1) for _ in range(200)]
    spoilt = sum(isinstance(outcome, ReadFailure) and outcome.reason == "stalled" for outcome in outcomes)
    read = sum(isinstance(outcome, Sample) for outcome in outcomes)
    assert spoilt > 0
    assert (cell.counters().read, cell.counters().refused) == (read, spoilt)


@pytest.mark.slow
@pytest.mark.parametrize("call_s", [2e-6, 10e-6, 20e-6, SLOWEST_CALL_S])
@pytest.mark.parametrize("stall_s", [15e-6, 30e-6, 45e-6, 70e-6, 200e-6])
def test_no_wait_anywhere_makes_a_wrong_number(call_s: float, stall_s: float) -> None:
    outcomes, converted = read(call_s, Stalls(0.02, duration_s=stall_s))
    assert {outcome.counts for outcome in outcomes if isinstance(outcome, Sample)} <= converted


def test_the_high_time_is_bounded_from_above_whatever_the_speed() -> None:
    for call_s in (2e-6, 20e-6, 50e-6):
        for before_s, high_s, after_s in ((0, 0, 0), (1e-3, 0, 0), (0, 59e-6, 0), (0, 61e-6, 0), (0, 0, 1e-3)):
            true_s = call_s + high_s
            told_s = high_at_most_s(2 * call_s + before_s + high_s + after_s, 2 * call_s)
            assert told_s >= true_s - 1e-12
            if high_s == 61e-6:
                assert told_s >= SCK_HIGH_LIMIT_S


_ASK = """
import os
from hardware.scale.process.real_time import run_before_others
print(run_before_others(), os.sched_getscheduler(0), os.sched_getparam(0).sched_priority, len(os.sched_getaffinity(0)))
"""


def asked(*before: str) -> list[str]:
    command = [*before, sys.executable, "-c", _ASK]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def test_where_the_system_permits_it_the_scale_s_process_runs_before_others_on_one_core() -> None:
    if os.geteuid() != 0:
        pytest.skip("real-time priority needs root or LimitRTPRIO=")
    assert asked() == ["True", str(os.SCHED_FIFO), str(PRIORITY), "1"]


def test_where_it_does_not_the_process_is_left_as_it_was() -> None:
    if os.geteuid() == 0 and not shutil.which("setpriv"):
        pytest.skip("no setpriv here to give the permission up")
    given_up = ("setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice") if os.geteuid() == 0 else ()
    assert asked(*given_up) == ["False", str(os.SCHED_OTHER), "0", str(len(os.sched_getaffinity(0)))]
