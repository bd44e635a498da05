"""Beam-breaks on gpiozero: every edge with the kernel's own stamp, nothing filtered (`beam_judge` does that).

Receivers are open-collector, pulled up: broken is low. The library's own debounce is off, because it delays stamps and
swallows short breaks. In production set `GPIOZERO_PIN_FACTORY=lgpio`, so that a missing library fails loudly.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from gpiozero import DigitalInputDevice, GPIOZeroError

from hardware.beam_watch import BeamEdge
from hardware.clock import Clock
from hardware.rig import Beam

_OLDEST_TICK_S = 10.0
_CLOCK_SLACK_S = 0.05


class BeamError(RuntimeError):
    """The beams cannot be opened. `code` is a health code, the message one sentence that says what to do."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class BeamBreak(DigitalInputDevice):  # type: ignore[misc]  # gpiozero is untyped
    """One beam. Keep a reference for as long as edges are wanted: gpiozero holds its devices weakly.

    The level found at the start is told as the first edge, so that a beam which is never clear can be named.

    :param pin: BCM number.
    :param beam: its name in the rig.
    :param emit: called on gpiozero's thread: it must enqueue and return.
    :param pin_factory: None takes gpiozero's default.
    """

    def __init__(
        self, pin: int, beam: str, clock: Clock, emit: Callable[[BeamEdge], None], *, pin_factory: Any = None
    ) -> None:
        self._beam, self._clock, self._emit = beam, clock, emit
        super().__init__(pin, pull_up=True, bounce_time=None, pin_factory=pin_factory)
        self._emit(BeamEdge(clock.now_s(), beam, bool(self.is_active)))

    def _pin_changed(self, ticks: float, state: int) -> None:
        self._emit(BeamEdge(self._stamp_s(ticks), self._beam, bool(self._state_to_value(state))))
        super()._pin_changed(ticks, state)

    def _stamp_s(self, ticks: float) -> float:
        """Return the clock's second of a kernel tick; kernels before 5.7 stamp with the wall clock."""
        factory = self.pin_factory
        for now in (factory.ticks(), time.time()):
            age_s = factory.ticks_diff(now, ticks)
            if -_CLOCK_SLACK_S <= age_s <= _OLDEST_TICK_S:
                return float(self._clock.now_s() - age_s)
        return self._clock.now_s()


def open_beams(
    beams: Iterable[Beam], clock: Clock, emit: Callable[[BeamEdge], None], *, pin_factory: Any = None
) -> list[BeamBreak]:
    """Open all beams of a rig; close each with its `close()`.

    :raises BeamError: there is no GPIO here, or a pin is taken; none stays open.
    """
    opened: list[BeamBreak] = []
    try:
        for beam in beams:
            opened += [BeamBreak(beam.pin, beam.name, clock, emit, pin_factory=pin_factory)]
    except (GPIOZeroError, OSError, ImportError) as error:
        for beam_break in opened:
            beam_break.close()
        code = "beams_no_driver" if isinstance(error, ImportError) else "beams_no_gpio"
        raise BeamError(
            code, f"The beams cannot be opened ({error}); check the pins in the rig file and that lgpio is installed."
        ) from None
    return opened
