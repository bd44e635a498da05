"""Input pins on gpiozero. Each change has the time at which it happened, converted to the clock passed in."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from gpiozero import DigitalInputDevice

from hardware.clock import Clock

_OLDEST_TICK_S = 3600.0
"""A tick that seems older than this is of another clock: kernel timestamps arrive within milliseconds."""
_CLOCK_SLACK_S = 0.05
"""Longest time by which a tick may seem to lie in the future: clocks are read one after the other."""

_log = logging.getLogger(__name__)

REOPEN_PIN_AFTER_S = 5.0
"""Time between two attempts to open a pin that another program holds, in seconds."""


class StampedInput(DigitalInputDevice):  # type: ignore[misc]  # gpiozero is untyped
    """An active-low input with a pull-up, not debounced. Keep a reference: gpiozero holds its devices weakly.

    :param pin: BCM number.
    :param on_change: called as (second, active) on gpiozero's thread: it must enqueue and return.
    :param pin_factory: None selects gpiozero's default.
    """

    def __init__(
        self, pin: int, clock: Clock, on_change: Callable[[float, bool], None], *, pin_factory: Any = None
    ) -> None:
        self._clock, self._on_change = clock, on_change
        try:
            super().__init__(pin, pull_up=True, bounce_time=None, pin_factory=pin_factory)
        except Exception:
            # gpiozero reserves a pin before it opens it, and keeps it for as long as anything refers to this object.
            self.pin_factory.release_pins(self, pin)
            raise

    def close(self) -> None:
        """Release the pin. Remove the callback first: gpiozero's lgpio pins would go on calling it."""
        if getattr(self, "_pin", None) is not None:
            self.pin.when_changed = None
        super().close()

    def _pin_changed(self, ticks: float, state: int) -> None:
        self._on_change(self._stamp_s(ticks), bool(self._state_to_value(state)))
        super()._pin_changed(ticks, state)

    def _stamp_s(self, ticks: float) -> float:
        """Convert a kernel tick to seconds of the clock. A tick of another clock is taken as of now."""
        age_s = self.pin_factory.ticks_diff(self.pin_factory.ticks(), ticks)
        known = -_CLOCK_SLACK_S <= age_s <= _OLDEST_TICK_S
        return float(self._clock.now_s() - age_s) if known else self._clock.now_s()


def kept_listening(factory: Any) -> Any:
    """Return a gpiozero factory of lgpio pins after making its pins log the first error of their callbacks.

    `lgpio` delivers the edges of all pins on one thread, which ends for good with a callback's error. One error comes
    from gpiozero itself: an edge that was on its way while its pin was closed finds no handler.
    """
    pin_class: Any = factory.pin_class

    class EdgePin(pin_class):  # type: ignore[misc]  # gpiozero is untyped
        failed = False

        def _call_when_changed(self, chip: int, gpio: int, level: int, ticks: int) -> None:
            try:
                super()._call_when_changed(chip, gpio, level, ticks)
            except Exception:
                if not self.failed:  # a loose wire makes thousands of edges a second
                    self.failed = True
                    _log.exception("an edge of pin %d is lost", gpio)

    factory.pin_class = EdgePin
    return factory
