"""A camera whose driver never returns from a call is told by the pipeline: the driver's own thread cannot."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from appliance.games.protocol import Area
from appliance.sensing.camera_watch import OPENING_S, STUCK_S
from appliance.sensing.pipeline import SensorPipeline
from hardware.cameras.camera import CAMERA_HEALTH, Frame
from hardware.clock import ManualClock
from hardware.readings import DeviceHealth, Reading

BLACK = np.zeros((1, 1, 3), np.uint8)


class Sight:
    sees_track = False

    def attend(self, areas: object) -> None: ...

    def feed(self, frame: object) -> Iterable[Reading]:
        return ()

    def start_afresh(self) -> None: ...

    def replay_picture(self, frame: object) -> None: ...


class Stand:
    """The sensing of a camera, on a clock that the test moves."""

    def __init__(self, *, speed: float = 1.0, **how: Any) -> None:
        self.clock = ManualClock(100.0)
        self.clock.speed = speed
        self.codes: list[str] = []
        self.sensing = SensorPipeline(clock=self.clock, sink=self, camera=Sight(), **how)

    def sense(self, reading: Reading) -> None:
        assert isinstance(reading, DeviceHealth)
        self.codes.append(reading.code)

    def attention(self) -> frozenset[Area]:
        return frozenset()

    def says(self, code: str) -> None:
        self.sensing.put(DeviceHealth(t_s=self.clock.now_s(), device="camera", status=CAMERA_HEALTH[code], code=code))
        self.sensing.pump()

    def frame(self) -> None:
        self.sensing.put_frame(Frame(self.clock.now_s(), BLACK, 0))
        self.sensing.pump()

    def passes(self, seconds: float, step_s: float = 0.1) -> None:
        for _ in range(round(seconds / step_s)):
            self.clock.advance_to(self.clock.now_s() + step_s)
            self.sensing.pump()

    def plays(self) -> None:
        self.says("camera_starting")
        self.passes(3.0)
        self.says("camera_ok")
        for _ in range(5):
            self.frame()
            self.passes(0.5)
        self.codes.clear()


def test_a_camera_that_hangs_while_it_is_read_is_told_once_and_again_when_frames_come() -> None:
    stand = Stand()
    stand.plays()
    stand.passes(STUCK_S - 1.0)
    assert stand.codes == []
    stand.passes(20.0)
    assert stand.codes == ["camera_stuck"]
    stand.frame()
    assert stand.codes == ["camera_stuck", "camera_ok"]
    stand.passes(STUCK_S + 1.0)
    assert stand.codes == ["camera_stuck", "camera_ok", "camera_stuck"]


def test_a_camera_that_hangs_while_it_is_opened_is_told() -> None:
    stand = Stand()
    stand.says("camera_starting")
    stand.passes(OPENING_S - 1.0)
    assert stand.codes == ["camera_starting"], "a driver may take long"
    stand.passes(20.0)
    assert stand.codes == ["camera_starting", "camera_stuck"]
    stand.says("camera_ok")
    stand.frame()
    assert stand.codes[2:] == ["camera_ok"]


def test_a_driver_has_as_long_on_a_clock_that_is_warped() -> None:
    stand = Stand(speed=6.0)
    stand.plays()
    stand.passes(6.0 * STUCK_S - 1.0)
    assert stand.codes == [], "it has not been silent for ten real seconds"
    stand.passes(2.0)
    assert stand.codes == ["camera_stuck"]


def test_an_idle_camera_sends_two_frames_a_second_and_is_not_stuck() -> None:
    stand = Stand()
    stand.plays()
    for _ in range(100):
        stand.passes(0.5)
        stand.frame()
    assert stand.codes == []


@pytest.mark.parametrize("code", ["camera_lost", "camera_silent", "camera_clip_over"])
def test_a_driver_that_says_why_no_frames_come_is_not_stuck(code: str) -> None:
    stand = Stand()
    stand.plays()
    stand.says(code)
    stand.passes(100.0)
    assert stand.codes == [code]


def test_a_time_in_which_the_sensing_stood_still_does_not_count() -> None:
    stand = Stand()
    stand.plays()
    stand.passes(60.0, step_s=30.0)
    stand.passes(STUCK_S - 1.0)
    assert stand.codes == []
    stand.passes(2.0)
    assert stand.codes == ["camera_stuck"]


def test_a_recording_leaves_frames_out_and_its_camera_is_not_stuck() -> None:
    stand = Stand(recorded=True)
    stand.plays()
    stand.passes(100.0)
    assert stand.codes == []


def test_a_camera_of_which_nothing_was_heard_yet_is_not_told_to_hang() -> None:
    """Its driver is still being loaded: there is no call of it that could hang."""
    stand = Stand()
    stand.passes(3 * OPENING_S)
    assert stand.codes == []
