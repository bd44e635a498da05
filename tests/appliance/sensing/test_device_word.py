"""A device of which both its driver and its judge speak: neither covers what the other still finds."""

from __future__ import annotations

from typing import Any

import numpy as np

from appliance.games.protocol import Area
from appliance.sensing.camera_pipeline import CameraPipeline
from appliance.sensing.device_word import DeviceWord
from appliance.sensing.pipeline import SensorPipeline
from hardware.cameras.camera import CAMERA_HEALTH, Frame
from hardware.clock import ManualClock
from hardware.readings import DeviceHealth, Reading
from hardware.rig import Rig
from hardware.twin.drawing.viewpoint import twin_camera


def said(code: str, status: Any, t_s: float = 1.0) -> DeviceHealth:
    return DeviceHealth(t_s=t_s, device="scale", status=status, code=code)


OK = said("scale_ok", "ok")
NOISY, SHAKING = said("scale_noisy", "faulty"), said("scale_shaking", "faulty")


def test_a_scale_that_is_noisy_stays_so_while_its_weighing_finds_it_calm() -> None:
    word = DeviceWord()
    assert word.of_driver(NOISY) == NOISY
    assert word.of_judge(SHAKING) == NOISY
    assert word.of_judge(said("scale_ok", "ok", 9.0)) == said("scale_noisy", "faulty", 9.0)
    assert word.of_driver(OK) == OK


def test_what_shakes_is_told_again_once_the_wires_are_well() -> None:
    word = DeviceWord()
    word.of_driver(NOISY)
    word.of_judge(SHAKING)
    assert word.of_driver(OK) == SHAKING
    assert word.of_judge(OK) == OK


def test_remarks_of_a_scale_that_works_are_told_as_they_come() -> None:
    word = DeviceWord()
    assert word.of_driver(OK) == OK
    warm = said("scale_warming_up", "ok")
    assert word.of_judge(warm) == warm
    assert word.of_driver(OK) == warm


def test_a_driver_that_starts_again_is_told_although_its_judge_was_content_before() -> None:
    word = DeviceWord()
    word.of_driver(OK)
    word.of_judge(OK)
    starting = said("scale_starting", "starting")
    assert word.of_driver(starting) == starting


class Listener:
    def __init__(self) -> None:
        self.codes: list[str] = []

    def sense(self, reading: Reading) -> None:
        assert isinstance(reading, DeviceHealth)
        self.codes.append(reading.code)

    def attention(self) -> frozenset[Area]:
        return frozenset()


def test_a_camera_that_comes_back_is_as_blind_as_it_was() -> None:
    """What frames show is told when it changes, and nothing changed while the camera was gone."""
    clock, listener = ManualClock(100.0), Listener()
    sensing = SensorPipeline(clock=clock, sink=listener, camera=CameraPipeline(Rig(), twin_camera()))

    def frames() -> None:
        for index in range(20):
            clock.advance_to(clock.now_s() + 0.1)
            grey = np.full((432, 768, 3), 120 + index % 2, dtype=np.uint8)
            sensing.put_frame(Frame(clock.now_s(), grey, index))
            sensing.pump()

    def feed(code: str) -> None:
        sensing.put(DeviceHealth(t_s=clock.now_s(), device="camera", status=CAMERA_HEALTH[code], code=code))
        sensing.pump()

    feed("camera_ok")
    frames()
    assert listener.codes[-1] == "camera_covered"
    feed("camera_lost")
    assert listener.codes[-1] == "camera_lost"
    feed("camera_ok")
    frames()
    assert listener.codes[-1] == "camera_covered"
