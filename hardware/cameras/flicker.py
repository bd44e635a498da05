"""Whether the light flickers with the mains, from the brightness of bands of rows and the frames' stamps.

A rolling shutter exposes each band at a moment of its own, so each band is looked at by itself. A lamp on the mains is
bright twice a cycle: at 100 or 120 Hz, which a camera's frame rate folds to a slow beat.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Image

FLICKERS = 0.04
"""Amplitude over mean level (0–255) above which light flickers: half of what counts as another light (`light_lock`)."""
FRAMES = 64
"""So many frames tell; at 56 a second the beats of 100 Hz (12 Hz) and of 120 Hz (8 Hz) are then well apart."""
_BANDS = 16
_WORST_CONDITION = 100.0
"""Of the fit, its largest over its smallest singular value: regular frames have less than 10. Beyond it the stamps fall
on so few phases of the beat that noise would look like any amplitude."""
_BEATS = 3.0
"""Fewer beats than this are not told from light that changes otherwise."""


class FlickerMeter:
    """Keeps the bands of the last `FRAMES` frames."""

    def __init__(self) -> None:
        self._stamps_s: deque[float] = deque(maxlen=FRAMES)
        self._bands: deque[NDArray[np.float64]] = deque(maxlen=FRAMES)

    def feed(self, image: Image, t_s: float) -> None:
        """Take a frame; every frame of the camera is needed."""
        rows = image[::4, ::16].reshape(image[::4].shape[0], -1).mean(axis=1)
        self._stamps_s.append(t_s)
        self._bands.append(np.array([band.mean() for band in np.array_split(rows, _BANDS)]))

    def clear(self) -> None:
        """Begin anew."""
        self._stamps_s.clear()
        self._bands.clear()

    @property
    def full(self) -> bool:
        """Whether there are enough frames to tell."""
        return len(self._bands) == FRAMES

    def amplitude(self, mains_hz: int) -> float | None:
        """Return the amplitude over the mean with which the light of such mains beats: the median of the bands.

        None: too few frames, or frames that cannot show this frequency (30 a second cannot show 120 Hz).
        """
        if not self.full:
            return None
        t_s = np.array(self._stamps_s) - self._stamps_s[0]
        frames_hz = (FRAMES - 1) / max(float(t_s[-1]), 1e-6)
        beat_hz = abs(2 * mains_hz - round(2 * mains_hz / frames_hz) * frames_hz)
        if beat_hz * float(t_s[-1]) < _BEATS:
            return None
        turn = 2 * np.pi * 2 * mains_hz * t_s
        # A constant and a slope beside the beat: the evening and hands are slower.
        basis = np.column_stack([np.cos(turn), np.sin(turn), np.ones(FRAMES), t_s / t_s[-1]])
        bands = np.array(self._bands)
        fitted, _, rank, singular = np.linalg.lstsq(basis, bands, rcond=None)
        if rank < basis.shape[1] or singular[0] > _WORST_CONDITION * singular[-1]:
            return None
        return float(np.median(np.hypot(fitted[0], fitted[1]) / np.maximum(bands.mean(axis=0), 1.0)))
