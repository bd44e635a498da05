"""The guided calibration of the track, without user interface: are all markers visible, is everything at rest."""

from __future__ import annotations

from typing import Literal

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from calibration.stillness import Stillness
from hardware.cameras.camera_model import Array
from hardware.rig import Rig
from vision.camera_health import DARK_LEVEL
from vision.markers import detect

Image = NDArray[np.uint8]

Ask = Literal["light", "markers", "hands_off", "hold", "enough"]

PICTURES = 5


class TrackState(msgspec.Struct, frozen=True, kw_only=True):
    """Progress of the calibration.

    `ask` is what to do next: more `light`, uncover the `missing` markers, `hands_off` the table, `hold` on. `seen` are
    the rough corners of the visible markers, in fractions of the picture's width. `still`, 0–1, is how long nothing has
    moved. `wanted`: a full-size picture should be taken now.
    """

    ask: Ask
    seen: dict[int, tuple[tuple[float, float], ...]]
    missing: tuple[int, ...]
    still: float
    wanted: bool
    pictures: int

    @property
    def share(self) -> float:
        """Progress, 0–1."""
        return self.pictures / PICTURES


class TrackGuide:
    """Watches frames until the empty table is at rest with all markers visible, then collects pictures of it."""

    def __init__(self, rig: Rig) -> None:
        self._ids = {marker.id for marker in rig.markers}
        self._stillness = Stillness()
        self._pictures: list[Image] = []

    @property
    def done(self) -> bool:
        """Whether there are enough pictures."""
        return len(self._pictures) >= PICTURES

    @property
    def pictures(self) -> tuple[Image, ...]:
        """The pictures of the empty table taken so far."""
        return tuple(self._pictures)

    def look(self, image: Image, t_s: float) -> TrackState:
        """Process a frame (BGR uint8) of the stream."""
        grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
        moved = self._stillness.moved(grey)
        seen = detect(grey, self._ids)
        missing = tuple(sorted(self._ids - set(seen)))
        dark = float(grey.mean()) < DARK_LEVEL
        still = self._stillness.share(t_s, still=not (moved or missing or dark))
        ask: Ask = "hold"
        if self.done:
            ask = "enough"
        elif dark:
            ask = "light"
        elif missing:
            ask = "markers"
        elif moved:
            ask = "hands_off"
        return TrackState(
            ask=ask,
            seen={number: _shares(corners, image.shape[1]) for number, corners in seen.items()},
            missing=missing,
            still=still,
            wanted=still >= 1.0 and not self.done,
            pictures=len(self._pictures),
        )

    def keep(self, image: Image) -> bool:
        """Add a full-size picture."""
        self._pictures.append(image)
        return True


def _shares(corners_px: Array, width_px: int) -> tuple[tuple[float, float], ...]:
    return tuple((float(x), float(y)) for x, y in corners_px / width_px)
