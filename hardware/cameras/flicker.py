"""Detects light that flickers with the mains, from the brightness of bands of rows and the frames' timestamps.

A rolling shutter exposes each band at a different moment, so each band is evaluated separately. A lamp on the mains
flickers at twice the mains frequency: 100 or 120 Hz. The camera's frame rate aliases this to a slow beat.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Image

FLICKERS = 0.04
"""Ratio of amplitude to mean level (0–255) above which light flickers: half of `DRIFTED` (`light_lock`)."""
FRAMES = 64
"""Frames needed. At 56 per second they separate the beats of 100 Hz (12 Hz) and of 120 Hz (8 Hz) well."""
_BANDS = 16
_WORST_CONDITION = 100.0
"""Highest accepted condition number of the fit (largest over smallest singular value). Regular frames have below 10.
Above the limit the timestamps fall on so few phases of the beat that noise could give any amplitude."""
_BEATS = 3.0
"""Fewer beats than this cannot be distinguished from other changes of the light."""


class FlickerMeter:
    """Measures flicker from the bands of the last `FRAMES` frames."""

    def __init__(self) -> None:
        self._frames: deque[tuple[float, NDArray[np.float64]]] = deque(maxlen=FRAMES)
        """Stamp and bands of each frame. Another thread may add one while the amplitude is computed."""

    def feed(self, image: Image, t_s: float) -> None:
        """Add a frame. Every frame of the camera is needed."""
        rows = image[::4, ::16].reshape(image[::4].shape[0], -1).mean(axis=1)
        self._frames.append((t_s, np.array([band.mean() for band in np.array_split(rows, _BANDS)])))

    def clear(self) -> None:
        """Discard all frames."""
        self._frames.clear()

    @property
    def full(self) -> bool:
        """Whether there are enough frames."""
        return len(self._frames) == FRAMES

    def amplitude(self, mains_hz: int) -> float | None:
        """Return the flicker's amplitude divided by the mean level, for this mains frequency: the median of the bands.

        Return None for too few frames, or a frame rate that cannot show the flicker (30 per second cannot show 120 Hz).
        """
        frames = list(self._frames)
        if len(frames) < FRAMES:
            return None
        t_s = np.array([stamp_s for stamp_s, _ in frames]) - frames[0][0]
        frames_hz = (FRAMES - 1) / max(float(t_s[-1]), 1e-6)
        beat_hz = abs(2 * mains_hz - round(2 * mains_hz / frames_hz) * frames_hz)
        if beat_hz * float(t_s[-1]) < _BEATS:
            return None
        turn = 2 * np.pi * 2 * mains_hz * t_s
        # Fit a constant and a slope beside the beat, for slower changes by daylight and hands.
        basis = np.column_stack([np.cos(turn), np.sin(turn), np.ones(FRAMES), t_s / t_s[-1]])
        bands = np.array([bands for _, bands in frames])
        fitted, _, rank, singular = np.linalg.lstsq(basis, bands, rcond=None)
        if rank < basis.shape[1] or singular[0] > _WORST_CONDITION * singular[-1]:
            return None
        return float(np.median(np.hypot(fitted[0], fitted[1]) / np.maximum(bands.mean(axis=0), 1.0)))
