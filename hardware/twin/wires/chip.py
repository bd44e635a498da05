"""An HX711 that answers its clock pin bit by bit, on simulated time (HX711 datasheet, Avia Semiconductor).

The datasheet does not say what happens when a conversion ends in the middle of a frame. The model assumes the worst:
the new value replaces the one being shifted out. A driver that is correct with this model is correct with any chip.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from random import Random

SUPPLY_NOISE_COUNTS = 12_000.0
"""Standard deviation at gain 128 that the fault "noisy supply" adds."""
STUCK_MASK = 1 << 5
"""The bit that the fault "stuck bit" holds at one."""
POWER_DOWN_AFTER_S = 60e-6
HIGHEST_COUNTS, LOWEST_COUNTS = 0x7FFFFF, -0x800000
SETTLING_CONVERSIONS = 4

_GAIN_OF_PULSES = {25: 128, 26: 32, 27: 64}

CHIP_FAULTS: dict[str, str] = {
    "scale unplugged": "nothing is connected: the data line floats high",
    "data line shorted": "the data line touches ground: it is always low",
    "saturated high": "a bridge wire is loose: the input sits at its upper end",
    "saturated low": "a bridge wire is loose: the input sits at its lower end",
    "stuck bit": "one bit of every count reads one",
    "noisy supply": "counts jump with a noisy supply",
}
"""Fault name → one line of help."""


class Hx711Chip:
    """One chip. All times are simulated seconds and must not decrease.

    :param counts_at: returns the counts at gain 128 of the conversion that ends at a time; they are clipped to 24 bits.
    :param rate_sps: 10 or 80 conversions a second; settling takes four of them (400 ms, 50 ms).
    :param noise_counts: white noise added here, one standard deviation at gain 128; 0 if `counts_at` includes noise.
    :param faults: the names of `CHIP_FAULTS` that are on now; it is read at every use, so it may change.
    :param channel_b: returns the counts at gain 32 of the second input.
    """

    def __init__(
        self,
        counts_at: Callable[[float], float],
        *,
        rate_sps: int = 10,
        noise_counts: float = 0.0,
        seed: int = 0,
        faults: Container[str] = (),
        channel_b: Callable[[float], float] = lambda t_s: 0.0,
        start_s: float = 0.0,
    ) -> None:
        self._counts_at, self._channel_b = counts_at, channel_b
        self._period_s = 1.0 / rate_sps
        self._noise_counts = noise_counts
        self._rng = Random(seed)
        self._faults = faults
        self._sck_high_since_s: float | None = None
        self._reset(start_s)

    @property
    def gain(self) -> int:
        """The gain of the present conversions: 128 and 64 mean channel A, 32 means channel B."""
        return self._gain

    def _reset(self, t_s: float) -> None:
        """Reset as after power-up: channel A, gain 128, no conversion until settled."""
        self._gain = self._next_gain = 128
        self._word: int | None = None
        self._pulses = 0
        self._frame_ended_s = t_s
        self._due_s = t_s + self._settling_s

    @property
    def _settling_s(self) -> float:
        return SETTLING_CONVERSIONS * self._period_s

    def set_sck(self, high: bool, t_s: float) -> None:
        """Drive the clock pin at `t_s`."""
        if high == (self._sck_high_since_s is not None):
            return
        self._convert_until(t_s)
        if high:
            self._sck_high_since_s = t_s
            if self._word is not None:
                self._pulses += 1
                if self._pulses in _GAIN_OF_PULSES:
                    self._next_gain = _GAIN_OF_PULSES[self._pulses]
                    self._frame_ended_s = t_s
        else:
            asleep = self._asleep(t_s)
            self._sck_high_since_s = None
            if asleep:
                self._reset(t_s)

    def dout(self, t_s: float) -> bool:
        """Return the level of the data pin at `t_s`; True is high."""
        if "scale unplugged" in self._faults:
            return True
        if "data line shorted" in self._faults:
            return False
        self._convert_until(t_s)
        if self._asleep(t_s) or self._word is None or self._pulses > 24:
            return True
        return bool(self._word >> (24 - self._pulses) & 1) if self._pulses else False

    def _asleep(self, t_s: float) -> bool:
        since_s = self._sck_high_since_s
        return since_s is not None and t_s - since_s > POWER_DOWN_AFTER_S

    def _convert_until(self, t_s: float) -> None:
        """Finish the conversions due by `t_s`."""
        if t_s < self._due_s or self._asleep(t_s):
            return
        skipped = int((t_s - self._due_s) / self._period_s + 1e-9)
        ended_s = self._due_s + skipped * self._period_s
        if self._next_gain != self._gain:
            self._gain = self._next_gain
            self._word = None
            self._due_s = self._frame_ended_s + self._settling_s
            self._convert_until(t_s)
            return
        self._word = self._convert(ended_s)
        if self._pulses > 24:
            self._pulses = 0
        self._due_s = ended_s + self._period_s

    def _convert(self, t_s: float) -> int:
        """Return the 24 bits of the conversion that ends at `t_s`."""
        scale = self._gain / 128
        counts = self._channel_b(t_s) if self._gain == 32 else self._counts_at(t_s) * scale
        counts += self._rng.gauss(0.0, 1.0) * self._noise_counts * scale
        if "noisy supply" in self._faults:
            counts += self._rng.gauss(0.0, 1.0) * SUPPLY_NOISE_COUNTS * scale
        if "saturated high" in self._faults:
            counts = HIGHEST_COUNTS
        elif "saturated low" in self._faults:
            counts = LOWEST_COUNTS
        word = min(max(round(counts), LOWEST_COUNTS), HIGHEST_COUNTS) & 0xFFFFFF
        return word | STUCK_MASK if "stuck bit" in self._faults else word
