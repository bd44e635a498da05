"""The HX711 behind the kernel's own driver: counts, faults, a busy processor, and what 80 conversions a second do."""

from __future__ import annotations

import errno
import queue
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from appliance.devices.scale_session import load_cell_opener
from appliance.settings import Settings
from hardware.clock import MonotonicClock
from hardware.readings import DeviceHealth
from hardware.scale.chip.driver_in_kernel import SysfsDevice
from hardware.scale.load_cell import ReadFailure, Sample
from hardware.scale.process.child import Report
from hardware.scale.process.scale_process import ScaleProcess
from tests.machine.guest.load import LEAST_SHARE, number_of, read_beside_load
from tests.machine.guest.module import ask, tell
from tests.machine.guest.report import report, run_all

OPEN = load_cell_opener(Settings(scale_wiring="iio"))
VALUES = (0, -1, 1, 84_000, -84_000, 8_388_606, -8_388_607)
PATIENCE_S = 30.0
SURVEY_S = 10.0


def bound() -> None:
    """Give the two lines to the kernel's driver, and find it."""
    tell("kernel_scale", 1)
    device = SysfsDevice()
    number = device.read()
    folder = next(Path("/sys/bus/iio/devices").glob("*/in_voltage0_raw")).parent
    scale = (folder / "in_voltage_scale").read_text().strip()
    scales = (folder / "in_voltage0_scale_available").read_text().strip()
    report("iio: the kernel's driver controls the lines", number > 0x800000, first=number, scale=scale, of=scales)


def counts() -> None:
    """Compare what arrives with what is converted, signs and ends of the range included."""
    cell, right, said = OPEN(MonotonicClock()), 0, list[str]()
    for value in VALUES:
        tell("counts", value)
        for _ in range(3):  # a conversion that was under way
            outcome = cell.sample()
        right += isinstance(outcome, Sample) and outcome.counts == value
    for value in (0x7FFFFF, -0x800000):
        tell("counts", value)
        for _ in range(3):
            outcome = cell.sample()
        said += [outcome.reason if isinstance(outcome, ReadFailure) else "a number"]
    cell.close()
    tell("counts", 84_000)
    held = right == len(VALUES) and said == ["saturated_high", "saturated_low"]
    report(
        "iio: counts are right, and both ends of the range are reported",
        held,
        right=f"{right} of {len(VALUES)}",
        said=said,
    )


def kernels_own_words() -> None:
    """Tell how the kernel answers where there is no chip, a shorted wire, and no driver: the stand-in does the same."""
    device, answers = SysfsDevice(), dict[str, str]()
    for name, line in (("unplugged", 1), ("shorted", 2), ("plugged in", 0)):
        tell("data_line", line)
        answers[name] = _answer(device.read)
    tell("kernel_scale", 0)
    answers["unbound"] = _answer(device.read)
    tell("kernel_scale", 1)
    # Two times a hundred looks of 10 to 30 ms each.
    said, failed_s = answers["unplugged"].removesuffix(" s").split(" after ")
    held = (
        said == "EIO"
        and 2.0 <= float(failed_s) <= 6.0
        and answers["shorted"].startswith(str(0x800000))
        and answers["unbound"].split()[0] in ("ENOENT", "ENODEV")
    )
    report("iio: the kernel's driver and the stand-in give the same answers", held, **answers)


def _answer(read: Callable[[], int]) -> str:
    began_s = time.monotonic()
    try:
        said = str(read())
    except OSError as error:
        said = errno.errorcode[error.errno or 0]
    return f"{said} after {time.monotonic() - began_s:.2f} s"


def faults() -> None:
    """Break the wire and the driver, mend them, and take the time to the product's word and to its recovery."""
    told = queue.Queue[Report]()
    process = ScaleProcess(OPEN, MonotonicClock(), told.put)
    process.start()
    took = {"start": _until(told, "scale_ok")}
    for name, value, mended, code in (
        ("data_line", 1, 0, "scale_absent"),
        ("data_line", 2, 0, "scale_data_shorted"),
        ("kernel_scale", 0, 1, "scale_no_kernel_driver"),
    ):
        tell(name, value)
        took[code] = _until(told, code)
        tell(name, mended)
        took[f"after {code}"] = _until(told, "scale_ok")
    process.close()
    within = all(seconds is not None for seconds in took.values())
    within = within and all((took[code] or 0) <= 2.0 for code in took if code.startswith("scale_"))
    report(
        "iio: each fault is reported by name within 2 s",
        within,
        **{name: f"{s:.1f} s" for name, s in took.items() if s},
    )


def _until(told: queue.Queue[Report], code: str) -> float | None:
    """Return how long it took until a code was told, in s, or None."""
    began_s = time.monotonic()
    while (left_s := began_s + PATIENCE_S - time.monotonic()) > 0:
        try:
            what = told.get(timeout=left_s)
        except queue.Empty:
            break
        if isinstance(what, DeviceHealth) and what.code == code:
            return time.monotonic() - began_s
    return None


def busy() -> None:
    """Read at 10 a second beside busy loops."""
    read_beside_load("10 conversions a second, the kernel's driver", OPEN, 10, LEAST_SHARE)


def too_quick() -> None:
    """Read the kernel's file alone at 80 a second: why the settings refuse it; and what the product says."""
    tell("rate", 80)
    tell("sequence", 1)
    time.sleep(0.5)
    device, first = SysfsDevice(), ask("conversions")
    end_s, numbers = time.monotonic() + SURVEY_S, list[int]()
    while time.monotonic() < end_s:
        numbers.append(number_of(device.read() - 0x800000))
    last = ask("conversions")
    wrong = sum(not first - 2 <= number <= last for number in numbers)
    wrong += sum(later <= before for before, later in pairwise(numbers))
    told = queue.Queue[Report]()
    process = ScaleProcess(OPEN, MonotonicClock(), told.put)
    process.start()
    took_s = _until(told, "scale_too_quick")
    process.close()
    tell("rate", 10)
    share = 100 * len(numbers) / (last - first)
    report(
        "iio: a chip at 80 a second is reported as too fast for the driver",
        took_s is not None,
        share_percent=round(share, 1),
        wrong=wrong,
        told_after=None if took_s is None else f"{took_s:.1f} s",
    )


if __name__ == "__main__":
    run_all((bound, counts, kernels_own_words, faults, busy, too_quick))
