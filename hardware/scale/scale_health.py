"""Health of the load cell and its wires, from the outcomes of single reads. Pure: it does no I/O and owns no timer."""

from __future__ import annotations

import math
import statistics
from collections import deque

import msgspec

from hardware.readings import DeviceHealth, Status
from hardware.scale.load_cell import ReadFailure, Sample

SCALE_HEALTH: dict[str, Status] = {
    "scale_ok": "ok",
    "scale_starting": "starting",
    "scale_absent": "absent",
    "scale_no_driver": "absent",
    "scale_no_gpio": "absent",
    "scale_no_folder": "absent",
    "scale_no_bus": "absent",
    "scale_no_kernel_driver": "absent",
    "scale_kernel_gain": "absent",
    "scale_pins_failed": "faulty",
    "scale_data_shorted": "faulty",
    "scale_too_quick": "faulty",
    "scale_saturated_high": "faulty",
    "scale_saturated_low": "faulty",
    "scale_disturbed": "faulty",
    "scale_stuck_bit": "faulty",
    "scale_noisy": "faulty",
    "scale_restarting": "faulty",
    "scale_hung": "faulty",
}
"""Every health code of the scale's driver, with its status."""

_CODE_OF_REASON = {
    "no_answer": "scale_absent",
    "stuck_low": "scale_data_shorted",
    "too_quick": "scale_too_quick",
    "saturated_high": "scale_saturated_high",
    "saturated_low": "scale_saturated_low",
    "stalled": "scale_disturbed",
}


class ScaleHealthLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers of reads that prove a state. `noisy_counts` is one standard deviation, in counts at gain 128.

    A busy processor disturbs single frames, so more of these in a row (`disturbed_failures`) are needed for a fault.
    A healthy chip has 25 to 40 counts of noise (50 and 90 nV rms, HX711 datasheet, 4.3 V supply).
    """

    failures: int = 2
    disturbed_failures: int = 6
    good_samples: int = 3
    noisy_counts: float = 1500.0
    noise_window: int = 31
    kept_bits: float = 32.0
    small_steps: int = 28
    wraps: int = 6
    distinct_values: int = 24


def chance_of_keeping(worth_sd: float) -> float:
    """Return the highest probability that a healthy bit has one value: with the level in the middle of a half period.

    A bit is a square wave over the level. White noise of one standard deviation smooths it: each harmonic of its
    Fourier series is scaled by the Gaussian's characteristic function.

    :param worth_sd: value of the bit in standard deviations of the noise, above 0 and up to 4.
    :return: 0.5 for a bit far below the noise, 0.68 at twice the noise.
    """
    waves = ((1, 1.0), (3, -1 / 3), (5, 1 / 5))
    swing = sum(share * math.exp(-((order * math.pi / worth_sd) ** 2) / 2) for order, share in waves)
    return min(0.5 + 2 / math.pi * swing, 0.999)


class StuckBitDetector:
    """Detects bits that never change although noise or loads must have changed them.

    Four kinds of evidence count against a bit that has kept its value.

    - A bit whose value is up to about the noise stays the same by chance half the time. Each sample is one bit of
      evidence, or a little less (`chance_of_keeping`). The limit is a chance of 2⁻³²: a false alarm in 24,000 hours at
      10 samples a second. It takes at least 3.2 s at 10 a second and 0.4 s at 80. Two seconds at 10 a second would be
      only 20 bits of evidence, which chance gives every few hours.
    - For a bit worth up to eight times the noise: small steps of the bits above it.
    - For a bit worth more: the bits below it wrap around without a carry into it, when the level is at one of its
      borders. While the level rests within one of its periods, no rule can detect it.
    - For any bit: the number of different values that the bits above it had, as loads change.
    """

    _BITS = 20
    _WINDOW = 31
    _LEAST_SD = 1.0
    """With less noise, in counts, a healthy scale repeats its counts."""
    _KEEPS_TO_SD = 1.3
    """Largest bit value for the first rule. Hum is not white: within one period of a larger bit it never changes it."""
    _SD_UNSURE = 1.25
    """The noise, estimated from few samples, may be smaller than estimated by this factor."""
    _WRAPS_FROM_SD = 8.0

    def __init__(self, limits: ScaleHealthLimits) -> None:
        self._limits = limits
        self._last: int | None = None
        self._jumps: deque[int] = deque(maxlen=self._WINDOW)
        self._kept_bits = [0.0] * self._BITS
        self._steps = [0] * self._BITS
        self._wraps = [0] * self._BITS
        self._above: list[set[int]] = [set() for _ in range(self._BITS)]

    def feed(self, counts: int) -> int | None:
        """Process a sample; return the lowest bit found stuck, or None."""
        last, self._last = self._last, counts
        if last is None:
            return None
        self._jumps.append(abs(counts - last))
        # Two samples differ by √2 standard deviations; steps of loads do not affect the median.
        sd = statistics.median(self._jumps) / (0.6745 * math.sqrt(2)) if len(self._jumps) == self._WINDOW else 0.0
        stuck = None
        for bit in range(self._BITS - 1, -1, -1):
            if (counts ^ last) >> bit & 1:
                self._kept_bits[bit] = self._steps[bit] = self._wraps[bit] = 0
                self._above[bit].clear()
            elif self._is_stuck(bit, counts, last, sd):
                stuck = bit
        return stuck

    def _is_stuck(self, bit: int, counts: int, last: int, sd: float) -> bool:
        """Add the evidence of one more sample against a bit that has kept its value; return whether it is stuck."""
        limits, worth, above = self._limits, 1 << bit, counts >> (bit + 1)
        if len(self._above[bit]) < limits.distinct_values:
            self._above[bit].add(above)
        if sd >= self._LEAST_SD and worth <= self._KEEPS_TO_SD * sd:
            surely_sd = max(sd / self._SD_UNSURE, self._LEAST_SD)
            self._kept_bits[bit] -= math.log2(chance_of_keeping(worth / surely_sd))
        if worth <= sd:
            pass
        elif worth < self._WRAPS_FROM_SD * sd:
            self._steps[bit] += 0 < abs(above - (last >> (bit + 1))) <= 3
        elif sd > 0 and above == last >> (bit + 1):
            low, high = sorted((counts % worth, last % worth))
            self._wraps[bit] += low < 2 * sd and worth - high <= 2 * sd
        return (
            self._kept_bits[bit] >= limits.kept_bits
            or self._steps[bit] >= limits.small_steps
            or self._wraps[bit] >= limits.wraps
            or len(self._above[bit]) >= limits.distinct_values
        )


class ScaleHealthMonitor:
    """Monitors one scale. `feed` returns a health reading whenever the scale's state changes."""

    def __init__(self) -> None:
        self._limits = ScaleHealthLimits()
        self._code = "scale_starting"
        self._failure = ""
        self._failures = 0
        self._good = 0
        self._recent: deque[int] = deque(maxlen=self._limits.noise_window)
        self._stuck = StuckBitDetector(self._limits)

    @property
    def code(self) -> str:
        """The present health code."""
        return self._code

    def feed(self, outcome: Sample | ReadFailure) -> list[DeviceHealth]:
        """Process the outcome of the next read; return the new health when it changed."""
        code = self._failed(outcome) if isinstance(outcome, ReadFailure) else self._read(outcome)
        if code == self._code:
            return []
        self._code = code
        return [DeviceHealth(t_s=outcome.t_s, device="scale", status=SCALE_HEALTH[code], code=code)]

    def _failed(self, failure: ReadFailure) -> str:
        self._good = 0
        self._recent.clear()
        code = _CODE_OF_REASON[failure.reason]
        self._failures = self._failures + 1 if code == self._failure else 1
        self._failure = code
        needed = self._limits.disturbed_failures if code == "scale_disturbed" else self._limits.failures
        if self._failures < needed:
            return self._code
        self._stuck = StuckBitDetector(self._limits)
        return code

    def _read(self, sample: Sample) -> str:
        self._failures = 0
        self._good += 1
        self._recent.append(sample.counts)
        if self._stuck.feed(sample.counts) is not None:
            return "scale_stuck_bit"
        if self._noise_counts() > self._limits.noisy_counts:
            return "scale_noisy"
        settled = self._good >= self._limits.good_samples
        if self._code == "scale_noisy":
            settled = len(self._recent) == self._limits.noise_window
        return "scale_ok" if settled else self._code

    def _noise_counts(self) -> float:
        """Return one standard deviation of white noise. Loads being put on and taken off hardly affect it."""
        if len(self._recent) < self._limits.noise_window:
            return 0.0
        recent = list(self._recent)
        bends = [abs(a - 2 * b + c) for a, b, c in zip(recent, recent[1:], recent[2:], strict=False)]
        return statistics.median(bends) / (0.6745 * 6**0.5)
