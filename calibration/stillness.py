"""Stillness before a camera, for guides: whether a frame differs from the last, and how long none did.

Pure: it takes timestamped frames and owns no timer.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

STILL_S = 1.0
"""Seconds without movement after which a picture may be taken."""
_THUMB_PX = (96, 54)
_MOVED_LEVELS = 9.0
"""Something moved if a pixel of the reduced picture differs by more levels."""


class Stillness:
    """Feed it every frame to `moved`, then ask `share` whether the time of stillness goes on."""

    def __init__(self) -> None:
        self._last: NDArray[np.float32] | None = None
        self._since_s: float | None = None

    def moved(self, image: NDArray[np.uint8]) -> bool:
        """Return whether the frame differs from the last one. The first frame did not move."""
        thumb = cv2.resize(image, _THUMB_PX, interpolation=cv2.INTER_AREA).astype(np.float32)
        moved = self._last is not None and float(np.abs(thumb - self._last).max()) > _MOVED_LEVELS
        self._last = thumb
        return moved

    def share(self, t_s: float, *, still: bool) -> float:
        """Return for how much of `STILL_S`, 0–1, all has been still until `t_s`; 0 if `still` is False."""
        if not still:
            self.begin_again()
            return 0.0
        if self._since_s is None:
            self._since_s = t_s
        return min((t_s - self._since_s) / STILL_S, 1.0)

    def begin_again(self) -> None:
        """Count the time of stillness from the next frame on."""
        self._since_s = None
