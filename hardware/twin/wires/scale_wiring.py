"""The scale's driver on simulated wires: the same `LoadCell`, with a chip model behind its pins or bus.

Lockstep play passes a `ManualClock`: nothing sleeps, and the driver is polled as the simulation advances. The demo
passes a running clock, and gives a `ScaleProcess` an `OpenTwinCell` whose `TwinLoad` is shared with the child.
"""

from __future__ import annotations

import errno
import mmap
import os
import time
import weakref
from collections.abc import Callable, Container, Sequence
from typing import Literal

import msgspec

from hardware.clock import Clock, ManualClock
from hardware.scale.chip.driver_in_kernel import KernelHX711
from hardware.scale.chip.driver_on_bus import SPI_HZ
from hardware.scale.load_cell import Gain, LoadCell, Rate
from hardware.twin.wires.chip import CHIP_FAULTS, Hx711Chip
from hardware.twin.wires.fake_lgpio import Header, SimulatedTime, Stalls, hx711_on
from hardware.twin.world.scale_cell import ScaleCell, force_g

DOUT_PIN, SCK_PIN = 5, 6
TRANSFER_S = 30e-6
"""Time that the kernel needs to set up a transfer."""


class _DataWire:
    """DOUT, driven by the chip."""

    def __init__(self, chip: Hx711Chip) -> None:
        self._chip = chip

    def read(self, t_s: float) -> bool:
        return self._chip.dout(t_s)

    def write(self, high: bool, t_s: float) -> None:
        raise AssertionError("the data pin is an input")


class _ClockWire:
    """PD_SCK, driven by the Pi."""

    def __init__(self, chip: Hx711Chip) -> None:
        self._chip = chip
        self._high = False

    def read(self, t_s: float) -> bool:
        return self._high

    def write(self, high: bool, t_s: float) -> None:
        self._high = high
        self._chip.set_sck(high, t_s)


def wire_scale(header: Header, chip: Hx711Chip) -> None:
    """Connect a chip to the default pins of a simulated Pi."""
    header.plug(DOUT_PIN, _DataWire(chip))
    header.plug(SCK_PIN, _ClockWire(chip))


class TwinSpiBus:
    """An SPI bus in mode 0 with a chip on it: MOSI is its clock pin, and MISO is read in the middle of each bit."""

    def __init__(self, chip: Hx711Chip, time: SimulatedTime) -> None:
        self._chip, self._time = chip, time

    def transfer(self, sent: bytes) -> bytes:
        """Send bytes and return the bytes that were read meanwhile."""
        read = 0
        for bit in (byte >> place & 1 for byte in sent for place in range(7, -1, -1)):
            self._chip.set_sck(bool(bit), self._time.perf_counter())
            self._time.spend(0.5 / SPI_HZ)
            read = read << 1 | int(self._chip.dout(self._time.perf_counter()))
            self._time.spend(0.5 / SPI_HZ)
        self._time.spend(TRANSFER_S)
        return read.to_bytes(len(sent), "big")

    def close(self) -> None:
        """Do nothing. The chip stays powered up, because MOSI idles low."""


class TwinKernelDevice:
    """The kernel's driver with a chip on its pins. It does the steps of `drivers/iio/adc/hx711.c`.

    :param faults: `driver unbound` unbinds the driver from its device.
    """

    _LOOKS, _SLEEP_S, _HALF_PULSE_S = 100, 0.020, 2.5e-6
    """msleep(10) lasts up to 20 ms on a kernel with 250 ticks a second. SCK keeps each level for 2.5 µs (400 kHz)."""

    def __init__(self, chip: Hx711Chip, time: SimulatedTime, faults: Container[str] = ()) -> None:
        self._chip, self._time, self._faults = chip, time, faults

    def read(self) -> int:
        """Wait for the next conversion and return the kernel's number."""
        if "driver unbound" in self._faults:
            raise OSError(errno.ENODEV, "No such device")
        if not self._comes():
            self._drive(True, self._SLEEP_S)
            self._drive(False, 0.0)
            if not self._comes():
                raise OSError(errno.EIO, "Input/output error")
        number = 0
        for pulse in range(25):
            self._drive(True, self._HALF_PULSE_S)
            self._drive(False, self._HALF_PULSE_S)
            if pulse < 24:
                number = number << 1 | int(self._chip.dout(self._time.perf_counter()))
        return number ^ 0x800000

    def _comes(self) -> bool:
        for _ in range(self._LOOKS):
            if not self._chip.dout(self._time.perf_counter()):
                return True
            self._time.sleep(self._SLEEP_S)
        return False

    def _drive(self, high: bool, lasting_s: float) -> None:
        self._chip.set_sck(high, self._time.perf_counter())
        self._time.spend(lasting_s)


class TwinLoad:
    """Shared memory for the scale's process: the last changes of the load on the pan, and the faults.

    Create it before the process starts. There must be only one writer. A reader never gets partly written changes.
    """

    _CHANGES = 3
    _SIZE_BYTES = 8 * (2 * _CHANGES + 2)

    def __init__(self, path: str | None = None) -> None:
        """Create the memory, or open that of another process by its path."""
        if path is None:
            fd = os.memfd_create("twin-load")
            os.ftruncate(fd, self._SIZE_BYTES)
        else:
            fd = os.open(path, os.O_RDWR)
        weakref.finalize(self, os.close, fd)
        self._path = f"/proc/{os.getpid()}/fd/{fd}"
        memory = memoryview(mmap.mmap(fd, self._SIZE_BYTES))
        self._changes = memory[:-16].cast("d")
        self._numbers = memory[-16:].cast("Q")
        """How often changes were begun or finished, and the bits of the faults."""

    def __reduce__(self) -> tuple[type[TwinLoad], tuple[str]]:
        return TwinLoad, (self._path,)

    def set_changes(self, changes: Sequence[tuple[float, float]]) -> None:
        """Publish the last changes of load: (second, grams on the pan from then on), in order, the newest last."""
        kept = list(changes)[-self._CHANGES :]
        kept = [kept[0]] * (self._CHANGES - len(kept)) + kept
        self._numbers[0] += 1
        for place, number in enumerate(number for change in kept for number in change):
            self._changes[place] = number
        self._numbers[0] += 1

    def set_mass_g(self, mass_g: float) -> None:
        """Publish a constant load."""
        self.set_changes([(0.0, mass_g)])

    def set_faults(self, names: Container[str]) -> None:
        """Switch on exactly the `CHIP_FAULTS` that are in `names`."""
        self._numbers[1] = sum(1 << bit for bit, name in enumerate(CHIP_FAULTS) if name in names)

    def load_g(self, t_s: float) -> float:
        """Return the force on the pan at `t_s`, in grams."""
        while True:
            before = self._numbers[0]
            numbers = self._changes.tolist()
            if before % 2 == 0 and self._numbers[0] == before:
                return force_g(list(zip(numbers[::2], numbers[1::2], strict=True)), t_s)

    def __contains__(self, name: object) -> bool:
        return any(name == known and self._numbers[1] >> bit & 1 for bit, known in enumerate(CHIP_FAULTS))


class OpenTwinCell(msgspec.Struct, frozen=True, kw_only=True):
    """Opens the twin's load cell in a `ScaleProcess` child. The load comes through shared memory."""

    load: TwinLoad
    seed: int = 0
    rate_sps: Rate = 10

    def __call__(self, clock: Clock, /) -> LoadCell:
        """Open the cell."""
        cell = ScaleCell(self.load.load_g, seed=self.seed, start_s=clock.now_s())
        return open_twin_load_cell(clock, cell.counts_at, faults=self.load, rate_sps=self.rate_sps, seed=self.seed)


def open_twin_load_cell(
    clock: Clock,
    counts_at: Callable[[float], float],
    *,
    faults: Container[str] = (),
    rate_sps: Rate = 10,
    gain: Gain = 128,
    noise_counts: float = 0.0,
    seed: int = 0,
    stalls: Stalls | None = None,
    wiring: Literal["pins", "spi", "iio"] = "pins",
) -> LoadCell:
    """Return the real driver on a simulated chip that is powered up now.

    :param clock: with a `ManualClock` nothing sleeps; with any other clock the driver sleeps to keep pace.
    :param counts_at: returns the counts at gain 128 of the conversion that ends at a simulated second.
    :param faults: names of `CHIP_FAULTS` that are on; it is read at every use.
    :param noise_counts: white noise that the chip adds, if `counts_at` includes none.
    :param stalls: delays between the driver's calls, for `pins` only.
    :param wiring: two pins, an SPI bus or the kernel's driver.
    """
    wait: Callable[[float], None] | None
    if isinstance(clock, ManualClock):
        wait = None
    else:
        speed = clock.speed

        def wait(duration_s: float) -> None:
            time.sleep(duration_s / speed)

    lived = SimulatedTime(clock, wait)
    chip = Hx711Chip(
        counts_at, rate_sps=rate_sps, noise_counts=noise_counts, seed=seed, faults=faults, start_s=lived.now_s()
    )
    if wiring == "spi":
        bus = TwinSpiBus(chip, lived)
        return LoadCell(lived, rate_sps=rate_sps, gain=gain, open_bus=lambda: bus, timing=lived)
    if wiring == "iio":
        device = TwinKernelDevice(chip, lived, faults)
        return LoadCell(
            lived,
            rate_sps=rate_sps,
            gain=gain,
            open_kernel=lambda period_s, timing: KernelHX711(device, period_s, timing, ahead=False),
            timing=lived,
        )
    header = Header(lived, stalls=stalls, seed=seed)
    wire_scale(header, chip)
    return LoadCell(lived, dout_pin=DOUT_PIN, sck_pin=SCK_PIN, rate_sps=rate_sps, gain=gain, package=hx711_on(header))
