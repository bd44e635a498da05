"""The live picture for people: the newest frame of the track, encoded once for all who watch."""

from __future__ import annotations

from collections.abc import Callable

from hardware.cameras.camera import Frame


class LivePictureCache:
    """Keeps the newest frame and its JPEG.

    :param draw: encodes a frame as JPEG, or returns None while nothing may be shown (AP-11).
    """

    def __init__(self, draw: Callable[[Frame], bytes | None]) -> None:
        self._draw = draw
        self._newest: Frame | None = None
        self._drawn: tuple[float, bytes | None] = (float("-inf"), None)

    def keep(self, frame: Frame) -> None:
        """Take a frame; called on the camera's thread."""
        self._newest = frame

    def newest(self) -> bytes | None:
        """Return the newest picture, or None; safe from any thread."""
        frame = self._newest
        if frame is None:
            return None
        if self._drawn[0] != frame.t_s:
            self._drawn = (frame.t_s, self._draw(frame))
        return self._drawn[1]
