"""Records raw sensor data with consent: takes the drivers' data, blacks out the rest, writes one bounded file."""

from __future__ import annotations

import queue
import threading
from typing import Literal

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray

from appliance.games.protocol import Area
from hardware.beams.beam_monitor import BeamEdge
from hardware.cameras.camera import Frame
from hardware.cameras.camera_model import CameraModel, CameraView
from hardware.readings import ButtonPressed, DeviceHealth, Reading
from hardware.recording.recording_format import Fact
from hardware.recording.recording_writer import RecordingWriter
from hardware.rig import Rig
from hardware.scale.load_cell import Sample
from vision.camera_health import MarkerCheck
from vision.live_picture import track_mask
from vision.markers import find_view, marker_corners_mm
from vision.observations import SightError

Shown = Literal["track", "whole"]

MOST_WAITING_FRAMES = 60
MOST_WAITING_LINES = 20_000
"""Most samples, edges and the like that wait for the disk: some minutes of them, in a few MB."""
_SEEK_S, _CHECK_S = 1.0, 0.5
_QUIET_ZONE = 1.4  # the markers' white border is kept: vision takes its white reference from there


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """Progress of a recording. `waiting`: no frames are kept yet, because the markers were not found."""

    frames: int
    counts: int
    edges: int
    bytes_written: int
    dropped: int
    waiting: bool


class Recorder:
    """Takes raw data from the drivers' tap, and takes the table's place as their sink.

    Only the agreed part of the picture is kept. While the markers are not found, no frame is kept.

    :param camera: the lens, or None when it is not calibrated; then "track" keeps no frames at all.
    """

    def __init__(self, writer: RecordingWriter, shown: Shown, rig: Rig, camera: CameraModel | None) -> None:
        self._writer, self._shown, self._rig, self._camera = writer, shown, rig, camera
        self._inbox: queue.SimpleQueue[Fact] = queue.SimpleQueue()
        self._room_for_frames = threading.Semaphore(MOST_WAITING_FRAMES)
        self._room_for_lines = threading.Semaphore(MOST_WAITING_LINES)
        self._dropped = 0
        self._counting = threading.Lock()
        self._mask: NDArray[np.bool_] | None = None
        self._markers: MarkerCheck | None = None
        self._sought_s = self._checked_s = float("-inf")

    def take(self, fact: object) -> None:
        """Queue a raw fact, from a driver's thread. If too many wait for the disk, it is left out and counted."""
        if not isinstance(fact, Frame | Sample | BeamEdge | DeviceHealth | ButtonPressed):
            return
        if self._room_for(fact).acquire(blocking=False):
            self._inbox.put(fact)
        else:
            with self._counting:
                self._dropped += 1

    def sense(self, reading: Reading) -> None:
        """Ignore readings: a replay makes them again from the raw data."""

    def attention(self) -> frozenset[Area]:
        """Return the areas that make the camera run at its full rate."""
        return frozenset({"track"}) if self._shown == "track" else frozenset({"track", "tray", "boss", "pan"})

    @property
    def ended(self) -> str | None:
        """Why the recording ended, or None while it runs."""
        return self._writer.ended

    @property
    def tally(self) -> Tally:
        """The progress."""
        contents = self._writer.contents
        return Tally(
            frames=contents.frames,
            counts=contents.counts,
            edges=contents.edges,
            bytes_written=self._writer.bytes_written,
            dropped=self._dropped,
            waiting=self._shown == "track" and self._mask is None,
        )

    def pump(self) -> None:
        """Write all queued data, in the caller's thread.

        :raises SenseRecordingError: the file cannot be written any more.
        """
        while not self._inbox.empty():
            fact = self._inbox.get_nowait()
            self._room_for(fact).release()
            if isinstance(fact, Frame):
                hidden = self._hidden(fact)
                if hidden is None:
                    continue
                fact = hidden
            self._writer.add(fact)

    def _room_for(self, fact: Fact) -> threading.Semaphore:
        return self._room_for_frames if isinstance(fact, Frame) else self._room_for_lines

    def _hidden(self, frame: Frame) -> Frame | None:
        """Return the frame with everything else blacked out, or None while the markers are not found."""
        if self._shown == "whole":
            return frame
        if self._mask is None or self._mask.shape != frame.image.shape[:2] or self._moved(frame):
            self._mask = self._found_mask(frame)
        if self._mask is None:
            return None
        return msgspec.structs.replace(frame, image=np.where(self._mask[..., None], frame.image, np.uint8(0)))

    def _moved(self, frame: Frame) -> bool:
        """Return whether the markers moved: then the mask no longer fits the frame."""
        if self._markers is None or frame.t_s - self._checked_s < _CHECK_S:
            return False
        self._checked_s = frame.t_s
        return self._markers.look(frame.image).in_place < min(2, self._markers.markers)

    def _found_mask(self, frame: Frame) -> NDArray[np.bool_] | None:
        if self._camera is None or frame.t_s - self._sought_s < _SEEK_S:
            return None
        self._sought_s = frame.t_s
        try:
            view = find_view(frame.image, self._rig, self._camera)
        except SightError:
            return None
        self._markers = MarkerCheck(view, self._rig, frame.image)
        return track_mask(view, self._rig) | _marker_mask(view, self._rig)


def _marker_mask(view: CameraView, rig: Rig) -> NDArray[np.bool_]:
    mask = np.zeros((view.camera.height_px, view.camera.width_px), np.uint8)
    for marker in rig.markers:
        corners = view.project(marker_corners_mm(marker, rig.marker_side_mm * _QUIET_ZONE))
        cv2.fillConvexPoly(mask, corners.round().astype(np.int32), 255)
    return mask > 0
