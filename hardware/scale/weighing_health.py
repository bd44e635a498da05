"""What the counts alone say of the scale, and each thing that is odd about it said once."""

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
"""Every health code of the scale, with its status. `ok` codes are remarks: weighing goes on."""

_RAILED_SAMPLES = 3


class HealthReporter:
    """Says each state of the scale once, when it becomes another."""

    def __init__(self) -> None:
        self._code = ""

    def tell(self, t_s: float, code: str) -> list[DeviceHealth]:
        """Return the reading of a state, or nothing when it was the last one said."""
        if code == self._code:
            return []
        self._code = code
        return [DeviceHealth(t_s=t_s, device="scale", status=HEALTH[code], code=code)]


class CountFaultDetector:
    """Faults of the wire and the chip that raw counts show: end stops, and a value that never changes.

    :param white_counts: white noise of one sample; a scale quieter than one count may rest on one value for ever.
    :param frozen_samples: how often a noisy scale repeats a value before it is called frozen.
    """

    def __init__(self, white_counts: float, frozen_samples: int) -> None:
        self._noisy, self._frozen_samples = white_counts >= 1.0, frozen_samples
        self._railed = self._same = 0
        self._last = math.nan

    def judge(self, counts: float) -> tuple[bool, str | None]:
        """Take one sample; return whether it is of no use, and the health code it gives cause for."""
        railed = counts >= COUNTS_MAX or counts <= COUNTS_MIN
        self._railed = self._railed + 1 if railed else 0
        self._same = self._same + 1 if counts == self._last else 0
        self._last = counts
        if railed:
            return True, "scale_saturated" if self._railed >= _RAILED_SAMPLES else None
        if self._noisy and self._same >= self._frozen_samples:
            return True, "scale_frozen"
        return False, None
