"""The PyPI package `hx711` with its faults corrected, as a subclass of its own driver."""

from __future__ import annotations

import logging
import math
from types import ModuleType
from typing import Any, Literal

Reason = Literal["no_answer", "stalled", "stuck_low", "too_quick", "saturated_high", "saturated_low"]

SCK_HIGH_LIMIT_S = 60e-6
"""A longer clock pulse powers the chip down (HX711 datasheet)."""

SETTING_PULSES = {128: 1, 32: 2, 64: 3}
"""Gain → clock pulses after the 24 data bits that select it (HX711 datasheet, table 3)."""


def patched_driver(module: ModuleType) -> Any:
    """Return a subclass of the package's `HX711` with its faults corrected.

    The faults: the constructor reads twice and sleeps for a second; without a chip it loops for ever; 0 and −1 are
    dropped; saturation looks like a failed read; retries read shifted bits; a 10 ms poll cannot keep up with 80
    samples a second; `logging.debug` on the root logger installs a handler there.

    Pins are claimed through `rpi-lgpio`. They are clocked through its lgpio handle, with one C call per level, because
    its own `output` first queries the pin's mode: on a slow processor SCK then stays high for longer than the chip
    allows (waveform80/rpi-lgpio#2).
    """
    gpio: Any = module.GPIO
    lgpio: Any = gpio.lgpio
    timing: Any = module.time
    module.__dict__["logging"] = logging.getLogger("hx711")

    driver: Any = module.HX711

    class PatchedHX711(driver):  # type: ignore[misc]  # the package is untyped
        def __init__(self, dout_pin: int, sck_pin: int, gain: int) -> None:
            self._pulses = SETTING_PULSES[gain]
            self.ended_s = timing.perf_counter()
            super().__init__(dout_pin, sck_pin, gain=64 if gain == 64 else 128, channel="B" if gain == 32 else "A")
            self.restart()

        def _apply_setting(self) -> bool:
            return True  # the pulses at the end of every frame transmit the setting

        def get_raw_data(self, times: int = 5) -> list[int]:
            raise NotImplementedError("loops for ever without a chip; use LoadCell.sample()")

        def restart(self) -> None:
            self.power_down()
            self.power_up()
            self._frames_in_old_setting = 0 if self._pulses == 1 else 1

        def ready(self) -> bool:
            return bool(lgpio.gpio_read(gpio._chip, self._dout) == 0)

        def frame(self) -> int | Reason | None:
            """Clock one conversion out: signed counts, a reason of failure, or None for one with the old setting."""
            outcome = self._frame()
            if self._frames_in_old_setting and isinstance(outcome, int):
                self._frames_in_old_setting = 0
                return None
            return outcome

        def _frame(self) -> int | Reason:
            handle, data, sck = gpio._chip, self._dout, self._pd_sck
            write, read, now = lgpio.gpio_write, lgpio.gpio_read, timing.perf_counter
            self.ended_s = now()
            bits, longest_s, quickest_s = 0, 0.0, math.inf
            for pulse in range(24 + self._pulses):
                raised_s = now()
                write(handle, sck, 1)
                write(handle, sck, 0)
                pair_s = now() - raised_s
                longest_s, quickest_s = max(longest_s, pair_s), min(quickest_s, pair_s)
                if pulse < 24:
                    bits = (bits << 1) | read(handle, data)
            self.ended_s = now()
            if high_at_most_s(longest_s, quickest_s) >= SCK_HIGH_LIMIT_S:
                return "stalled"
            if read(handle, data) == 0:
                return "stuck_low"
            return counts_of(bits)

        def close(self) -> None:
            """Power the chip down and release the pins; if that fails, the GPIO chip too, which is then opened anew."""
            try:
                self.power_down()
                gpio.cleanup([self._dout, self._pd_sck])
            except Exception:  # lgpio's own error is none of Python's kinds
                handle, gpio._chip = gpio._chip, None
                lgpio.gpiochip_close(handle)
                raise

    return PatchedHX711


def counts_of(bits: int) -> int | Reason:
    """Convert the 24 bits of a frame to signed counts, or to the reason that the input is out of range."""
    if bits == 0x7FFFFF:
        return "saturated_high"
    if bits == 0x800000:
        return "saturated_low"
    return bits - (1 << 24) if bits & 0x800000 else bits


def high_at_most_s(longest_s: float, quickest_s: float) -> float:
    """Return an upper bound of the time that SCK was high in a frame's longest pair of calls that raise and lower it.

    SCK rises within the first call and falls within the second. Both calls take the same time. So on any processor half
    of the quickest pair lies before the rise and after the fall, and does not count as high time.
    """
    return longest_s - quickest_s / 2
