"""Merges the scale's health as its driver and its weighing report it: a fault of the driver takes precedence."""

from __future__ import annotations

import msgspec

from hardware.readings import DeviceHealth

_BROKEN = ("faulty", "absent")


class ScaleWord:
    """Keeps the newest health of each, so that a report of one does not hide a fault of the other."""

    def __init__(self) -> None:
        self._driver: DeviceHealth | None = None
        self._weighing: DeviceHealth | None = None

    def of_driver(self, said: DeviceHealth) -> DeviceHealth:
        """Return the scale's health after a new report of its driver."""
        self._driver = said
        return self._now(said)

    def of_weighing(self, said: DeviceHealth) -> DeviceHealth:
        """Return the scale's health after a new report of its weighing."""
        self._weighing = said
        return self._now(said)

    def _now(self, said: DeviceHealth) -> DeviceHealth:
        for one in (self._driver, self._weighing):
            if one is not None and one.status in _BROKEN:
                return msgspec.structs.replace(one, t_s=said.t_s)
        return said
