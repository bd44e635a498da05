"""gpiozero's own lgpio pins on a simulated header."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hardware.clock import Clock
from hardware.twin.wires.fake_lgpio import Header, SimulatedTime, load_privately


@contextmanager
def lgpio_pins(clock: Clock) -> Iterator[tuple[Any, Header]]:
    """Yield a pin factory, and the header under it."""
    lived = SimulatedTime(clock)
    header = Header(lived)
    module = load_privately("gpiozero.pins.lgpio", lgpio=header.module())

    class Factory(module.LGPIOFactory):
        def _get_revision(self) -> int:
            return 0xC04170

        @staticmethod
        def ticks() -> float:
            return lived.now_s()

    factory = Factory(chip=0)
    try:
        yield factory, header
    finally:
        header.taken.clear()
        factory.close()
        factory._reservations.clear()
