"""Driver of USB cameras (V4L2): pictures through OpenCV, controls through the kernel.

USB cameras differ in their controls. Missing ones are not set; each frame lists them (`HowTaken.lacks`).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2

from hardware.cameras.camera import STILL_SIZE_PX, STREAM_SIZE_PX, CameraError, Frame, HowTaken, Lack, Size
from hardware.cameras.camera_model import Image
from hardware.cameras.exposure import flicker_period_us
from hardware.cameras.gain_search import GainSearch, level_of
from hardware.cameras.light_lock import LightLock, Step
from hardware.cameras.opencv_log import errors_only
from hardware.cameras.v4l2_controls import (
    EXPOSURE_APERTURE_PRIORITY,
    EXPOSURE_MANUAL,
    EXPOSURE_UNIT_US,
    MAINS_50,
    MAINS_60,
    Control,
    Controls,
    KernelControls,
    Range,
)
from hardware.clock import Clock

FOCUS_FRAMES = 60
"""Frames given to autofocus, 2 s, because a USB camera does not report whether it has focused."""
_OTHER_SIZES: tuple[tuple[Size, Size], ...] = (((640, 360), (1280, 720)), ((640, 480), (1280, 960)))
"""Sizes of stream and still that are tried where the wished ones show two fields of view."""
_SAME_FIELD = 0.01
"""Largest relative difference of two aspect ratios of one field of view, as in `CameraModel.scaled_to`."""
_DAMAGED_MOST = 15
"""Frames in half a second at 30 a second. USB cameras send some that cannot be decoded."""
_STILL_FRAMES = 4
"""Frames until a new size is in effect; the last one is the still."""
_V4L_TIMEOUT_S = "2"
_FRESH_S = 1.0
"""Timestamps of a driver of which none was younger than this have another origin and are not used."""


class UsbCamera:
    """A USB camera.

    It meters automatically for `warm_up_frames`. Then white balance, focus and an exposure of at most one flicker
    period are held. A higher gain compensates for a shortened exposure. `light_lock` decides when it meters again.

    :param device: number of the device, 0 for `/dev/video0`.
    :param size_px: wished size of the stream, and `still_size_px` of stills. A camera that lacks them gives others.
    :param fps: frames per second to request.
    :param lens_position: the lens position of the calibration; None means autofocus.
    :param open_capture: returns an open `cv2.VideoCapture`; for tests, as is `open_controls`.
    :raises CameraError: `camera_absent`: there is no such camera. `camera_busy`: another program uses it.
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
        mains_hz: int = 50,
        lens_position: float | None = None,
        open_capture: Callable[[int], Any] | None = None,
        open_controls: Callable[[Path], Controls] = KernelControls,
    ) -> None:
        self._clock = clock
        self._capture = (open_capture or _open_v4l)(device)
        self._controls = open_controls(Path(f"/dev/video{device}"))
        if not self._capture.isOpened():
            in_use = self._controls.in_use()
            self._controls.close()
            if in_use:
                raise CameraError("camera_busy", f"Another program uses the camera /dev/video{device}; close it.")
            raise CameraError("camera_absent", f"There is no camera /dev/video{device}; plug it in.")
        self._capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
        self._capture.set(cv2.CAP_PROP_FPS, fps)
        self._size_px, self._still_size_px = self._sizes_of_one_field(size_px, still_size_px)
        self._longest = flicker_period_us(mains_hz) // EXPOSURE_UNIT_US
        self._light = LightLock(warm_up_frames, mains_hz)
        self._locked = False
        automatic = self._controls.get("exposure_auto") or EXPOSURE_APERTURE_PRIORITY
        self._automatic = EXPOSURE_APERTURE_PRIORITY if automatic == EXPOSURE_MANUAL else automatic
        self._first_gain = self._controls.get("gain")
        self._held: dict[Control, int] = {}
        self._search: GainSearch | None = None
        self._at_limit = False
        self._lacks = self._prepared(mains_hz)
        self._focus_range = self._controls.range("focus")
        self._lens: float | None = None
        self._focusing_frames = 0
        if lens_position is None or not self._lens_to(lens_position):
            self.refocus()
        self._index = 0
        self._stamps = False

    def read(self, timeout_s: float) -> Frame | None:
        """Return the next frame that can be decoded, or None when `_DAMAGED_MOST` in a row are damaged.

        `timeout_s` is ignored: OpenCV waits 2 s if it supports our setting, else 10 s.

        :raises CameraError: `camera_lost`: no frame came, most likely because it was unplugged.
        """
        frame = next((found for _ in range(_DAMAGED_MOST) if (found := self._grab()) is not None), None)
        if frame is None:
            return None
        self._focus()
        if self._search is not None:
            self._brighten(frame.image)
        else:
            step = self._light.step(frame.image, frame.t_s, locked=self._locked, settled=True)
            if step is not None:
                self._tell(step, frame.image)
        return frame

    def still(self) -> Frame:
        """Return one picture of the size of stills.

        :raises CameraError: `camera_lost`, as `read`. `camera_silent`: every picture is damaged.
        """
        self._resize(self._still_size_px)
        frames = [frame for _ in range(_STILL_FRAMES) if (frame := self._grab()) is not None]
        self._resize(self._size_px)
        if not frames:
            raise CameraError("camera_silent", "The camera sends damaged pictures only; unplug and replug it.")
        return frames[-1]

    def close(self) -> None:
        """Close the camera."""
        self._controls.close()
        self._capture.release()

    @property
    def lens_position(self) -> float | None:
        """The position at which the lens is held, in the camera's own unit; None while it focuses or has no motor."""
        return self._lens

    def refocus(self) -> bool:
        """Focus with the camera's own autofocus, then hold the lens. Return False if it has no autofocus."""
        if self._focus_range is None or not self._controls.set("focus_auto", 1):
            return False
        self._lens, self._focusing_frames = None, FOCUS_FRAMES
        return True

    def lock_light(self, locked: bool) -> None:
        """Hold exposure, gain and white balance while `locked`."""
        self._locked = locked

    def _prepared(self, mains_hz: int) -> tuple[Lack, ...]:
        """Set the constant controls; return those that the camera lacks."""
        lacks: list[Lack] = []
        self._controls.set("exposure_dynamic_framerate", 0)  # otherwise it lowers the frame rate in the dark
        if self._controls.range("exposure_time") is None or not self._controls.set("exposure_auto", self._automatic):
            lacks.append("exposure")
        if not self._controls.set("auto_white_balance", 1):
            lacks.append("white_balance")
        if not self._controls.set("power_line_frequency", {50: MAINS_50, 60: MAINS_60}[mains_hz]):
            lacks.append("mains")
        return tuple(lacks)

    def _grab(self) -> Frame | None:
        """Return the next frame; None when it cannot be decoded. OpenCV's `read` would call both failures the same."""
        if not self._capture.grab():
            raise CameraError("camera_lost", "The camera gives no more pictures; was its cable pulled?")
        try:
            found, image = self._capture.retrieve()
        except cv2.error:  # a picture of no bytes
            return None
        if not found or image is None or image.size == 0:
            return None
        now_s = self._clock.now_s()
        # V4L2 timestamps with CLOCK_MONOTONIC. The timestamp of a backend with another origin is not used.
        stamped_s = float(self._capture.get(cv2.CAP_PROP_POS_MSEC)) / 1000
        age_s = now_s - stamped_s
        self._stamps = self._stamps or 0 <= age_s < _FRESH_S
        # Frames that waited in the kernel's buffers while we were held up are old, and their stamps say so.
        t_s = stamped_s if self._stamps and age_s >= 0 else now_s
        self._index += 1
        exposure = self._held.get("exposure_time")
        taken = HowTaken(
            exposure_us=None if exposure is None else exposure * EXPOSURE_UNIT_US,
            at_limit=self._at_limit,
            lens_position=self._lens,
            lacks=self._lacks,
        )
        return Frame(t_s, image, self._index - 1, taken)

    def _sizes_of_one_field(self, size_px: Size, still_size_px: Size) -> tuple[Size, Size]:
        """Return sizes of stream and still with one field of view, near the wished ones. The stream's size is set.

        The kernel sets the nearest size that the camera has, which may have another aspect ratio. A calibration made
        from stills would then not fit the stream.
        """
        for stream_px, full_px in ((size_px, still_size_px), *_OTHER_SIZES):
            full, stream = self._resize(full_px), self._resize(stream_px)
            if abs(full[0] * stream[1] / (full[1] * stream[0]) - 1) <= _SAME_FIELD:
                return stream, full
        return stream, stream

    def _resize(self, size_px: Size) -> Size:
        """Ask for a size; return the one that the camera gives."""
        sides = (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)
        for side, wished_px in zip(sides, size_px, strict=True):
            self._capture.set(side, wished_px)
        width_px, height_px = (int(self._capture.get(side)) for side in sides)
        return (width_px, height_px) if min(width_px, height_px) > 0 else size_px

    def _tell(self, step: Step, image: Image) -> None:
        if step == "meter":
            self._at_limit = False
            if self._first_gain is not None:
                self._controls.set("gain", self._first_gain)
            self._controls.set("exposure_auto", self._automatic)
            self._controls.set("auto_white_balance", 1)
            return
        self._controls.set("auto_white_balance", 0)
        if step == "hold":
            self._hold(image)
        elif step == "restore":
            self._set_held()
        # "whole_period": the held exposure is a whole period already, or a whole one would be too bright.

    def _hold(self, image: Image) -> None:
        metered = self._controls.get("exposure_time")
        if metered is None or metered <= 0:  # it does not report its exposure; set to 0 the picture would be dark
            return
        gain = self._controls.get("gain")
        self._held = {"exposure_time": min(metered, self._longest)}
        if gain is not None:
            self._held["gain"] = gain
        self._set_held()
        cut = metered > self._longest
        gains = self._controls.range("gain")
        self._at_limit = cut and (gains is None or gain is None)
        if cut and gains is not None and gain is not None:
            self._search = GainSearch(level_of(image), Range(gain, gains.high))

    def _set_held(self) -> None:
        if self._held and self._controls.set("exposure_auto", EXPOSURE_MANUAL):
            for control, value in self._held.items():
                self._controls.set(control, value)

    def _brighten(self, image: Image) -> None:
        """Continue the search for the gain. While a sphere may roll, hold the gain before it; then begin it again."""
        assert self._search is not None
        gain = self._search.start_over() if self._locked else self._search.next(level_of(image))
        if gain is not None:
            self._held["gain"] = gain
            self._controls.set("gain", gain)
        if self._search.done:
            self._at_limit, self._search = self._search.too_dark, None

    def _lens_to(self, position: float) -> bool:
        allowed = self._focus_range
        if allowed is None or not allowed.low <= position <= allowed.high:
            return False
        self._controls.set("focus_auto", 0)  # a camera without autofocus refuses this, which is harmless
        if self._controls.set("focus", round(position)):
            self._lens = position
        return self._lens is not None

    def _focus(self) -> None:
        if self._focusing_frames == 0:
            return
        self._focusing_frames -= 1
        if self._focusing_frames == 0:
            self._controls.set("focus_auto", 0)
            found = self._controls.get("focus")
            self._lens = None if found is None else float(found)


def first_usb_camera(by_id: Path = Path("/dev/v4l/by-id")) -> int:
    """Return the device number of the first USB camera, which may change on replugging; 0 if udev lists none."""
    for link in sorted(by_id.glob("*-video-index0")):
        name = link.resolve().name
        if name.removeprefix("video").isdecimal():
            return int(name.removeprefix("video"))
    return 0


def _open_v4l(device: int) -> Any:
    os.environ.setdefault("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", _V4L_TIMEOUT_S)
    with errors_only():
        return cv2.VideoCapture(device, cv2.CAP_V4L2)
