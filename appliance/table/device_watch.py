"""Tracks device health and reports the faults that every screen shows: the cause, and how to go on by hand."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType

from appliance.snapshot import DeviceFault
from hardware.readings import SENSES, Device, DeviceHealth

DOUBTS = frozenset({"camera_marker_hidden"})
"""Health codes that are shown although the device works."""
GOES_ON = "goes_on"
"""`by_hand` for a device in doubt: play goes on as before."""


class DeviceWatch:
    """Keeps the newest health of each device, and which devices were ever present."""

    def __init__(self) -> None:
        self._health: dict[Device, DeviceHealth] = {}
        self._came: set[Device] = set()

    @property
    def health(self) -> Mapping[Device, DeviceHealth]:
        """The newest health of each device."""
        return MappingProxyType(self._health)

    def take(self, health: DeviceHealth) -> bool:
        """Store a reading. Return whether the device's status or codes are new."""
        known = self._health.get(health.device)
        if health.status != "absent":
            self._came.add(health.device)
        if known is not None and (known.status, known.codes) == (health.status, health.codes):
            return False
        self._health[health.device] = health
        return True

    def faults(self, used: Collection[Device]) -> tuple[DeviceFault, ...]:
        """Return the faults of the devices in `used`. Devices that were never present are left out: a label says so."""
        return tuple(
            fault
            for device in SENSES
            if device in used and device in self._health and (fault := self._fault(self._health[device])) is not None
        )

    def _fault(self, health: DeviceHealth) -> DeviceFault | None:
        device = health.device
        if health.status == "faulty" or (health.status == "absent" and device in self._came):
            return DeviceFault(device=device, codes=health.codes, by_hand=self._by_hand(device))
        doubts = tuple(code for code in health.codes if code in DOUBTS)
        if health.status == "ok" and doubts:
            return DeviceFault(device=device, codes=doubts, by_hand=GOES_ON, doubtful=True)
        return None

    def _by_hand(self, device: Device) -> str:
        """Return how to go on by hand. Without beams, a working camera judges rolls alone."""
        camera = self._health.get("camera")
        sees = camera is not None and camera.status == "ok"
        return "beams_camera" if device == "beams" and sees else device
