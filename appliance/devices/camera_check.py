"""The self-test's check of the camera: focus, exposure at its limit, flickering light, missing camera features."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from appliance.devices.self_test import Finding
from appliance.words.catalogues import Words
from hardware.cameras.camera import Frame
from hardware.cameras.camera_model import CameraModel, Image
from hardware.cameras.flicker import FLICKERS, FlickerMeter
from hardware.rig import Rig
from vision.markers import detect
from vision.sharpness import edge_blur_px

BLURRED_SHARE = 1.4e-3
"""Blur of the markers' edges over the picture's width, above which it is blurred: 1.1 px of 768, 0.9 mm at 50 cm."""
MAINS_HZ = (50, 60)
_AROUND = 1.3
"""Side of the region that is examined round a marker, over the marker's side."""


class CameraCheck:
    """Takes the camera's frames and keeps the data for its findings.

    :param mains_hz: the mains frequency in the settings.
    """

    def __init__(self, mains_hz: int) -> None:
        self._mains_hz = mains_hz
        self._flicker = FlickerMeter()
        self._newest: Frame | None = None

    def take(self, fact: object) -> None:
        """Take a raw fact from a driver's thread."""
        if isinstance(fact, Frame):
            self._newest = fact
            self._flicker.feed(fact.image, fact.t_s)

    def findings(self, rig: Rig, camera: CameraModel | None, words: Words) -> Iterator[Finding]:
        """Yield the problems that were found."""
        frame = self._newest
        if frame is None:
            return
        focused = frame.taken is not None and frame.taken.lens_position is not None
        blur_px = marker_blur_px(frame.image, rig)
        if blur_px is not None and blur_px > BLURRED_SHARE * frame.image.shape[1]:
            code = "camera_blurred_motor" if focused else "camera_blurred"
            yield _finding(code, words, blur_px=blur_px)
        if focused and camera is not None and camera.lens_position is None:
            yield _finding("camera_focus_not_stored", words)
        for mains_hz in MAINS_HZ:
            amplitude = self._flicker.amplitude(mains_hz)
            if amplitude is not None and amplitude > FLICKERS:
                code = "light_flickers" if mains_hz == self._mains_hz else "mains_differ"
                yield _finding(code, words, lamp_hz=2 * mains_hz, mains_hz=mains_hz, percent=100 * amplitude)
        if frame.taken is not None:
            if frame.taken.at_limit:
                yield _finding("camera_at_limit", words)
            for lack in frame.taken.lacks:
                yield _finding(f"camera_lacks_{lack}", words)


def marker_blur_px(image: Image, rig: Rig) -> float | None:
    """Return the blur of the edges of the markers in sight, in px: the median; None when there are none."""
    grey = np.asarray(image.max(axis=2) if image.ndim == 3 else image, dtype=np.uint8)
    blurs = []
    for corners in detect(grey, {marker.id for marker in rig.markers}).values():
        middle = corners.mean(axis=0)
        around = middle + (corners - middle) * _AROUND
        low = np.maximum(np.floor(around.min(axis=0)).astype(int), 0)
        high = np.ceil(around.max(axis=0)).astype(int) + 1
        blur_px = edge_blur_px(np.ascontiguousarray(grey[low[1] : high[1], low[0] : high[0]]))
        if blur_px is not None:
            blurs.append(blur_px)
    return float(np.median(blurs)) if blurs else None


def _finding(code: str, words: Words, **values: object) -> Finding:
    return Finding(what="camera", verdict="look", code=code, sentence=words.say(f"check.{code}", values))
