"""Cameras: the protocol, and the thread that reads frames from a camera.

Drivers: `picamera2_camera` for the Raspberry Pi camera, `usb_camera` for USB cameras, `clip_camera` for a recorded
clip. The simulated camera is in `hardware.twin.cameras`. `vision.camera_health` detects pictures that are covered,
dark or frozen.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Literal, Protocol

import msgspec

from hardware.cameras.camera_model import Image
from hardware.clock import Clock, ended, wait_out
from hardware.readings import DeviceHealth, Status

Size = tuple[int, int]
Lack = Literal["exposure", "white_balance", "mains"]
"""A control that a camera lacks: it cannot hold its exposure or white balance, or adapt to the mains frequency."""

STREAM_SIZE_PX: Size = (768, 432)
STILL_SIZE_PX: Size = (1536, 864)
READ_TIMEOUT_S = 0.5
SILENT_READS = 4
"""A camera that gave no frame in this number of reads (2 s) is opened again."""
REOPEN_CAMERA_AFTER_S = 2.0
"""Time between two attempts to open a camera, in seconds."""

CAMERA_HEALTH: dict[str, Status] = {
    "camera_ok": "ok",
    "camera_starting": "starting",
    "camera_absent": "absent",
    "camera_off": "absent",
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
"""Every health code of the camera drivers, with its status."""

LACKS: dict[Lack, str] = {
    "exposure": "its exposure cannot be set: give it bright light, or fast spheres smear.",
    "white_balance": "its white balance cannot be held: colours may drift during a roll.",
    "mains": "it cannot be set to the mains' frequency: use a lamp on direct current.",
}
"""What a missing control means, and what to do."""

_log = logging.getLogger(__name__)


class HowTaken(msgspec.Struct, frozen=True, kw_only=True):
    """How a picture was taken, as far as the camera reports it.

    `at_limit`: exposure time and gain are held at their upper limits, and the picture is still darker than the metered
    one. `lens_position` is in the driver's own unit (dioptres for Picamera2). It is None for a lens that is turned by
    hand or is still focusing. `lacks` lists the controls that this camera lacks.
    """

    exposure_us: float | None = None
    at_limit: bool = False
    lens_position: float | None = None
    lacks: tuple[Lack, ...] = ()


class Frame(msgspec.Struct, frozen=True):
    """One picture.

    `t_s` is the monotonic second of the middle of its exposure, `image` BGR uint8 (h, w, 3), `index` counts from 0.
    """

    t_s: float
    image: Image
    index: int
    taken: HowTaken | None = None


class CameraError(RuntimeError):
    """The camera gives no picture. `code` is a health code, the message one sentence that says what to do."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Camera(Protocol):
    """An open camera."""

    def read(self, timeout_s: float) -> Frame | None:
        """Return the next frame, or None when none came in time.

        :raises CameraError: there will be no more frames.
        """
        ...

    def still(self) -> Frame:
        """Take and return one picture of the full size. The stream pauses for some seconds at most.

        :raises CameraError: no picture came.
        """
        ...

    def close(self) -> None:
        """Close the camera.

        :raises CameraError: `camera_stuck`, it does not close.
        """
        ...

    @property
    def lens_position(self) -> float | None:
        """The position at which the lens is held, in the driver's own unit; None while it focuses or has no motor."""
        ...

    def refocus(self) -> bool:
        """Autofocus on the present scene, then hold the lens. Return False if the lens has no motor."""
        ...

    def lock_light(self, locked: bool) -> None:
        """Hold exposure and white balance while `locked`. Otherwise meter them again when the light has changed."""
        ...


class NoControls:
    """Base of cameras without controls: recordings and simulated cameras."""

    lens_position: float | None = None

    def refocus(self) -> bool:
        """Change nothing."""
        return False

    def lock_light(self, locked: bool) -> None:
        """Change nothing."""


class CameraFeed:
    """Opens a camera, delivers its frames and its health, and opens it again after a loss.

    :param open_camera: opens the camera; called again after each loss.
    :param on_frame: called on the feed's thread with each wanted frame: it must enqueue and return.
    :param emit: called with every change of health; it must enqueue and return.
    :param wanted_fps: returns the frames per second needed now. None means all frames: a sphere may roll, and exposure
        and white balance are locked.
    :param comes_back: whether the camera's calls always return, as those of a simulated one do. `close` then waits
        without a limit.
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
        self._told_lacks: set[Lack] = set()
        self._handed_s = float("-inf")
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)

    def start(self) -> None:
        """Start the thread and return at once."""
        self._thread.start()

    def close(self) -> None:
        """End the thread and close the camera. A driver that hangs is left behind, unless `comes_back`."""
        self._stopping.set()
        (wait_out if self._comes_back else ended)(self._thread)

    def _run(self) -> None:
        while not self._stopping.is_set():
            self.run_once()
            self._stopping.wait(REOPEN_CAMERA_AFTER_S)

    def run_once(self) -> None:
        """Open the camera and deliver frames until it is lost or the feed is closed. It raises no `Exception`."""
        if not self._last_code:
            self._report("camera_starting")
        try:
            camera = self._open_camera()
        except Exception as error:
            if not self._stopping.is_set():
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
        """Log and report an error. Drivers may raise any exception; the camera must be opened again after each."""
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
            camera.lock_light(wanted_fps is None)
            self._tell_lacks(frame)
            if wanted_fps is None or frame.t_s - self._handed_s >= 0.95 / wanted_fps:
                self._handed_s = frame.t_s
                self._on_frame(frame)

    def _tell_lacks(self, frame: Frame) -> None:
        """Log once each control that this camera lacks; `smugglers check` prints it."""
        for lack in frame.taken.lacks if frame.taken is not None else ():
            if lack not in self._told_lacks:
                self._told_lacks.add(lack)
                _log.warning("camera: %s [camera_lacks_%s]", LACKS[lack], lack)

    def _report(self, code: str) -> None:
        if code != self._last_code:
            self._last_code = code
            self._emit(DeviceHealth(t_s=self._clock.now_s(), device="camera", status=CAMERA_HEALTH[code], code=code))
