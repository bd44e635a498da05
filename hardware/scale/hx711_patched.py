"""The PyPI package `hx711` with its faults corrected, as a subclass of its own driver."""

from __future__ import annotations

import logging
from types import ModuleType
from typing import Any, Literal

Reason = Literal["no_answer", "stalled", "stuck_low", "saturated_high", "saturated_low"]

SCK_HIGH_LIMIT_S = 60e-6
"""A longer clock pulse powers the chip down (HX711 datasheet)."""

_SETTING_PULSES = {128: 1, 32: 2, 64: 3}
"""Gain → clock pulses after the 24 data bits that select it (HX711 datasheet, table 3)."""


def patched_driver(module: ModuleType) -> Any:
    """Return a subclass of the package's `HX711` with its faults corrected.

    The faults: the constructor reads twice and sleeps for a second; without a chip it loops for ever; 0 and −1 are
    dropped; saturation looks like a failed read; retries read shifted bits; a 10 ms poll cannot keep up with 80
    samples a second; `logging.debug` on the root logger installs a handler there.
    """
    gpio: Any = module.GPIO
    timing: Any = module.time
    module.__dict__["logging"] = logging.getLogger("hx711")

    driver: Any = module.HX711

    class PatchedHX711(driver):  # type: ignore[misc]  # the package is untyped
        def __init__(self, dout_pin: int, sck_pin: int, gain: int) -> None:
            self._pulses = _SETTING_PULSES[gain]
            self.ended_s = timing.perf_counter()
            super().__init__(dout_pin, sck_pin, gain=64 if gain == 64 else 128, channel="B" if gain == 32 else "A")
            self.restart()

        def _apply_setting(self) -> bool:
            return True  # the setting goes out with the pulses that end every frame

        def get_raw_data(self, times: int = 5) -> list[int]:
            raise NotImplementedError("loops for ever without a chip; use LoadCell.sample()")

        def restart(self) -> None:
            self.power_down()
            self.power_up()
            self._frames_in_old_setting = 0 if self._pulses == 1 else 1

        def ready(self) -> bool:
            return bool(gpio.input(self._dout) == 0)

        def frame(self) -> int | Reason | None:
            """Clock one conversion out: signed counts, a reason of failure, or None for one made in the old setting."""
            outcome = self._frame()
            if self._frames_in_old_setting and isinstance(outcome, int):
                self._frames_in_old_setting = 0
                return None
            return outcome

        def _frame(self) -> int | Reason:
            data, sck = self._dout, self._pd_sck
            self.ended_s = timing.perf_counter()
            bits = 0
            for pulse in range(24 + self._pulses):
                raised_s = timing.perf_counter()
                gpio.output(sck, True)
                gpio.output(sck, False)
                if timing.perf_counter() - raised_s >= SCK_HIGH_LIMIT_S:
                    return "stalled"
                if pulse < 24:
                    bits = (bits << 1) | gpio.input(data)
            self.ended_s = timing.perf_counter()
            if gpio.input(data) == 0:
                return "stuck_low"
            if bits == 0x7FFFFF:
                return "saturated_high"
            if bits == 0x800000:
                return "saturated_low"
            return bits - (1 << 24) if bits & 0x800000 else bits

    return PatchedHX711
