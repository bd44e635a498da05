"""Driver that plays a recorded clip, or a folder of pictures, as a camera."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from hardware.cameras.camera import CameraError, Frame, NoControls
from hardware.cameras.camera_model import Image
from hardware.cameras.opencv_log import errors_only
from hardware.clock import Clock
from hardware.files.regular_file import kind_of

SLOWEST_FPS, FASTEST_FPS = 1.0, 1000.0
"""Accepted range of the frame rate in a clip's header; a rate outside it is ignored."""

OVERDUE_S = 1.0
"""Frames that are overdue by more than this are skipped, as a camera would skip them."""

_PICTURES = (".png", ".jpg", ".jpeg")


def open_clip(path: Path) -> cv2.VideoCapture:
    """Open a video file. Check `isOpened` of the result: it is False if the file is no video."""
    # Otherwise FFmpeg and OpenCV would write messages of their own to stderr beside our one sentence.
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    with errors_only():
        return cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)


class ClipCamera(NoControls):
    """A recorded clip, or a folder of pictures in the order of their names, played at its frame rate on `clock`.

    :param wait: waits the given seconds until a frame is due. Frames that are overdue by more than a second are then
        skipped. None plays every frame, as fast as it is read.
    :param fps: frame rate of a folder of pictures, and of a clip whose header gives no usable rate.
    :raises CameraError: `camera_clip_unreadable`.
    """

    def __init__(
        self, path: Path, clock: Clock, *, wait: Callable[[float], None] | None = None, fps: float = 30.0
    ) -> None:
        self._path, self._clock, self._wait = path, clock, wait
        self._index = 0
        self._files: list[Path] = []
        self._capture: cv2.VideoCapture | None = None
        self._fps = fps
        if kind_of(path) == "folder":
            self._files = sorted(file for file in path.iterdir() if file.suffix.lower() in _PICTURES)
        elif kind_of(path) == "file":
            self._capture = open_clip(path)
            announced_fps = float(self._capture.get(cv2.CAP_PROP_FPS))
            self._fps = announced_fps if SLOWEST_FPS <= announced_fps <= FASTEST_FPS else fps
        if not self._files and (self._capture is None or not self._capture.isOpened()):
            raise CameraError("camera_clip_unreadable", f"{path}: no clip or pictures here; give a video or a folder.")
        self._start_s = clock.now_s()

    def read(self, timeout_s: float) -> Frame | None:
        """Return the next frame, or None when it is not due within `timeout_s`.

        :raises CameraError: `camera_clip_over` after the last frame, `camera_clip_unreadable` for a broken picture or a
            clip in which no frame can be decoded.
        """
        due_s = self._due_s()
        if self._wait is not None:
            early_s = due_s - self._clock.now_s()
            if early_s > 0:
                self._wait(min(early_s, timeout_s))
            if early_s > timeout_s:
                return None
            if early_s < -OVERDUE_S:
                self._leave_out_overdue()
                due_s = self._due_s()
        image = self._next_image()
        self._index += 1
        return Frame(due_s, image, self._index - 1)

    def still(self) -> Frame:
        """Return the next frame, as a recording has only one size.

        :raises CameraError: as `read`.
        """
        frame = self.read(1e9)
        assert frame is not None
        return frame

    def close(self) -> None:
        """Close the file."""
        if self._capture is not None:
            self._capture.release()

    def _due_s(self) -> float:
        return self._start_s + self._index / self._fps

    def _leave_out_overdue(self) -> None:
        while self._due_s() < self._clock.now_s() and (self._capture is None or self._capture.grab()):
            self._index += 1

    def _next_image(self) -> Image:
        if self._capture is not None:
            found, image = self._capture.read()
            if found:
                return np.asarray(image, dtype=np.uint8)
        elif self._index < len(self._files):
            file = self._files[self._index]
            picture = cv2.imread(str(file), cv2.IMREAD_COLOR)
            if picture is None:
                raise CameraError("camera_clip_unreadable", f"{file}: not a picture; take it out of the folder.")
            return np.asarray(picture, dtype=np.uint8)
        if self._index == 0:
            raise CameraError("camera_clip_unreadable", f"{self._path}: no frame can be decoded; give another clip.")
        raise CameraError("camera_clip_over", f"{self._path}: the recording is over; start it again.")
