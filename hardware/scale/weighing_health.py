"""Health of the weighing: its codes, reported on change, and detection of faults in raw counts."""

from __future__ import annotations

import math

from hardware.readings import DeviceHealth, Status
from hardware.scale.load_cell import SD_OF_STEP
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
    "scale_humming": "ok",
    "scale_residue": "ok",
    "scale_bumped": "ok",
}
"""Every health code of the weighing, with its status. Codes with status `ok` are notices: weighing continues."""

_RAILED_SAMPLES = 3
_FROZEN_BITS = 40.0
_FEWEST_REPEATS = 8
_NEVER_MOVED_SAMPLES = 300
_STEPS, _FEWEST_STEPS = 100, 20
"""Number of steps between samples in the running mean, and the least number for an estimate of the noise."""


class HealthReporter:
    """Reports the scale's health when it changes."""

    def __init__(self) -> None:
        self._code = ""

    def report(self, t_s: float, code: str) -> list[DeviceHealth]:
        """Return a reading for the code, or nothing if it was the last one reported."""
        if code == self._code:
            return []
        self._code = code
        return [DeviceHealth(t_s=t_s, device="scale", status=HEALTH[code], code=code)]


class CountFaultDetector:
    """Detects faults of wire and chip in raw counts: saturation, and a value that never changes.

    A value counts as frozen when the observed noise, halved as a safety margin, explains the repeats with a chance of
    at most 2⁻⁴⁰. At 10 samples a second, a frozen scale with 30 counts of noise is detected within a second, one with 1
    count after 10 s. A quieter scale is hardly ever detected, because it may stay at one value.

    :param white_counts: white noise of one sample at calibration. It is used for a scale that has not changed since the
        start.
    """

    def __init__(self, white_counts: float) -> None:
        self._noisy = white_counts >= 1.0
        self._step = 0.0
        self._steps = self._railed = self._same = 0
        self._last = math.nan

    def check(self, counts: float) -> tuple[bool, str | None]:
        """Process one sample; return whether it must not be used, and the health code to report, if any."""
        railed = counts >= COUNTS_MAX or counts <= COUNTS_MIN
        self._railed = self._railed + 1 if railed else 0
        if counts == self._last:
            self._same += 1
        else:
            if not math.isnan(self._last):
                self._learn(abs(counts - self._last))
            self._same = 0
        self._last = counts
        if railed:
            return True, "scale_saturated" if self._railed >= _RAILED_SAMPLES else None
        return (True, "scale_frozen") if self._is_frozen() else (False, None)

    def _learn(self, step: float) -> None:
        """Update the mean step between two samples, in counts, with the repeats that have ended and the step after."""
        if self._steps >= _FEWEST_STEPS:
            step = min(step, 4 * self._step + 1)  # the step of a load is not noise
        for size in (*[0.0] * min(self._same, _STEPS), step):
            self._steps = min(self._steps + 1, _STEPS)
            self._step += (size - self._step) / self._steps

    def _is_frozen(self) -> bool:
        if self._same < _FEWEST_REPEATS:
            return False
        if self._steps < _FEWEST_STEPS:
            return self._steps == 0 and self._noisy and self._same >= _NEVER_MOVED_SAMPLES
        halved = max(SD_OF_STEP * self._step / 2, 1e-3)
        bits_per_repeat = -math.log2(math.erf(0.5 / (halved * math.sqrt(2))))
        return self._same * bits_per_repeat >= _FROZEN_BITS
