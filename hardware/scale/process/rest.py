"""Detects counts at rest, so that samples can be batched. Pure: it takes timestamped counts and owns no timer.

While no load is put on or taken off the pan, samples are sent in batches, because each delivery wakes another process.
After a movement samples are sent at once, for as long as a mass takes to settle.
"""

from __future__ import annotations

from hardware.scale.load_cell import SD_OF_STEP, Sample

AWAKE_S = 8.0
"""Time after a movement in which samples are sent one by one: a landing, and the longest time to settle (4 s)."""
HOLD_S = 0.4
"""The longest time that a sample waits."""

_GATE_SD = 4.8
"""Just below the gate of the weighing (`WeighingLimits.gate_sd`), so that every movement it detects is sent at once."""
_GATE_COUNTS = 2.0
_MEAN_GAIN = 0.1
_STEP_GAIN = 0.02
_FIRST_STEPS = 5


class CountRestDetector:
    """Detects rest: for `AWAKE_S` no count deviated from the mean by more than the noise explains."""

    def __init__(self) -> None:
        self._samples = 0
        self._mean = self._last = self._step = 0.0
        self._awake_until_s = 0.0

    def rests(self, sample: Sample) -> bool:
        """Process the next sample; return whether the counts are at rest."""
        counts = float(sample.counts)
        self._samples += 1
        if self._samples == 1:
            self._mean = self._last = counts
            self._awake_until_s = sample.t_s + AWAKE_S
            return False
        step, self._last = abs(counts - self._last), counts
        if abs(counts - self._mean) > _GATE_SD * SD_OF_STEP * self._step + _GATE_COUNTS:
            self._mean = counts
            self._awake_until_s = sample.t_s + AWAKE_S
        else:
            self._mean += _MEAN_GAIN * (counts - self._mean)
        if self._samples > _FIRST_STEPS:
            step = min(step, 3 * self._step + _GATE_COUNTS)  # the step of a load is not noise
        self._step += max(_STEP_GAIN, 1 / self._samples) * (step - self._step)
        return sample.t_s >= self._awake_until_s
