"""Driver of the Raspberry Pi camera, on Picamera2.

The package comes with the system (`apt install python3-picamera2`) and not from PyPI, so it is imported when a camera
is opened. This module has not run on a Raspberry Pi. `make camera-proof` runs it on Picamera2 0.3.38 with a libcamera
whose camera is a test picture. The tests use a stand-in for the few calls below, which raises and hangs as Picamera2
does.
"""

from __future__ import annotations

import logging
import time
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from hardware.cameras.camera import STILL_SIZE_PX, STREAM_SIZE_PX, CameraError, Frame, HowTaken, Lack, Size
from hardware.cameras.camera_model import Image
from hardware.cameras.exposure import HeldExposure, flicker_period_us, held_exposure
from hardware.cameras.light_lock import PATIENCE, LightLock, Step
from hardware.cameras.picamera2_errors import first_number, imported, lost, refusal, stuck
from hardware.cameras.time_limit import begun
from hardware.clock import Clock

FULL_FIELD_PX: Size = (2304, 1296)
"""Sensor mode of the IMX708 that shows the whole field of view."""
OPEN_S, CLOSE_S, STILL_S = 6.0, 3.0, 4.0
"""Time limits of calls. On a Raspberry Pi each is said to take about a second."""

_AUTOFOCUS = {"AfMode": 2}  # AfModeContinuous
_AF_ENDED = (2, 3)  # AfStateFocused, AfStateFailed
_AE_SEARCHING = 1  # AeStateSearching
_STOPPED = (RuntimeError, OSError, CancelledError)
"""What libcamera, the kernel and Picamera2's queue raise once the camera gives no more."""
_METER = {"AeEnable": True, "AwbEnable": True}
_LACKS: dict[str, Lack] = {
    "ExposureTime": "exposure",
    "AnalogueGain": "exposure",
    "AeEnable": "exposure",
    "AwbEnable": "white_balance",
    "ColourGains": "white_balance",
    "AeFlickerMode": "mains",
    "AeFlickerPeriod": "mains",
}
"""What a camera cannot do when it lacks a control."""
_NOT_RAISED = 0.9
"""The held exposure is at its limit when it gives less than this fraction of the metered light."""

_log = logging.getLogger(__name__)


class Picamera2Camera:
    """A Raspberry Pi camera: a small stream, and full-size stills on demand.

    The sensor runs in its full-field mode of 2304×1296, which the IMX708 gives at up to 56 frames a second. During
    `warm_up_frames` the camera meters automatically. Then a short exposure, gain and white balance are held;
    `light_lock` decides when it meters again. The lens focuses once, or is set to the position of the calibration, and
    is held there. Controls that the camera lacks or refuses are not set.

    :param mains_hz: frequency of the mains: exposure is metered over whole flicker periods of its lamps.
    :param lens_position: in dioptres; None means autofocus.
    :param picamera2: the module; None imports the installed one.
    :param open_s: time limit of opening; `close_s` and `still_s` are those of closing and of a still.
    :raises CameraError: `camera_no_driver`, `camera_driver_mismatch`, `camera_absent`, `camera_failed`, `camera_busy`:
        another program uses it, or `camera_stuck`: a call does not return.
    """

    _overrun: ClassVar[Future[Any] | None] = None
    """A call that exceeded its time limit. The camera cannot be opened until it returns."""

    def __init__(
        self,
        clock: Clock,
        *,
        size_px: Size = STREAM_SIZE_PX,
        still_size_px: Size = STILL_SIZE_PX,
        fps: float = 56.0,
        warm_up_frames: int = 30,
        mains_hz: int = 50,
        lens_position: float | None = None,
        picamera2: ModuleType | None = None,
        open_s: float = OPEN_S,
        close_s: float = CLOSE_S,
        still_s: float = STILL_S,
    ) -> None:
        self._clock, self._size_px, self._still_size_px = clock, size_px, still_size_px
        self._fps, self._warm_up_frames, self._close_s, self._still_s = fps, warm_up_frames, close_s, still_s
        self._period_us = flicker_period_us(mains_hz)
        self._light = LightLock(warm_up_frames, mains_hz)
        self._locked = self._flickering = self._at_limit = False
        self._metered: HeldExposure | None = None
        self._lens, self._focusing_frames = lens_position, 0
        self._told: dict[str, Any] = {}
        self._refused: set[str] = set()
        self._index = 0
        self._job: Any = None
        self._metadata: dict[str, Any] = {}
        if Picamera2Camera._overrun is not None and not Picamera2Camera._overrun.done():
            raise stuck()
        opening = begun(lambda: self._started(imported(picamera2)), "camera opening")
        try:
            self._camera: Any = opening.result(open_s)
        except TimeoutError:
            Picamera2Camera._overrun = opening
            opening.add_done_callback(_close_late)
            raise stuck() from None

    def _started(self, picamera2: Any) -> Any:
        try:
            camera = picamera2.Picamera2(first_number(picamera2))
        except CameraError:
            raise
        except (IndexError, RuntimeError, OSError) as error:
            raise refusal(error) from None
        try:
            self._has_motor = "AfMode" in camera.camera_controls
            lowest, highest = camera.camera_controls.get("LensPosition", (1.0, 0.0))[:2]
            if self._lens is not None and not (self._has_motor and lowest <= self._lens <= highest):
                self._lens = None  # the calibration was made with another camera
            self._lacks = _lacks(camera, self._refused)
            frame_us = round(1e6 / self._fps)
            flicker = {"AeFlickerMode": 1, "AeFlickerPeriod": self._period_us}  # FlickerManual
            self._told = {"FrameDurationLimits": (frame_us, frame_us), **flicker, **self._lens_controls()}
            # Picamera2 calls the byte order B, G, R "RGB888".
            stream = camera.create_video_configuration(
                main={"size": self._size_px, "format": "RGB888"},
                raw={"size": FULL_FIELD_PX},
                controls=_known(camera, self._told),
                buffer_count=4,
            )
            self._still = camera.create_still_configuration(
                main={"size": self._still_size_px, "format": "RGB888"}, raw={"size": FULL_FIELD_PX}
            )
            camera.configure(stream)
            camera.start()
        except Exception as error:  # close the camera after any error of the driver, its allocator or the kernel
            with suppress(Exception):
                camera.close()
            raise refusal(error) from error
        return camera

    def read(self, timeout_s: float) -> Frame | None:
        """Return the next frame, or None when none came in time.

        :raises CameraError: `camera_lost`, the camera stopped.
        """
        try:
            if self._job is None:
                self._job = self._camera.capture_request(wait=False)
            request = self._camera.wait(self._job, timeout=timeout_s)
            self._job = None
            frame = self._taken(request, self._size_px)
        except TimeoutError:
            return None
        except _STOPPED as error:
            raise lost(error) from None
        self._focus()
        step = self._light.step(frame.image, frame.t_s, locked=self._locked, settled=self._settled())
        if step is not None:
            self._tell(step)
        return frame

    def still(self) -> Frame:
        """Return one picture of `still_size_px`.

        :raises CameraError: `camera_lost`: the camera stopped. `camera_silent`: no picture came in time. Then close it.
        """
        try:
            if self._job is not None:
                self._camera.wait(self._job, timeout=self._still_s).release()
                self._job = None
            # Each switch of the configuration also sets that configuration's controls: set the held ones each time.
            controls = {**self._still.get("controls", {}), **self._accepted()}
            job = self._camera.switch_mode_and_capture_request({**self._still, "controls": controls}, wait=False)
            frame = self._taken(self._camera.wait(job, timeout=self._still_s), self._still_size_px)
            self._set({})
            return frame
        except TimeoutError:
            raise CameraError("camera_silent", "The camera sends no pictures; check its ribbon cable.") from None
        except _STOPPED as error:
            raise lost(error) from None

    def close(self) -> None:
        """Close the camera.

        :raises CameraError: `camera_stuck`: it did not close in time. It cannot be opened until it has.
        """
        closing = begun(lambda: _close(self._camera), "camera closing")
        try:
            closing.result(self._close_s)
        except TimeoutError:
            Picamera2Camera._overrun = closing
            raise stuck() from None

    def _taken(self, request: Any, size_px: Size) -> Frame:
        """Copy picture and metadata from the same request and release it."""
        try:
            self._metadata = request.get_metadata()
            image = _without_padding(request.make_array("main"), size_px)
        finally:
            request.release()
        now_s = time.monotonic()
        # SensorTimestamp: start of the first row's exposure, in nanoseconds of CLOCK_MONOTONIC.
        age_s = now_s - self._metadata.get("SensorTimestamp", now_s * 1e9) / 1e9
        t_s = self._clock.now_s() - age_s + self._metadata.get("ExposureTime", 0) / 2e6
        self._index += 1
        taken = HowTaken(
            exposure_us=self._metadata.get("ExposureTime"),
            at_limit=self._at_limit,
            lens_position=self.lens_position,
            lacks=self._lacks,
        )
        return Frame(t_s, image, self._index - 1, taken)

    @property
    def lens_position(self) -> float | None:
        """The position at which the lens is held, in dioptres; None while it focuses or has no motor."""
        return self._lens

    def refocus(self) -> bool:
        """Autofocus on the present scene, then hold the lens. Return False if the lens has no motor."""
        if self._has_motor:
            self._lens, self._focusing_frames = None, 0
            self._set(_AUTOFOCUS)
        return self._has_motor

    def lock_light(self, locked: bool) -> None:
        """Hold exposure, gain and white balance while `locked`."""
        self._locked = locked

    def _settled(self) -> bool:
        """Return whether auto-exposure has settled. libcamera 0.5 replaces `AeLocked` by `AeState`."""
        return bool(self._metadata.get("AeLocked", self._metadata.get("AeState") != _AE_SEARCHING))

    def _lens_controls(self) -> dict[str, Any]:
        return _AUTOFOCUS if self._lens is None else {"AfMode": 0, "LensPosition": self._lens}  # AfModeManual

    def _focus(self) -> None:
        """Hold the lens once it has focused, or after `PATIENCE` times the warm-up."""
        if self._told.get("AfMode") != _AUTOFOCUS["AfMode"] or not self._has_motor:
            return
        self._focusing_frames += 1
        ended = self._metadata.get("AfState") in _AF_ENDED
        if self._focusing_frames >= (1 if ended else PATIENCE) * self._warm_up_frames:
            self._focusing_frames = 0
            self._lens = self._metadata.get("LensPosition")
            self._set({"AfMode": 0} if self._lens is None else self._lens_controls())

    def _tell(self, step: Step) -> None:
        if step == "meter":
            for name in ("ExposureTime", "AnalogueGain", "ColourGains"):
                self._told.pop(name, None)
            self._set(_METER)
        elif step == "restore":
            self._set(self._held)
        else:
            self._flickering = self._flickering or step == "whole_period"
            self._hold()

    def _hold(self) -> None:
        """Hold the metered white balance, and exposure and gain as `held_exposure` derives them."""
        now = self._metadata
        held: dict[str, Any] = {"AeEnable": False, "AwbEnable": False}
        if "ColourGains" in now:
            held["ColourGains"] = now["ColourGains"]
        if self._metered is None or self._told.get("AeEnable") is not False:
            known = "ExposureTime" in now and "AnalogueGain" in now
            self._metered = HeldExposure(now["ExposureTime"], now["AnalogueGain"]) if known else None
        if self._metered is not None:
            gains = self._camera.camera_controls.get("AnalogueGain", (1.0, 1.0))
            exposure = held_exposure(self._metered, gains[:2], self._period_us, flickering=self._flickering)
            held |= {"ExposureTime": exposure.time_us, "AnalogueGain": exposure.gain}
            light = exposure.time_us * exposure.gain
            self._at_limit = light < _NOT_RAISED * self._metered.time_us * self._metered.gain
        self._held = held
        self._set(held)

    def _set(self, controls: dict[str, Any]) -> None:
        """Set `controls` and all former ones again. Refused ones are never set again and are listed in `_lacks`."""
        self._told |= controls
        wanted = self._accepted()
        try:
            self._camera.set_controls(wanted)
        except RuntimeError as error:
            _log.warning("camera: %s", error)
            self._refused |= {name for name, value in wanted.items() if not _accepts(self._camera, name, value)}
        self._lacks = _lacks(self._camera, self._refused)

    def _accepted(self) -> dict[str, Any]:
        """Return all controls to set, without those that the camera lacks or refused."""
        known = _known(self._camera, self._told)
        return {name: value for name, value in known.items() if name not in self._refused}


def _lacks(camera: Any, refused: set[str]) -> tuple[Lack, ...]:
    has = frozenset(camera.camera_controls) - refused
    return tuple(dict.fromkeys(lack for name, lack in _LACKS.items() if name not in has))


def _known(camera: Any, controls: dict[str, Any]) -> dict[str, Any]:
    """Return only the controls that this camera has: Picamera2 raises for others."""
    has = camera.camera_controls
    return {name: value for name, value in controls.items() if name in has}


def _accepts(camera: Any, name: str, value: Any) -> bool:
    try:
        camera.set_controls({name: value})
    except RuntimeError:
        return False
    return True


def _close(camera: Any) -> None:
    # A job that timed out is still queued, and stop() would wait for it for ever. Flush the queue, then close.
    camera.cancel_all_and_flush()
    camera.close()


def _close_late(opening: Future[Any]) -> None:
    if opening.exception() is None:
        _close(opening.result())


def _without_padding(array: Image, size_px: Size) -> Image:
    """Remove the padding that alignment adds to rows."""
    width_px, height_px = size_px
    return np.ascontiguousarray(array[:height_px, :width_px, :3])
