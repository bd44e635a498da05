"""The Raspberry Pi camera on Picamera2.

The package comes with the system (`apt install python3-picamera2`) and not from PyPI, so it is imported when a camera
is opened. This module has not run on a Raspberry Pi; the tests use a stand-in for the few calls below.
"""

from __future__ import annotations

import importlib
import time
from types import ModuleType
from typing import Any

import numpy as np

from hardware.cameras.camera import STILL_SIZE_PX, STREAM_SIZE_PX, CameraError, Frame, Size
from hardware.cameras.camera_model import Image
from hardware.clock import Clock

FULL_FIELD_PX: Size = (2304, 1296)
"""Sensor mode of the IMX708 that shows the whole field of view."""
_LOST_AFTER_S = 2.0


class Picamera2Camera:
    """A Raspberry Pi camera: a small stream, and full-size stills on demand.

    The sensor runs in its full-field mode of 2304×1296, which the IMX708 gives at up to 56 frames a second. After
    `warm_up_frames` exposure, gain, white balance and focus are fixed at their values.

    :param picamera2: the module; None imports the installed one.
    :raises CameraError: `camera_no_driver`, `camera_absent` or `camera_busy`: another program has it.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        size_px: Size = STREAM_SIZE_PX,
        still_size_px: Size = STILL_SIZE_PX,
        fps: float = 56.0,
        warm_up_frames: int = 30,
        picamera2: ModuleType | None = None,
    ) -> None:
        self._clock, self._size_px, self._still_size_px = clock, size_px, still_size_px
        self._lock_after = warm_up_frames
        self._index = 0
        self._job: Any = None
        self._camera: Any = _open(picamera2)
        frame_us = round(1e6 / fps)
        # Picamera2 calls the byte order B, G, R "RGB888".
        self._stream = self._camera.create_video_configuration(
            main={"size": size_px, "format": "RGB888"},
            raw={"size": FULL_FIELD_PX},
            controls={"FrameDurationLimits": (frame_us, frame_us)},
            buffer_count=4,
        )
        self._still = self._camera.create_still_configuration(
            main={"size": still_size_px, "format": "RGB888"}, raw={"size": FULL_FIELD_PX}
        )
        self._camera.configure(self._stream)
        self._camera.start()

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
        except RuntimeError as error:
            raise _lost(error) from None
        self._job = None
        frame = self._taken(request, self._size_px)
        if self._index == self._lock_after:
            self._fix_exposure()
        return frame

    def still(self) -> Frame:
        """Return one picture of `still_size_px`.

        :raises CameraError: `camera_lost`, the camera stopped.
        """
        try:
            if self._job is not None:
                self._camera.wait(self._job, timeout=_LOST_AFTER_S).release()
                self._job = None
            return self._taken(self._camera.switch_mode_and_capture_request(self._still), self._still_size_px)
        except (RuntimeError, TimeoutError) as error:
            raise _lost(error) from None

    def close(self) -> None:
        """Close the camera."""
        self._camera.stop()
        self._camera.close()

    def _taken(self, request: Any, size_px: Size) -> Frame:
        """Copy picture and metadata out of one request, so that they belong together, and release it."""
        try:
            self._metadata = request.get_metadata()
            image = _without_padding(request.make_array("main"), size_px)
        finally:
            request.release()
        # SensorTimestamp: nanoseconds of the first row's start of exposure, on the axis of CLOCK_MONOTONIC.
        age_s = time.monotonic() - self._metadata["SensorTimestamp"] / 1e9
        t_s = self._clock.now_s() - age_s + self._metadata["ExposureTime"] / 2e6
        self._index += 1
        return Frame(t_s, image, self._index - 1)

    def _fix_exposure(self) -> None:
        now = self._metadata
        held = {
            "AeEnable": False,
            "AwbEnable": False,
            "ExposureTime": now["ExposureTime"],
            "AnalogueGain": now["AnalogueGain"],
            "ColourGains": now["ColourGains"],
        }
        if "LensPosition" in self._camera.camera_controls and "LensPosition" in now:
            held |= {"AfMode": 0, "LensPosition": now["LensPosition"]}
        self._camera.set_controls(held)


def _open(module: ModuleType | None) -> Any:
    try:
        picamera2 = importlib.import_module("picamera2") if module is None else module
        return picamera2.Picamera2()
    except ImportError:
        raise CameraError(
            "camera_no_driver",
            "Picamera2 is missing: `sudo apt install python3-picamera2`, and make the environment with "
            "`--system-site-packages`.",
        ) from None
    except IndexError:
        raise CameraError("camera_absent", "No camera was found; check its ribbon cable at both ends.") from None
    except RuntimeError as error:
        raise CameraError(
            "camera_busy", f"The camera cannot be opened ({error}); does another program use it?"
        ) from None


def _without_padding(array: Image, size_px: Size) -> Image:
    """Cut off the padding that alignment adds to rows."""
    width_px, height_px = size_px
    return np.ascontiguousarray(array[:height_px, :width_px, :3])


def _lost(error: Exception) -> CameraError:
    return CameraError("camera_lost", f"The camera stopped ({error}); check its ribbon cable.")
