"""An HX711 behind the kernel's own driver (`drivers/iio/adc/hx711.c`): one read of a file is one conversion.

The kernel clocks the chip with interrupts off, so a busy processor cannot disturb a frame. It polls for the next
conversion every 10 to 30 ms (slower processors poll more slowly). After a hundred polls without a conversion it powers
the chip down and up. After a hundred more the read fails; this takes 2 to 6 s. The kernel does not check that DOUT went
back high, so a shorted wire reads as 0 counts, without a wait. The only evidence of a conversion's age is how long the
read waited.
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
"""A read that took less than this did not wait; the kernel sleeps at least 10 ms between polls."""
_IN_A_ROW = 3
_AFTER_FAILURE_S = 0.1


class KernelGainError(OSError):
    """The kernel's driver is set to another gain than 128."""


class KernelDevice(Protocol):
    """Source of conversions: the kernel's file."""

    def read(self) -> int:
        """Wait for the next conversion, 6 s at most, and return the kernel's number, 0 … 2²⁴ − 1.

        :raises OSError: EIO: the chip does not answer. ENODEV or ENOENT: the driver is gone.
        :raises ValueError: the file holds no number.
        """
        ...


class SysfsDevice:
    """The kernel's HX711 in sysfs.

    :raises FileNotFoundError: the kernel has no HX711: its module is not loaded, or has no pins.
    :raises KernelGainError: another gain than 128 is set.
    """

    def __init__(self, devices: Path = DEVICES) -> None:
        names = sorted(devices.glob("*/name"))
        found = next((name.parent for name in names if name.read_text(encoding="ascii").strip() == NAME), None)
        if found is None:
            raise FileNotFoundError(f"no {NAME} in {devices}")
        # The smallest scale, in mV per count, belongs to the highest gain.
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

    :param period_s: time between two conversions: 0.1, as the kernel cannot keep up with 80 per second.
    :param timing: the `time` module, or simulated time.
    :param ahead: whether a separate thread reads, so that `ready` never waits. Otherwise `ready` is always true, and
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
        """Do nothing: the kernel powers the chip down and up."""

    def ready(self) -> bool:
        """Return whether the outcome of a read is available."""
        return self._outcomes is None or not self._outcomes.empty()

    def frame(self) -> int | Reason | None:
        """Return the outcome of the read: signed counts, a reason of failure, or None for a conversion of unknown age.

        :raises OSError: the driver is gone.
        """
        self.ended_s, outcome = self._read() if self._outcomes is None else self._outcomes.get()
        if isinstance(outcome, OSError):
            raise outcome
        return outcome

    def close(self) -> None:
        """Start no more reads. A read in progress ends by itself."""
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
        """Read once; return the second at which the read ended, and the outcome."""
        asked_s = self._timing.perf_counter()
        try:
            number = self._device.read()
        except FileNotFoundError as error:
            return self._timing.perf_counter(), error
        except OSError as error:
            gone = error.errno == errno.ENODEV
            return self._timing.perf_counter(), error if gone else "no_answer"
        except ValueError:
            return self._timing.perf_counter(), "no_answer"
        ended_s = self._timing.perf_counter()
        return ended_s, self._judge(number, ended_s - asked_s)

    def _judge(self, number: int, waited_s: float) -> int | Reason | None:
        """Classify a number by how long the read waited for it.

        A conversion after a wait of 0.5 to 1.5 periods is fresh. Without a wait it may be old. After a longer wait, the
        next conversion may have run into its frame. A healthy chip cannot answer three successive reads without a wait.
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
