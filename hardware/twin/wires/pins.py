"""Simulated header pins for gpiozero: the real device classes run on them, stamped by the clock passed in."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from gpiozero.pins.mock import MockFactory, MockPin, MockPWMPin

from hardware.clock import Clock

PIN_FAULTS: dict[str, str] = {
    "beam inverted": "the front beam is wired the wrong way round: clear reads as broken",
    "beam dead": "the front beam never breaks: its lamp or its wire is gone",
}
"""Fault name → one line of help."""


class _Pin(MockPWMPin):  # type: ignore[misc]  # gpiozero is untyped
    """A mock pin stamped by the simulation, whose level a wire may hold against the pull."""

    wired = False
    edge_s: float | None = None

    def _set_pull(self, value: str) -> None:
        level: bool = self._get_state()
        super()._set_pull(value)
        if self.wired:
            self._state = level

    def _call_when_changed(self) -> None:
        ticks = self.factory.ticks() if self.edge_s is None else self.edge_s
        super(MockPin, self)._call_when_changed(ticks, self._state)


class _Factory(MockFactory):  # type: ignore[misc]  # gpiozero is untyped
    """A pin factory whose ticks are the simulation's seconds, as LGPIOFactory's are the kernel's."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(pin_class=_Pin)
        self._clock = clock

    def ticks(self) -> float:
        """Return the clock's second."""
        return self._clock.now_s()


class SimulatedPins:
    """The pins of one simulated table. Give `factory` to the drivers as their `pin_factory`.

    :param faults: the names of `PIN_FAULTS` that are on now; asked at every `drive` and `refresh`.
    :param faulty_pins: which BCM pin each fault is at.
    """

    def __init__(
        self, clock: Clock, *, faults: Container[str] = (), faulty_pins: Mapping[str, int] | None = None
    ) -> None:
        self.factory = _Factory(clock)
        self._faults = faults
        self._faulty_pins = dict.fromkeys(PIN_FAULTS, 17) if faulty_pins is None else dict(faulty_pins)
        self._driven_low: dict[int, bool] = {}

    def drive(self, pin: int, low: bool, t_s: float | None = None) -> None:
        """Pull input `pin` (BCM) low or let it go, now or at the second `t_s` just past."""
        self._driven_low[pin] = low
        self._apply(pin, t_s)

    def refresh(self, t_s: float | None = None) -> None:
        """Let faults that were switched on or off show on pins that did not move."""
        for pin in {**dict.fromkeys(self._faulty_pins.values(), False), **self._driven_low}:
            self._driven_low.setdefault(pin, False)
            self._apply(pin, t_s)

    def _apply(self, number: int, t_s: float | None) -> None:
        low = self._driven_low[number]
        if "beam inverted" in self._faults and self._faulty_pins.get("beam inverted") == number:
            low = not low
        if "beam dead" in self._faults and self._faulty_pins.get("beam dead") == number:
            low = False
        pin: Any = self.factory.pin(number)
        pin.wired = True
        pin.edge_s = t_s
        if low:
            pin.drive_low()
        else:
            pin.drive_high()

    def level(self, pin: int) -> float:
        """Return what an output `pin` (BCM) shows: 0 … 1, between them its PWM share."""
        return float(self.factory.pin(pin).state)

    def frequency_hz(self, pin: int) -> float | None:
        """Return the tone on an output `pin` (BCM), or None when it is silent."""
        frequency = self.factory.pin(pin).frequency
        return None if frequency is None else float(frequency)

    def close(self) -> None:
        """Forget all pins."""
        self.factory.reset()
