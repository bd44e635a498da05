"""Merges a device's health as its driver and its judge report it: a fault of the driver takes precedence.

The scale's judge is its weighing, the camera's is what its frames show.
"""

from __future__ import annotations

import msgspec

from hardware.readings import DeviceHealth

_BROKEN = ("faulty", "absent")


class DeviceWord:
    """Keeps the newest health of each, because each reports changes alone, and none may hide a fault of the other."""

    def __init__(self) -> None:
        self._driver: DeviceHealth | None = None
        self._judge: DeviceHealth | None = None

    def of_driver(self, said: DeviceHealth) -> DeviceHealth:
        """Return the device's health after a new report of its driver."""
        self._driver = said
        return self._now(said)

    def of_judge(self, said: DeviceHealth) -> DeviceHealth:
        """Return the device's health after a new report of its judge."""
        self._judge = said
        return self._now(said)

    def _now(self, said: DeviceHealth) -> DeviceHealth:
        for one in (self._driver, self._judge):
            if one is not None and one.status in _BROKEN:
                return msgspec.structs.replace(one, t_s=said.t_s)
        if said is self._driver and said.status == "ok" and self._judge is not None:
            return msgspec.structs.replace(self._judge, t_s=said.t_s)
        return said
