"""A simulated camera that takes each picture when it is read."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable

from hardware.cameras.camera import STILL_SIZE_PX, STREAM_SIZE_PX, Frame, NoControls

FPS = 10.0


class PacedCamera(NoControls, ABC):
    """Base of cameras (`hardware.cameras.camera.Camera`) that wait `1 / FPS` seconds before each frame of the stream.

    :param wait: waits the given seconds of the clock.
    """

    def __init__(self, wait: Callable[[float], None]) -> None:
        self._wait = wait
        self._numbers = itertools.count()

    def read(self, timeout_s: float) -> Frame | None:
        """Return the next frame of the stream."""
        self._wait(1 / FPS)
        return self._take(STREAM_SIZE_PX)

    def still(self) -> Frame:
        """Return a picture of the full size, now."""
        return self._take(STILL_SIZE_PX)

    def close(self) -> None:
        """Do nothing: no resource is open."""

    @abstractmethod
    def _take(self, size_px: tuple[int, int]) -> Frame:
        """Take a picture of that width and height."""
