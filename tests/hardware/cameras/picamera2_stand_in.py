"""A stand-in for the few calls of Picamera2 that the driver makes, with its manners (0.3.38's own source).

It raises what the package raises, and it hangs where the package hangs: jobs wait in one queue, `stop()` waits behind
them, and a kernel that does not answer holds any call for ever. `tests.installed.libcamera` asks it and the package
the same questions. It is not libcamera: what it proves is the order of calls, the handing back of requests, padding,
stamps, locks, and that the driver outlives failures.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError
from types import ModuleType
from typing import Any

import cv2
import numpy as np

LAG = 5
"""Frames after which a control takes effect: those that are queued already, and the sensor's own."""
PADDING_PX = 64
PI_CAMERA = {"Model": "imx708", "Id": "/base/soc/i2c0mux/i2c@1/imx708@1a", "Num": 0}
USB_CAMERA = {"Model": "UVC", "Id": "/base/scb/pcie@7d500000/pci@0,0/usb@0,0-1.1:1.0-0ac8:3420", "Num": 0}
IMX708 = {
    "AeEnable": (False, True, True),
    "AwbEnable": (False, True, True),
    "ExposureTime": (26, 220_416_802, 20_000),
    "AnalogueGain": (1.12, 16.0, 1.0),
    "ColourGains": (0.0, 32.0, None),
    "FrameDurationLimits": (17_849, 220_417_486, 33_333),
    "AeFlickerMode": (0, 1, 0),
    "AeFlickerPeriod": (100, 1_000_000, None),
    "AfMode": (0, 2, 0),
    "LensPosition": (0.0, 32.0, 1.0),
    "NoiseReductionMode": (0, 4, 0),
}
"""Controls of a Camera Module 3: lowest, highest, default."""
_HELD_FOR_EVER_S = 60.0


class StandInRequest:
    def __init__(self, camera: StandInPicamera2, size_px: tuple[int, int], number: int) -> None:
        self._camera, self._size_px, self._number = camera, size_px, number
        self.released = False
        camera.held += 1

    def get_metadata(self) -> dict[str, Any]:
        assert not self.released
        camera = self._camera
        now = {
            "SensorTimestamp": round((camera.now_s() - 0.030) * 1e9),
            "ExposureTime": round(camera.exposure[0]),
            "AnalogueGain": camera.exposure[1],
            "ColourGains": camera.in_effect.get("ColourGains", (1.5, 1.9)),
            "LensPosition": camera.lens,
            "AfState": 2 if self._number >= camera.focused_after else 1,
            "AeLocked": camera.ae_locked,
        }
        return {name: value for name, value in now.items() if name not in self._camera.untold}

    def make_array(self, name: str) -> np.ndarray[Any, Any]:
        assert not self.released
        assert name == "main"
        self._camera._reached("make_array")
        width, height = self._size_px
        if self._camera.scene is not None:
            return self._camera.picture(self._size_px)
        array = np.zeros((height, width + PADDING_PX, 3), dtype=np.uint8)
        array[:, :width] = self._number % 250 + 1
        array[:, :width, 0] = np.arange(width, dtype=np.uint16).astype(np.uint8)
        array[:, width:] = 255
        return array

    def release(self) -> None:
        assert not self.released, "a request is handed back once"
        self.released = True
        self._camera.held -= 1


class Job:
    """A job in the camera's queue; it is done when a frame comes."""

    def __init__(self, size_px: tuple[int, int], switch_to: dict[str, Any] | None = None) -> None:
        self.size_px, self.switch_to = size_px, switch_to
        self.cancelled = False


class StandInPicamera2:
    """One camera.

    :param controls: those that libcamera advertises; any other raises.
    :param fails: call → what it raises.
    :param hangs: calls that do not return before `let_go`.
    :param untold: metadata that the camera does not give.
    :param refuses: controls that are advertised and raise all the same.
    :param scene: what is before the camera, linear light as it is metered in light 1, shape (h, w, 3); None draws the
        frame's number.

    Its automatic meters `metered_us` at gain 2 in light 1, by steps. What it is told takes effect `LAG` frames later. A
    configuration brings its own controls and drops those that were told before.
    """

    def __init__(
        self,
        now_s: Callable[[], float],
        *,
        controls: dict[str, Any] = IMX708,
        fails: dict[str, Exception] | None = None,
        hangs: Iterable[str] = (),
        untold: Iterable[str] = (),
        metered_us: int = 8_000,
        focused_after: int = 0,
        focuses_at: float = 2.0,
        refuses: Iterable[str] = (),
        scene: np.ndarray[Any, Any] | None = None,
        let_go: threading.Event | None = None,
    ) -> None:
        self.now_s, self.camera_controls = now_s, controls
        self.fails, self.hangs, self.untold = dict(fails or {}), set(hangs), set(untold)
        self.metered_us, self.focused_after = metered_us, focused_after
        self.held, self._number = 0, 0
        self.running = self.closed = self.silent = False
        self.refuses, self.scene, self.light, self.focuses_at = set(refuses), scene, 1.0, focuses_at
        self.lens, self.ae_locked = 1.0, True
        self.exposure = (float(metered_us), 2.0)
        self.in_effect: dict[str, Any] = {}
        self._coming: list[tuple[int, dict[str, Any]]] = []
        self.controls: dict[str, Any] = {}
        self.configured: dict[str, Any] = {}
        self.let_go = let_go or threading.Event()
        self._jobs: list[Job] = []
        self._reached("Picamera2")

    def _reached(self, call: str) -> None:
        if call in self.hangs and not self.let_go.wait(_HELD_FOR_EVER_S):
            raise AssertionError(f"{call} was waited for without a limit")
        if call in self.fails:
            raise self.fails[call]

    def _advertised(self, controls: dict[str, Any]) -> None:
        for name in controls:
            if name not in self.camera_controls:
                raise RuntimeError(f"Control {name} is not advertised by libcamera")
            if name in self.refuses and self.running:
                raise RuntimeError(f"Control {name} cannot be set")

    def create_video_configuration(self, **parts: Any) -> dict[str, Any]:
        return self._configuration({"NoiseReductionMode": 1, "FrameDurationLimits": (33_333, 33_333)}, parts)

    def create_still_configuration(self, **parts: Any) -> dict[str, Any]:
        return self._configuration({"NoiseReductionMode": 2, "FrameDurationLimits": (100, 1_000_000_000)}, parts)

    def _configuration(self, controls: dict[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
        own = controls if set(controls) <= set(self.camera_controls) else {}
        return {**parts, "controls": own | parts.get("controls", {})}

    def configure(self, configuration: dict[str, Any]) -> None:
        if self.running:
            raise RuntimeError("Camera must be stopped before configuring")
        self._reached("configure")
        self._advertised(configuration["controls"])
        self.configured = configuration
        self.in_effect |= configuration["controls"]

    def start(self) -> None:
        assert self.configured
        self._reached("start")
        self.running = True

    def stop(self) -> None:
        """Queue a job that stops the camera, and wait for it: behind a job that never ends that is for ever."""
        if self._jobs and self.silent and not self.let_go.wait(_HELD_FOR_EVER_S):
            raise AssertionError("stop() waits behind the job that timed out")
        self.running = False

    def cancel_all_and_flush(self) -> None:
        for job in self._jobs:
            job.cancelled = True
        self._jobs = []

    def close(self) -> None:
        """Stop without a job, as the event loop has ended by then, and close."""
        self._reached("close")
        self.running = False
        self.closed = True

    def set_controls(self, controls: dict[str, Any]) -> None:
        self._advertised(controls)
        self.controls |= controls
        self._coming.append((self._number + LAG, dict(controls)))

    def _expose(self) -> None:
        """Let one frame pass: what was told long enough ago takes effect, and the automatics go a step."""
        for due, controls in list(self._coming):
            if self._number >= due:
                self.in_effect |= controls
                self._coming.remove((due, controls))
        now = self.in_effect
        if now.get("AeEnable", True):
            wanted = self.metered_us * 2.0 / self.light
            light = self.exposure[0] * self.exposure[1]
            light *= (wanted / light) ** 0.2
            time_us = min(max(light / 2.0, 26.0), now.get("FrameDurationLimits", (33_333, 33_333))[1] - 20)
            self.exposure = (time_us, min(max(light / time_us, 1.12), 16.0))
            self.ae_locked = abs(light / wanted - 1) < 0.05 or self.exposure[1] == 16.0
        else:
            self.exposure = (now.get("ExposureTime", self.exposure[0]), now.get("AnalogueGain", self.exposure[1]))
        if now.get("AfMode") == 2:
            self.lens = self.focuses_at
        elif "LensPosition" in now:
            self.lens = now["LensPosition"]

    def picture(self, size_px: tuple[int, int]) -> np.ndarray[Any, Any]:
        assert self.scene is not None
        gain = self.light * self.exposure[0] * self.exposure[1] / (self.metered_us * 2.0)
        seen = (255 * np.clip(self.scene * gain, 0, 1) ** (1 / 2.2)).astype(np.uint8)
        return np.asarray(cv2.resize(seen, size_px, interpolation=cv2.INTER_NEAREST))

    def capture_request(self, wait: bool = True) -> Job:
        assert wait is False, "it would wait for ever"
        self._reached("capture")
        self._jobs += [Job(self.configured["main"]["size"])]
        return self._jobs[-1]

    def switch_mode_and_capture_request(self, configuration: dict[str, Any], wait: bool = True) -> Job:
        assert wait is False, "it would wait for ever"
        self._jobs += [Job(configuration["main"]["size"], configuration)]
        return self._jobs[-1]

    def wait(self, job: Job, timeout: float | None = None) -> StandInRequest:
        assert timeout is not None, "it would wait for ever"
        if job.cancelled:
            raise CancelledError
        # A pulled ribbon is silence too: libcamera hands its requests back unfinished, and Picamera2 drops those.
        # Of the buffers it keeps two for itself.
        if self.silent or self.closed or self.held >= self.configured["buffer_count"] - 2:
            raise TimeoutError
        assert job is self._jobs[0], "jobs are done in the order in which they were queued"
        self._jobs.pop(0)
        if job.switch_to is not None:
            self._reached("switch")
            self._advertised(job.switch_to.get("controls", {}))
            self.switched_with = {**job.switch_to.get("controls", {})}
            self._coming = []
            self.in_effect |= self.switched_with
        self._expose()
        self._number += 1
        request = StandInRequest(self, job.size_px, self._number - 1)
        if job.switch_to is not None:  # and back
            self.in_effect |= self.configured["controls"]
        return request


def picamera2_module(
    *cameras: StandInPicamera2 | Exception | Callable[[], StandInPicamera2],
    known: Iterable[dict[str, Any]] = (PI_CAMERA,),
) -> ModuleType:
    """Return a module whose `Picamera2()` is each of these cameras in turn, the last for ever, or fails like this."""
    left = list(cameras)
    last: list[StandInPicamera2] = []

    class Picamera2:
        @staticmethod
        def global_camera_info() -> list[dict[str, Any]]:
            return sorted(known, key=lambda camera: "/usb" in camera["Id"])

        def __new__(cls, number: int = 0) -> StandInPicamera2:  # type: ignore[misc]  # it stands in for its own class
            if number >= len(cls.global_camera_info()):
                raise RuntimeError(f"No camera number {number} found - use rpicam-hello to check connected cameras")
            if last and not last[0].closed:
                busy = RuntimeError("Failed to acquire camera: Device or resource busy")
                raise RuntimeError("Camera __init__ sequence did not complete.") from busy
            opened = left.pop(0) if len(left) > 1 else left[0]
            if isinstance(opened, Exception):
                raise opened
            last[:] = [opened if isinstance(opened, StandInPicamera2) else opened()]
            return last[0]

    module = ModuleType("picamera2")
    module.__dict__["Picamera2"] = Picamera2
    return module
