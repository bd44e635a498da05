"""Frames → readings: the camera's part of the senses.

A schedule of attention keeps it cheap and discreet: what the game does not ask for is not looked at. No threads, no
timers: time is the frames' stamps.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from appliance.games.protocol import Area
from appliance.sensing.region_watchers import REGION_WATCHERS, RegionWatcher
from hardware.cameras.camera_model import CameraModel, CameraView, Image
from hardware.readings import DeviceHealth, PassageSeen, PuttyColour, Reading, SphereOnTrack, Status
from hardware.rig import Rig
from vision.camera_health import FrameHealthMonitor, MarkerCheck
from vision.live_picture import LivePictureEncoder
from vision.markers import find_view
from vision.observations import Colour, SightError
from vision.passages.passage import PassageTracker
from vision.passages.roll_events import FenceReached, RollEvent, RollStarted

IDLE_FPS = 2.0
STILLS_FPS = 8.0
_STILLS_S = 1.0 / STILLS_FPS
_MARKERS_S = 0.5
_SEEK_S = 1.0
_LOST_S = 3.0


SIGHT_HEALTH: dict[str, Status] = {
    "camera_ok": "ok",
    "camera_covered": "faulty",
    "camera_dark": "faulty",
    "camera_frozen": "faulty",
    "camera_moved": "starting",
    "markers_lost": "faulty",
    "wrong_calibration": "faulty",
    "camera_overexposed": "faulty",
}
"""Every health code that frames can tell, with its status."""


class Frame(Protocol):
    """A camera frame: `t_s` of the middle of its exposure (monotonic), `image` BGR uint8."""

    @property
    def t_s(self) -> float: ...  # noqa: D102  # named in the class's docstring

    @property
    def image(self) -> Image: ...  # noqa: D102  # named in the class's docstring


class CameraPipeline:
    """Turns the frames of one camera into readings.

    :param camera: intrinsics; frames may have any size of the same field of view.
    """

    def __init__(self, rig: Rig, camera: CameraModel) -> None:
        self._rig, self._camera = rig, camera
        self._areas: frozenset[Area] = frozenset()
        self._picture = FrameHealthMonitor()
        self._told: str | None = None
        self._view: CameraView | None = None
        self._markers: MarkerCheck | None = None
        self._watcher: PassageTracker | None = None
        self._live: LivePictureEncoder | None = None
        self._spots: dict[str, RegionWatcher] = {}
        self._stills_s = self._markers_s = self._sought_s = float("-inf")
        self._astray_s: float | None = None

    def attend(self, areas: Iterable[Area]) -> None:
        """Watch these areas from now on; the others are not looked at."""
        self._areas = frozenset(areas)

    @property
    def wanted_fps(self) -> float | None:
        """The frame rate that the attention needs; None: as fast as the camera can."""
        if "track" in self._areas:
            return None
        return STILLS_FPS if self._areas else IDLE_FPS

    @property
    def view(self) -> CameraView | None:
        """Where the camera is, once markers were found."""
        return self._view

    def feed(self, frame: Frame) -> list[Reading]:
        """Look at a frame and return the readings that it made certain."""
        t_s, image = frame.t_s, frame.image
        state = self._picture.judge(image, t_s)
        if state != "ok":
            return self._tell(t_s, state)
        out: list[Reading] = []
        if self._view is None:
            out += self._seek(image, t_s)
            if self._view is None:
                return out
        on_track = "track" in self._areas
        busy = on_track and self._watcher is not None and self._watcher.busy
        if not busy and t_s - self._markers_s >= _MARKERS_S:
            self._markers_s = t_s
            out += self._check_markers(image, t_s)
        if on_track and self._watcher is not None:
            out += [reading for each in self._watcher.feed(image, t_s) if (reading := _reading(each)) is not None]
        if not busy and t_s - self._stills_s >= _STILLS_S:
            self._stills_s = t_s
            for name in ("boss", "tray", "pan"):
                if name in self._areas:
                    out += self._spots[name].look(image, t_s)
        return out

    def live_picture(self, frame: Frame) -> bytes | None:
        """Return a frame as a JPEG for people, of the track alone; None while the track is not attended."""
        if "track" not in self._areas or self._live is None or self._told != "camera_ok":
            return None
        return self._live.jpeg(frame.image)

    def _seek(self, image: Image, t_s: float) -> list[Reading]:
        """Find the pose, at most once a second."""
        if t_s - self._sought_s < _SEEK_S:
            return []
        self._sought_s = t_s
        try:
            view = find_view(image, self._rig, self._camera)
        except SightError as error:
            return self._tell(t_s, error.code if error.code in SIGHT_HEALTH else "markers_lost")
        self._look_from(view, image)
        return self._tell(t_s, "camera_ok")

    def _look_from(self, view: CameraView, image: Image) -> None:
        self._view = view
        self._markers = MarkerCheck(view, self._rig, image)
        self._watcher = PassageTracker(view, self._rig)
        self._live = LivePictureEncoder(view, self._rig)
        self._spots = {name: make(view, self._rig) for name, make in REGION_WATCHERS.items()}

    def _check_markers(self, image: Image, t_s: float) -> list[Reading]:
        """A hand may hide markers for a while; when most stay away, the camera moved or they are covered."""
        assert self._markers is not None
        needed = min(2, self._markers.markers)
        if self._markers.in_place(image) >= needed:
            self._astray_s = None
            return self._tell(t_s, "camera_ok")
        if self._astray_s is None:
            self._astray_s = t_s
        if t_s - self._astray_s < _SEEK_S:
            return []
        try:
            view = find_view(image, self._rig, self._camera)
        except SightError:
            return self._tell(t_s, "markers_lost") if t_s - self._astray_s >= _LOST_S else []
        moved = self._tell(t_s, "camera_moved")
        self._look_from(view, image)
        self._astray_s = None
        return moved

    def _tell(self, t_s: float, code: str) -> list[Reading]:
        if self._told == code:
            return []
        self._told = code
        return [DeviceHealth(t_s=t_s, device="camera", status=SIGHT_HEALTH[code], code=code)]


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
