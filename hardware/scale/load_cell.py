"""Driver of the load cell: an HX711 on two pins (PyPI package `hx711`, corrected), an SPI bus or the kernel's driver.

The package needs `RPi.GPIO` (on current systems `rpi-lgpio`), which can be imported only on a Raspberry Pi. It is
therefore imported when a cell is opened. The simulated table passes in the same package on simulated pins and simulated
time.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any, Literal

import msgspec

from hardware.clock import Clock, MonotonicClock
from hardware.gpio.lgpio_folder import LgpioFolderError, import_on_lgpio
from hardware.scale.chip.driver_in_kernel import KernelGainError, KernelHX711
from hardware.scale.chip.driver_on_bus import SpiBus, SpiHX711
from hardware.scale.chip.driver_on_pins import Reason, patched_driver

READY_TIMEOUT_S = 0.6
"""Time limit for a conversion: six periods at 10 samples a second. Powering up takes 0.4 s (HX711 datasheet)."""

SD_OF_STEP = 0.886
"""Standard deviation of white noise per mean absolute step between two samples, √π / 2."""

Rate = Literal[10, 80]
Gain = Literal[32, 64, 128]


class Sample(msgspec.Struct, frozen=True):
    """One conversion: the monotonic second at which it was ready, and signed counts, −8388607 … 8388606."""

    t_s: float
    counts: int


class ReadFailure(msgspec.Struct, frozen=True):
    """A read without a value, and why.

    `reason`: no_answer (data line never went low), stalled (a clock pulse or the frame took too long, or fresh data
    ran into it), stuck_low (data line did not go back high), too_quick (the kernel's driver cannot follow the chip),
    saturated_high / saturated_low (input out of range).
    """

    t_s: float
    reason: Reason

    @property
    def saturated(self) -> bool:
        """Whether the chip answered with an input out of range."""
        return self.reason in ("saturated_high", "saturated_low")


class ReadCounters(msgspec.Struct, frozen=True):
    """Counters since the cell was opened: frames read, and frames refused because a clock pulse took too long.

    A refused frame also costs the conversions until the chip has settled again.
    """

    t_s: float
    read: int
    refused: int


class LoadCellError(RuntimeError):
    """The cell cannot be opened or read. `code` is a health code, the message one sentence that says what to do."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class LoadCell:
    """One HX711 on two pins, an SPI bus or the kernel's driver, read conversion by conversion.

    A disturbed frame gives no value: the chip is powered down and up, and the next conversion is read. SCK high for
    more than 60 µs powers the chip down (HX711 datasheet), and a retry in mid-frame would read shifted bits.

    :param clock: clock of the samples' timestamps.
    :param dout_pin: BCM number of the data pin.
    :param sck_pin: BCM number of the clock pin.
    :param rate_sps: how the chip's RATE pin is strapped, 10 or 80 samples per second.
    :param gain: 128 or 64 reads channel A, 32 reads channel B.
    :param package: the `hx711` module to build on; None imports the installed one.
    :param open_bus: opens the SPI bus that the chip is wired to. The pins and the package are then not used.
    :param open_kernel: opens the kernel's driver, which owns the pins. Arguments: the conversions' period, s, and
        `timing`.
    :param timing: the `time` module, or simulated time; on pins, the package's time is used.
    :raises LoadCellError: the package, its GPIO library, the GPIO chip, the bus or the kernel's driver is missing.
    """

    def __init__(
        self,
        clock: Clock | None = None,
        *,
        dout_pin: int = 5,
        sck_pin: int = 6,
        rate_sps: Rate = 10,
        gain: Gain = 128,
        package: ModuleType | None = None,
        open_bus: Callable[[], SpiBus] | None = None,
        open_kernel: Callable[[float, Any], KernelHX711] | None = None,
        timing: Any = time,
    ) -> None:
        self._clock: Clock = MonotonicClock() if clock is None else clock
        self._chip: Any
        self._period_s = 1.0 / rate_sps
        self._time = timing
        self._lost: Callable[[Any], LoadCellError] = _bus_error
        self._failures: tuple[type[Exception], ...] = (OSError,)
        # With the kernel's driver the kernel polls the data line, and `KernelHX711` judges a conversion's age.
        self._watches_line = open_kernel is None
        if open_kernel is not None:
            self._lost = _kernel_error
            self._chip = _in_kernel(open_kernel, self._period_s, timing)
        elif open_bus is not None:
            self._chip = _on_bus(open_bus, gain, timing)
        else:
            module = _import_package() if package is None else package
            self._failures, self._lost = _pin_failures(module), _pins_error
            self._chip, self._time = _on_pins(module, dout_pin, sck_pin, gain), module.time
        self._earlier_than_said = self._read = self._refused = 0
        self._waiting_since_s = self._clock.now_s()
        self._expected_s = self._waiting_since_s
        self._seen_high_s = self._time.perf_counter()

    def poll(self) -> Sample | ReadFailure | None:
        """Return the next conversion or failure, or None when none is ready yet. It never waits longer than 30 ms.

        Call it at least twice per conversion. If a conversion may have waited so long that the next one overwrote it
        within the frame, it is dropped: its bits may be of both.

        :raises LoadCellError: the pins, the bus or the kernel's driver are gone.
        """
        try:
            return self._polled()
        except self._failures as error:
            raise self._lost(error) from None

    def _polled(self) -> Sample | ReadFailure | None:
        now_s = self._clock.now_s()
        asked_s = self._time.perf_counter()
        outcome: int | Reason | None
        ready = self._chip.ready()
        outcome = self._chip.frame() if ready else None
        if not self._watches_line:
            now_s = self._clock.now_s()
        if ready:
            waited_s = self._chip.ended_s - self._seen_high_s
            if self._watches_line and waited_s >= 0.85 * self._period_s and isinstance(outcome, int):
                outcome = None
            self._seen_high_s = self._chip.ended_s
            self._expected_s = now_s + 0.7 * self._period_s
        elif now_s - self._waiting_since_s > READY_TIMEOUT_S:
            outcome = "no_answer"
        else:
            self._seen_high_s = asked_s
            return None
        if outcome in ("no_answer", "stalled", "stuck_low", "too_quick"):
            self._chip.restart()
            self._seen_high_s = self._time.perf_counter()
            self._expected_s = now_s
        self._waiting_since_s = self._clock.now_s()
        if outcome is None:
            return None
        if isinstance(outcome, int):
            self._read += 1
            return Sample(now_s, outcome)
        self._refused += outcome == "stalled"
        return ReadFailure(now_s, outcome)

    def sample(self, tries: int = 3) -> Sample | ReadFailure:
        """Wait for the next conversion and return it, or the last failure after `tries` attempts (1.9 s for 3)."""
        outcome: Sample | ReadFailure | None = None
        for _ in range(tries):
            outcome = self._next()
            if isinstance(outcome, Sample) or outcome.saturated:
                break
        assert outcome is not None
        return outcome

    def _next(self) -> Sample | ReadFailure:
        early_s = self._expected_s - self._clock.now_s()
        if early_s > 0:
            self._time.sleep(early_s)
        outcome = self.poll()
        self._earlier_than_said = self._earlier_than_said + 1 if outcome is not None and early_s > 0 else 0
        if self._earlier_than_said == 10:
            self._period_s = 1.0 / 80  # the chip's RATE pin is strapped to 80 samples a second
        while outcome is None:
            self._time.sleep(0.001)
            outcome = self.poll()
        return outcome

    def counters(self) -> ReadCounters:
        """Return the numbers of frames read and refused so far."""
        return ReadCounters(self._clock.now_s(), self._read, self._refused)

    def close(self) -> None:
        """Release the pins or the bus. On pins the chip is powered down, unless they are gone."""
        with contextlib.suppress(*self._failures):
            self._chip.close()


def _pin_failures(module: ModuleType) -> tuple[type[Exception], ...]:
    """Return what the pins may raise. lgpio's own error is none of Python's kinds."""
    return (OSError, RuntimeError, module.GPIO.lgpio.error)


def _on_pins(module: ModuleType, dout_pin: int, sck_pin: int, gain: Gain) -> Any:
    try:
        return patched_driver(module)(dout_pin, sck_pin, gain)
    except _pin_failures(module) as error:
        raise LoadCellError(
            "scale_no_gpio", f"The GPIO chip cannot be opened ({error}); is this user in the group gpio?"
        ) from None


def _pins_error(error: Exception) -> LoadCellError:
    return LoadCellError(
        "scale_pins_failed",
        f"The scale's pins cannot be read any more ({error}); end what else uses them, or restart the machine.",
    )


def _on_bus(open_bus: Callable[[], SpiBus], gain: Gain, timing: Any) -> SpiHX711:
    try:
        bus = open_bus()
        try:
            return SpiHX711(bus, gain, timing)
        except OSError:
            bus.close()
            raise
    except OSError as error:
        raise _bus_error(error) from None


def _bus_error(error: OSError) -> LoadCellError:
    return LoadCellError(
        "scale_no_bus", f"The SPI bus cannot be used ({error.strerror}); switch it on and join the group spi."
    )


def _in_kernel(open_kernel: Callable[[float, Any], KernelHX711], period_s: float, timing: Any) -> KernelHX711:
    try:
        return open_kernel(period_s, timing)
    except (OSError, ValueError) as error:
        raise _kernel_error(error) from None


def _kernel_error(error: Exception) -> LoadCellError:
    if isinstance(error, KernelGainError):
        return LoadCellError(
            "scale_kernel_gain", f"The kernel reads the HX711 at another gain than 128 ({error}); restart the machine."
        )
    return LoadCellError(
        "scale_no_kernel_driver",
        f"The kernel has no HX711 driver at work ({error}); load its overlay, or set scale_wiring to pins.",
    )


def _import_package() -> ModuleType:
    try:
        return import_on_lgpio("hx711")
    except ImportError as error:
        missing = error.name or "RPi.GPIO"
        raise LoadCellError(
            "scale_no_driver", f"The Python package {missing} is missing; install hx711 and rpi-lgpio."
        ) from None
    except LgpioFolderError as error:
        raise LoadCellError("scale_no_folder", f"The scale cannot be opened: {error}.") from None
    except (RuntimeError, OSError) as error:
        raise LoadCellError("scale_no_gpio", f"There are no GPIO pins to read a scale from ({error}).") from None
