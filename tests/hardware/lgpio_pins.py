"""gpiozero's own lgpio pins on a simulated header."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from hardware.clock import Clock
from hardware.gpio.stamped_input import kept_listening
from hardware.twin.wires.fake_lgpio import Header, SimulatedTime, load_privately


def factories(header: Header) -> Callable[[], Any]:
    """Return a function that opens a pin factory on a header, as often as it is called."""
    lived = header.time
    module = load_privately("gpiozero.pins.lgpio", lgpio=header.module())

    class Factory(module.LGPIOFactory):  # type: ignore[misc, name-defined]  # gpiozero has no types
        def _get_revision(self) -> int:
            return 0xC04170

        @staticmethod
        def ticks() -> float:
            return lived.now_s()

    return lambda: kept_listening(Factory(chip=0))


@contextmanager
def lgpio_pins(clock: Clock) -> Iterator[tuple[Any, Header]]:
    """Yield a pin factory, and the header under it."""
    header = Header(SimulatedTime(clock))
    factory = factories(header)()
    try:
        yield factory, header
    finally:
        header.taken.clear()
        factory.close()
        factory._reservations.clear()
