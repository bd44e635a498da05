"""Cameras: the protocol, the driver of USB cameras through OpenCV, and the thread that passes frames on.

The driver of the Raspberry Pi camera is `picamera2_camera`, that of a recorded clip `clip_camera`; the simulated one is
in `hardware.twin.cameras`. `vision.camera_health` detects pictures that are covered, dark or frozen.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import cv2
import msgspec

from hardware.cameras.camera_model import Image
from hardware.cameras.opencv_log import errors_only
from hardware.clock import Clock, ended, wait_out
from hardware.readings import DeviceHealth, Status

Size = tuple[int, int]

STREAM_SIZE_PX: Size = (768, 432)
STILL_SIZE_PX: Size = (1536, 864)
READ_TIMEOUT_S = 0.5
SILENT_READS = 4
"""A camera that gave no frame in so many reads (2 s) is opened again."""
REOPEN_AFTER_S = 2.0

CAMERA_HEALTH: dict[str, Status] = {
    "camera_ok": "ok",
    "camera_starting": "starting",
    "camera_absent": "absent",
    "camera_no_driver": "absent",
    "camera_driver_mismatch": "absent",
    "camera_busy": "absent",
    "camera_lost": "faulty",
    "camera_silent": "faulty",
    "camera_failed": "faulty",
    "camera_stuck": "faulty",
    "camera_clip_unreadable": "absent",
    "camera_clip_over": "starting",
}
"""Every health code of the camera's drivers, with its status."""

_log = logging.getLogger(__name__)

_V4L_TIMEOUT_S = "2"
_STALE_S = 1.0
"""A driver's stamp that is older counts from another zero and is not used."""


class Frame(msgspec.Struct, frozen=True):
    """One picture: the monotonic second of the middle of its exposure, BGR uint8 (h, w, 3), and its number from 0."""

    t_s: float
    image: Image
    index: int


class CameraError(RuntimeError):
    """The camera gives no picture. `code` is a health code, the message one sentence that says what to do."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Camera(Protocol):
    """A camera that is open."""

    def read(self, timeout_s: float) -> Frame | None:
        """Return the next frame, or None when none came in time.

        :raises CameraError: there will be no more.
        """
        ...

    def still(self) -> Frame:
        """Return one picture of the full size, taken now; the stream pauses for it for some seconds at most.

        :raises CameraError: none came.
        """
        ...

    def close(self) -> None:
        """Close the camera.

        :raises CameraError: `camera_stuck`, it does not close.
        """
        ...


class OpenCvCamera:
    """A USB (V4L2) camera.

    After `warm_up_frames` exposure, white balance and focus are fixed at their values, as far as the camera allows it.

    :param device: number of the device, 0 for `/dev/video0`.
    :param fps: frames per second to ask for.
    :param open_capture: makes an open `cv2.VideoCapture`; for tests.
    :raises CameraError: `camera_absent`, there is no such camera.
    """

    def __init__(
        self,
        clock: Clock,
        device: int = 0,
        *,
        size_px: Size = STREAM_SIZE_PX,
        still_size_px: Size = STILL_SIZE_PX,
        fps: float = 30.0,
        warm_up_frames: int = 30,
        open_capture: Callable[[int], Any] | None = None,
    ) -> None:
        self._clock, self._size_px, self._still_size_px = clock, size_px, still_size_px
        self._capture = (open_capture or _open_v4l)(device)
        if not self._capture.isOpened():
            raise CameraError("camera_absent", f"There is no camera /dev/video{device}; plug it in.")
        self._capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        self._capture.set(cv2.CAP_PROP_FPS, fps)
        self._resize(size_px)
        self._lock_after = warm_up_frames
        self._index = 0

    def read(self, timeout_s: float) -> Frame | None:
        """Return the next frame; OpenCV has a time limit of its own, 2 s where it heeds ours, else 10 s.

        :raises CameraError: `camera_lost`, it was unplugged.
        """
        frame = self._grab()
        if self._index == self._lock_after:
            self._fix_exposure()
        return frame

    def still(self) -> Frame:
        """Return one picture of `still_size_px`.

        :raises CameraError: `camera_lost`, it was unplugged.
        """
        self._resize(self._still_size_px)
        for _ in range(3):
            self._grab()
        frame = self._grab()
        self._resize(self._size_px)
        return frame

    def close(self) -> None:
        """Close the camera."""
        self._capture.release()

    def _grab(self) -> Frame:
        found, image = self._capture.read()
        if not found:
            raise CameraError("camera_lost", "The camera gives no more pictures; was its cable pulled?")
        now_s = self._clock.now_s()
        # V4L2 stamps with CLOCK_MONOTONIC; a backend that counts from its own zero is of no use.
        stamped_s = float(self._capture.get(cv2.CAP_PROP_POS_MSEC)) / 1000
        t_s = stamped_s if 0 <= now_s - stamped_s < _STALE_S else now_s
        self._index += 1
        return Frame(t_s, image, self._index - 1)

    def _resize(self, size_px: Size) -> None:
        self._capture.set(cv2.CAP_PROP_FRAME_WIDTH, size_px[0])
        self._capture.set(cv2.CAP_PROP_FRAME_HEIGHT, size_px[1])

    def _fix_exposure(self) -> None:
        exposure = self._capture.get(cv2.CAP_PROP_EXPOSURE)
        if exposure > 0:  # a camera that does not tell its exposure goes on by itself; set to 0 it would be dark
            self._capture.set(cv2.CAP_PROP_AUTO_EXPOSURE, 1)  # V4L2_EXPOSURE_MANUAL
            self._capture.set(cv2.CAP_PROP_EXPOSURE, exposure)
        self._capture.set(cv2.CAP_PROP_AUTO_WB, 0)
        self._capture.set(cv2.CAP_PROP_AUTOFOCUS, 0)


def first_usb_camera(by_id: Path = Path("/dev/v4l/by-id")) -> int:
    """Return the number of the first USB camera: plugged in again it may have another. 0 when udev names none."""
    for link in sorted(by_id.glob("*-video-index0")):
        name = link.resolve().name
        if name.removeprefix("video").isdecimal():
            return int(name.removeprefix("video"))
    return 0


def _open_v4l(device: int) -> Any:
    os.environ.setdefault("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", _V4L_TIMEOUT_S)
    with errors_only():
        return cv2.VideoCapture(device, cv2.CAP_V4L2)


class CameraFeed:
    """Opens a camera, passes on its frames and its health, and opens it again when it was lost.

    :param open_camera: opens the camera; called again after each loss.
    :param on_frame: called on the feed's thread with each wanted frame: it must enqueue and return.
    :param emit: called with every change of health; it must enqueue and return.
    :param wanted_fps: returns how many frames per second are needed now; None means all.
    :param comes_back: whether the camera's calls always return, as a simulated one's do: `close` waits for them.
    """

    def __init__(
        self,
        open_camera: Callable[[], Camera],
        clock: Clock,
        on_frame: Callable[[Frame], None],
        emit: Callable[[DeviceHealth], None],
        wanted_fps: Callable[[], float | None] = lambda: None,
        *,
        comes_back: bool = False,
    ) -> None:
        self._open_camera, self._clock = open_camera, clock
        self._on_frame, self._emit, self._wanted_fps = on_frame, emit, wanted_fps
        self._comes_back = comes_back
        self._stopping = threading.Event()
        self._last_code = ""
        self._handed_s = float("-inf")
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)

    def start(self) -> None:
        """Start; returns at once."""
        self._thread.start()

    def close(self) -> None:
        """End the thread and close the camera, if its driver answers in time; one that hangs is left behind."""
        self._stopping.set()
        (wait_out if self._comes_back else ended)(self._thread)

    def _run(self) -> None:
        while not self._stopping.is_set():
            self.run_once()
            self._stopping.wait(REOPEN_AFTER_S)

    def run_once(self) -> None:
        """Open the camera and feed frames until it is lost or the feed is closed. It never raises."""
        if not self._last_code:
            self._report("camera_starting")
        try:
            camera = self._open_camera()
        except Exception as error:
            self._report_failure(error)
            return
        try:
            self._feed_from(camera)
        except Exception as error:
            self._report_failure(error)
        try:
            camera.close()
        except Exception as error:
            self._report_failure(error)

    def _report_failure(self, error: Exception) -> None:
        """Tell what went wrong. Drivers raise what they like, and the camera must come back after all of it."""
        code = error.code if isinstance(error, CameraError) else "camera_failed"
        if code != self._last_code:
            _log.warning("camera: %s", error, exc_info=not isinstance(error, CameraError))
        self._report(code)

    def _feed_from(self, camera: Camera) -> None:
        silent_reads = 0
        while not self._stopping.is_set():
            frame = camera.read(READ_TIMEOUT_S)
            if frame is None:
                silent_reads += 1
                if silent_reads == SILENT_READS:
                    raise CameraError("camera_silent", "The camera sends no pictures; unplug and replug it.")
                continue
            silent_reads = 0
            self._report("camera_ok")
            wanted_fps = self._wanted_fps()
            if wanted_fps is None or frame.t_s - self._handed_s >= 0.95 / wanted_fps:
                self._handed_s = frame.t_s
                self._on_frame(frame)

    def _report(self, code: str) -> None:
        if code != self._last_code:
            self._last_code = code
            self._emit(DeviceHealth(t_s=self._clock.now_s(), device="camera", status=CAMERA_HEALTH[code], code=code))
