"""Opens the beams of a rig, and tries again while another program holds one of their pins."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any

from hardware.beams.beam_break import BeamBreak, BeamError, open_beams
from hardware.beams.beam_monitor import BeamEdge
from hardware.clock import Clock
from hardware.gpio.stamped_input import REOPEN_PIN_AFTER_S
from hardware.rig import Beam


class BeamOpener:
    """The beams of a rig, opened as soon as their pins are free. Feed time by `tick`. Any thread may call it.

    :param report: called once with the health code if the beams cannot be opened at once.
    """

    def __init__(
        self,
        beams: Iterable[Beam],
        clock: Clock,
        emit: Callable[[BeamEdge], None],
        report: Callable[[str], None],
        *,
        pin_factory: Any,
    ) -> None:
        self._beams, self._clock, self._emit, self._pin_factory = tuple(beams), clock, emit, pin_factory
        self._lock = threading.Lock()
        self._opened: list[BeamBreak] = []
        self._due_s: float | None = None
        """When they are opened next; None: they are open, or closed for good."""
        if (code := self._open()) is not None:
            report(code)

    def tick(self, now_s: float) -> None:
        """Try again when it is time."""
        with self._lock:
            if self._due_s is not None and now_s >= self._due_s:
                self._open()

    def close(self) -> None:
        """Release the pins, and open none any more."""
        with self._lock, ExitStack() as closing:
            self._due_s = None
            for beam in self._opened:
                closing.callback(beam.close)

    def _open(self) -> str | None:
        try:
            self._opened = open_beams(self._beams, self._clock, self._emit, pin_factory=self._pin_factory)
        except BeamError as error:
            self._due_s = self._clock.now_s() + REOPEN_PIN_AFTER_S
            return error.code
        self._due_s = None
        return None
