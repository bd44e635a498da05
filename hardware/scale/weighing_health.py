"""Health of the weighing: its codes, each reported once, and faults that raw counts show."""

from __future__ import annotations

import math

from hardware.readings import DeviceHealth, Status
from hardware.scale.scale_model import COUNTS_MAX, COUNTS_MIN

HEALTH: dict[str, Status] = {
    "scale_ok": "ok",
    "scale_silent": "absent",
    "scale_saturated": "faulty",
    "scale_frozen": "faulty",
    "scale_overloaded": "faulty",
    "scale_shaking": "faulty",
    "scale_below_zero": "faulty",
    "scale_not_empty_at_start": "starting",
    "scale_warming_up": "ok",
    "scale_residue": "ok",
    "scale_bumped": "ok",
}
"""Every health code of the weighing, with its status. `ok` codes are remarks: weighing goes on."""

_RAILED_SAMPLES = 3


class HealthReporter:
    """Reports the scale's health when it changes."""

    def __init__(self) -> None:
        self._code = ""

    def report(self, t_s: float, code: str) -> list[DeviceHealth]:
        """Return the reading of a code, or nothing when it was the last one reported."""
        if code == self._code:
            return []
        self._code = code
        return [DeviceHealth(t_s=t_s, device="scale", status=HEALTH[code], code=code)]


class CountFaultDetector:
    """Detects faults of wire and chip in raw counts: end stops, and a value that never changes.

    :param white_counts: white noise of one sample; a scale quieter than one count may repeat one value for ever.
    :param frozen_samples: how often a noisy scale repeats a value before it counts as frozen.
    """

    def __init__(self, white_counts: float, frozen_samples: int) -> None:
        self._noisy, self._frozen_samples = white_counts >= 1.0, frozen_samples
        self._railed = self._same = 0
        self._last = math.nan

    def check(self, counts: float) -> tuple[bool, str | None]:
        """Take one sample; return whether it must not be used, and the health code to report, if any."""
        railed = counts >= COUNTS_MAX or counts <= COUNTS_MIN
        self._railed = self._railed + 1 if railed else 0
        self._same = self._same + 1 if counts == self._last else 0
        self._last = counts
        if railed:
            return True, "scale_saturated" if self._railed >= _RAILED_SAMPLES else None
        if self._noisy and self._same >= self._frozen_samples:
            return True, "scale_frozen"
        return False, None
