"""Whether the counts of a scale rest, and what may wait while they do. Pure: it takes stamped counts and owns no timer.

While nothing lands on the pan or leaves it, samples travel several at a time: each delivery wakes another process. What
moves is passed on at once, and so is all that comes in the seconds after it, in which a mass settles.
"""

from __future__ import annotations

from hardware.scale.load_cell import Sample

AWAKE_S = 8.0
"""Samples go out one by one for so long after a movement: a landing, and the longest time to settle (4 s)."""
HOLD_S = 0.4
"""The longest time that a sample waits."""

_GATE_SD = 4.8
"""Just below the gate of the weighing (`WeighingLimits.gate_sd`): what it calls movement was passed on at once."""
_GATE_COUNTS = 2.0
_MEAN_GAIN = 0.1
_STEP_GAIN = 0.02
_FIRST_STEPS = 5
_SD_OF_STEP = 0.886
"""Standard deviation of white noise per mean absolute step between two samples, √π / 2."""


class RestDetector:
    """Tells whether the counts rest: none was beyond the noise of those before it for `AWAKE_S`."""

    def __init__(self) -> None:
        self._samples = 0
        self._mean = self._last = self._step = 0.0
        self._awake_until_s = 0.0

    def rests(self, sample: Sample) -> bool:
        """Take the next sample; return whether nothing moves."""
        counts = float(sample.counts)
        self._samples += 1
        if self._samples == 1:
            self._mean = self._last = counts
            self._awake_until_s = sample.t_s + AWAKE_S
            return False
        step, self._last = abs(counts - self._last), counts
        if abs(counts - self._mean) > _GATE_SD * _SD_OF_STEP * self._step + _GATE_COUNTS:
            self._mean = counts
            self._awake_until_s = sample.t_s + AWAKE_S
        else:
            self._mean += _MEAN_GAIN * (counts - self._mean)
        if self._samples > _FIRST_STEPS:
            step = min(step, 3 * self._step + _GATE_COUNTS)  # the step of a load is no noise
        self._step += max(_STEP_GAIN, 1 / self._samples) * (step - self._step)
        return sample.t_s >= self._awake_until_s
