"""Stand-ins for a USB camera: as much of `cv2.VideoCapture` as the driver asks, and the kernel's controls beside it.

Both share one camera: what its controls say is how bright its pictures are, some frames later. Controls that it lacks
answer as the kernel does for EINVAL, and one that is set out of its range is refused (ERANGE).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np

from hardware.cameras.usb_camera import UsbCamera
from hardware.cameras.v4l2_controls import Control, Range
from hardware.clock import Clock, MonotonicClock

LAG = 3
"""Frames after which a control takes effect."""
C920: dict[Control, tuple[int, int, int]] = {
    "gain": (0, 255, 0),
    "auto_white_balance": (0, 1, 1),
    "power_line_frequency": (0, 2, 2),
    "exposure_auto": (0, 3, 3),
    "exposure_time": (3, 2047, 157),
    "exposure_dynamic_framerate": (0, 1, 1),
    "focus": (0, 250, 40),
    "focus_auto": (0, 1, 1),
}
"""Controls as a Logitech C920 has them: lowest, highest, at first."""
C920_SIZES = (
    (640, 480), (160, 90), (160, 120), (176, 144), (320, 180), (320, 240), (352, 288), (432, 240), (640, 360),
    (800, 448), (800, 600), (864, 480), (960, 720), (1024, 576), (1280, 720), (1600, 896), (1920, 1080),
)  # fmt: skip
C270_SIZES = (
    (640, 480), (160, 120), (176, 144), (320, 176), (320, 240), (352, 288), (432, 240), (544, 288), (640, 360),
    (752, 416), (800, 448), (800, 600), (864, 480), (960, 544), (960, 720), (1024, 576), (1184, 656), (1280, 720),
    (1280, 960),
)  # fmt: skip
"""Sizes of the MJPEG of two Logitech cameras, the first being the default."""
_SIDES = (cv2.CAP_PROP_FRAME_WIDTH, cv2.CAP_PROP_FRAME_HEIGHT)


class StandInCapture:
    """As much of `cv2.VideoCapture` on V4L2 as the driver asks: sizes, settings, monotonic stamps, a cable.

    :param sizes: sizes that the camera has; None: any size.
    :param light: 1 is the light for which an exposure of 157 (15.7 ms) at gain 0 gives a level of 120.
    """

    def __init__(
        self,
        present: bool = True,
        now_s: Callable[[], float] = time.monotonic,
        controls: dict[Control, tuple[int, int, int]] | None = None,
        sizes: tuple[tuple[int, int], ...] | None = None,
    ) -> None:
        self._sizes = sizes
        self._asked: dict[int, int] = {}
        self._size_px = (640, 480)
        self.present, self.plugged, self._now_s = present, True, now_s
        self.settings: dict[int, float] = {}
        self._stamp_s = 0.0
        self.damaged: list[str] = []
        """Damage of the next frames: `no bytes`, `empty` or `undecoded`."""
        self.age_s = 0.012
        """Age of a frame when it is read."""
        self.controls = StandInControls(C920 if controls is None else controls)
        self.light = 1.0

    def isOpened(self) -> bool:
        return self.present

    def set(self, setting: int, value: float) -> bool:
        self.settings[setting] = value
        if setting in _SIDES:
            self._asked[setting] = int(value)
        if len(self._asked) == len(_SIDES):  # OpenCV passes a size on once it knows both sides
            wide, high = (self._asked[side] for side in _SIDES)
            self._asked.clear()
            self._size_px = self._nearest(wide, high)
        return True

    def _nearest(self, wide: int, high: int) -> tuple[int, int]:
        """Return the size that the kernel's uvcvideo sets: the one with the fewest pixels that do not overlap."""
        if self._sizes is None:
            return wide, high
        return min(self._sizes, key=lambda size: size[0] * size[1] - 2 * min(size[0], wide) * min(size[1], high))

    def get(self, setting: int) -> float:
        if setting in _SIDES:
            return self._size_px[_SIDES.index(setting)]
        return self._stamp_s * 1000 if setting == cv2.CAP_PROP_POS_MSEC else self.settings.get(setting, 0.0)

    def grab(self) -> bool:
        return self.plugged

    def retrieve(self) -> tuple[bool, Any]:
        """Decode the grabbed frame. One of no bytes raises OpenCV's error; one that is no JPEG gives no image."""
        if self.damaged:
            damage = self.damaged.pop()
            if damage == "no bytes":
                raise cv2.error("(-215:Assertion failed) !buf.empty() in function 'imdecode_'")
            return damage == "empty", None
        self._stamp_s = self._now_s() - self.age_s
        size = self._size_px[::-1]
        level = self.controls.level(self.light)
        rows = np.linspace(0.9, 1.1, size[0])[:, None, None]
        return True, np.broadcast_to((rows * level).clip(0, 255), (*size, 3)).astype(np.uint8)

    def release(self) -> None:
        self.present = False


def usb_camera(capture: StandInCapture, clock: Clock | None = None, **wishes: Any) -> UsbCamera:
    """Return the driver on a stand-in."""
    return UsbCamera(
        clock or MonotonicClock(),
        open_capture=lambda device: capture,
        open_controls=lambda path: capture.controls,
        **wishes,
    )


class StandInControls:
    def __init__(self, known: dict[Control, tuple[int, int, int]]) -> None:
        self._known = known
        self.values: dict[Control, int] = {name: first for name, (_, _, first) in known.items()}
        self.sets: list[tuple[Control, int]] = []
        self._seen: list[tuple[int, int, int]] = []
        self.closed = self.used_by_another = False

    def in_use(self) -> bool:
        return self.used_by_another

    def range(self, control: Control) -> Range | None:
        return Range(*self._known[control][:2]) if control in self._known else None

    def get(self, control: Control) -> int | None:
        return self.values.get(control)

    def set(self, control: Control, value: int) -> bool:
        if control not in self._known or not self._known[control][0] <= value <= self._known[control][1]:
            return False
        if control == "exposure_time" and self.values.get("exposure_auto") != 1:
            return False  # inactive while the camera meters
        self.sets.append((control, value))
        self.values[control] = value
        return True

    def close(self) -> None:
        self.closed = True

    def level(self, light: float) -> float:
        """Return how bright a frame is: what was set `LAG` frames ago counts."""
        if self.values.get("exposure_auto", 3) != 1 and "exposure_time" in self.values:
            low, high, _ = self._known["exposure_time"]
            self.values["exposure_time"] = round(min(max(157 / light, low), high))
        now = (self.values.get("exposure_time", 157), self.values.get("gain", 0), 0)
        self._seen = [*self._seen[-LAG:], now]
        exposure, gain, _ = self._seen[0]
        return float(min(120 * (light * exposure / 157 * (1 + gain / 40)) ** (1 / 2.2), 255))
