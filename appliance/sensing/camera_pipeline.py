"""The camera's part of the sensor pipeline: frames become readings.

Only the areas that the game asks for are processed: this saves time and keeps the rest private. The pipeline has no
threads and no timers. Its time is that of the frames' stamps.
"""

from __future__ import annotations

from collections.abc import Iterable

from appliance.games.protocol import Area
from appliance.sensing.region_watchers import REGION_WATCHERS, RegionWatcher
from hardware.cameras.camera import Frame
from hardware.cameras.camera_model import CameraModel, CameraView, Image
from hardware.readings import DeviceHealth, PassageSeen, PuttyColour, Reading, RollPlace, SphereOnTrack, Status
from hardware.rig import Rig
from vision.camera_health import FrameHealthMonitor, MarkerCheck, MarkerMonitor
from vision.live_picture import LivePictureEncoder
from vision.markers import find_view
from vision.observations import Colour, SightError
from vision.passages.passage import PassageTracker
from vision.passages.roll_events import FenceReached, RollEvent, RollSeen, RollStarted

IDLE_FPS = 2.0
"""Frame rate while no area is watched: enough to check the camera's own health."""
REGIONS_FPS = 8.0
"""Rate at which tray, pan and boss are read: rest is known after 0.4 s, so two reads that agree take half a second."""
_REGIONS_S = 1.0 / REGIONS_FPS
_MARKERS_S = 0.5
"""How often the markers are checked."""
_SEEK_S = 1.0
"""Interval of searches for the pose: a search takes some 50 ms."""
REPLAY_PX = 320
"""Width of a replay's pictures: enough for slow motion, with a quarter of the live picture's bytes."""
FLICKER = 5
"""A sphere at rest seems to move by up to this many thousandths of its way."""

SIGHT_HEALTH: dict[str, Status] = {
    "camera_ok": "ok",
    "camera_covered": "faulty",
    "camera_dark": "faulty",
    "camera_frozen": "faulty",
    "camera_blurred": "faulty",
    "camera_moved": "starting",
    "markers_lost": "faulty",
    "wrong_calibration": "faulty",
    "camera_overexposed": "faulty",
    "picture_too_small": "faulty",
}
"""Every health code that is found from frames, with its status."""
MARKER_HIDDEN = "camera_marker_hidden"
"""Reported in addition to `camera_ok`: the other markers suffice, until one more is hidden."""


class CameraPipeline:
    """Turns the frames of one camera into readings.

    :param camera: intrinsics; frames may have any size of the same field of view.
    """

    def __init__(self, rig: Rig, camera: CameraModel) -> None:
        self._rig, self._camera = rig, camera
        self._areas: frozenset[Area] = frozenset()
        self._health = FrameHealthMonitor()
        self._last_code: str | None = None
        self._last_further: tuple[str, ...] = ()
        self._view: CameraView | None = None
        self._markers: MarkerMonitor | None = None
        self._tracker: PassageTracker | None = None
        self._live: LivePictureEncoder | None = None
        self._replayed: LivePictureEncoder | None = None
        self._regions: dict[str, RegionWatcher] = {}
        self._regions_s = self._markers_s = self._sought_s = float("-inf")
        self._placed: RollSeen | None = None

    def attend(self, areas: Iterable[Area]) -> None:
        """Watch these areas from now on, and no others."""
        self._areas = frozenset(areas)

    def start_afresh(self) -> None:
        """Forget the pose and what was seen, and report the camera's health again."""
        self._view = self._placed = self._last_code = None
        self._regions = {}

    @property
    def wanted_fps(self) -> float | None:
        """The frame rate that the watched areas need; None: as fast as the camera can."""
        if "track" in self._areas:
            return None
        return REGIONS_FPS if self._areas else IDLE_FPS

    @property
    def view(self) -> CameraView | None:
        """Model and pose of the camera, once markers were found."""
        return self._view

    def feed(self, frame: Frame) -> list[Reading]:
        """Process a frame and return the readings that it confirmed."""
        t_s, image = frame.t_s, frame.image
        state = self._health.update(image, t_s)
        if state != "ok":
            if self._markers is not None:
                self._markers.interrupt()
            return self._report(t_s, state)
        if self._health.repeats:
            return []
        out: list[Reading] = []
        if self._view is None:
            out += self._seek(image, t_s)
            if self._view is None:
                return out
        on_track = "track" in self._areas
        busy = on_track and self._tracker is not None and self._tracker.busy
        if not busy and t_s - self._markers_s >= _MARKERS_S:
            self._markers_s = t_s
            out += self._check_markers(image, t_s)
        if on_track and self._tracker is not None:
            out += [reading for each in self._tracker.feed(image, t_s) if (reading := _reading(each)) is not None]
            out += self._place(self._tracker, t_s)
        if not busy and t_s - self._regions_s >= _REGIONS_S:
            self._regions_s = t_s
            for name in ("boss", "tray", "pan"):
                if name in self._areas:
                    out += self._regions[name].look(image, t_s)
        return out

    def _place(self, tracker: PassageTracker, t_s: float) -> list[Reading]:
        """Return the place of the rolling sphere if it changed."""
        seen, before = tracker.seen(t_s), self._placed
        if seen is None:
            self._placed = self._placed if tracker.busy else None
            return []
        if before is not None and before.lane == seen.lane and abs(before.place - seen.place) <= FLICKER:
            return []
        self._placed = seen
        return [RollPlace(t_s=t_s, lane=seen.lane, place=seen.place)]

    @property
    def sees_track(self) -> bool:
        """Whether a rolling sphere would be detected now."""
        return "track" in self._areas and self._last_code == "camera_ok"

    def live_picture(self, frame: Frame) -> bytes | None:
        """Return a frame as a JPEG of the track alone, for people; None while the track is not watched."""
        if not self.sees_track or self._live is None:
            return None
        return self._live.jpeg(frame.image)

    def replay_picture(self, frame: Frame) -> Image | None:
        """Return a frame's picture for a replay: the track alone, small; None while the track is not watched."""
        if not self.sees_track or self._replayed is None:
            return None
        return self._replayed.shown(frame.image)

    def _seek(self, image: Image, t_s: float) -> list[Reading]:
        """Find the pose, at most once a second."""
        if t_s - self._sought_s < _SEEK_S:
            return []
        self._sought_s = t_s
        try:
            view = find_view(image, self._rig, self._camera)
        except SightError as error:
            return self._report(t_s, error.code if error.code in SIGHT_HEALTH else "markers_lost")
        self._use_view(view, image, moved=False)
        return self._report(t_s, "camera_ok")

    def _use_view(self, view: CameraView, image: Image, *, moved: bool) -> None:
        self._view = view
        self._markers = MarkerMonitor(MarkerCheck(view, self._rig, image))
        self._tracker = PassageTracker(view, self._rig)
        self._live = LivePictureEncoder(view, self._rig)
        self._replayed = LivePictureEncoder(view, self._rig, REPLAY_PX)
        for watcher in self._regions.values():
            watcher.look_from(view, moved=moved)
        self._regions = self._regions or {name: make(view, self._rig) for name, make in REGION_WATCHERS.items()}

    def _check_markers(self, image: Image, t_s: float) -> list[Reading]:
        """Check the markers, and find the pose again when they are elsewhere."""
        assert self._markers is not None
        match self._markers.update(image, t_s):
            case "in_place":
                return self._report(t_s, "camera_ok")
            case "hidden":
                return self._report(t_s, "camera_ok", MARKER_HIDDEN)
            case "uncovered":
                return self._seek(image, t_s)
            case "blurred":
                return self._report(t_s, "camera_blurred")
            case "gone":
                return self._follow(image, t_s, is_fault=False)
            case "lost":
                return self._follow(image, t_s, is_fault=True)
            case "unsure":
                return []

    def _follow(self, image: Image, t_s: float, *, is_fault: bool) -> list[Reading]:
        """Find the pose of a camera that was moved. Markers that are nowhere are reported if that `is_fault`."""
        try:
            view = find_view(image, self._rig, self._camera)
        except SightError:
            return self._report(t_s, "markers_lost") if is_fault else []
        moved = self._report(t_s, "camera_moved")
        self._use_view(view, image, moved=True)
        return moved

    def _report(self, t_s: float, code: str, *further: str) -> list[Reading]:
        if (self._last_code, self._last_further) == (code, further):
            return []
        self._last_code, self._last_further = code, further
        return [DeviceHealth(t_s=t_s, device="camera", status=SIGHT_HEALTH[code], code=code, further=further)]


def _reading(event: RollEvent) -> Reading | None:
    if isinstance(event, RollStarted):
        return SphereOnTrack(t_s=event.t_s, lane=event.lane, colour=_putty(event.colour))
    if isinstance(event, FenceReached):
        return None
    return PassageSeen(
        t_s=event.t_s,
        outcome=event.outcome,
        lane=event.lane,
        colour=_putty(event.colour),
        started_s=event.started_s,
        crossed_s=event.crossed_s,
        confidence=event.confidence,
    )


def _putty(colour: Colour) -> PuttyColour | None:
    return None if colour == "unknown" else colour
