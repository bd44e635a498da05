"""The Raspberry Pi camera on Picamera2.

The package comes with the system (`apt install python3-picamera2`) and not from PyPI, so it is imported when a camera
is opened. This module has not run on a Raspberry Pi; the tests use a stand-in for the few calls below, which raises and
hangs as the package's own source (0.3.38) says.
"""

from __future__ import annotations

import importlib
import time
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from hardware.cameras.camera import STILL_SIZE_PX, STREAM_SIZE_PX, CameraError, Frame, Size
from hardware.cameras.camera_model import Image
from hardware.cameras.exposure import HeldExposure, held_exposure
from hardware.cameras.time_limit import begun
from hardware.clock import Clock

FULL_FIELD_PX: Size = (2304, 1296)
"""Sensor mode of the IMX708 that shows the whole field of view."""
FLICKER_PERIOD_US = 10_000
"""Lamps on 50 Hz mains flicker with this period; exposure is metered over whole periods of it."""
OPEN_S, CLOSE_S, STILL_S = 6.0, 3.0, 4.0
"""How long a call may take; on a Raspberry Pi each is said to take about a second."""

_AUTOFOCUS = {"AfMode": 2}  # AfModeContinuous
_AF_ENDED = (2, 3)  # AfStateFocused, AfStateFailed
_FLICKER = {"AeFlickerMode": 1, "AeFlickerPeriod": FLICKER_PERIOD_US}  # FlickerManual


class Picamera2Camera:
    """A Raspberry Pi camera: a small stream, and full-size stills on demand.

    The sensor runs in its full-field mode of 2304×1296, which the IMX708 gives at up to 56 frames a second. During
    `warm_up_frames` the camera meters and focuses by itself; then a short exposure, gain, white balance and the lens
    position that was found are held. Only controls that this camera has are set.

    :param picamera2: the module; None imports the installed one.
    :param open_s: how long opening may take; `close_s` and `still_s` likewise.
    :raises CameraError: `camera_no_driver`, `camera_driver_mismatch`, `camera_absent`, `camera_failed`, `camera_busy`:
        another program has it, or `camera_stuck`: a call does not return.
    """

    _overrun: ClassVar[Future[Any] | None] = None
    """A call that has not returned in time: the camera cannot be opened before it does."""

    def __init__(
        self,
        clock: Clock,
        *,
        size_px: Size = STREAM_SIZE_PX,
        still_size_px: Size = STILL_SIZE_PX,
        fps: float = 56.0,
        warm_up_frames: int = 30,
        picamera2: ModuleType | None = None,
        open_s: float = OPEN_S,
        close_s: float = CLOSE_S,
        still_s: float = STILL_S,
    ) -> None:
        self._clock, self._size_px, self._still_size_px = clock, size_px, still_size_px
        self._fps, self._lock_after, self._close_s, self._still_s = fps, warm_up_frames, close_s, still_s
        self._index = 0
        self._held = False
        self._job: Any = None
        self._metadata: dict[str, Any] = {}
        if Picamera2Camera._overrun is not None and not Picamera2Camera._overrun.done():
            raise _stuck()
        opening = begun(lambda: self._started(_imported(picamera2)), "camera opening")
        try:
            self._camera: Any = opening.result(open_s)
        except TimeoutError:
            Picamera2Camera._overrun = opening
            opening.add_done_callback(_close_late)
            raise _stuck() from None

    def _started(self, picamera2: Any) -> Any:
        try:
            camera = picamera2.Picamera2(_number(picamera2))
        except CameraError:
            raise
        except IndexError:  # it went away meanwhile
            raise _absent() from None
        except RuntimeError as error:
            raise _refusal(error) from None
        try:
            self._has = frozenset(camera.camera_controls)
            frame_us = round(1e6 / self._fps)
            # Picamera2 calls the byte order B, G, R "RGB888".
            self._stream = camera.create_video_configuration(
                main={"size": self._size_px, "format": "RGB888"},
                raw={"size": FULL_FIELD_PX},
                controls=self._known({"FrameDurationLimits": (frame_us, frame_us), **_FLICKER, **_AUTOFOCUS}),
                buffer_count=4,
            )
            self._still = camera.create_still_configuration(
                main={"size": self._still_size_px, "format": "RGB888"}, raw={"size": FULL_FIELD_PX}
            )
            camera.configure(self._stream)
            camera.start()
        except Exception as error:  # whatever the driver, its allocator or the kernel raise: the camera must be closed
            with suppress(Exception):
                camera.close()
            raise _refusal(error) from error
        return camera

    def _known(self, controls: dict[str, Any]) -> dict[str, Any]:
        """Leave out what this camera does not have: Picamera2 raises for it."""
        return {name: value for name, value in controls.items() if name in self._has}

    def read(self, timeout_s: float) -> Frame | None:
        """Return the next frame, or None when none came in time.

        :raises CameraError: `camera_lost`, the camera stopped.
        """
        try:
            if self._job is None:
                self._job = self._camera.capture_request(wait=False)
            request = self._camera.wait(self._job, timeout=timeout_s)
        except TimeoutError:
            return None
        except (RuntimeError, CancelledError) as error:
            raise _lost(error) from None
        self._job = None
        frame = self._taken(request, self._size_px)
        if not self._held and self._settled():
            self._held = True
            self._hold()
        return frame

    def still(self) -> Frame:
        """Return one picture of `still_size_px`.

        :raises CameraError: `camera_lost`, the camera stopped; `camera_silent`, none came in time. Close it then.
        """
        try:
            if self._job is not None:
                self._camera.wait(self._job, timeout=self._still_s).release()
                self._job = None
            job = self._camera.switch_mode_and_capture_request(self._still, wait=False)
            return self._taken(self._camera.wait(job, timeout=self._still_s), self._still_size_px)
        except TimeoutError:
            raise CameraError("camera_silent", "The camera sends no pictures; check its ribbon cable.") from None
        except (RuntimeError, CancelledError) as error:
            raise _lost(error) from None

    def close(self) -> None:
        """Close the camera.

        :raises CameraError: `camera_stuck`, it does not close; it cannot be opened before it does.
        """
        closing = begun(lambda: _close(self._camera), "camera closing")
        try:
            closing.result(self._close_s)
        except TimeoutError:
            Picamera2Camera._overrun = closing
            raise _stuck() from None

    def _taken(self, request: Any, size_px: Size) -> Frame:
        """Copy picture and metadata out of one request, so that they belong together, and release it."""
        try:
            self._metadata = request.get_metadata()
            image = _without_padding(request.make_array("main"), size_px)
        finally:
            request.release()
        now_s = time.monotonic()
        # SensorTimestamp: nanoseconds of the first row's start of exposure, on the axis of CLOCK_MONOTONIC.
        age_s = now_s - self._metadata.get("SensorTimestamp", now_s * 1e9) / 1e9
        t_s = self._clock.now_s() - age_s + self._metadata.get("ExposureTime", 0) / 2e6
        self._index += 1
        return Frame(t_s, image, self._index - 1)

    def _settled(self) -> bool:
        """Whether the camera has metered and focused; one that finds no focus is given six times as long."""
        focused = "AfMode" not in self._has or self._metadata.get("AfState") in _AF_ENDED
        return self._index >= (self._lock_after if focused else 6 * self._lock_after)

    def _hold(self) -> None:
        """Hold exposure, gain, white balance and focus as they were found."""
        now = self._metadata
        held: dict[str, Any] = {"AeEnable": False, "AwbEnable": False}
        if "ColourGains" in now:
            held["ColourGains"] = now["ColourGains"]
        if "ExposureTime" in now and "AnalogueGain" in now:
            most_gain = self._camera.camera_controls["AnalogueGain"][1] if "AnalogueGain" in self._has else 1.0
            exposure = held_exposure(HeldExposure(now["ExposureTime"], now["AnalogueGain"]), most_gain)
            held |= {"ExposureTime": exposure.time_us, "AnalogueGain": exposure.gain}
        if "LensPosition" in now:
            held |= {"AfMode": 0, "LensPosition": now["LensPosition"]}  # AfModeManual
        self._camera.set_controls(self._known(held))


def _imported(module: ModuleType | None) -> Any:
    try:
        return importlib.import_module("picamera2") if module is None else module
    except ModuleNotFoundError:
        raise CameraError(
            "camera_no_driver",
            "Picamera2 is missing: `sudo apt install python3-picamera2`, and make the environment with "
            "`--system-site-packages`.",
        ) from None
    except Exception as error:  # a package built for another numpy raises ValueError, ImportError or AttributeError
        raise CameraError(
            "camera_driver_mismatch",
            f"Picamera2 cannot be imported ({error}): its parts fit another numpy; on Debian 12 install `numpy<2` and "
            "`opencv-python<4.12`.",
        ) from error


def _number(picamera2: Any) -> int:
    """Return the number of the first camera on a ribbon; USB cameras are `OpenCvCamera`'s."""
    for number, known in enumerate(picamera2.Picamera2.global_camera_info()):
        if "/usb" not in known["Id"]:
            return number
    raise _absent()


def _absent() -> CameraError:
    return CameraError("camera_absent", "No camera was found; check its ribbon cable at both ends.")


def _close(camera: Any) -> None:
    # A job that timed out still waits in the queue, and stop() would wait behind it for ever; close() stops without it.
    camera.cancel_all_and_flush()
    camera.close()


def _close_late(opening: Future[Any]) -> None:
    if opening.exception() is None:
        _close(opening.result())


def _refusal(error: Exception) -> CameraError:
    said = " ← ".join(str(one) for one in (error, error.__cause__) if one is not None)
    if "busy" in said:
        return CameraError("camera_busy", f"The camera cannot be opened ({said}); does another program use it?")
    return CameraError("camera_failed", f"The camera cannot be opened ({said}); update the system, or check its cable.")


def _stuck() -> CameraError:
    return CameraError("camera_stuck", "The camera's driver does not answer; switch the table off and on.")


def _without_padding(array: Image, size_px: Size) -> Image:
    """Cut off the padding that alignment adds to rows."""
    width_px, height_px = size_px
    return np.ascontiguousarray(array[:height_px, :width_px, :3])


def _lost(error: BaseException) -> CameraError:
    return CameraError("camera_lost", f"The camera stopped ({error}); check its ribbon cable.")
