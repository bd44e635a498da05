"""A stand-in for the few calls of Picamera2 that the driver makes, with its manners (0.3.38's own source).

It is not libcamera: what it proves is the order of calls, the handing back of requests, padding, stamps and locks.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

PADDING_PX = 64


class StandInRequest:
    def __init__(self, camera: StandInPicamera2, size_px: tuple[int, int], number: int) -> None:
        self._camera, self._size_px, self._number = camera, size_px, number
        self.released = False
        camera.held += 1

    def get_metadata(self) -> dict[str, Any]:
        assert not self.released
        return {
            "SensorTimestamp": round((self._camera.now_s() - 0.030) * 1e9),
            "ExposureTime": 8_000 + self._number,
            "AnalogueGain": 2.5,
            "ColourGains": (1.5, 1.9),
            "LensPosition": 2.0,
        }

    def make_array(self, name: str) -> np.ndarray[Any, Any]:
        assert not self.released
        assert name == "main"
        width, height = self._size_px
        array = np.zeros((height, width + PADDING_PX, 3), dtype=np.uint8)
        array[:, :width] = self._number + 1
        array[:, :width, 0] = np.arange(width, dtype=np.uint16).astype(np.uint8)
        array[:, width:] = 255
        return array

    def release(self) -> None:
        assert not self.released, "a request is handed back once"
        self.released = True
        self._camera.held -= 1


class StandInPicamera2:
    """One camera; four buffers, as configured."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self.now_s = now_s
        self.camera_controls = {"LensPosition": (0.0, 32.0, 1.0), "AeEnable": (False, True, True)}
        self.held, self._number = 0, 0
        self.running = self.closed = self.unplugged = self.silent = False
        self.controls: dict[str, Any] = {}
        self.configured: dict[str, Any] = {}

    def create_video_configuration(self, **parts: Any) -> dict[str, Any]:
        return {"use": "video", **parts}

    def create_still_configuration(self, **parts: Any) -> dict[str, Any]:
        return {"use": "still", **parts}

    def configure(self, configuration: dict[str, Any]) -> None:
        assert not self.running
        self.configured = configuration

    def start(self) -> None:
        assert self.configured
        self.running = True

    def stop(self) -> None:
        self.running = False

    def close(self) -> None:
        assert not self.running
        self.closed = True

    def set_controls(self, controls: dict[str, Any]) -> None:
        assert set(controls) <= {
            "AeEnable",
            "AwbEnable",
            "ExposureTime",
            "AnalogueGain",
            "ColourGains",
            "AfMode",
            "LensPosition",
        }
        self.controls |= controls

    def capture_request(self, wait: bool = True) -> object:
        assert wait is False
        return object()

    def wait(self, job: object, timeout: float | None = None) -> StandInRequest:
        if self.unplugged:
            raise RuntimeError("Camera frontend has timed out")
        if self.silent:
            raise TimeoutError
        assert self.held < self.configured["buffer_count"], "no buffer is free"
        self._number += 1
        return StandInRequest(self, self.configured["main"]["size"], self._number - 1)

    def switch_mode_and_capture_request(self, configuration: dict[str, Any]) -> StandInRequest:
        self._number += 1
        return StandInRequest(self, configuration["main"]["size"], self._number - 1)


def picamera2_module(camera: StandInPicamera2 | Exception) -> ModuleType:
    """Return a module whose `Picamera2()` is this camera, or fails like this."""

    def opened() -> StandInPicamera2:
        if isinstance(camera, Exception):
            raise camera
        return camera

    module = ModuleType("picamera2")
    module.__dict__["Picamera2"] = opened
    return module
