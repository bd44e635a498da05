"""Keeps edges coming: `lgpio` delivers those of all pins on one thread, which ends for good with a callback's error."""

from __future__ import annotations

import logging
from typing import Any

_log = logging.getLogger(__name__)


def kept_listening(factory: Any) -> Any:
    """Return a gpiozero factory of lgpio pins after making its pins log the first error of their callbacks.

    One error comes from gpiozero itself: an edge that was on its way while its pin was closed finds no handler.
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
