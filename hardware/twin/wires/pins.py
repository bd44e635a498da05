"""Simulated header pins for gpiozero. The real device classes run on them, with timestamps of the clock passed in."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from gpiozero.pins.mock import MockFactory, MockPin, MockPWMPin

from hardware.clock import Clock

PIN_FAULTS: dict[str, str] = {
    "beam inverted": "the front beam is wired the wrong way round: clear reads as broken",
    "beam dead": "the front beam never breaks: its lamp or its wire is gone",
    "beam blocked": "something lies in the front beam",
    "beam flickers": "the front beam is badly aligned: it flickers",
    "back beam dead": "the back beam never breaks: its lamp or its wire is gone",
}
"""Fault name → one line of help."""
FRONT_PIN, BACK_PIN = 17, 27
FLICKER_HZ = 11.0
"""Breaks per second of a flickering beam."""


class _Pin(MockPWMPin):  # type: ignore[misc]  # gpiozero is untyped
    """A mock pin with timestamps of the simulation. A wire may hold its level against the pull."""

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
    """A pin factory whose ticks are seconds of the simulation, as those of LGPIOFactory are of the kernel."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(pin_class=_Pin)
        self._clock = clock

    def ticks(self) -> float:
        """Return the time of the clock in seconds."""
        return self._clock.now_s()


class SimulatedPins:
    """The pins of one simulated table. Give `factory` to the drivers as their `pin_factory`.

    :param faults: the names of `PIN_FAULTS` that are on now; it is read at every `drive` and `refresh`.
    """

    def __init__(self, clock: Clock, *, faults: Container[str] = ()) -> None:
        self.factory = _Factory(clock)
        self._faults = faults
        self._faulty_pins = {fault: BACK_PIN if fault.startswith("back") else FRONT_PIN for fault in PIN_FAULTS}
        self._driven_low: dict[int, bool] = {}

    def drive(self, pin: int, low: bool, t_s: float | None = None) -> None:
        """Pull input `pin` (BCM) low or release it, now or at the recent second `t_s`."""
        self._driven_low[pin] = low
        self._apply(pin, t_s)

    def refresh(self, t_s: float | None = None) -> None:
        """Apply the present faults to all pins, also to those that were not driven."""
        for pin in {**dict.fromkeys(self._faulty_pins.values(), False), **self._driven_low}:
            self._driven_low.setdefault(pin, False)
            self._apply(pin, t_s)

    @property
    def flickers(self) -> bool:
        """Whether a pin changes by itself, so that `refresh` must be called continually."""
        return "beam flickers" in self._faults

    def _apply(self, number: int, t_s: float | None) -> None:
        low = self._driven_low[number]
        here = {fault for fault, pin in self._faulty_pins.items() if pin == number and fault in self._faults}
        if "beam flickers" in here:
            now_s = self.factory.ticks() if t_s is None else t_s
            low |= int(2 * FLICKER_HZ * now_s) % 2 == 1
        low |= "beam blocked" in here
        if "beam inverted" in here:
            low = not low
        if here & {"beam dead", "back beam dead"}:
            low = False
        pin: Any = self.factory.pin(number)
        pin.wired = True
        pin.edge_s = t_s
        if low:
            pin.drive_low()
        else:
            pin.drive_high()

    def level(self, pin: int) -> float:
        """Return the level of an output `pin` (BCM): 0, 1 or, in between, its PWM duty cycle."""
        return float(self.factory.pin(pin).state)

    def frequency_hz(self, pin: int) -> float | None:
        """Return the PWM frequency of an output `pin` (BCM), or None when it is silent."""
        frequency = self.factory.pin(pin).frequency
        return None if frequency is None else float(frequency)

    def close(self) -> None:
        """Release all pins."""
        self.factory.reset()
