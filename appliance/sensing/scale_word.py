"""How the scale is, where its driver and its weighing both say so: a fault of the wires goes before one of the load."""

from __future__ import annotations

import msgspec

from hardware.readings import DeviceHealth

_BROKEN = ("faulty", "absent")


class ScaleWord:
    """Keeps the newest word of each, so that neither covers what the other still finds."""

    def __init__(self) -> None:
        self._driver: DeviceHealth | None = None
        self._weighing: DeviceHealth | None = None

    def of_driver(self, said: DeviceHealth) -> DeviceHealth:
        """Return how the scale is, now that its driver has said something new."""
        self._driver = said
        return self._now(said)

    def of_weighing(self, said: DeviceHealth) -> DeviceHealth:
        """Return how the scale is, now that its weighing has said something new."""
        self._weighing = said
        return self._now(said)

    def _now(self, said: DeviceHealth) -> DeviceHealth:
        for one in (self._driver, self._weighing):
            if one is not None and one.status in _BROKEN:
                return msgspec.structs.replace(one, t_s=said.t_s)
        return said
