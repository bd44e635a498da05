"""A camera or scale that is lost in the middle of a guided calibration: it is said, and the guide goes on with it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator, Sequence
from typing import Any

import pytest

from appliance.devices.scale_session import LiveSample
from appliance.guided_calibration.devices import SimulatedDevices
from appliance.guided_calibration.dialogue import CalibrationStoppedError, GuideStep
from appliance.guided_calibration.procedures import (
    balls_on_the_pan,
    masses_on_the_pan,
    pictures_of_the_table,
    views_of_the_board,
)
from appliance.words.catalogues import LANGUAGES, words_for
from calibration.balls.fit import KnownBall, parse_ball
from calibration.scale.coins import KnownMass, parse_mass
from hardware.cameras.camera import CAMERA_HEALTH, Camera, CameraError, Frame
from hardware.clock import ManualClock
from hardware.rig import Rig
from hardware.scale.load_cell import LoadCellError
from hardware.twin.drawing.viewpoint import twin_camera
from tests.appliance.commands.scale_files import stream

LOST = CameraError("camera_lost", "The camera gives no more pictures; was its cable pulled?")
ABSENT = CameraError("camera_absent", "There is no camera /dev/video0; plug it in.")
STUCK = CameraError("camera_stuck", "The camera's driver does not answer; switch the table off and on.")
NO_BUS = LoadCellError("scale_no_bus", "The SPI bus cannot be used (No such device).")


class Pulled:
    """A camera whose cable is pulled after some frames."""

    def __init__(self, camera: Camera, frames: int, sticks: bool) -> None:
        self._camera, self._left, self._sticks = camera, frames, sticks

    def __getattr__(self, name: str) -> Any:
        return getattr(self._camera, name)

    def read(self, timeout_s: float) -> Frame | None:
        self._left -= 1
        if self._left < 0:
            raise LOST
        return self._camera.read(timeout_s)

    def close(self) -> None:
        self._camera.close()
        if self._sticks:
            raise STUCK


class Wobbly(SimulatedDevices):
    """Simulated devices whose camera has a loose cable: of its openings, those in `absent` fail.

    :param frames: how many frames each opening of the camera gives.
    :param sticks: whether the camera's driver does not close it.
    """

    def __init__(self, frames: Sequence[int], absent: Sequence[int] = (), *, sticks: bool = False) -> None:
        self.clock = clock = ManualClock(100.0)
        super().__init__(clock, lambda seconds: clock.advance_to(clock.now_s() + seconds))
        self._frames, self._absent, self._sticks = itertools.chain(frames, itertools.repeat(10**9)), absent, sticks
        self.opened: list[float | None] = []

    def board_camera(self, lens_position: float | None = None) -> Camera:
        return self._cabled(lambda: super(Wobbly, self).board_camera(lens_position), lens_position)

    def table_camera(self, rig: Rig) -> Camera:
        return self._cabled(lambda: super(Wobbly, self).table_camera(rig))

    def _cabled(self, opened: Callable[[], Camera], lens_position: float | None = None) -> Camera:
        self.opened.append(lens_position)
        if len(self.opened) in self._absent:
            raise ABSENT
        return Pulled(opened(), next(self._frames), self._sticks)


class Person:
    """A person who lays down what they were given, and may stop when a sentence is shown."""

    def __init__(self, *answers: KnownMass | KnownBall | None, stops_at: str = "") -> None:
        self._answers, self._stops_at = iter(answers), stops_at
        self.steps: list[GuideStep] = []

    @property
    def said(self) -> list[str]:
        """The failures that were shown."""
        return [step.ask for step in self.steps if step.ask.startswith("calibrate.why.")]

    def show(self, step: GuideStep) -> None:
        self.steps.append(step)
        if step.ask == self._stops_at:
            raise CalibrationStoppedError

    def ask_mass(self, step: GuideStep, weighed: Sequence[KnownMass]) -> KnownMass | None:
        answer = next(self._answers)
        assert not isinstance(answer, KnownBall)
        return answer

    def ask_ball(self, step: GuideStep, shown: Sequence[KnownBall]) -> KnownBall | None:
        answer = next(self._answers)
        assert not isinstance(answer, KnownMass)
        return answer


def test_the_board_goes_on_with_the_views_that_it_has_and_the_lens_where_it_was() -> None:
    person, devices = Person(), Wobbly([60], absent=[2, 3])
    board = views_of_the_board(person, devices)
    assert person.said == ["calibrate.why.camera_lost", "calibrate.why.camera_absent", "calibrate.why.camera_absent"]
    at = [step.ask for step in person.steps].index(person.said[0])
    assert person.steps[at + 3].share >= person.steps[at].share == person.steps[at - 1].share > 0
    assert "focus" not in person.steps[at + 3].ask
    assert devices.opened == [None, *[board.lens_position] * 3]
    assert board.lens_position is not None


def test_the_table_and_balls_go_on_when_the_camera_is_back() -> None:
    person = Person()
    assert pictures_of_the_table(person, Wobbly([5, 3]), Rig())
    assert person.said == ["calibrate.why.camera_lost"] * 2
    person = Person(parse_ball("green:20.5"), parse_ball("pink:30"), None)
    seen = balls_on_the_pan(person, Wobbly([0, 3], absent=[4]), Rig(), twin_camera())
    assert [each.known.colour for each in seen] == ["green", "pink"]
    assert person.said == ["calibrate.why.camera_lost", "calibrate.why.camera_absent"], "also between two balls"


def test_a_driver_that_does_not_close_costs_no_picture_that_was_taken() -> None:
    assert pictures_of_the_table(Person(), Wobbly([], sticks=True), Rig())


def test_without_a_camera_nothing_begins() -> None:
    for begin in (
        lambda devices: views_of_the_board(Person(), devices),
        lambda devices: pictures_of_the_table(Person(), devices, Rig()),
        lambda devices: balls_on_the_pan(Person(), devices, Rig(), twin_camera()),
    ):
        with pytest.raises(CameraError) as absent:
            begin(Wobbly([], absent=[1]))
        assert absent.value.code == "camera_absent"


def test_whoever_waits_for_a_camera_may_stop() -> None:
    with pytest.raises(CalibrationStoppedError):
        pictures_of_the_table(Person(stops_at="calibrate.why.camera_absent"), Wobbly([3], absent=range(2, 99)), Rig())


def test_a_scale_that_is_lost_keeps_the_masses_before_and_goes_on() -> None:
    openings = iter([(3, 0, None), (40, 0, None), (10, 50, NO_BUS), (1, 50, NO_BUS), (40, 50, None)])
    begins_s = itertools.count(100.0, 100.0)

    class LooseScale(Wobbly):
        def samples(self) -> Generator[LiveSample]:
            seconds, mass_g, lost = next(openings)
            yield from stream((seconds, mass_g), start_s=next(begins_s))
            if lost is not None:
                raise lost

    person = Person(parse_mass("0"), parse_mass("50"), None)
    points = masses_on_the_pan(person, LooseScale([]))
    assert [known.mass_g for known, _ in points] == [0.0, 50.0]
    assert person.said == ["calibrate.why.scale_no_bus"] * 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_loss_of_a_camera_has_a_sentence(language: str) -> None:
    codes = [code for code, status in CAMERA_HEALTH.items() if status in ("absent", "faulty")]
    assert [code for code in codes if f"calibrate.why.{code}" not in words_for(language)] == []
