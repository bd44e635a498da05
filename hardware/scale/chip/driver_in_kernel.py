"""An HX711 behind the kernel's own driver (`drivers/iio/adc/hx711.c`): one read of a file is one conversion.

The kernel clocks the chip with interrupts off, so no busy processor disturbs a frame. It looks for the next conversion
every 10 to 30 ms, the slower the processor, and powers the chip down and up when none came within a hundred looks. A
read that sees none within a hundred more fails, after 2 to 6 s. It does not look whether DOUT went back high: a shorted
wire reads as 0 counts, at once. What it tells of a conversion's age is how long the read waited.
"""

from __future__ import annotations

import errno
import queue
import threading
from pathlib import Path
from typing import Any, Protocol

from hardware.scale.chip.driver_on_pins import Reason, counts_of

DEVICES = Path("/sys/bus/iio/devices")
NAME = "hx711"

_RAW, _SCALE, _SCALES = "in_voltage0_raw", "in_voltage_scale", "in_voltage0_scale_available"
_MIDDLE = 0x800000
"""The kernel's numbers are unsigned: 0 counts are half of 2²⁴."""
_AT_ONCE_S = 0.005
"""A quicker read waited for nothing; the kernel sleeps 10 ms at least before it looks again."""
_IN_A_ROW = 3
_AFTER_FAILURE_S = 0.1


class KernelGainError(OSError):
    """The kernel's driver is set to another gain than 128."""


class KernelDevice(Protocol):
    """The file of conversions."""

    def read(self) -> int:
        """Wait for the next conversion, 6 s at most, and return the kernel's number, 0 … 2²⁴ − 1.

        :raises OSError: EIO, the chip does not answer; ENODEV or ENOENT, the driver is gone.
        """
        ...


class SysfsDevice:
    """The kernel's HX711 in sysfs.

    :raises FileNotFoundError: the kernel has none; its module is not loaded, or knows no pins.
    :raises KernelGainError: somebody set another gain.
    """

    def __init__(self, devices: Path = DEVICES) -> None:
        names = sorted(devices.glob("*/name"))
        found = next((name.parent for name in names if name.read_text(encoding="ascii").strip() == NAME), None)
        if found is None:
            raise FileNotFoundError(f"no {NAME} in {devices}")
        # A count is worth least, in mV, at the highest gain.
        least_mv = min(float(scale) for scale in (found / _SCALES).read_text(encoding="ascii").split())
        if float((found / _SCALE).read_text(encoding="ascii")) > least_mv:
            raise KernelGainError(f"{found / _SCALE} is not {least_mv:.9f}")
        self._raw = found / _RAW

    def read(self) -> int:
        """Wait for the next conversion and return the kernel's number."""
        return int(self._raw.read_text(encoding="ascii"))


def open_kernel(period_s: float, timing: Any) -> KernelHX711:
    """Open the kernel's HX711 in this machine's sysfs, for `LoadCell`.

    :raises OSError: as `SysfsDevice`.
    """
    return KernelHX711(SysfsDevice(), period_s, timing)


class KernelHX711:
    """The chip behind the kernel, as `LoadCell` reads it.

    :param period_s: between two conversions; 0.1, as the kernel cannot follow 80 a second.
    :param timing: the `time` module, or simulated time.
    :param ahead: whether a thread of its own reads, so that `ready` never waits; else `ready` is always true, and
        `frame` waits.
    """

    def __init__(self, device: KernelDevice, period_s: float, timing: Any, *, ahead: bool = True) -> None:
        self._device, self._period_s, self._timing = device, period_s, timing
        self._at_once = self._quick = 0
        self._closing = threading.Event()
        self.ended_s: float = timing.perf_counter()
        self._outcomes: queue.SimpleQueue[tuple[float, int | Reason | OSError | None]] | None = None
        if ahead:
            self._outcomes = queue.SimpleQueue()
            threading.Thread(target=self._read_ahead, args=(self._outcomes,), name="scale-kernel", daemon=True).start()

    def restart(self) -> None:
        """Leave the chip's power to the kernel, which sees to it."""

    def ready(self) -> bool:
        """Whether a read has ended."""
        return self._outcomes is None or not self._outcomes.empty()

    def frame(self) -> int | Reason | None:
        """Return what the read told: signed counts, a reason of failure, or None for a conversion of unknown age.

        :raises OSError: the driver is gone.
        """
        self.ended_s, outcome = self._read() if self._outcomes is None else self._outcomes.get()
        if isinstance(outcome, OSError):
            raise outcome
        return outcome

    def close(self) -> None:
        """Read no more; a read that the kernel is at ends by itself."""
        self._closing.set()

    def _read_ahead(self, outcomes: queue.SimpleQueue[tuple[float, int | Reason | OSError | None]]) -> None:
        while not self._closing.is_set():
            told = self._read()
            outcomes.put(told)
            if isinstance(told[1], OSError):
                return
            if isinstance(told[1], str):
                self._closing.wait(_AFTER_FAILURE_S)

    def _read(self) -> tuple[float, int | Reason | OSError | None]:
        """Read once; return when it ended, and the outcome."""
        asked_s = self._timing.perf_counter()
        try:
            number = self._device.read()
        except FileNotFoundError as error:
            return self._timing.perf_counter(), error
        except OSError as error:
            gone = error.errno == errno.ENODEV
            return self._timing.perf_counter(), error if gone else "no_answer"
        ended_s = self._timing.perf_counter()
        return ended_s, self._judge(number, ended_s - asked_s)

    def _judge(self, number: int, waited_s: float) -> int | Reason | None:
        """Judge a number by how long it was waited for.

        A conversion that was waited for is fresh. One that was there at once may be old, and one that took too long may
        have been there until the next ran into its frame. A healthy chip cannot answer three reads in a row at once.
        """
        self._at_once = self._at_once + 1 if waited_s < _AT_ONCE_S else 0
        self._quick = self._quick + 1 if _AT_ONCE_S <= waited_s < self._period_s / 2 else 0
        if self._at_once >= _IN_A_ROW:
            self._at_once = 0
            return "stuck_low"
        if self._quick >= _IN_A_ROW:
            return "too_quick"
        fresh = 0.5 * self._period_s <= waited_s < 1.5 * self._period_s
        return counts_of(number ^ _MIDDLE) if fresh else None
