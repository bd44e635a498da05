"""Detects a hum in the samples: one spectral line, of the mains or of a machine nearby, that the filter subtracts.

While the pan is empty its samples are put on an even grid. A line is accepted when its power exceeds that of its
neighbours in the periodogram by far more than chance explains, in two successive searches at the same frequency. It is
dropped when two successive searches miss it. Amplitude and frequency are fitted to the samples at their own timestamps
(least squares: Scargle 1982). A hum above half the sample rate appears at an aliased frequency and is subtracted there.
"""

from __future__ import annotations

import math
from collections import deque

import numpy as np
from numpy.typing import NDArray

from hardware.scale.scale_model import Hum

_MEMORY_S = 40.0
_LEAST_S = 15.0
"""Samples of the empty pan that are searched: those of the last 40 s, and at least 15 s of samples."""
_SEARCH_EVERY_S = 5.0
_LEAST_HZ = 0.15
"""Lowest frequency: six periods within the memory. A slower line cannot be distinguished from a drifting zero."""
_FINER = 2
"""Zero padding: the periodogram's bins are finer by this factor, so that no line falls between two bins."""
_NEIGHBOURS = 15 * _FINER
_STANDS_OUT, _STAYS = 45.0, 15.0
"""Least ratio of a line's power to the median of its neighbours, to be found and to be kept. Noise alone reaches a
ratio of k once in 2ᵏ."""
_LEAST_G = 0.002
"""Least amplitude: a hundredth of the tie band (SM-54). A smaller one is negligible beside the stated error."""
_PAUSE_STEPS = 5.0
"""After a pause of this many sample periods the pan may have another zero."""

Floats = NDArray[np.float64]


class HumTracker:
    """Finds the hum of one scale from the samples of its empty pan.

    :param known: the hum found by the calibration.
    """

    def __init__(self, known: Hum | None = None) -> None:
        self._samples: deque[tuple[float, float]] = deque()
        self._searched_s = -math.inf
        self._guess: Hum | None = None
        self.hum = known
        """The present hum, or None."""

    def add(self, t_s: float, grams: float) -> bool:
        """Process a sample of the empty pan; return whether `hum` changed."""
        self._samples.append((t_s, grams))
        while t_s - self._samples[0][0] > _MEMORY_S:
            self._samples.popleft()
        if t_s - self._searched_s < _SEARCH_EVERY_S:
            return False
        self._searched_s = t_s
        stamps_s, grams_of = np.array(self._samples, dtype=np.float64).T
        step_s = float(np.median(np.diff(stamps_s))) if len(stamps_s) > 1 else 0.0
        if step_s <= 0 or len(stamps_s) * step_s < _LEAST_S:
            return False
        before, guess = self.hum, _strongest(stamps_s, grams_of, step_s, _STAYS if self.hum else _STANDS_OUT)
        if guess and self._guess and abs(guess.hz - self._guess.hz) < 2 / _MEMORY_S:
            self.hum = guess
        elif not guess and not self._guess:
            self.hum = None
        self._guess = guess
        return before != self.hum


def _strongest(stamps_s: Floats, grams: Floats, step_s: float, least: float) -> Hum | None:
    """Return the line with the highest power ratio to its neighbours, if it is at least `least`, or None."""
    steps_s = np.diff(stamps_s)
    runs_on = steps_s < _PAUSE_STEPS * step_s
    # Differences whiten a drifting zero. They need no zero where the pan was loaded in between.
    places = np.rint((stamps_s[1:] - stamps_s[0]) / step_s).astype(int)
    size = _FINER << int(places[-1]).bit_length()
    even = np.bincount(places, weights=np.where(runs_on, np.diff(grams), 0.0), minlength=size)
    hz = np.fft.rfftfreq(size, step_s)
    first = int(np.searchsorted(hz, _LEAST_HZ))
    power, hz = (np.abs(np.fft.rfft(even)) ** 2)[first:], hz[first:]
    if len(power) <= 2 * _NEIGHBOURS:
        return None
    around = np.lib.stride_tricks.sliding_window_view(np.pad(power, _NEIGHBOURS, mode="reflect"), 2 * _NEIGHBOURS + 1)
    excess = power / np.maximum(np.median(around, axis=1), 1e-30)
    peak = int(np.argmax(excess))
    if excess[peak] < least:
        return None
    stretches = np.concatenate([[0], np.cumsum(~runs_on)])
    near = hz[peak] + np.linspace(-1.0, 1.0, 21) / (stamps_s[-1] - stamps_s[0])
    found = max(_fitted(stamps_s, grams, stretches, float(each)) for each in near if 0 < each < 0.5 / step_s)
    return found if found.amplitude_g >= _LEAST_G else None


def _fitted(stamps_s: Floats, grams: Floats, stretches: NDArray[np.intp], hz: float) -> Hum:
    """Return the least-squares sine at `hz`. Each stretch of samples without a pause has its own mean."""
    angle = 2 * np.pi * hz * (stamps_s - stamps_s[0])
    columns = np.stack([np.sin(angle), np.cos(angle), grams])
    counts = np.bincount(stretches)
    for column in columns:
        column -= (np.bincount(stretches, weights=column) / counts)[stretches]
    solved, *_ = np.linalg.lstsq(columns[:2].T, columns[2], rcond=None)
    return Hum(float(np.hypot(*solved)), hz)
