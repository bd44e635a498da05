"""The HX711 behind the kernel's driver: its files, how old a number may be, and a driver that fails, waits or goes.

`TwinKernelDevice` does what the kernel does on a chip of the twin; `make pi STORIES=iio` compares it with the kernel's.
"""

from __future__ import annotations

import errno
import threading
from pathlib import Path
from random import Random

import pytest

from hardware.clock import ManualClock
from hardware.readings import DeviceHealth
from hardware.scale.chip.driver_in_kernel import KernelHX711, SysfsDevice
from hardware.scale.load_cell import LoadCell, LoadCellError, ReadFailure, Sample
from hardware.scale.process.child import ScaleReader
from hardware.twin.wires.chip import Hx711Chip
from hardware.twin.wires.fake_lgpio import SimulatedTime
from hardware.twin.wires.scale_wiring import TwinKernelDevice, open_twin_load_cell
from tests.patience import GIVEN_UP_S


@pytest.fixture
def devices(tmp_path: Path) -> Path:
    """Sysfs with another converter and an HX711, as Linux 6.1 shows them."""
    other, hx711 = tmp_path / "iio:device0", tmp_path / "iio:device1"
    for folder, name in ((other, "ads1115"), (hx711, "hx711")):
        folder.mkdir()
        (folder / "name").write_text(f"{name}\n")
    (hx711 / "in_voltage_scale").write_text("0.000002002\n")
    (hx711 / "in_voltage0_scale_available").write_text("0.000002002 0.000004004 \n")
    (hx711 / "in_voltage0_raw").write_text("8472608\n")
    return tmp_path


def test_it_is_found_by_its_name_and_read_as_a_number(devices: Path) -> None:
    assert SysfsDevice(devices).read() - 0x800000 == 84_000


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda folder: (folder / "name").write_text("hx712\n"), "scale_no_kernel_driver"),
        (lambda folder: (folder / "in_voltage_scale").unlink(), "scale_no_kernel_driver"),
        (lambda folder: (folder / "in_voltage_scale").write_text("rubbish\n"), "scale_no_kernel_driver"),
        (lambda folder: (folder / "in_voltage_scale").write_text("0.000004004\n"), "scale_kernel_gain"),
    ],
)
def test_what_cannot_be_used_has_a_code_and_a_sentence(devices: Path, spoil: object, code: str) -> None:
    assert callable(spoil)
    spoil(devices / "iio:device1")
    with pytest.raises(LoadCellError) as caught:
        LoadCell(ManualClock(), open_kernel=lambda period_s, timing: KernelHX711(SysfsDevice(devices), 0.1, timing))
    assert caught.value.code == code
    assert str(caught.value).endswith(".")


class Held:
    """A kernel that keeps its readers waiting until told otherwise, as it does where no chip answers."""

    def __init__(self) -> None:
        self.answers = threading.Event()
        self.error: OSError | None = None

    def read(self) -> int:
        self.answers.wait(GIVEN_UP_S)
        if self.error is not None:
            raise self.error
        return 0x800000


class Lived:
    """Time that passes by what is slept."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock

    def perf_counter(self) -> float:
        return self.clock.now_s()

    def sleep(self, duration_s: float) -> None:
        self.clock.advance_to(self.clock.now_s() + duration_s)


def test_while_the_kernel_waits_for_a_silent_chip_the_driver_does_not() -> None:
    """The kernel waits for two seconds, and then powers the chip up and waits again."""
    clock, kernel = ManualClock(5.0), Held()
    lived = Lived(clock)
    cell = LoadCell(clock, open_kernel=lambda period_s, timing: KernelHX711(kernel, period_s, timing), timing=lived)
    reader = ScaleReader(cell)
    told = [report for _ in range(2) for report in reader.wait() if isinstance(report, DeviceHealth)]
    assert [report.code for report in told] == ["scale_absent"]
    assert clock.now_s() - 5.0 < 1.5
    cell.close()
    kernel.answers.set()


@pytest.mark.parametrize("number", [errno.ENODEV, errno.ENOENT])
def test_a_driver_that_is_taken_away_is_told_as_that(number: int) -> None:
    clock, kernel = ManualClock(5.0), Held()
    cell = LoadCell(clock, open_kernel=lambda *given: KernelHX711(kernel, *given, ahead=False), timing=Lived(clock))
    kernel.error = OSError(number, "gone")
    kernel.answers.set()
    with pytest.raises(LoadCellError) as caught:
        cell.sample()
    assert caught.value.code == "scale_no_kernel_driver"


class Counted:
    """A kernel that counts how often it is asked, and whose driver goes after the third time."""

    def __init__(self) -> None:
        self.asked = 0
        self.gone = threading.Event()

    def read(self) -> int:
        self.asked += 1
        assert self.asked < 9, "it would be asked for ever"
        if self.asked > 3:
            self.gone.set()
            raise OSError(errno.ENODEV, "No such device")
        return 0x800000


def reading_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "scale-kernel"]


def test_a_driver_that_is_gone_is_asked_no_more() -> None:
    kernel, before = Counted(), set(reading_threads())
    chip = KernelHX711(kernel, 0.1, Lived(ManualClock(5.0)))
    assert kernel.gone.wait(GIVEN_UP_S)
    for thread in set(reading_threads()) - before:
        thread.join(GIVEN_UP_S)
        assert not thread.is_alive()
    assert kernel.asked == 4
    chip.close()


def test_a_closed_cell_asks_the_kernel_no_more() -> None:
    asking, closed, before = threading.Event(), threading.Event(), set(reading_threads())

    class Slow(Counted):
        def read(self) -> int:
            asking.set()
            closed.wait(GIVEN_UP_S)
            return super().read()

    clock, kernel = ManualClock(5.0), Slow()
    cell = LoadCell(clock, open_kernel=lambda *given: KernelHX711(kernel, *given), timing=Lived(clock))
    (thread,) = set(reading_threads()) - before
    assert asking.wait(GIVEN_UP_S)
    cell.close()
    closed.set()
    thread.join(GIVEN_UP_S)
    assert kernel.asked == 1


@pytest.mark.parametrize(("waited_s", "told"), [(0.049, False), (0.051, True), (0.149, True), (0.151, False)])
def test_a_conversion_counts_after_half_to_one_and_a_half_periods_of_waiting(waited_s: float, told: bool) -> None:
    """Before that it may be an old one. After that the next one may have run into its frame."""
    lived = Lived(ManualClock(5.0))

    class Late:
        def read(self) -> int:
            lived.sleep(waited_s)
            return 0x800000 + 42

    assert KernelHX711(Late(), 0.1, lived, ahead=False).frame() == (42 if told else None)


@pytest.mark.parametrize("number", [errno.EIO, errno.ETIMEDOUT])
def test_a_read_that_fails_is_a_chip_that_does_not_answer(number: int) -> None:
    clock, kernel = ManualClock(5.0), Held()
    cell = LoadCell(clock, open_kernel=lambda *given: KernelHX711(kernel, *given, ahead=False), timing=Lived(clock))
    kernel.error = OSError(number, "no")
    kernel.answers.set()
    outcome = cell.sample(tries=1)
    assert isinstance(outcome, ReadFailure)
    assert outcome.reason == "no_answer"


@pytest.mark.parametrize("line", [b"", b"8472\x00\n", b"rubbish\n", b"\xff\n"])
def test_a_line_that_is_no_number_is_a_chip_that_does_not_answer_and_the_next_line_counts(
    devices: Path, line: bytes
) -> None:
    raw = devices / "iio:device1" / "in_voltage0_raw"
    right = raw.read_bytes()
    raw.write_bytes(line)
    first, kernel, again = threading.Event(), SysfsDevice(devices), threading.Event()

    class Watched:
        def read(self) -> int:
            if first.is_set():
                raw.write_bytes(right)
                again.set()
            first.set()
            return kernel.read()

    chip = KernelHX711(Watched(), 0.1, Lived(ManualClock(5.0)))
    assert again.wait(GIVEN_UP_S), "the thread reads on"
    assert chip.frame() == "no_answer"
    chip.close()


def test_however_late_the_kernel_looks_no_number_is_told_that_was_never_converted() -> None:
    """A busy processor wakes it late: then the next conversion may run into the frame. The worst is assumed of it."""
    converted: list[int] = []
    rng = Random(3)

    class LateKernel(TwinKernelDevice):
        @property
        def _SLEEP_S(self) -> float:  # type: ignore[override]  # it takes the place of a constant
            return 0.020 if rng.random() < 0.8 else rng.uniform(0.020, 0.3)

    def counts_at(t_s: float) -> float:
        converted.append((len(converted) * 7_654_321 + 12_345) % 16_000_000 - 8_000_000)
        return converted[-1]

    time = SimulatedTime(ManualClock(0.0))
    chip = Hx711Chip(counts_at)
    cell = LoadCell(
        time,
        open_kernel=lambda *given: KernelHX711(LateKernel(chip, time), *given, ahead=False),
        timing=time,
    )
    outcomes = [cell.sample() for _ in range(500)]
    read = [outcome.counts for outcome in outcomes if isinstance(outcome, Sample)]
    assert len(read) > 250
    assert set(read) <= set(converted)


def test_a_chip_that_is_strapped_to_eighty_is_told_to_be_too_quick() -> None:
    time = SimulatedTime(ManualClock(0.0))
    device = TwinKernelDevice(Hx711Chip(lambda t_s: 5, rate_sps=80), time)
    cell = LoadCell(time, open_kernel=lambda *given: KernelHX711(device, *given, ahead=False), timing=time)
    reader = ScaleReader(cell)
    told = [report for _ in range(20) for report in reader.wait()]
    assert [report.code for report in told if isinstance(report, DeviceHealth)] == ["scale_too_quick"]
    assert len([report for report in told if isinstance(report, Sample)]) <= 1


def test_a_shorted_wire_is_told_and_its_mending_too() -> None:
    """The kernel's driver reads it as 0 counts, without an error."""
    faults: set[str] = set()
    cell = open_twin_load_cell(ManualClock(0.0), lambda t_s: 4_711, faults=faults, wiring="iio")
    reader = ScaleReader(cell)
    told = [report for _ in range(5) for report in reader.wait()]
    faults.add("data line shorted")
    told += [report for _ in range(4) for report in reader.wait()]
    faults.clear()
    told += [report for _ in range(6) for report in reader.wait()]
    codes = [report.code for report in told if isinstance(report, DeviceHealth)]
    assert codes == ["scale_ok", "scale_data_shorted", "scale_ok"]
    assert {report.counts for report in told if isinstance(report, Sample)} == {4_711}
