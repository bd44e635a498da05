"""Runs a guide with a live camera: feeds it frames, yields its states, and takes full-size pictures on request."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera import READ_TIMEOUT_S, SILENT_READS, Camera, CameraError, Frame

Image = NDArray[np.uint8]


class GuideState(Protocol):
    """State of a guide after a frame."""

    @property
    def wanted(self) -> bool: ...  # noqa: D102  # a full-size picture is wanted now


S = TypeVar("S", bound=GuideState)
S_co = TypeVar("S_co", bound=GuideState, covariant=True)


class Guide(Protocol[S_co]):
    """A guide through a calibration (`CameraGuide`, `TrackGuide`)."""

    @property
    def done(self) -> bool: ...  # noqa: D102  # nothing more is needed

    def look(self, image: Image, t_s: float, /) -> S_co:
        """Process a frame."""
        ...

    def keep(self, image: Image, /) -> bool:
        """Process a full-size picture; return whether it is used."""
        ...


def followed(camera: Camera, guide: Guide[S]) -> Iterator[S]:
    """Yield the guide's state for every frame until it is done. Closing the iterator stops at once.

    :raises CameraError: the camera was lost or is silent.
    """
    if guide.done:
        return
    for frame in frames(camera):
        state = guide.look(frame.image, frame.t_s)
        if state.wanted:
            guide.keep(camera.still().image)
        yield state
        if guide.done:
            return


def frames(camera: Camera) -> Iterator[Frame]:
    """Yield the camera's frames.

    :raises CameraError: the camera was lost or is silent.
    """
    silent_reads = 0
    while True:
        frame = camera.read(READ_TIMEOUT_S)
        if frame is not None:
            silent_reads = 0
            yield frame
            continue
        silent_reads += 1
        if silent_reads == SILENT_READS:
            raise CameraError("camera_silent", "The camera sends no pictures; unplug and replug it.")
