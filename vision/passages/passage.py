"""Tracks passages of spheres: sheet of the lanes → background difference → blobs → tracked spheres → outcome.

`PassageTracker` processes frames at the camera's rate; `watch_clip` runs it over a recording.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np

from hardware.cameras.camera_model import CameraModel, CameraView, Image
from hardware.rig import Rig
from vision.colour import palette_of
from vision.linear_light import linear, paper_white
from vision.markers import NoMarkers, find_view
from vision.observations import Colour, Passage
from vision.passages.clip import Clip
from vision.passages.roll_events import RollEnded, RollEvent, RollSeen
from vision.passages.sheet.background import BackgroundModel
from vision.passages.sheet.lanes import TrackSheet
from vision.passages.sheet.track_blobs import find_track_blobs
from vision.passages.track_monitor import TrackMonitor, covered

DARK_BRIGHTNESS = 0.18
"""Below this fraction of the background's brightness the light is gone: noise of 8 levels hides colours of 45."""
COVERED_SHARE = 0.6
"""If more than this fraction of the track is hidden, nothing can be tracked. Hands and sleeves cover less."""
NOTHING_ROLLED_CONFIDENCE = 0.95


class PassageTracker:
    """Tracks spheres in frames of one view. Timestamps may jump: dropped frames are no error.

    `state` is "ok", "dark" (the light is gone) or "covered" (most of the track is hidden).
    """

    def __init__(self, view: CameraView, rig: Rig) -> None:
        self._view, self._rig, self._palette = view, rig, palette_of(rig)
        self._sheet = TrackSheet(view, rig)
        self._background = BackgroundModel(self._sheet)
        self._monitor = TrackMonitor(rig, self._name_colour)
        self._started = False
        self._image: Image | None = None
        self.state = "ok"

    @property
    def busy(self) -> bool:
        """Whether a sphere is rolling now."""
        return self._monitor.busy

    def seen(self, t_s: float) -> RollSeen | None:
        """Return the place of the rolling sphere at `t_s`, the timestamp fed last; None while nothing rolls."""
        return self._monitor.seen(t_s)

    def feed(self, image: Image, t_s: float) -> list[RollEvent]:
        """Process a BGR frame of the view's size; `t_s` is the middle of its exposure. Return the new events."""
        picture = self._sheet.sample(image)
        if not self._started:
            self._background.start(picture, t_s)
            self._started = True
        difference = self._background.compare(picture)
        self.state = "dark" if difference.brightness < DARK_BRIGHTNESS else "ok"
        if difference.covered_share > COVERED_SHARE:
            self.state = "covered"
        if self.state != "ok":
            return []
        self._image = image
        blobs = find_track_blobs(self._sheet, picture, difference)
        events = self._monitor.step(t_s, blobs)
        keep = None
        boxes = self._monitor.kept_boxes(t_s)
        if boxes:
            keep = np.zeros(self._sheet.shape, dtype=np.bool_)
            for window in covered(self._sheet.shape, boxes):
                keep[window] = True
        self._background.learn(picture, difference, keep, t_s)
        return events

    def finish(self, t_s: float) -> list[RollEvent]:
        """End open rolls according to the spheres' present places, as there are no more frames."""
        return self._monitor.finish(t_s)

    def _name_colour(self, bgr: tuple[float, float, float]) -> tuple[Colour, float]:
        assert self._image is not None, "colours are named while a frame is looked at"
        light = linear(np.array([[bgr]]).round().astype(np.uint8)).reshape(3)
        return self._palette.name(light.astype(np.float64), paper_white(self._image, self._view, self._rig))


def watch_clip(path: Path, camera: CameraModel, rig: Rig) -> list[Passage]:
    """Return the passages in a clip; a single one with outcome "none" when nothing rolled.

    :raises SightError: the clip cannot be decoded, was cut short, shows no markers or another camera's picture.
    """
    watcher = PassageTracker(_view_in(path, camera, rig), rig)
    clip, t_s = Clip(path), 0.0
    events: list[RollEvent] = []
    for number, image in enumerate(clip.frames()):
        t_s = number / clip.fps
        events += watcher.feed(image, t_s)
    events += watcher.finish(t_s)
    ends: dict[tuple[float, int | None], RollEnded] = {}
    for each in events:
        if isinstance(each, RollEnded):
            ends[each.started_s, each.lane] = each  # a late "passed" replaces the "stuck" before it
    if not ends:
        return [Passage(confidence=NOTHING_ROLLED_CONFIDENCE, lane=None, colour="unknown", outcome="none")]
    return [
        Passage(
            confidence=round(end.confidence, 3),
            lane=end.lane,
            colour=end.colour,
            outcome=end.outcome,
            frame_cross=None if end.crossed_s is None else round(end.crossed_s * clip.fps, 3),
            t_cross_s=None if end.crossed_s is None else round(end.crossed_s, 5),
        )
        for end in ends.values()
    ]


def _view_in(path: Path, camera: CameraModel, rig: Rig) -> CameraView:
    """Find the pose in the first frame that shows the markers, of one each half second and the last.

    A hand may hide the markers for a while. No more than one frame is kept: a minute of them fills the memory.
    """
    clip = Clip(path)
    every = max(1, round(clip.fps / 2))
    for number, image in enumerate(clip.frames()):
        if number % every == 0:
            with contextlib.suppress(NoMarkers):
                return find_view(image, rig, camera)
    return find_view(image, rig, camera)
