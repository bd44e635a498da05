"""Exposure and white balance follow the evening between rolls and never change during one; focus is found once.

The camera is a stand-in whose automatic meters by steps and whose controls take effect frames later. Its pictures are
as bright as light, exposure and gain make them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hardware.cameras.camera import Frame
from hardware.cameras.light_lock import DRIFT_S
from hardware.cameras.picamera2_camera import Picamera2Camera
from hardware.clock import ManualClock
from tests.hardware.cameras.picamera2_stand_in import IMX708, LAG, StandInPicamera2, picamera2_module

FPS = 56.0
SCENE = np.random.default_rng(7).uniform(0.05, 0.4, (27, 48, 3))


class Evening:
    """A table at which time passes frame by frame."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **manners: Any) -> None:
        self.clock = ManualClock(100.0)
        monkeypatch.setattr("hardware.cameras.picamera2_camera.time.monotonic", self.clock.now_s)
        wishes = {name: manners.pop(name) for name in ("lens_position", "mains_hz") if name in manners}
        self.sensor = StandInPicamera2(self.clock.now_s, **({"scene": SCENE} | manners))
        self.camera = Picamera2Camera(self.clock, size_px=(192, 108), picamera2=picamera2_module(self.sensor), **wishes)

    def frames(self, seconds: float, *, rolling: bool = False, dims_to: float | None = None) -> list[Frame]:
        count = round(seconds * FPS)
        lights = np.geomspace(self.sensor.light, dims_to or self.sensor.light, count)
        out = []
        for light in lights:
            self.clock.advance_to(self.clock.now_s() + 1 / FPS)
            self.sensor.light = float(light)
            self.camera.lock_light(rolling)
            frame = self.camera.read(1.0)
            assert frame is not None
            out.append(frame)
        return out


def level(frame: Frame) -> float:
    return float(frame.image.mean())


def held(frames: list[Frame]) -> set[float | None]:
    return {frame.taken.exposure_us for frame in frames if frame.taken is not None}


def test_the_evening_gets_dark_and_the_picture_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Evening(monkeypatch)
    before = table.frames(3)[-1]
    for light in (0.6, 0.35, 0.2):
        table.frames(12, dims_to=light)
        rolling = table.frames(2, rolling=True)
        assert len(held(rolling[2 * LAG :])) == 1
        assert level(rolling[-1]) == pytest.approx(level(before), rel=0.12)
        assert rolling[-1].taken is not None
        assert rolling[-1].taken.exposure_us is not None
        assert rolling[-1].taken.exposure_us <= 10_000


def test_nothing_changes_while_a_sphere_may_roll_though_somebody_switches_a_lamp_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = Evening(monkeypatch)
    table.frames(3)
    told = dict(table.sensor.controls)
    table.sensor.light = 0.4
    rolling = table.frames(10, rolling=True)
    assert len(held(rolling)) == 1
    assert table.sensor.controls == told
    table.frames(DRIFT_S + 2)
    assert table.sensor.exposure[0] * table.sensor.exposure[1] == pytest.approx(16_000 / 0.4, rel=0.1)


def test_a_roll_that_may_begin_while_the_camera_meters_gets_what_was_held_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = Evening(monkeypatch)
    table.frames(3)
    before = table.sensor.exposure
    table.sensor.light = 0.4
    while table.sensor.controls["AeEnable"] is False:
        table.frames(1 / FPS)
    table.frames(0.1)
    rolling = table.frames(2, rolling=True)
    assert table.sensor.exposure == before
    assert len(held(rolling[2 * LAG :])) == 1


def test_the_first_metering_goes_on_though_a_sphere_may_roll(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Evening(monkeypatch)
    table.sensor.light = 0.5
    table.frames(3, rolling=True)
    assert table.sensor.controls["AeEnable"] is False
    assert table.sensor.exposure[0] * table.sensor.exposure[1] == pytest.approx(32_000, rel=0.1)


def test_a_hand_over_the_table_is_no_evening(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Evening(monkeypatch)
    table.frames(3)
    told = dict(table.sensor.controls)
    assert table.sensor.scene is not None
    table.sensor.scene = SCENE.copy()
    table.sensor.scene[:, :18] = 0.02
    table.frames(8)
    table.sensor.scene = SCENE
    table.sensor.light = 0.3  # somebody leans over the lamp for a second
    table.frames(1)
    table.sensor.light = 1.0
    table.frames(10)
    assert table.sensor.controls == told


def test_a_hand_before_a_roll_and_one_after_it_are_no_evening(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Evening(monkeypatch)
    table.frames(3)
    told = dict(table.sensor.controls)
    table.sensor.light = 0.3
    table.frames(DRIFT_S / 2)
    table.sensor.light = 1.0
    table.frames(DRIFT_S, rolling=True)
    table.sensor.light = 0.3
    table.frames(DRIFT_S / 2)
    table.sensor.light = 1.0
    table.frames(DRIFT_S)
    assert table.sensor.controls == told


def test_in_the_dark_the_frames_say_that_the_exposure_is_at_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Evening(monkeypatch)
    assert not any(frame.taken is not None and frame.taken.at_limit for frame in table.frames(5))
    table.frames(10, dims_to=0.02)
    last = table.frames(5)[-1]
    assert last.taken is not None
    assert last.taken.at_limit
    assert last.taken.exposure_us == 10_000


@pytest.mark.parametrize(("mains_hz", "period_us"), [(50, 10_000), (60, 8_333)])
def test_under_a_lamp_that_flickers_a_whole_period_is_held(
    mains_hz: int, period_us: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Evening(monkeypatch, mains_hz=mains_hz)
    assert table.sensor.configured["controls"]["AeFlickerPeriod"] == period_us
    for _ in range(round(4 * FPS)):
        t_s = table.clock.now_s()
        # Exposures of a whole period get the same light whenever they begin; short ones get the lamp's.
        whole = abs(table.sensor.exposure[0] - period_us) < 100
        table.sensor.light = 1.0 if whole else 1 + 0.4 * np.cos(2 * np.pi * 2 * mains_hz * t_s)
        table.frames(1 / FPS)
    assert table.sensor.exposure[0] == period_us


def test_a_still_is_taken_with_what_is_held_and_the_stream_goes_on_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Evening(monkeypatch)
    table.frames(3)
    before = (table.sensor.exposure, table.sensor.lens)
    table.camera.still()
    assert table.sensor.switched_with["AeEnable"] is False
    assert table.sensor.switched_with["LensPosition"] == 2.0
    table.sensor.focuses_at = 7.0  # a hand lies before the lens: a lens that focused again would follow it
    table.frames(1)
    assert (table.sensor.exposure, table.sensor.lens) == before
    assert table.sensor.in_effect["AfMode"] == 0


def test_a_control_that_is_advertised_and_refused_is_left_out_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Evening(monkeypatch, refuses=("ColourGains",))
    last = table.frames(3)[-1]
    assert last.taken is not None
    assert last.taken.lacks == ("white_balance",)
    assert table.sensor.exposure[0] == 2_000, "the others hold"
    assert table.camera.still() is not None
    assert "ColourGains" not in table.sensor.switched_with
    assert len(table.frames(1)) == FPS


@pytest.mark.parametrize(("gone", "lack"), [("AeFlickerMode", "mains"), ("ExposureTime", "exposure")])
def test_what_a_camera_lacks_stands_in_its_frames(gone: str, lack: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Evening(monkeypatch, controls={name: IMX708[name] for name in IMX708 if name != gone})
    last = table.frames(3)[-1]
    assert last.taken is not None
    assert last.taken.lacks == (lack,)


def test_the_lens_is_set_to_where_the_calibration_held_it(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Evening(monkeypatch, lens_position=2.25)
    last = table.frames(3)[-1]
    assert {table.sensor.configured["controls"]["AfMode"], table.sensor.in_effect["AfMode"]} == {0}
    assert table.sensor.lens == 2.25
    assert last.taken is not None
    assert (last.taken.lens_position, table.camera.lens_position) == (2.25, 2.25)


def test_a_lens_position_of_another_camera_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    beyond = Evening(monkeypatch, lens_position=180.0)
    beyond.frames(3)
    assert beyond.camera.lens_position == 2.0
    fixed = {name: IMX708[name] for name in IMX708 if name not in ("AfMode", "LensPosition")}
    by_hand = Evening(monkeypatch, lens_position=2.0, controls=fixed, untold=("AfState", "LensPosition"))
    by_hand.frames(3)
    assert by_hand.camera.lens_position is None
    assert not by_hand.camera.refocus()


@pytest.mark.parametrize("focused_after", [0, 60, 10_000])
def test_focus_is_held_when_it_was_found_or_cannot_be_found(
    focused_after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Evening(monkeypatch, focused_after=focused_after)
    assert table.sensor.configured["controls"]["AfMode"] == 2
    frames = 0
    while table.camera.lens_position is None:
        table.frames(1 / FPS)
        frames += 1
    assert frames == {0: 30, 60: 61, 10_000: 180}[focused_after]
    assert table.sensor.controls["AfMode"] == 0


def test_it_focuses_anew_when_it_is_asked_to(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Evening(monkeypatch, lens_position=1.0)
    table.frames(1)
    assert table.camera.refocus()
    assert table.camera.lens_position is None
    table.frames(2)
    assert table.camera.lens_position == 2.0
    assert table.sensor.in_effect["AfMode"] == 0
