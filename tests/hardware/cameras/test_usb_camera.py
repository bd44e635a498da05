"""USB cameras: what is set, in the kernel's units, and what happens when a camera lacks it.

Numbers are checked against the kernel's own headers by a C compiler, and calls against a real camera where one is.
"""

from __future__ import annotations

import errno
import logging
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hardware.cameras.camera import CAMERA_HEALTH, LACKS, CameraError, CameraFeed, Frame, Lack
from hardware.cameras.camera_model import CameraModel
from hardware.cameras.light_lock import DRIFT_S
from hardware.cameras.v4l2_controls import (
    BUFFER_TYPE_CAPTURE,
    CONTROL_IDS,
    EXPOSURE_APERTURE_PRIORITY,
    EXPOSURE_MANUAL,
    MAINS_50,
    MAINS_60,
    MEMORY_MMAP,
    VIDIOC_G_CTRL,
    VIDIOC_QUERYCTRL,
    VIDIOC_REQBUFS,
    VIDIOC_S_CTRL,
    Control,
    KernelControls,
    Range,
)
from hardware.clock import ManualClock, MonotonicClock
from hardware.readings import DeviceHealth
from tests.hardware.cameras.usb_stand_in import C270_SIZES, C920, C920_SIZES, StandInCapture, usb_camera

NAMES: dict[str, int] = {
    "VIDIOC_QUERYCTRL": VIDIOC_QUERYCTRL,
    "VIDIOC_REQBUFS": VIDIOC_REQBUFS,
    "V4L2_BUF_TYPE_VIDEO_CAPTURE": BUFFER_TYPE_CAPTURE,
    "V4L2_MEMORY_MMAP": MEMORY_MMAP,
    "VIDIOC_G_CTRL": VIDIOC_G_CTRL,
    "VIDIOC_S_CTRL": VIDIOC_S_CTRL,
    "V4L2_CID_GAIN": CONTROL_IDS["gain"],
    "V4L2_CID_AUTO_WHITE_BALANCE": CONTROL_IDS["auto_white_balance"],
    "V4L2_CID_POWER_LINE_FREQUENCY": CONTROL_IDS["power_line_frequency"],
    "V4L2_CID_EXPOSURE_AUTO": CONTROL_IDS["exposure_auto"],
    "V4L2_CID_EXPOSURE_ABSOLUTE": CONTROL_IDS["exposure_time"],
    "V4L2_CID_EXPOSURE_AUTO_PRIORITY": CONTROL_IDS["exposure_dynamic_framerate"],
    "V4L2_CID_FOCUS_ABSOLUTE": CONTROL_IDS["focus"],
    "V4L2_CID_FOCUS_AUTO": CONTROL_IDS["focus_auto"],
    "V4L2_EXPOSURE_MANUAL": EXPOSURE_MANUAL,
    "V4L2_EXPOSURE_APERTURE_PRIORITY": EXPOSURE_APERTURE_PRIORITY,
    "V4L2_CID_POWER_LINE_FREQUENCY_50HZ": MAINS_50,
    "V4L2_CID_POWER_LINE_FREQUENCY_60HZ": MAINS_60,
}
REAL_CAMERAS = sorted(Path("/dev").glob("video*"))


class Desk:
    """A USB camera at a table at which time passes frame by frame."""

    def __init__(self, controls: dict[Control, tuple[int, int, int]] = C920, **wishes: float) -> None:
        self.clock = ManualClock(50.0)
        self.capture = StandInCapture(now_s=self.clock.now_s, controls=controls)
        self.camera = usb_camera(self.capture, self.clock, size_px=(192, 108), **wishes)

    def frames(self, seconds: float, *, rolling: bool = False) -> list[Frame]:
        out = []
        for _ in range(round(seconds * 30)):
            self.clock.advance_to(self.clock.now_s() + 1 / 30)
            self.camera.lock_light(rolling)
            frame = self.camera.read(1.0)
            assert frame is not None
            out.append(frame)
        return out

    @property
    def values(self) -> dict[Control, int]:
        return self.capture.controls.values


def without(*names: Control) -> dict[Control, tuple[int, int, int]]:
    return {name: C920[name] for name in C920 if name not in names}


def test_the_numbers_are_the_kernels(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None or not Path("/usr/include/linux/videodev2.h").exists():
        pytest.skip("no C compiler or no kernel headers here (gcc, linux-libc-dev)")
    lines = "".join(f'printf("%u\\n", (unsigned){name});' for name in NAMES)
    source = tmp_path / "names.c"
    source.write_text(f"#include <stdio.h>\n#include <linux/videodev2.h>\nint main(void) {{ {lines} return 0; }}\n")
    subprocess.run([compiler, str(source), "-o", str(tmp_path / "names")], check=True)
    said = subprocess.run([str(tmp_path / "names")], check=True, capture_output=True, text=True).stdout.split()
    assert dict(zip(NAMES, map(int, said), strict=True)) == NAMES


@pytest.mark.skipif(not REAL_CAMERAS, reason="no camera here (/dev/video*); `modprobe vivid` makes one")
def test_a_real_camera_answers_for_each_control() -> None:
    controls = KernelControls(REAL_CAMERAS[0])
    for name in CONTROL_IDS:
        allowed, now = controls.range(name), controls.get(name)
        if allowed is not None and now is not None:
            assert allowed.low <= now <= allowed.high
    controls.close()


@pytest.mark.parametrize("refusal", [errno.EINVAL, errno.EIO, errno.ENODEV, errno.EBUSY, errno.EPIPE])
def test_a_kernel_that_refuses_is_a_camera_without_the_control(refusal: int, tmp_path: Path) -> None:
    def refused(handle: int, number: int, argument: bytearray) -> int:
        raise OSError(refusal, os.strerror(refusal))

    (tmp_path / "video0").touch()
    controls = KernelControls(tmp_path / "video0", ioctl=refused)
    assert controls.range("gain") is None
    assert controls.get("gain") is None
    assert not controls.set("gain", 1)
    assert controls.in_use() == (refusal == errno.EBUSY)
    controls.close()
    controls.close()
    absent = KernelControls(tmp_path / "none")
    assert absent.range("gain") is None
    assert not absent.in_use()


def test_a_call_that_a_signal_ends_is_made_again(tmp_path: Path) -> None:
    calls: list[int] = []

    def interrupted(handle: int, number: int, argument: bytearray) -> int:
        calls.append(number)
        if len(calls) == 1:
            raise InterruptedError(errno.EINTR, "Interrupted system call")
        argument[40:48] = (3).to_bytes(4, "little") + (2047).to_bytes(4, "little")
        return 0

    (tmp_path / "video0").touch()
    assert KernelControls(tmp_path / "video0", ioctl=interrupted).range("exposure_time") == Range(3, 2047)


@pytest.mark.parametrize(("mains_hz", "told", "longest"), [(50, 1, 100), (60, 2, 83)])
def test_the_exposure_is_cut_to_a_period_of_the_mains_and_the_gain_makes_up_for_it(
    mains_hz: int, told: int, longest: int
) -> None:
    desk = Desk(mains_hz=mains_hz)
    before = desk.frames(0.9)[-1]
    after = desk.frames(4)[-1]
    assert desk.values["power_line_frequency"] == told
    assert desk.values["exposure_auto"] == EXPOSURE_MANUAL
    assert desk.values["exposure_time"] == longest, "in units of 100 µs"
    assert desk.values["auto_white_balance"] == 0
    assert desk.values["exposure_dynamic_framerate"] == 0
    assert after.image.mean() == pytest.approx(before.image.mean(), rel=0.05)
    assert after.taken is not None
    assert after.taken.exposure_us == longest * 100
    assert not after.taken.at_limit


def test_a_short_exposure_stays_as_it_was_metered() -> None:
    desk = Desk()
    desk.capture.light = 4.0
    desk.frames(3)
    assert (desk.values["exposure_time"], desk.values["gain"]) == (39, 0)


def test_in_the_dark_the_frames_say_that_the_exposure_is_at_its_limit() -> None:
    desk = Desk()
    desk.capture.light = 0.1
    last = desk.frames(6)[-1]
    assert desk.values["gain"] >= 250
    assert last.taken is not None
    assert last.taken.at_limit
    no_gain = Desk(without("gain"))
    last = no_gain.frames(3)[-1]
    assert last.taken is not None
    assert last.taken.at_limit


def test_light_is_followed_between_rolls_and_never_during_one() -> None:
    desk = Desk()
    before = desk.frames(5)[-1]
    told = list(desk.capture.controls.sets)
    desk.capture.light = 0.5
    desk.frames(20, rolling=True)
    assert desk.capture.controls.sets == told
    after = desk.frames(DRIFT_S + 6)[-1]
    assert after.image.mean() == pytest.approx(before.image.mean(), rel=0.05)
    assert desk.values["exposure_auto"] == EXPOSURE_MANUAL


def test_the_gain_is_as_before_the_search_while_a_sphere_may_roll_and_is_sought_again_afterwards() -> None:
    desk = Desk(lens_position=40.0)
    metered = desk.frames(0.9)[-1]
    desk.frames(0.9)
    assert desk.values["exposure_time"] == 100
    assert desk.values["gain"] > 0, "it is being sought"
    told = len(desk.capture.controls.sets)
    desk.frames(5, rolling=True)
    assert desk.capture.controls.sets[told:] == [("gain", 0)], "back at once, and then held"
    after = desk.frames(4)[-1]
    assert desk.values["gain"] > 0
    assert after.image.mean() == pytest.approx(metered.image.mean(), rel=0.05)


@pytest.mark.parametrize(
    ("gone", "lack"),
    [("exposure_time", "exposure"), ("auto_white_balance", "white_balance"), ("power_line_frequency", "mains")],
)
def test_what_a_camera_lacks_is_told_once_and_it_goes_on(
    gone: Control, lack: Lack, caplog: pytest.LogCaptureFixture
) -> None:
    codes: list[str] = []
    taken: list[Frame] = []

    def take(frame: Frame) -> None:
        taken.append(frame)
        if len(taken) % 60 == 0:
            feed._stopping.set()

    def told(health: DeviceHealth) -> None:
        assert health.status == CAMERA_HEALTH[health.code]
        codes.append(health.code)

    feed = CameraFeed(lambda: usb_camera(StandInCapture(controls=without(gone))), ManualClock(), take, told)
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            feed._stopping.clear()
            feed.run_once()
    assert codes == ["camera_starting", "camera_ok"]
    assert len(taken) == 120
    assert [record.getMessage() for record in caplog.records] == [f"camera: {LACKS[lack]} [camera_lacks_{lack}]"]


def test_a_camera_without_any_control_gives_frames() -> None:
    desk = Desk({})
    last = desk.frames(5)[-1]
    assert last.taken is not None
    assert set(last.taken.lacks) == {"exposure", "white_balance", "mains"}
    assert not desk.camera.refocus()
    assert desk.camera.lens_position is None


def test_a_camera_that_tells_no_exposure_goes_on_metering(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(C920 | {"exposure_time": (0, 2047, 0)})
    monkeypatch.setattr(desk.capture.controls, "level", lambda light: 120.0)
    desk.frames(3)
    assert desk.values["exposure_auto"] == EXPOSURE_APERTURE_PRIORITY
    assert desk.values["exposure_time"] == 0


def test_the_lens_focuses_once_or_is_set_to_where_the_calibration_held_it() -> None:
    finding = Desk()
    assert finding.values["focus_auto"] == 1
    assert finding.camera.lens_position is None
    finding.values["focus"] = 65
    finding.frames(3)
    assert finding.values["focus_auto"] == 0
    assert finding.camera.lens_position == 65
    stored = Desk(lens_position=120.0)
    stored.frames(3)
    assert (stored.values["focus_auto"], stored.values["focus"]) == (0, 120)
    assert stored.camera.lens_position == 120
    other = Desk(lens_position=2000.0)
    assert other.values["focus_auto"] == 1, "the calibration is of another camera"


@pytest.mark.parametrize(
    ("sizes", "widest_px"),
    [
        pytest.param(None, 768, id="any"),
        pytest.param(C920_SIZES, 800, id="C920"),
        pytest.param(C270_SIZES, 640, id="C270"),
        pytest.param(((640, 480), (320, 240), (1280, 1024), (1600, 1200)), 640, id="4:3 and 5:4"),
        pytest.param(((640, 480), (1280, 1024)), 640, id="no two of one shape"),
    ],
)
def test_a_calibration_from_stills_fits_the_stream(sizes: tuple[tuple[int, int], ...] | None, widest_px: int) -> None:
    camera = usb_camera(StandInCapture(sizes=sizes))
    stream = camera.read(1.0)
    assert stream is not None
    still_high, still_wide, _ = camera.still().image.shape
    high, wide, _ = stream.image.shape
    lens = CameraModel(
        width_px=still_wide, height_px=still_high, focal_px=(1e3, 1e3), centre_px=(640, 360), distortion=(0,) * 5
    )
    assert lens.scaled_to(wide, high).width_px == widest_px
    again = camera.read(1.0)
    assert again is not None
    assert again.image.shape == stream.image.shape


@pytest.mark.parametrize("damage", ["no bytes", "empty", "undecoded"])
def test_a_damaged_picture_is_left_out_and_costs_no_more(damage: str) -> None:
    """A camera that is opened again meters and focuses for seconds."""
    codes: list[str] = []
    taken: list[Frame] = []
    capture = StandInCapture()

    def take(frame: Frame) -> None:
        taken.append(frame)
        capture.damaged = [damage] * 10
        if len(taken) == 5:
            feed._stopping.set()

    feed = CameraFeed(lambda: usb_camera(capture), MonotonicClock(), take, lambda health: codes.append(health.code))
    feed.run_once()
    assert codes == ["camera_starting", "camera_ok"]
    assert [frame.index for frame in taken] == list(range(5))


def test_a_camera_that_sends_damaged_pictures_only_is_silent() -> None:
    capture = StandInCapture()
    camera = usb_camera(capture)
    capture.damaged = ["undecoded"] * 4
    with pytest.raises(CameraError) as caught:
        camera.still()
    assert caught.value.code == "camera_silent"
    codes: list[str] = []
    capture.damaged = ["undecoded"] * 100
    CameraFeed(
        lambda: camera, MonotonicClock(), lambda frame: None, lambda health: codes.append(health.code)
    ).run_once()
    assert codes == ["camera_starting", "camera_silent"]


@pytest.mark.parametrize(("used", "code"), [(True, "camera_busy"), (False, "camera_absent")])
def test_a_camera_that_another_program_uses_is_not_called_absent(used: bool, code: str) -> None:
    capture = StandInCapture(present=False)
    capture.controls.used_by_another = used
    with pytest.raises(CameraError) as caught:
        usb_camera(capture)
    assert caught.value.code == code
    assert capture.controls.closed


def test_closing_closes_the_controls_too() -> None:
    desk = Desk()
    desk.camera.close()
    assert desk.capture.controls.closed
    assert not desk.capture.isOpened()
