"""Rest detection in one region of the picture, from timestamped frames. It owns no timer."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Array, CameraView, Image

_LEVELS = 9.0
"""A pixel, averaged over 3×3, has changed if a channel differs by more levels. The limit is above a sensor's noise."""
_MOVED_SHARE = 0.004
"""Fraction of changed pixels above which something moved: a gem covers 1 % of the tray."""
_REST_S = 0.4
"""Time without movement after which the region is at rest."""
_LONGEST_GAP_S = 1.0
"""A longer gap between frames counts as movement, because movement in it would not be seen."""


class RestDetector:
    """Detects rest in a rectangle of the picture. Feed it a few times a second.

    :param outline_mm: table points, shape (n, 3) mm, that the rectangle must contain.
    """

    def __init__(self, view: CameraView, outline_mm: Array) -> None:
        pixels = view.project(outline_mm)
        limit = [view.camera.width_px, view.camera.height_px]
        left, top = np.clip(np.floor(pixels.min(axis=0)) - 2, 0, limit).astype(int).tolist()
        right, bottom = np.clip(np.ceil(pixels.max(axis=0)) + 3, 0, limit).astype(int).tolist()
        self._window = (slice(top, bottom), slice(left, right))
        self._patch: NDArray[np.float32] | None = None
        self._first: NDArray[np.float32] | None = None
        self._has_moved = False
        self._looked_s = 0.0
        self._moved_s = 0.0

    def at_rest(self, image: Image, t_s: float) -> bool:
        """Process a BGR frame; return whether nothing has moved for 0.4 s. A change of light is not movement.

        A gap of more than a second counts as movement.
        """
        patch = self._look(image)
        before, self._patch = self._patch, patch
        gap_s, self._looked_s = t_s - self._looked_s, t_s
        if before is None or gap_s > _LONGEST_GAP_S:
            self._moved_s, self._first, self._has_moved = t_s, patch, False
            return False
        if _changed_share(patch, before) > _MOVED_SHARE:
            self._moved_s, self._has_moved = t_s, True
        return t_s - self._moved_s >= _REST_S

    @property
    def rearranged(self) -> bool:
        """Whether something was moved since the first frame, or the first after a gap, and does not lie as before."""
        return self._has_moved and self._first is not None and not self.looks_like(self._first)

    def snapshot(self) -> NDArray[np.float32]:
        """Return the region's present picture, for `looks_like`."""
        assert self._patch is not None, "at_rest comes first"
        return self._patch

    def looks_like(self, snapshot: NDArray[np.float32]) -> bool:
        """Return whether the region looks as in the snapshot, apart from the light's level: nothing was moved."""
        assert self._patch is not None, "at_rest comes first"
        return _changed_share(self._patch, snapshot) < _MOVED_SHARE

    def _look(self, image: Image) -> NDArray[np.float32]:
        return cv2.blur(image[self._window], (3, 3)).astype(np.float32)


def _changed_share(now: NDArray[np.float32], before: NDArray[np.float32]) -> float:
    """Return the fraction of pixels that changed in any channel, after removing each channel's change of level."""
    level = np.median((before[::3, ::3].reshape(-1, 3) + 4.0) / (now[::3, ::3].reshape(-1, 3) + 4.0), axis=0)
    change = cv2.absdiff(now * level.astype(np.float32), before)
    same = cv2.inRange(change, (0.0, 0.0, 0.0), (_LEVELS, _LEVELS, _LEVELS))
    return 1.0 - cv2.countNonZero(same) / same.size
