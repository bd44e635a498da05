"""One suite over every way to reach an HX711: the real package on simulated pins, an SPI bus, and real pins.

Truth is the number the chip model converted at the stamped moment, which the driver never sees.
"""

from __future__ import annotations

import errno
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hardware.clock import ManualClock
from hardware.readings import DeviceHealth
from hardware.scale.chip.driver_on_bus import SpiDevice
from hardware.scale.load_cell import LoadCell, LoadCellError, ReadFailure, Sample
from hardware.scale.process.child import ScaleReader
from hardware.twin.wires.chip import Hx711Chip
from hardware.twin.wires.fake_lgpio import Header, SimulatedTime, Stalls, hx711_on
from hardware.twin.wires.scale_wiring import open_twin_load_cell, wire_scale

pytestmark = pytest.mark.slow

STALL_MODES = {
    "clock high": frozenset({"high"}),
    "clock low": frozenset({"low"}),
    "at a read": frozenset({"read"}),
    "anywhere": frozenset({"high", "low", "read"}),
}


class Truth:
    """Counts that never repeat: whoever reads a wrong bit reads a number that was never converted."""

    def __init__(self) -> None:
        self.converted: list[int] = []

    def __call__(self, t_s: float) -> float:
        self.converted.append((len(self.converted) * 7_654_321 + 12_345) % 16_000_000 - 8_000_000)
        return self.converted[-1]


Opened = Callable[..., tuple[LoadCell, ManualClock]]


def opener(wiring: str) -> Opened:
    def open_cell(counts_at: Callable[[float], float], **options: object) -> tuple[LoadCell, ManualClock]:
        clock = ManualClock(100.0)
        return open_twin_load_cell(clock, counts_at, wiring=wiring, **options), clock  # type: ignore[arg-type]

    return open_cell


@pytest.fixture(params=["pins", "spi", "iio"])
def opened(request: pytest.FixtureRequest) -> Opened:
    return opener(request.param)


@pytest.fixture(params=["pins", "spi"])
def clocked(request: pytest.FixtureRequest) -> Opened:
    """The ways in which this program clocks the chip itself."""
    return opener(request.param)


@pytest.mark.parametrize("counts", [0, -1, 1, -2, 255, 8_388_606, -8_388_607, 0x400000, -0x400000])
def test_every_true_value_arrives(opened: Opened, counts: int) -> None:
    cell, _ = opened(lambda t_s: counts)
    outcomes = [cell.sample() for _ in range(5)]
    assert [outcome.counts for outcome in outcomes if isinstance(outcome, Sample)] == [counts] * 5


@pytest.mark.parametrize(("counts", "reason"), [(0x7FFFFF, "saturated_high"), (-0x800000, "saturated_low")])
def test_saturation_has_its_own_name(opened: Opened, counts: int, reason: str) -> None:
    cell, _ = opened(lambda t_s: counts)
    outcome = cell.sample()
    assert isinstance(outcome, ReadFailure)
    assert outcome.reason == reason


@pytest.mark.parametrize("rate_sps", [10, 80])
def test_samples_come_at_the_chips_rate_and_are_stamped_within_two_milliseconds(clocked: Opened, rate_sps: int) -> None:
    converted_s: list[float] = []

    def counts_at(t_s: float) -> float:
        converted_s.append(t_s)
        return 5.0

    cell, _ = clocked(counts_at, rate_sps=rate_sps)
    stamps = [outcome.t_s for outcome in (cell.sample() for _ in range(160))]
    assert (stamps[-1] - stamps[0]) / (len(stamps) - 1) == pytest.approx(1 / rate_sps, rel=0.001)
    late = [stamp - converted for stamp, converted in zip(stamps, converted_s, strict=False)]
    assert min(late) > -10e-6
    assert max(late) < 0.002


@pytest.mark.parametrize(("said", "strapped"), [(10, 80), (80, 10)])
def test_a_chip_strapped_to_the_other_rate_is_read_at_its_own(said: int, strapped: int) -> None:
    time = SimulatedTime(ManualClock(0.0))
    header = Header(time)
    wire_scale(header, Hx711Chip(lambda t_s: 5, rate_sps=strapped))
    cell = LoadCell(time, rate_sps=said, package=hx711_on(header))  # type: ignore[arg-type]
    stamps = [cell.sample().t_s for _ in range(120)][40:]
    assert (stamps[-1] - stamps[0]) / (len(stamps) - 1) == pytest.approx(1 / strapped, rel=0.01)


@pytest.mark.parametrize(("gain", "expected"), [(128, 100_000), (64, 50_000), (32, 0)])
def test_gain_and_channel_reach_the_chip_before_the_first_sample(clocked: Opened, gain: int, expected: int) -> None:
    cell, _ = clocked(lambda t_s: 100_000, gain=gain)
    outcomes = [cell.sample() for _ in range(4)]
    assert {outcome.counts for outcome in outcomes if isinstance(outcome, Sample)} == {expected}
    assert all(isinstance(outcome, Sample) for outcome in outcomes)


@pytest.mark.parametrize("mode", STALL_MODES)
@pytest.mark.parametrize(("probability", "duration_s"), [(0.005, 100e-6), (0.0005, 0.02), (0.002, 0.15)])
def test_no_stall_makes_a_number_that_was_never_there(
    clocked: Opened, mode: str, probability: float, duration_s: float
) -> None:
    truth = Truth()
    stalls = Stalls(probability=probability, duration_s=duration_s, where=STALL_MODES[mode])
    cell, _ = clocked(truth, rate_sps=80, stalls=stalls, seed=7)
    outcomes = [cell.sample() for _ in range(3_000)]
    read = [outcome.counts for outcome in outcomes if isinstance(outcome, Sample)]
    known = set(truth.converted)
    assert [counts for counts in read if counts not in known] == []
    assert len(read) == len(set(read)), "no conversion is read twice"
    assert len(read) > 2_500, "and most reads still succeed"


def test_the_plain_package_does_make_numbers_that_were_never_there() -> None:
    """The stalls are real: the package alone turns them into garbage (HARDWARE: 36 of 500)."""
    truth = Truth()
    time = SimulatedTime(ManualClock(100.0))
    header = Header(time, stalls=Stalls(0.005, where=STALL_MODES["clock low"]), seed=7)
    wire_scale(header, Hx711Chip(truth, rate_sps=80, start_s=100.0))
    plain = hx711_on(header).HX711(5, 6)
    read = [counts for counts in (plain._read() for _ in range(500)) if counts is not False]
    assert len([counts for counts in read if counts not in set(truth.converted)]) > 10


def test_without_a_chip_the_answer_is_no_in_under_two_simulated_seconds() -> None:
    clock = ManualClock(0.0)
    cell = open_twin_load_cell(clock, lambda t_s: 5, faults={"scale unplugged"})
    outcome = cell.sample()
    assert isinstance(outcome, ReadFailure)
    assert outcome.reason == "no_answer"
    assert outcome.t_s < 2.0


def test_a_data_line_at_ground_is_no_zero(opened: Opened) -> None:
    cell, _ = opened(lambda t_s: 5, faults={"data line shorted"})
    outcome = cell.sample()
    assert isinstance(outcome, ReadFailure)
    assert outcome.reason == "stuck_low"


def test_unplugged_and_plugged_in_again_while_running(opened: Opened) -> None:
    faults: set[str] = set()
    cell, _ = opened(lambda t_s: 77, faults=faults)
    assert isinstance(cell.sample(), Sample)
    faults.add("scale unplugged")
    assert isinstance(cell.sample(), ReadFailure)
    faults.clear()
    assert [outcome.counts for outcome in (cell.sample() for _ in range(3)) if isinstance(outcome, Sample)] == [77] * 3


def test_opening_takes_no_more_than_a_power_cycle() -> None:
    time = SimulatedTime(ManualClock(0.0))
    LoadCell(time, package=hx711_on(Header(time)))
    assert time.now_s() < 0.05


def test_polling_in_lockstep_reads_each_conversion_once_and_never_runs_ahead(clocked: Opened) -> None:
    truth = Truth()
    cell, clock = clocked(truth)
    read: list[int] = []
    for step in range(1, 1_000):
        clock.advance_to(100.0 + 0.01 * step)
        outcome = cell.poll()
        assert outcome is None or isinstance(outcome, Sample)
        if outcome is not None:
            assert outcome.t_s <= clock.now_s() + 0.03
            read.append(outcome.counts)
    assert read == truth.converted[: len(read)]
    assert len(read) == pytest.approx(95, abs=2)


def test_a_reader_polled_in_lockstep_tells_loss_and_return_and_all_samples_between(opened: Opened) -> None:
    faults: set[str] = set()
    cell, clock = opened(lambda t_s: 4_711, faults=faults)
    reader, told = ScaleReader(cell), []

    def live(duration_s: float) -> None:
        end_s = clock.now_s() + duration_s
        while clock.now_s() < end_s:
            clock.advance_to(clock.now_s() + 0.02)
            told.extend(reader.poll())

    live(2.0)
    faults.add("scale unplugged")
    live(3.0)
    faults.clear()
    live(2.0)
    assert [told_of.code for told_of in told if isinstance(told_of, DeviceHealth)] == [
        "scale_ok",
        "scale_absent",
        "scale_ok",
    ]
    assert {sample.counts for sample in told if isinstance(sample, Sample)} == {4_711}


def test_closed_the_chip_sleeps_and_the_pins_are_free_again() -> None:
    time = SimulatedTime(ManualClock(0.0))
    header = Header(time)
    chip = Hx711Chip(lambda t_s: 99)
    wire_scale(header, chip)
    package = hx711_on(header)
    for _ in range(2):
        cell = LoadCell(time, package=package)
        outcome = cell.sample()
        assert isinstance(outcome, Sample)
        assert outcome.counts == 99
        cell.close()
        assert chip.dout(time.now_s() + 5.0), "asleep: DOUT stays high"


def test_a_gpio_chip_that_cannot_be_opened_has_a_code_and_a_sentence() -> None:
    time = SimulatedTime(ManualClock(0.0))
    package = hx711_on(Header(time))
    lgpio = package.GPIO.lgpio

    def refused(number: int) -> int:
        raise lgpio.error("can not open gpiochip")

    lgpio.gpiochip_open = refused
    with pytest.raises(LoadCellError) as caught:
        LoadCell(time, package=package)
    assert caught.value.code == "scale_no_gpio"
    assert "can not open gpiochip" in str(caught.value)


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hx711", None)
    with pytest.raises(LoadCellError) as caught:
        LoadCell(ManualClock())
    assert caught.value.code == "scale_no_driver"
    assert "hx711" in str(caught.value)


def test_the_packages_endless_loop_is_closed() -> None:
    cell = open_twin_load_cell(ManualClock(0.0), lambda t_s: 5)
    with pytest.raises(NotImplementedError):
        cell._chip.get_raw_data()


@pytest.mark.skipif(Path("/proc/device-tree/system/linux,revision").exists(), reason="this is a Raspberry Pi")
def test_off_the_pi_the_real_cell_says_so() -> None:
    with pytest.raises(LoadCellError) as caught:
        LoadCell(ManualClock())
    assert caught.value.code in ("scale_no_gpio", "scale_no_driver")
    assert str(caught.value).endswith(".")


@pytest.mark.skipif(
    not Path("/proc/device-tree/system/linux,revision").exists() or importlib.util.find_spec("lgpio") is None,
    reason="needs a Raspberry Pi with an HX711 on pins 5 and 6",
)
def test_a_real_chip_answers() -> None:
    assert isinstance(LoadCell().sample(), Sample)


def test_a_bus_that_cannot_be_opened_has_a_code_and_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(LoadCellError) as caught:
        LoadCell(ManualClock(), open_bus=lambda: SpiDevice(tmp_path / "spidev0.0"))
    assert caught.value.code == "scale_no_bus"
    assert "group spi" in str(caught.value)


def test_a_bus_whose_first_transfer_fails_is_closed() -> None:
    """The scale's process opens it again every two seconds: a bus left open each time would use up its descriptors."""
    closed: list[bool] = []

    class Bus:
        def transfer(self, sent: bytes) -> bytes:
            raise OSError(errno.ETIMEDOUT, "Connection timed out")

        def close(self) -> None:
            closed.append(True)

    with pytest.raises(LoadCellError) as caught:
        LoadCell(ManualClock(), open_bus=Bus)
    assert caught.value.code == "scale_no_bus"
    assert closed == [True]


def test_a_closed_cell_lets_go_of_the_bus() -> None:
    closed: list[bool] = []

    class Bus:
        def transfer(self, sent: bytes) -> bytes:
            return b"\xff" * len(sent)

        def close(self) -> None:
            closed.append(True)

    LoadCell(ManualClock(), open_bus=Bus).close()
    assert closed == [True]


def test_what_goes_over_the_bus_is_twenty_five_pulses_each_ending_low() -> None:
    """24 bits and the pulse that asks for channel A at 128 (datasheet). A pause between bytes has SCK low."""
    sent: list[bytes] = []

    class Bus:
        def transfer(self, data: bytes) -> bytes:
            sent.append(data)
            return bytes(len(data)) if len(data) == 1 else b"\xff" * len(data)

        def close(self) -> None: ...

    LoadCell(ManualClock(), open_bus=Bus).poll()
    frame = "".join(f"{byte:08b}" for byte in sent[-1])
    assert frame == "10" * 25 + "000000"
    assert all(byte & 1 == 0 for byte in sent[-1])


@pytest.mark.parametrize("call", ["gpio_read", "gpio_write"])
def test_pins_that_fail_while_they_are_read_are_a_sentence_and_are_opened_anew(call: str) -> None:
    time = SimulatedTime(ManualClock(0.0))
    header = Header(time)
    wire_scale(header, Hx711Chip(lambda t_s: 77))
    package = hx711_on(header)
    cell = LoadCell(time, package=package)
    assert isinstance(cell.sample(), Sample)
    header.broken.add(call)
    with pytest.raises(LoadCellError) as caught:
        cell.sample()
    assert caught.value.code == "scale_pins_failed"
    assert "bad handle" in str(caught.value)
    cell.close()
    header.broken.clear()
    again = LoadCell(time, package=package)
    assert isinstance(again.sample(), Sample)
    assert header.open_chips == 1
