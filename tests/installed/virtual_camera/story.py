"""Runs in the system that `tests.installed.libcamera` makes: the driver on Picamera2, and Picamera2's manners.

Every proof is a process of its own: a driver that hangs or kills its process spoils no other. Prints a line each.

usage: python -m tests.installed.virtual_camera.story [PROOF]
"""

from __future__ import annotations

import importlib
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from hardware.cameras.camera import CameraError, CameraFeed, Frame
from hardware.cameras.picamera2_camera import Picamera2Camera
from hardware.clock import MonotonicClock
from hardware.readings import DeviceHealth
from tests.hardware.cameras.picamera2_stand_in import StandInPicamera2, picamera2_module
from tests.installed.virtual_camera import manners, shims

FRAMES, IN_TIME_S, PROCESS_S = 40, 10.0, 120.0


def real() -> Any:
    """Picamera2, as far as the pipeline lets it."""
    shims.lay()
    module = importlib.import_module("picamera2")
    shims.patch(module)
    return module


def opened() -> Picamera2Camera:
    """The product's driver on it."""
    return Picamera2Camera(MonotonicClock(), picamera2=real(), warm_up_frames=5)


def taken(camera: Picamera2Camera) -> Frame:
    """The next frame; it must come."""
    frame = camera.read(IN_TIME_S)
    assert frame is not None, "no frame"
    return frame


def refused(module: Any) -> CameraError:
    """Why it cannot be opened."""
    try:
        Picamera2Camera(MonotonicClock(), picamera2=module)
    except CameraError as error:
        return error
    raise AssertionError("it was opened")


def frames() -> str:
    """opened, configured, started: frames with the sensor's stamps"""
    camera, began_s = opened(), time.monotonic()
    seen = [taken(camera) for _ in range(FRAMES)]
    ended_s = time.monotonic()
    camera.close()
    stamps = [frame.t_s for frame in seen]
    assert stamps == sorted(set(stamps)), "stamps go forwards"
    assert began_s - 1 < stamps[0] <= stamps[-1] <= ended_s, "on the clock of the pins"
    assert {frame.image.shape for frame in seen} == {(432, 768, 3)}
    bars = {tuple(int(value) > 127 for value in seen[-1].image[10, x]) for x in range(48, 768, 96)}
    assert len(bars) == 8, f"eight bars of colour: {bars}"
    return f"{FRAMES} frames of 768 × 432, stamps ascend on CLOCK_MONOTONIC, the test picture's eight colours"


def lacks() -> str:
    """controls that it has not are left out, and told"""
    camera = opened()
    seen = [taken(camera) for _ in range(FRAMES)]
    camera.close()
    told = seen[-1].taken
    assert told is not None
    assert told.lacks == ("exposure", "white_balance", "mains"), told.lacks
    return ", ".join(told.lacks)


def still() -> str:
    """a still, and the stream goes on"""
    camera = opened()
    before, picture, after = taken(camera), camera.still(), taken(camera)
    camera.close()
    assert picture.image.shape == (864, 1536, 3)
    assert before.t_s < picture.t_s < after.t_s
    assert after.image.shape == before.image.shape
    return "1536 × 864, stamped between the frames around it"


def again() -> str:
    """closed and opened again"""
    for _ in range(2):
        camera = opened()
        taken(camera)
        camera.close()
    return "frames both times"


def busy() -> str:
    """opened twice"""
    first = opened()
    taken(first)
    error = refused(importlib.import_module("picamera2"))
    assert error.code == "camera_busy", error.code
    assert "Device or resource busy" in str(error)
    taken(first)
    first.close()
    return "camera_busy: Device or resource busy; the first goes on"


def gone() -> str:
    """its frames stop, as when a ribbon is pulled: told, closed, opened again"""
    codes: list[str] = []
    cameras: list[Picamera2Camera] = []

    def open_camera() -> Picamera2Camera:
        cameras.append(opened())
        return cameras[-1]

    def on_frame(frame: Frame) -> None:
        if frame.index == 3:
            if len(cameras) == 1:
                cameras[0]._camera.camera.stop()  # libcamera's own, behind Picamera2's back
            else:
                feed._stopping.set()

    def told(health: DeviceHealth) -> None:
        codes.append(health.code)

    feed = CameraFeed(open_camera, MonotonicClock(), on_frame, told)
    feed.run_once()
    feed.run_once()
    assert codes == ["camera_starting", "camera_ok", "camera_silent", "camera_ok"], codes
    return " → ".join(codes)


def absent() -> str:
    """no camera"""
    module = real()
    module.Picamera2.global_camera_info = staticmethod(list)
    return refused(module).code


DRIVER: tuple[Callable[[], str], ...] = (frames, lacks, still, again, busy, gone, absent)


def compared(manner: manners.Manner) -> str:
    """What Picamera2 does, when the stand-in of the suite does the same."""
    ours = manner(picamera2_module(lambda: StandInPicamera2(time.monotonic)))
    theirs = manner(real())
    assert ours == theirs, f"Picamera2: {theirs}; the stand-in: {ours}"
    return theirs


PROOFS: dict[str, Callable[[], str]] = {
    **{f"the driver: {proof.__doc__}": proof for proof in DRIVER},
    **{f"as the stand-in: {one.__doc__}": (lambda one=one: compared(one)) for one in manners.MANNERS},  # type: ignore[misc]
}


def main(names: list[str]) -> int:
    """Run all proofs, each in its process, or the one that is named; return how many did not hold."""
    if names:
        print(PROOFS[names[0]]())
        return 0
    failed = 0
    for name in PROOFS:
        one = [sys.executable, "-m", "tests.installed.virtual_camera.story", name]
        try:
            done = subprocess.run(one, capture_output=True, text=True, timeout=PROCESS_S, check=False)
            last = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines() or ["nothing was said"]
            words = last[-1] if done.returncode == 0 else f"NO ({done.returncode}): {last[-1]}"
        except subprocess.TimeoutExpired:
            words = "NO: it hangs"
        failed += words.startswith("NO")
        print(f"| {name} | {words} |", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(min(1, main(sys.argv[1:])))
