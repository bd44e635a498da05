"""Cameras that raise, hang and come back: the feed outlives all of it and tells it, by code."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import cv2
import pytest

from appliance.devices import real_table
from hardware.cameras.camera import (
    CAMERA_HEALTH,
    Camera,
    CameraError,
    CameraFeed,
    Frame,
)
from hardware.cameras.picamera2_camera import Picamera2Camera
from hardware.cameras.usb_camera import UsbCamera, first_usb_camera
from hardware.clock import ManualClock, MonotonicClock, ended
from hardware.readings import DeviceHealth
from tests.hardware.cameras.picamera2_stand_in import (
    IMX708,
    PI_CAMERA,
    USB_CAMERA,
    StandInPicamera2,
    picamera2_module,
)
from tests.hardware.cameras.usb_stand_in import StandInCapture, usb_camera

SOON_S = 0.05
"""How long the driver waits in these tests for calls that never return."""
BUSY = RuntimeError("Failed to start camera: Device or resource busy")


@pytest.fixture(autouse=True)
def nothing_is_left_over() -> Iterator[None]:
    yield
    if Picamera2Camera._overrun is not None:
        Picamera2Camera._overrun.exception(timeout=60)
        Picamera2Camera._overrun = None


def stand_in(**manners: Any) -> StandInPicamera2:
    return StandInPicamera2(time.monotonic, **manners)


def opened(module: ModuleType, **limits: float) -> Picamera2Camera:
    return Picamera2Camera(MonotonicClock(), picamera2=module, **limits)  # type: ignore[arg-type]


def lives(open_camera: Callable[[], Camera], rounds: int, frames_each: int = 2) -> list[str]:
    """Open, feed and close so often, as the feed's thread does; return the codes that it told."""
    codes: list[str] = []
    seen: list[Frame] = []

    def take(frame: Frame) -> None:
        seen.append(frame)
        if len(seen) % frames_each == 0:
            feed._stopping.set()

    def told(health: DeviceHealth) -> None:
        assert health.status == CAMERA_HEALTH[health.code]
        codes.append(health.code)

    feed = CameraFeed(open_camera, ManualClock(), take, told)
    for _ in range(rounds):
        feed._stopping.clear()
        feed.run_once()
    return codes


@pytest.mark.parametrize("call", ["Picamera2", "configure", "start"])
def test_a_call_that_raises_is_told_and_the_camera_is_opened_again(call: str) -> None:
    broken = stand_in(fails={} if call == "Picamera2" else {call: BUSY})
    module = picamera2_module(BUSY if call == "Picamera2" else broken, stand_in())
    assert lives(lambda: opened(module), 2) == ["camera_starting", "camera_busy", "camera_ok"]
    assert call == "Picamera2" or broken.closed, "else it stays busy for ever"


@pytest.mark.parametrize("error", [OSError("out of memory"), ValueError("bad format"), KeyError("sensor")])
def test_errors_that_nobody_foresaw_are_told_and_the_camera_is_opened_again(error: Exception) -> None:
    module = picamera2_module(stand_in(fails={"configure": error}), stand_in())
    assert lives(lambda: opened(module), 2) == ["camera_starting", "camera_failed", "camera_ok"]


def test_an_error_of_whatever_takes_the_frames_is_no_end_either() -> None:
    codes: list[str] = []
    module = picamera2_module(stand_in(), stand_in())
    feed = CameraFeed(
        lambda: opened(module), ManualClock(), lambda frame: [][frame.index], lambda health: codes.append(health.code)
    )
    feed.run_once()
    assert codes == ["camera_starting", "camera_ok", "camera_failed"]


def test_a_camera_without_a_lens_that_moves_is_held_all_the_same() -> None:
    fixed = {name: IMX708[name] for name in IMX708 if name not in ("AfMode", "LensPosition", "AeFlickerMode")}
    camera_on_it = stand_in(controls=fixed, untold=("AfState", "LensPosition"))
    camera = opened(picamera2_module(camera_on_it))
    for _ in range(40):
        assert camera.read(1.0) is not None
    assert camera_on_it.controls["AeEnable"] is False
    assert set(camera_on_it.controls) <= set(fixed)


def test_a_camera_that_tells_little_gives_frames_all_the_same() -> None:
    few = stand_in(
        controls={}, untold=("SensorTimestamp", "ExposureTime", "AnalogueGain", "ColourGains", "LensPosition")
    )
    camera = opened(picamera2_module(few))
    frames = [camera.read(1.0) for _ in range(40)]
    assert None not in frames
    assert few.controls == {}


def test_a_stalled_camera_is_closed_and_comes_back() -> None:
    stalled = stand_in()
    stalled.silent = True
    module = picamera2_module(stalled, stand_in())
    assert lives(lambda: opened(module), 2) == ["camera_starting", "camera_silent", "camera_ok"]
    assert stalled.closed
    assert not stalled.running


def test_a_camera_that_does_not_close_is_told_and_comes_back_when_it_did() -> None:
    hung = stand_in(hangs=("close",))
    hung.silent = True
    module = picamera2_module(hung, stand_in())

    def camera() -> Camera:
        return opened(module, close_s=SOON_S)

    assert lives(camera, 2) == ["camera_starting", "camera_silent", "camera_stuck"]
    hung.let_go.set()
    assert Picamera2Camera._overrun is not None
    Picamera2Camera._overrun.result(60)
    assert lives(lambda: opened(module), 1) == ["camera_starting", "camera_ok"]


@pytest.mark.parametrize("call", ["Picamera2", "configure", "start"])
def test_a_camera_that_does_not_open_is_told_and_is_closed_when_it_did(call: str) -> None:
    made: list[StandInPicamera2] = []
    let_go = threading.Event()

    class Hung(StandInPicamera2):
        def __init__(self) -> None:
            made.append(self)
            super().__init__(time.monotonic, hangs=(call,), let_go=let_go)

    module = picamera2_module(Hung, stand_in())
    assert lives(lambda: opened(module, open_s=SOON_S), 1) == ["camera_starting", "camera_stuck"]
    let_go.set()
    assert Picamera2Camera._overrun is not None
    Picamera2Camera._overrun.result(60)
    assert lives(lambda: opened(module), 1) == ["camera_starting", "camera_ok"]
    assert made[0].closed, "nobody else would close it"


def test_a_still_that_does_not_come_is_given_up() -> None:
    stalled = stand_in()
    camera = opened(picamera2_module(stalled))
    assert camera.read(1.0) is not None
    stalled.silent = True
    with pytest.raises(CameraError) as caught:
        camera.still()
    assert caught.value.code == "camera_silent"
    camera.close()
    assert stalled.closed


def test_a_still_while_a_frame_is_awaited_takes_both_in_order() -> None:
    pausing = stand_in()
    camera = opened(picamera2_module(pausing))
    pausing.silent = True
    assert camera.read(0.1) is None
    pausing.silent = False
    assert camera.still().image.shape[:2] == (864, 1536)
    assert pausing.held == 0


@pytest.mark.parametrize(
    "error",
    [
        ValueError("numpy.dtype size changed, may indicate binary incompatibility"),
        ImportError("numpy.core.multiarray failed to import"),
        AttributeError("_ARRAY_API not found"),
    ],
)
def test_parts_built_for_another_numpy_are_named(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    class Finder:
        @staticmethod
        def find_spec(name: str, path: object = None, target: object = None) -> None:
            if name == "picamera2":
                raise error

    monkeypatch.setattr(sys, "meta_path", [Finder, *sys.meta_path])
    monkeypatch.delitem(sys.modules, "picamera2", raising=False)
    with pytest.raises(CameraError) as caught:
        Picamera2Camera(MonotonicClock())
    assert caught.value.code == "camera_driver_mismatch"
    assert "numpy<2" in str(caught.value)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(CameraError) as caught:
        Picamera2Camera(MonotonicClock())
    assert caught.value.code == "camera_no_driver"


def test_usb_cameras_are_left_to_their_own_driver() -> None:
    with pytest.raises(CameraError) as caught:
        opened(picamera2_module(stand_in(), known=[USB_CAMERA]))
    assert caught.value.code == "camera_absent"
    opened(picamera2_module(stand_in(), known=[USB_CAMERA, PI_CAMERA])).close()


@pytest.mark.parametrize(
    ("code", "asked_usb"), [("camera_busy", False), ("camera_failed", False), ("camera_absent", True)]
)
def test_a_usb_camera_stands_in_only_for_one_that_is_not_there(
    code: str, asked_usb: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(clock: object, **wishes: object) -> Camera:
        raise CameraError(code, "No.")

    monkeypatch.setattr(real_table, "Picamera2Camera", refused)
    usb = usb_camera(StandInCapture())
    monkeypatch.setattr(real_table, "UsbCamera", lambda clock, device, **wishes: usb)
    if asked_usb:
        assert real_table.open_camera("auto", ManualClock()) is usb
        return
    with pytest.raises(CameraError) as caught:
        real_table.open_camera("auto", ManualClock())
    assert caught.value.code == code


def test_a_usb_camera_is_found_again_under_another_number(tmp_path: Path) -> None:
    assert first_usb_camera(tmp_path / "none") == 0
    for name in ("video0", "video2", "video3"):
        (tmp_path / name).touch()
    (tmp_path / "usb-046d_C270-video-index0").symlink_to(tmp_path / "video2")
    (tmp_path / "usb-046d_C270-video-index1").symlink_to(tmp_path / "video3")
    assert first_usb_camera(tmp_path) == 2


def test_opencv_before_4_12_opens_a_usb_camera_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Debian 12's picamera2 keeps us there; its `cv2.utils` has no `logging`."""
    levels = [3]

    def set_level(level: int) -> int:
        levels.append(level)
        return levels[-2]

    monkeypatch.delattr(cv2.utils, "logging", raising=False)
    monkeypatch.setattr(cv2, "setLogLevel", set_level, raising=False)
    with pytest.raises(CameraError) as caught:
        UsbCamera(MonotonicClock(), 99)
    assert caught.value.code == "camera_absent"
    assert levels == [3, 2, 3]


def test_a_usb_camera_that_is_unplugged_and_plugged_in_again_is_told_and_comes_back() -> None:
    first, second = StandInCapture(), StandInCapture()
    first.plugged = False
    captures = [first, StandInCapture(present=False), second]
    codes = lives(lambda: usb_camera(captures.pop(0)), 3)
    assert codes == ["camera_starting", "camera_lost", "camera_absent", "camera_ok"]
    assert not first.isOpened(), "the old device is given back"


def test_the_feed_ends_though_a_driver_does_not_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.cameras.camera.ended", partial(ended, within_s=SOON_S))
    reached, let_go = threading.Event(), threading.Event()

    def hung() -> Camera:
        reached.set()
        let_go.wait(60)
        raise CameraError("camera_absent", "No.")

    feed = CameraFeed(hung, MonotonicClock(), lambda frame: None, lambda health: None)
    feed.start()
    assert reached.wait(60)
    feed.close()
    assert feed._thread.is_alive()
    let_go.set()
    feed._thread.join(60)


def test_a_camera_that_always_comes_back_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulated one draws with OpenCV: a process that ends meanwhile is aborted."""
    reached, let_go = threading.Event(), threading.Event()

    def slow() -> Camera:
        reached.set()
        assert let_go.wait(60)
        raise CameraError("camera_absent", "No.")

    def not_in_time(thread: threading.Thread) -> bool:
        let_go.set()
        return False

    monkeypatch.setattr("hardware.clock.ended", not_in_time)
    feed = CameraFeed(slow, MonotonicClock(), lambda frame: None, lambda health: None, comes_back=True)
    feed.start()
    assert reached.wait(60)
    feed.close()
    assert not feed._thread.is_alive()
