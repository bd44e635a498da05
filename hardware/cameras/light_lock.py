"""Decides when a camera meters exposure and white balance, and when it holds them.

They are held while a sphere may roll. Between rolls they are metered again when the light has changed: it gets dark
outside, or somebody switches a lamp on. Controls take effect some frames after they are set.
"""

from __future__ import annotations

from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import Image
from hardware.cameras.flicker import FLICKERS, FlickerMeter

Step = Literal["meter", "hold", "restore", "whole_period"]
"""Meter again; hold the present metered values; hold the former values again; hold a whole flicker period."""

LAG_FRAMES = 10
"""Frames until controls take effect: a pipeline of four buffers, twice, and the sensor's own two."""
PATIENCE = 6
"""Metering that does not settle within this multiple of the warm-up is ended; the present values are held."""
DRIFTED = 0.08
"""Relative change of a colour's level (0–255) above which the light has changed: a fifth in linear light."""
DRIFT_S = 2.0
"""Shortest duration of such a change. Hands and spheres cause shorter ones."""
_GRID = (16, 9)
_DIM_LEVEL = 6.0
"""Added to levels before they are compared, because noise alone changes dark cells."""
_EVERY = 4
"""One frame in this many is compared."""


class LightLock:
    """Decides for each frame whether to meter or to hold.

    :param warm_up_frames: shortest duration of metering.
    :param mains_hz: mains frequency. After each metering its flicker is looked for, until it is found once.
    """

    def __init__(self, warm_up_frames: int, mains_hz: int) -> None:
        self._warm_up_frames, self._mains_hz = warm_up_frames, mains_hz
        self._phase: Literal["metering", "lagging", "held"] = "metering"
        self._frames = 0
        self._flicker = FlickerMeter()
        self._flickers = False
        self._reference: NDArray[np.float32] | None = None
        self._other_since_s: float | None = None

    def step(self, image: Image, t_s: float, *, locked: bool, settled: bool) -> Step | None:
        """Process a frame; return the next step for the camera, or None.

        :param locked: whether a sphere may roll. Then the held values stay. Only the very first metering continues.
        :param settled: whether the camera reports that metering has settled.
        """
        self._frames += 1
        if self._phase == "metering":
            return self._metering(locked=locked, settled=settled)
        if self._phase == "lagging":
            if self._frames >= LAG_FRAMES:
                self._phase, self._reference = "held", _levels(image)
                self._flicker.clear()
            return None
        if locked:
            self._other_since_s = None
            self._flicker.clear()
            return None
        if not self._flickers and not self._flicker.full:
            self._flicker.feed(image, t_s)
            self._flickers = (self._flicker.amplitude(self._mains_hz) or 0.0) > FLICKERS
            if self._flickers:
                return self._lag("whole_period")
        return self._watch(image, t_s)

    def _metering(self, *, locked: bool, settled: bool) -> Step | None:
        if locked and self._reference is not None:
            self._phase = "held"
            return "restore"
        if self._frames < (1 if settled else PATIENCE) * self._warm_up_frames:
            return None
        return self._lag("hold")

    def _lag(self, step: Step) -> Step:
        self._phase, self._frames = "lagging", 0
        return step

    def _watch(self, image: Image, t_s: float) -> Step | None:
        if self._frames % _EVERY or self._reference is None:
            return None
        ratio = np.median((_levels(image) + _DIM_LEVEL) / (self._reference + _DIM_LEVEL), axis=0)
        if bool((np.abs(ratio - 1) <= DRIFTED).all()):
            self._other_since_s = None
            return None
        if self._other_since_s is None:
            self._other_since_s = t_s
        if t_s - self._other_since_s < DRIFT_S:
            return None
        self._phase, self._frames, self._other_since_s = "metering", 0, None
        return "meter"


def _levels(image: Image) -> NDArray[np.float32]:
    """Return the mean levels of the cells of the grid, shape (cells, 3)."""
    return cv2.resize(image[::4, ::4], _GRID, interpolation=cv2.INTER_AREA).astype(np.float32).reshape(-1, 3)
