"""One suite over every camera: USB and Picamera2 on stand-ins, recordings through the real OpenCV, the twin."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from hardware.cameras.camera import CAMERA_HEALTH, Camera, CameraError, CameraFeed, Frame, NoControls
from hardware.cameras.clip_camera import ClipCamera
from hardware.cameras.picamera2_camera import Picamera2Camera
from hardware.clock import ManualClock, MonotonicClock
from hardware.readings import DeviceHealth
from hardware.rig import Rig
from hardware.twin.cameras.camera import TwinCamera
from hardware.twin.drawing.renderer import Renderer
from hardware.twin.drawing.viewpoint import twin_view
from hardware.twin.world.world import World
from tests.hardware.cameras.picamera2_stand_in import StandInPicamera2, picamera2_module
from tests.hardware.cameras.usb_stand_in import StandInCapture, usb_camera

pytestmark = pytest.mark.slow

WIDE_PX, HIGH_PX = 768, 432


def a_clip(path: Path, frames: int = 12, fps: float = 24.0) -> Path:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), fps, (WIDE_PX, HIGH_PX))
    for k in range(frames):
        writer.write(np.full((HIGH_PX, WIDE_PX, 3), 20 * k, dtype=np.uint8))
    writer.release()
    return path


def usb(tmp_path: Path) -> Camera:
    return usb_camera(StandInCapture())


def picamera2(tmp_path: Path) -> Camera:
    return Picamera2Camera(MonotonicClock(), picamera2=picamera2_module(StandInPicamera2(time.monotonic)))


def clip(tmp_path: Path) -> Camera:
    return ClipCamera(a_clip(tmp_path / "clip.avi"), MonotonicClock())


def folder(tmp_path: Path) -> Camera:
    for k in range(12):
        cv2.imwrite(str(tmp_path / f"{k:03}.png"), np.full((HIGH_PX, WIDE_PX, 3), 20 * k, dtype=np.uint8))
    return ClipCamera(tmp_path, MonotonicClock())


def twin(tmp_path: Path) -> Camera:
    camera = TwinCamera(Renderer(Rig(), twin_view()))
    scene = World(Rig(), colours=("pink",), seed=1).scene()

    class Exposed(NoControls):
        def read(self, timeout_s: float) -> Frame | None:
            camera.expose(scene)
            return camera.read(timeout_s)

        still, close = camera.still, camera.close

    exposed = Exposed()
    exposed.read(0.0)
    return exposed


@pytest.fixture(params=[usb, picamera2, clip, folder, twin], ids=lambda make: make.__name__)
def camera(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Camera]:
    opened = request.param(tmp_path)
    yield opened
    opened.close()


def test_frames_are_bgr_bytes_of_the_small_size_in_order(camera: Camera) -> None:
    frames = [camera.read(1.0) for _ in range(10)]
    taken = [frame for frame in frames if frame is not None]
    assert len(taken) == 10
    assert all(frame.image.shape == (HIGH_PX, WIDE_PX, 3) and frame.image.dtype == np.uint8 for frame in taken)
    assert [frame.index - taken[0].index for frame in taken] == list(range(10))
    assert all(later.t_s >= earlier.t_s for earlier, later in pairwise(taken))


def test_a_still_keeps_the_field_of_view_and_the_stream_goes_on(camera: Camera) -> None:
    still = camera.still()
    height, width = still.image.shape[:2]
    assert width / height == pytest.approx(16 / 9, rel=0.01)
    assert width >= WIDE_PX
    after = camera.read(1.0)
    assert after is not None
    assert after.image.shape == (HIGH_PX, WIDE_PX, 3)


def test_picamera2_stamps_the_middle_of_the_exposure_and_cuts_the_padding_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.cameras.picamera2_camera.time", SimpleNamespace(monotonic=lambda: 500.0))
    stand_in = StandInPicamera2(lambda: 500.0)
    camera = Picamera2Camera(ManualClock(500.0), picamera2=picamera2_module(stand_in))
    frame = camera.read(1.0)
    assert frame is not None
    assert frame.t_s == pytest.approx(500.0 - 0.030 + 0.004)
    assert (frame.image[5, :, 0] == np.arange(WIDE_PX, dtype=np.uint16).astype(np.uint8)).all()
    assert (frame.image[:, :, 1:] == 1).all(), "no padding, no other frame"
    assert frame.image.flags["C_CONTIGUOUS"]


def test_picamera2_hands_every_request_back_and_holds_exposure_after_the_warm_up() -> None:
    stand_in = StandInPicamera2(time.monotonic)
    camera = Picamera2Camera(MonotonicClock(), warm_up_frames=5, picamera2=picamera2_module(stand_in))
    assert stand_in.configured["controls"]["FrameDurationLimits"] == (17857, 17857)
    for _ in range(4):
        camera.read(1.0)
    assert stand_in.controls == {}
    for _ in range(20):
        camera.read(1.0)
    camera.still()
    assert stand_in.held == 0
    assert stand_in.controls["AeEnable"] is False
    assert stand_in.controls["AwbEnable"] is False
    assert stand_in.controls["ExposureTime"] == 2_000, "short, so that a rolling sphere smears 2 mm"
    assert stand_in.controls["AnalogueGain"] == 8.0, "and as bright as was metered: 8 ms at gain 2"
    assert (stand_in.controls["AfMode"], stand_in.controls["LensPosition"]) == (0, 2.0)
    camera.close()
    assert stand_in.closed


def test_picamera2_waits_no_longer_than_asked_and_keeps_its_place() -> None:
    stand_in = StandInPicamera2(time.monotonic)
    camera = Picamera2Camera(MonotonicClock(), picamera2=picamera2_module(stand_in))
    stand_in.silent = True
    assert camera.read(0.1) is None
    stand_in.silent = False
    frame = camera.read(0.1)
    assert frame is not None
    assert frame.index == 0


def test_picamera2_whose_ribbon_is_pulled_is_silent() -> None:
    stand_in = StandInPicamera2(time.monotonic)
    camera = Picamera2Camera(MonotonicClock(), picamera2=picamera2_module(stand_in))
    stand_in.silent = True
    assert camera.read(0.1) is None
    with pytest.raises(CameraError) as caught:
        camera.still()
    assert caught.value.code == "camera_silent"


@pytest.mark.parametrize("call", ["capture", "switch", "make_array"])
@pytest.mark.parametrize("error", [RuntimeError("Failed to start camera"), OSError(19, "No such device")])
def test_picamera2_whose_driver_fails_in_use_says_lost(call: str, error: Exception) -> None:
    camera = Picamera2Camera(
        MonotonicClock(), picamera2=picamera2_module(StandInPicamera2(time.monotonic, fails={call: error}))
    )
    with pytest.raises(CameraError) as caught:
        _ = camera.still() if call == "switch" else camera.read(1.0)
    assert caught.value.code == "camera_lost"
    assert str(error) in str(caught.value)


def test_usb_whose_cable_is_pulled_says_lost() -> None:
    capture = StandInCapture()
    camera = usb_camera(capture)
    camera.read(1.0)
    capture.plugged = False
    with pytest.raises(CameraError) as caught:
        camera.read(1.0)
    assert caught.value.code == "camera_lost"


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (IndexError("list index out of range"), "camera_absent"),
        (RuntimeError('No camera number 0 found - use "rpicam-hello --list-cameras" to check'), "camera_absent"),
        (RuntimeError("Failed to acquire camera: Device or resource busy"), "camera_busy"),
        (RuntimeError("Camera __init__ sequence did not complete."), "camera_failed"),
        (PermissionError(13, "Permission denied", "/dev/media0"), "camera_failed"),
    ],
)
def test_picamera2_that_cannot_open_says_why(failure: Exception, code: str) -> None:
    with pytest.raises(CameraError) as caught:
        Picamera2Camera(MonotonicClock(), picamera2=picamera2_module(failure))
    assert caught.value.code == code
    assert code in CAMERA_HEALTH


def test_usb_stamps_are_the_drivers() -> None:
    clock = ManualClock(70.0)
    frame = usb_camera(StandInCapture(now_s=clock.now_s), clock).read(1.0)
    assert frame is not None
    assert frame.t_s == pytest.approx(70.0 - 0.012)


def test_usb_frames_that_waited_in_the_kernel_are_as_old_as_they_are() -> None:
    """The kernel keeps up to four frames while the table's process is held up."""
    clock = ManualClock(70.0)
    capture = StandInCapture(now_s=clock.now_s)
    camera = usb_camera(capture, clock)
    camera.read(1.0)
    clock.advance_to(73.0)
    capture.age_s = 2.8
    frame = camera.read(1.0)
    assert frame is not None
    assert frame.t_s == pytest.approx(70.2)


def test_a_usb_stamp_that_is_ahead_of_the_clock_is_not_used() -> None:
    clock = ManualClock(70.0)
    capture = StandInCapture(now_s=clock.now_s)
    camera = usb_camera(capture, clock)
    camera.read(1.0)
    capture.age_s = -5.0
    frame = camera.read(1.0)
    assert frame is not None
    assert frame.t_s == 70.0


def test_usb_stamps_of_another_origin_are_not_used() -> None:
    clock = ManualClock(70.0)
    capture = StandInCapture(now_s=clock.now_s)
    capture.age_s = 69.0
    frame = usb_camera(capture, clock).read(1.0)
    assert frame is not None
    assert frame.t_s == 70.0


def test_usb_without_a_camera_says_so() -> None:
    with pytest.raises(CameraError) as caught:
        usb_camera(StandInCapture(present=False))
    assert caught.value.code == "camera_absent"


def test_a_recording_plays_at_its_own_stamps_and_ends(tmp_path: Path) -> None:
    clock = ManualClock(40.0)
    camera = ClipCamera(
        a_clip(tmp_path / "clip.avi"), clock, wait=lambda duration_s: clock.advance_to(clock.now_s() + duration_s)
    )
    frames: list[Frame] = []
    while len(frames) < 12:
        frame = camera.read(0.01)
        if frame is not None:
            assert clock.now_s() >= frame.t_s - 1e-9
            frames.append(frame)
    with pytest.raises(CameraError) as caught:
        camera.read(1.0)
    assert caught.value.code == "camera_clip_over"
    assert [frame.t_s for frame in frames] == pytest.approx([40.0 + k / 24 for k in range(12)])
    assert [int(frame.image.mean()) for frame in frames] == pytest.approx([20 * k for k in range(12)], abs=2)


@pytest.mark.parametrize("kind", ["clip", "folder"])
def test_a_recording_that_is_decoded_too_slowly_leaves_frames_out_as_a_camera_would(tmp_path: Path, kind: str) -> None:
    clock = ManualClock(40.0)
    path = a_clip(tmp_path / "clip.avi", fps=4.0)
    if kind == "folder":
        folder(tmp_path)
        path = tmp_path
    camera = ClipCamera(path, clock, wait=lambda duration_s: clock.advance_to(clock.now_s() + duration_s), fps=4.0)
    first = camera.read(1.0)
    clock.advance_to(41.6)
    after = camera.read(1.0)
    assert first is not None
    assert after is not None
    assert (first.t_s, first.index) == (40.0, 0)
    assert (after.t_s, after.index) == (41.75, 7)
    assert int(after.image.mean()) == pytest.approx(140, abs=2), "picture, number and stamp still belong together"


@pytest.mark.parametrize("name", ["missing.mp4", "empty.avi", "folder"])
def test_a_recording_that_cannot_be_read_says_so(name: str, tmp_path: Path) -> None:
    (tmp_path / "empty.avi").write_bytes(b"not a video")
    (tmp_path / "folder").mkdir()
    with pytest.raises(CameraError) as caught:
        ClipCamera(tmp_path / name, ManualClock())
    assert caught.value.code == "camera_clip_unreadable"


def test_a_clip_without_a_frame_is_unreadable_and_not_over(tmp_path: Path) -> None:
    whole = a_clip(tmp_path / "clip.avi").read_bytes()
    beheaded = tmp_path / "beheaded.avi"
    beheaded.write_bytes(whole[: whole.index(b"movi") + 4])
    with pytest.raises(CameraError) as caught:
        ClipCamera(beheaded, ManualClock()).read(1.0)
    assert caught.value.code == "camera_clip_unreadable"


class Scripted(NoControls):
    """A camera that answers as told, then ends the feed."""

    def __init__(self, answers: list[float | CameraError | None], end: Callable[[], None]) -> None:
        self._answers, self._end = iter(answers), end
        self.closed = False

    def read(self, timeout_s: float) -> Frame | None:
        try:
            answer = next(self._answers)
        except StopIteration:
            self._end()
            return None
        if isinstance(answer, CameraError):
            raise answer
        return None if answer is None else Frame(answer, np.zeros((1, 1, 3), np.uint8), 0)

    def still(self) -> Frame:
        raise AssertionError

    def close(self) -> None:
        self.closed = True


def fed(*lives: list[float | CameraError | None], fps: float | None = None) -> tuple[list[float], list[str]]:
    frames: list[float] = []
    codes: list[str] = []
    cameras: list[Scripted] = []

    def opened() -> Camera:
        answers = lives[len(cameras)]
        if answers and isinstance(answers[0], CameraError) and answers[0].code == "camera_absent":
            cameras.append(Scripted([], lambda: None))
            cameras[-1].closed = True
            raise answers[0]
        cameras.append(Scripted(answers, feed._stopping.set))
        return cameras[-1]

    def told(health: DeviceHealth) -> None:
        assert health.status == CAMERA_HEALTH[health.code]
        codes.append(health.code)

    feed = CameraFeed(opened, ManualClock(), lambda frame: frames.append(frame.t_s), told, lambda: fps)
    for _ in lives:
        feed.run_once()
    assert all(camera.closed for camera in cameras)
    return frames, codes


def test_the_feed_tells_loss_and_return() -> None:
    lost = CameraError("camera_lost", "gone")
    absent = CameraError("camera_absent", "none")
    frames, codes = fed([0.0, 0.1, lost], [absent], [5.0, 5.1])
    assert frames == [0.0, 0.1, 5.0, 5.1]
    assert codes == ["camera_starting", "camera_ok", "camera_lost", "camera_absent", "camera_ok"]


def test_the_feed_tells_silence_but_not_a_pause() -> None:
    assert fed([0.0, None, None, None, 2.0])[1] == ["camera_starting", "camera_ok"]
    assert fed([0.0, None, None, None, None, 2.0])[1] == ["camera_starting", "camera_ok", "camera_silent"]


def test_the_feed_hands_on_only_as_many_frames_as_are_wanted() -> None:
    frames, _ = fed([k / 56 for k in range(112)], fps=2.0)
    assert all(later - earlier >= 0.47 for earlier, later in pairwise(frames))
    assert 4 <= len(frames) <= 5
    assert len(fed([k / 56 for k in range(112)])[0]) == 112


def test_the_feed_hands_on_a_frame_that_comes_in_time_with_what_is_wanted() -> None:
    assert len(fed([k / 10 for k in range(100)], fps=2.0)[0]) == 20


def test_the_feed_runs_in_a_thread_and_closes() -> None:
    frames: list[Frame] = []

    def take(frame: Frame) -> None:
        frames.append(frame)
        feed._stopping.set()

    feed = CameraFeed(lambda: usb_camera(StandInCapture()), MonotonicClock(), take, lambda health: None)
    feed.start()
    feed.close()
    assert len(frames) <= 1
