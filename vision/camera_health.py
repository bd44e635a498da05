"""Detects camera faults from pictures: covered, dark, frozen, blurred, or moved."""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.cameras.camera_model import CameraView, Image
from hardware.rig import Rig
from vision.markers import detect, marker_corners_mm

FrameHealth = Literal["ok", "camera_covered", "camera_dark", "camera_frozen"]
MarkerState = Literal["in_place", "hidden", "uncovered", "blurred", "gone", "lost", "unsure"]
"""How the markers are: enough are in place (`hidden`: all but some; `uncovered`: one more is visible than when the view
was found), most are blurred, or too few are seen, so that the view must be found again (`lost`: for so long that this
is a fault). `unsure`: blurred or gone, but not for long enough."""

_GRID = (48, 27)
"""Columns and rows of the thumbnail: a cell is 16 px of a 768×432 picture."""
DARK_LEVEL = 24.0
"""Mean level (0–255) below which a picture is dark."""
_FLAT_DETAIL = 0.045
"""Ratio of the mean difference of neighbouring cells to the mean level, below which the lens is covered."""
_FROZEN_S, _FROZEN_FRAMES = 1.0, 3
"""The picture is frozen when at least this many equal pictures came over at least this time."""
_CONFIRM_S = 0.4
"""Debounce time of a state."""
_LOOK_S = 0.1
"""Interval at which a picture is looked at for darkness and covers: a quarter of the time that they must last."""
_SAME_PATTERN = 0.9
"""Correlation above which a marker looks as before. A shift by one pixel lowers it below this value."""
_SOFT_PATTERN, _SOFT_EDGES = 0.5, 0.5
"""A blurred marker still has this correlation, and has lost this fraction of its edge energy, as with a blur of 1.5 px.
A hand on the marker has a lower correlation."""
_BLURRED_S = 0.4
"""Markers that are blurred for this long count as blurred: a camera that was touched swings for less."""
_HIDDEN_S = 0.9
"""A marker that is hidden for this long counts as hidden: a hand that reaches over it is gone sooner."""
_GONE_S = 1.0
"""Markers must be gone for this long before the view is searched: a search takes some 50 ms."""
_LOST_S = 1.5
"""Markers that are gone for this long count as lost: a hand may cover some for longer, but hardly three of four."""
_MARGIN = 1.2
"""Side of the window round a marker, relative to the marker's side."""


class FrameHealthMonitor:
    """Monitors frames by thumbnails of 48×27 pixels. A fault must last 0.4 s to be reported, and so must its end."""

    def __init__(self) -> None:
        self._state: FrameHealth = "ok"
        self._candidate: FrameHealth = "ok"
        self._since_s = 0.0
        self._bytes = b""
        self._same_since_s = 0.0
        self._same_frames = 0
        self._looked_s = float("-inf")
        self._looks: FrameHealth = "ok"

    def update(self, image: Image, t_s: float) -> FrameHealth:
        """Return the debounced state of the picture at `t_s`."""
        seen = self._seen(image, t_s)
        if seen != self._candidate:
            self._candidate, self._since_s = seen, t_s
        if self._candidate != self._state and t_s - self._since_s >= _CONFIRM_S:
            self._state = self._candidate
        return self._state

    @property
    def repeats(self) -> bool:
        """Whether the last picture repeated the one before: it gives no new information, not even that objects rest."""
        return self._same_frames > 1

    def _seen(self, image: Image, t_s: float) -> FrameHealth:
        # A sensor's noise never repeats, so an equal sample means that the picture is not new.
        sample = _every(16, image).tobytes()
        if sample != self._bytes:
            self._bytes, self._same_since_s, self._same_frames = sample, t_s, 0
        self._same_frames += 1
        if self._same_frames >= _FROZEN_FRAMES and t_s - self._same_since_s >= _FROZEN_S:
            return "camera_frozen"
        if not 0.0 <= t_s - self._looked_s < _LOOK_S:
            self._looked_s, self._looks = t_s, _looks(image)
        return self._looks


def _looks(image: Image) -> FrameHealth:
    """Return whether one picture is dark, covered or neither."""
    small = cv2.resize(_every(4, image), _GRID, interpolation=cv2.INTER_AREA).mean(axis=2)
    level = float(small.mean())
    detail = float(np.abs(np.diff(small, axis=1)).mean()) / (level + 1.0)
    if detail < _FLAT_DETAIL:
        return "camera_covered"
    return "camera_dark" if level < DARK_LEVEL else "ok"


def _every(step: int, image: Image) -> Image:
    """Return a copy of every `step`-th pixel of every `step`-th row: four times as fast as numpy's strides."""
    share = 1.0 / step
    return np.asarray(cv2.resize(image, None, fx=share, fy=share, interpolation=cv2.INTER_NEAREST), dtype=np.uint8)


class MarkerLooks(NamedTuple):
    """Numbers of markers that look as before (at the same place to about a pixel), are blurred, and are hidden.

    `uncovered`: a marker that was hidden from the start is visible now.
    """

    in_place: int
    blurred: int
    hidden: int
    uncovered: bool


class MarkerCheck:
    """Compares the markers in a frame with their appearance when the view was found."""

    def __init__(self, view: CameraView, rig: Rig, image: Image) -> None:
        height, width = image.shape[:2]
        seen = detect(_grey(image), {marker.id for marker in rig.markers})
        self._windows: list[tuple[slice, slice]] = []
        self._covers: list[tuple[int, tuple[slice, slice]]] = []
        for marker in rig.markers:
            pixels = view.project(marker_corners_mm(marker, rig.marker_side_mm * _MARGIN))
            low, high = np.floor(pixels.min(axis=0)).astype(int), np.ceil(pixels.max(axis=0)).astype(int) + 1
            if (low >= 0).all() and high[0] <= width and high[1] <= height:
                window = slice(low[1], high[1]), slice(low[0], high[0])
                if marker.id in seen:
                    self._windows.append(window)
                else:
                    self._covers.append((marker.id, window))
        self._looks = [_pattern(image[window]) for window in self._windows]
        self._edges = [_edge_energy(look) for look in self._looks]

    def look(self, image: Image) -> MarkerLooks:
        """Compare every marker with its first appearance."""
        in_place = blurred = 0
        hidden = len(self._covers)
        for window, look, edges in zip(self._windows, self._looks, self._edges, strict=True):
            pattern = _pattern(image[window])
            alike = float((look * pattern).sum())
            soft = alike > _SOFT_PATTERN and _edge_energy(pattern) < _SOFT_EDGES * edges
            blurred += soft
            hidden += alike <= _SOFT_PATTERN
            in_place += alike > _SAME_PATTERN
        uncovered = any(detect(_grey(image[window]), {marker}) for marker, window in self._covers)
        return MarkerLooks(in_place, blurred, hidden, uncovered)

    @property
    def markers(self) -> int:
        """Number of markers that were seen at the start and are checked."""
        return len(self._windows)


class _Lasting:
    """For how long something has been so."""

    def __init__(self) -> None:
        self._since_s: float | None = None

    def update(self, holds: bool, t_s: float) -> float:
        """Note whether it is so at `t_s`; return for how many seconds it has been, minus infinity if it is not."""
        if not holds:
            self._since_s = None
            return -math.inf
        self._since_s = t_s if self._since_s is None else self._since_s
        return t_s - self._since_s


class MarkerMonitor:
    """Debounces what a `MarkerCheck` finds: a hand hides some markers for a while, a touched camera swings."""

    def __init__(self, check: MarkerCheck) -> None:
        self._check = check
        self._needed = min(2, check.markers)
        self.interrupt()

    def interrupt(self) -> None:
        """Note that the markers could not be watched: nothing is known to have lasted."""
        self._blurred, self._gone, self._hidden = _Lasting(), _Lasting(), _Lasting()

    def update(self, image: Image, t_s: float) -> MarkerState:
        """Return how the markers are in the picture of `t_s`."""
        looks = self._check.look(image)
        blurred = looks.blurred >= self._needed
        in_place = not blurred and looks.in_place >= self._needed
        blurred_s = self._blurred.update(blurred, t_s)
        gone_s = self._gone.update(not blurred and not in_place, t_s)
        if in_place:
            hidden_s = self._hidden.update(looks.hidden > 0, t_s)
            return "uncovered" if looks.uncovered else "hidden" if hidden_s >= _HIDDEN_S else "in_place"
        if blurred_s >= _BLURRED_S:
            return "blurred"
        return "lost" if gone_s >= _LOST_S else "gone" if gone_s >= _GONE_S else "unsure"


def _edge_energy(pattern: NDArray[np.float32]) -> float:
    return float(np.square(np.diff(pattern, axis=0)).sum() + np.square(np.diff(pattern, axis=1)).sum())


def _grey(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), dtype=np.uint8)


def _pattern(patch: NDArray[np.uint8]) -> NDArray[np.float32]:
    grey = _grey(patch).astype(np.float32)
    grey -= grey.mean()
    return np.asarray(grey / (np.linalg.norm(grey) + 1e-3), dtype=np.float32)
