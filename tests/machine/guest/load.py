"""The HX711 while every core is busy: frames read, refused and wrong, at 10 and 80 conversions a second."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import pairwise
from typing import Literal

from hardware.clock import MonotonicClock
from hardware.gpio.lgpio_folder import import_on_lgpio
from hardware.scale.load_cell import LoadCell, ReadCounters, Sample
from hardware.scale.process.child import OpenCell, Report
from hardware.scale.process.scale_process import ScaleProcess
from tests.machine.guest.module import ask, tell
from tests.machine.guest.report import report, run_all

BUSY_PER_CORE = 3
DURATION_S: dict[Literal[10, 80], float] = {10: 40.0, 80: 20.0}
LEAST_SHARE = 0.99
PATIENCE_S = 10.0
DOUT, SCK, SPARE_OUT, SPARE_IN = 5, 6, 20, 21
_MODULUS, _STEP, _START = 16_000_000, 7_654_321, 12_345


def calls() -> None:
    """Tell what the calls cost on this processor: the triple of rpi-lgpio#2, and one write through lgpio itself."""
    gpio = import_on_lgpio("RPi.GPIO")
    gpio.setwarnings(False)
    gpio.setmode(gpio.BCM)
    gpio.setup(SPARE_OUT, gpio.OUT)
    gpio.setup(SPARE_IN, gpio.IN)

    def triple() -> None:
        gpio.output(SPARE_OUT, True)
        gpio.input(SPARE_IN)
        gpio.output(SPARE_OUT, False)

    triple_us = _cost_us(triple)
    write_us = _cost_us(partial(gpio.lgpio.gpio_write, gpio._chip, SPARE_OUT, 0))
    gpio.cleanup()
    report(
        "calls are as slow as a slow Pi's (output, input, output of rpi-lgpio: 120 to 250 us on a Zero 2 W)",
        triple_us >= 120,
        triple_us=round(triple_us),
        lgpio_write_us=round(write_us, 1),
    )


def _cost_us(call: partial[object] | object, times: int = 200) -> float:
    assert callable(call)
    costs = []
    for _ in range(times):
        began_s = time.perf_counter()
        call()
        costs.append(time.perf_counter() - began_s)
    return 1e6 * sorted(costs)[times // 2]


@contextmanager
def _every_core_busy() -> Iterator[None]:
    count = BUSY_PER_CORE * (os.cpu_count() or 1)
    busy = [subprocess.Popen([sys.executable, "-S", "-c", "while True: sum(range(1000))"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def number_of(counts: int) -> int:
    """Return which conversion of the module's sequence a value is."""
    return (counts + 8_000_000 - _START) * pow(_STEP, -1, _MODULUS) % _MODULUS


def frames(rate_sps: Literal[10, 80], real_time: bool) -> None:
    """Read the pins for a while beside busy loops."""
    priority = "real-time priority" if real_time else "ordinary priority"
    read_beside_load(
        f"{rate_sps} conversions a second, {priority}",
        partial(LoadCell, dout_pin=DOUT, sck_pin=SCK, rate_sps=rate_sps),
        rate_sps,
        LEAST_SHARE if real_time else 0.0,
    )


def read_beside_load(what: str, open_cell: OpenCell, rate_sps: Literal[10, 80], least_share: float) -> None:
    """Read for a while beside busy loops and compare every number with what the chip converted."""
    tell("sequence", 1)
    tell("rate", rate_sps)
    told = queue.Queue[Report]()
    process = ScaleProcess(open_cell, MonotonicClock(), told.put)
    process.start()
    while not isinstance(told.get(), Sample):
        pass
    with _every_core_busy():
        time.sleep(1.0)
        first, downs, began_s = ask("conversions"), ask("power_downs"), time.monotonic()
        tell("longest_high_ns", 0)
        lasting_s = DURATION_S[rate_sps]
        samples, counters = _read_until(told, began_s, began_s + lasting_s)
        last = ask("conversions")
        downs, high_us = ask("power_downs") - downs, ask("longest_high_ns") / 1000
    process.close()
    numbers = [number_of(sample.counts) for sample in samples]
    wrong = sum(not first - 2 <= number <= last for number in numbers)
    wrong += sum(later <= before for before, later in pairwise(numbers))
    share = len(samples) / (lasting_s * rate_sps)
    report(
        f"scale: every core busy, {what}",
        wrong == 0 and share >= least_share,
        read=len(samples),
        share_percent=round(100 * share, 2),
        refused=counters[-1].refused if counters else 0,
        wrong=wrong,
        power_downs=downs,
        longest_high_us=round(high_us, 1),
    )


def _read_until(told: queue.Queue[Report], began_s: float, end_s: float) -> tuple[list[Sample], list[ReadCounters]]:
    """Return the samples of a stretch of time, by their stamps: they may come several at a time; and the counters."""
    samples, counters = list[Sample](), list[ReadCounters]()
    while time.monotonic() < end_s + PATIENCE_S:
        with suppress(queue.Empty):
            what = told.get(timeout=0.5)
            if isinstance(what, ReadCounters):
                counters.append(what)
            elif isinstance(what, Sample) and what.t_s >= end_s:
                break
            elif isinstance(what, Sample) and what.t_s >= began_s:
                samples.append(what)
    return samples, counters


if __name__ == "__main__":
    if "plain" in sys.argv:
        run_all(partial(frames, rate_sps, False) for rate_sps in DURATION_S)
    else:
        run_all((calls, *(partial(frames, rate_sps, True) for rate_sps in DURATION_S)))
        plain = [sys.executable, "-m", "tests.machine.guest.load", "plain"]
        subprocess.run(["setpriv", "--bounding-set=-sys_nice", "--inh-caps=-sys_nice", *plain], check=False)
