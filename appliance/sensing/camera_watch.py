"""Notices a camera whose driver hangs: neither frames nor a report of its health come.

The thread that reads the camera reports what the driver reports. It cannot report a call that never returns.
"""

from __future__ import annotations

import msgspec

from hardware.readings import DeviceHealth

STUCK_S = 10.0
"""Seconds without a frame after which the driver hangs. Drivers that answer report their own silence after 2 s, and
need up to 4 s for each picture of a still. An idle camera sends two frames a second."""
OPENING_S = 30.0
"""Seconds after `camera_starting` without a report after which the driver hangs. Picamera2 may take 6 s to open once
it is loaded. No limit is known for USB drivers."""


class CameraWatch:
    """Keeps when the camera must be heard next. Times are seconds of the table's clock.

    :param speed: clock seconds per real second; the limits are real seconds.
    """

    def __init__(self, speed: float) -> None:
        self._speed = speed
        self._limit_s = float("inf")
        self._heard_s = 0.0
        self._said: DeviceHealth | None = None
        self._stuck = False

    def reported(self, said: DeviceHealth, now_s: float) -> None:
        """Note what the driver reports. Only a start must be followed by something."""
        self._said, self._stuck, self._heard_s = said, False, now_s
        self._limit_s = OPENING_S if said.code == "camera_starting" else float("inf")

    def frame(self, now_s: float) -> DeviceHealth | None:
        """Note a frame. Return the driver's last report if the camera was reported as stuck."""
        was_stuck, self._stuck, self._heard_s, self._limit_s = self._stuck, False, now_s, STUCK_S
        return msgspec.structs.replace(self._said, t_s=now_s) if was_stuck and self._said is not None else None

    def deaf(self, now_s: float) -> None:
        """Note that nothing could be heard until `now_s`."""
        self._heard_s = now_s

    def tick(self, now_s: float) -> DeviceHealth | None:
        """Return the health to report when the driver hangs, once."""
        if self._stuck or now_s - self._heard_s < self._limit_s * self._speed:
            return None
        self._stuck = True
        return DeviceHealth(t_s=now_s, device="camera", status="faulty", code="camera_stuck")
