"""Driver of the break-beam sensors on gpiozero. It reports every edge with the kernel's timestamp, not debounced.

`beam_monitor` debounces the edges. gpiozero's own debounce is off: it delays timestamps and drops short breaks.
Receivers are open-collector with a pull-up, so a broken beam reads low. Production code passes lgpio's pin factory, so
that a missing library is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from hardware.beams.beam_monitor import BeamEdge
from hardware.clock import Clock
from hardware.gpio.stamped_input import StampedInput
from hardware.rig import Beam


class BeamError(RuntimeError):
    """The beams cannot be opened. `code` is a health code, the message one sentence that says what to do."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class BeamBreak(StampedInput):
    """One beam. Keep a reference for as long as you want edges.

    The level at the start is emitted as the first edge, so that a beam that is never clear is detected.

    :param pin: BCM number.
    :param beam: its name in the rig (`front`, `back`).
    :param emit: called on gpiozero's thread: it must enqueue and return.
    :param pin_factory: None selects gpiozero's default.
    """

    def __init__(
        self, pin: int, beam: str, clock: Clock, emit: Callable[[BeamEdge], None], *, pin_factory: Any = None
    ) -> None:
        super().__init__(pin, clock, lambda t_s, broken: emit(BeamEdge(t_s, beam, broken)), pin_factory=pin_factory)
        emit(BeamEdge(clock.now_s(), beam, bool(self.is_active)))


def open_beams(
    beams: Iterable[Beam], clock: Clock, emit: Callable[[BeamEdge], None], *, pin_factory: Any = None
) -> list[BeamBreak]:
    """Open all beams of a rig. The caller closes each with its `close()`.

    :raises BeamError: `beams_no_driver`: there is no GPIO library. `beams_no_gpio`: there is no GPIO or a pin is in
        use. In both cases no beam stays open.
    """
    opened: list[BeamBreak] = []
    try:
        for beam in beams:
            opened += [BeamBreak(beam.pin, beam.name, clock, emit, pin_factory=pin_factory)]
    except Exception as error:  # lgpio's own error, for a pin that another program holds, is a bare Exception
        for beam_break in opened:
            beam_break.close()
        code = "beams_no_driver" if isinstance(error, ImportError) else "beams_no_gpio"
        raise BeamError(
            code, f"The beams cannot be opened ({error}); check the pins in the rig file and that lgpio is installed."
        ) from None
    return opened
