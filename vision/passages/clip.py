"""Decodes recorded clips frame by frame, or raises an error that says what to do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from hardware.cameras.camera_model import Image
from hardware.cameras.clip_camera import open_clip
from hardware.files.regular_file import kind_of
from vision.observations import SightError

_SMALLEST_PX = 64
_MOST_PIXELS = 20_000_000  # of one frame: a small file may declare huge frames


class UnreadableClip(SightError):
    """The file is not a video that can be decoded."""

    code = "unreadable_clip"


class ClipCutShort(SightError):
    """The file's header announces more frames than can be decoded."""

    code = "clip_cut_short"


class Clip:
    """A video file, decoded frame by frame. `fps` and `frames_announced` come from its header."""

    def __init__(self, path: Path) -> None:
        """Open a clip.

        :raises UnreadableClip: there is no such file, it is not a video, or its frames are too large.
        """
        self.path = path
        if kind_of(path) != "file":
            raise UnreadableClip("there is no such file; check the name")
        self._capture = open_clip(path)
        self.fps = float(self._capture.get(cv2.CAP_PROP_FPS))
        self.frames_announced = int(self._capture.get(cv2.CAP_PROP_FRAME_COUNT))
        width_px, height_px = (
            self._capture.get(each) for each in (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)
        )
        if width_px * height_px > _MOST_PIXELS:
            raise UnreadableClip(f"frames of {width_px:.0f}×{height_px:.0f} pixels are no camera's; give a clip")
        if not self._capture.isOpened() or not 1.0 <= self.fps <= 1000.0:
            raise UnreadableClip("not a video that can be decoded; give an MP4 or AVI clip of the table")

    def frames(self) -> Iterator[Image]:
        """Decode the frames, BGR.

        :raises ClipCutShort: frames are missing at the end.
        :raises UnreadableClip: there are no frames, or they are too small to show a table.
        """
        count = 0
        while True:
            found, image = self._capture.read()
            if not found:
                break
            count += 1
            if min(image.shape[:2]) < _SMALLEST_PX:
                raise UnreadableClip(f"{image.shape[1]}×{image.shape[0]} pixels cannot hold a table")
            yield np.asarray(image, dtype=np.uint8)
        self._capture.release()
        if count == 0:
            raise UnreadableClip("the video holds no frame that can be decoded; record it again")
        if count < self.frames_announced - 1:
            raise ClipCutShort(
                f"the clip announces {self.frames_announced} frames but only {count} can be decoded: "
                "it was cut short; copy or record it again"
            )
