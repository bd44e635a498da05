"""The live picture for people: the newest frame of the track, encoded once for all who watch."""

from __future__ import annotations

from typing import Protocol

from hardware.cameras.camera import Frame
from hardware.clock import Clock

LIVE_S = 2.0
"""A picture that is older than this, in real seconds, is not shown as live."""


class LivePictures(Protocol):
    """Encodes frames for people (`appliance.sensing.camera_pipeline.CameraPipeline`)."""

    @property
    def sees_track(self) -> bool:
        """Whether a picture of the track may be shown now (AP-11)."""
        ...

    def live_picture(self, frame: Frame) -> bytes | None:
        """Return a frame as a JPEG, or None while nothing may be shown."""
        ...


class LivePictureCache:
    """Keeps the newest frame and its JPEG."""

    def __init__(self, pictures: LivePictures, clock: Clock) -> None:
        self._pictures, self._clock = pictures, clock
        self._newest: Frame | None = None
        self._drawn: tuple[float, bytes | None] = (float("-inf"), None)

    def keep(self, frame: Frame) -> None:
        """Take a frame; called on the camera's thread."""
        self._newest = frame

    def newest(self) -> bytes | None:
        """Return the newest picture, or None where there is none that is live; safe from any thread."""
        frame = self._newest
        if frame is None or not self._pictures.sees_track:
            return None
        if (self._clock.now_s() - frame.t_s) / self._clock.speed > LIVE_S:
            return None
        if self._drawn[0] != frame.t_s:
            self._drawn = (frame.t_s, self._pictures.live_picture(frame))
        return self._drawn[1]
