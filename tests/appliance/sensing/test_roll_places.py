"""Where a rolling sphere is drawn, beside where the simulated sphere truly is at that moment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cv2
import pytest

from appliance.devices.simulated_table import TwinTable
from appliance.games.protocol import Area
from appliance.sensing.roll_places import RollPlaces
from hardware.clock import ManualClock
from hardware.readings import AT_HOLE, BEYOND_FENCE, DeviceHealth, Reading, RollPlace
from hardware.twin.world.simulated_roll import SimulatedRoll
from tests.heard_places import HeardPlaces

pytestmark = pytest.mark.slow

START_Y_MM = 220.0
WITHIN = 20
"""Thousandths of the way to the fence: 4.4 mm, a third of what a sphere moves from frame to frame."""
NEAR_FENCE = 840


class Track:
    """The simulated table while a game watches its track."""

    def __init__(self) -> None:
        cv2.setNumThreads(1)
        self.clock = ManualClock(100.0)
        self.told: list[RollPlace] = []
        self.rolls = HeardPlaces(self.told.append)
        self.readings: list[Reading] = []
        self.unplugged = False
        self.watched: frozenset[Area] = frozenset({"track"})
        self.twin = TwinTable(self, self.clock, seed=3, rolls=self.rolls)
        self.pass_time(1.5)

    def sense(self, reading: Reading) -> None:
        self.readings.append(reading)

    def attention(self) -> frozenset[Area]:
        return self.watched

    def pass_time(self, lasts_s: float) -> None:
        until_s = self.clock.now_s() + lasts_s
        while self.clock.now_s() < until_s:
            self.twin.simulation.advance_to(self.clock.now_s() + 1 / 30)
            while (frame := self.twin.camera.read(0)) is not None:
                if not self.unplugged:
                    self.twin.take(frame)
            self.twin.wanted_fps()
            self.twin.sensing.pump()

    def roll(self, diameter_mm: float, lane: int, push: float = 0.5) -> SimulatedRoll:
        """Let a sphere roll to its end; return the truth."""
        path = None
        with self.twin.simulation.table() as world:
            world.sculpt(0, diameter_mm, ("sweet",))
            world.start_roll(0, lane, push)
        for _ in range(110):
            self.pass_time(1 / 30)
            with self.twin.simulation.table() as world:
                path = world.spheres[0].roll or path
        assert path is not None
        return path


@pytest.fixture
def track() -> Iterator[Track]:
    track = Track()
    yield track
    track.twin.close()


@pytest.mark.parametrize(("diameter_mm", "lane", "outcome"), [(24.0, 1, "passed"), (34.0, 4, "stuck")])
def test_lane_and_place_are_those_of_the_true_sphere_at_the_frames_time(
    track: Track, diameter_mm: float, lane: int, outcome: str
) -> None:
    path = track.roll(diameter_mm, lane)
    assert path.outcome == outcome
    assert {place.lane for place in track.told} == {lane}
    followed = [place for place in track.told if place.place < NEAR_FENCE]
    assert len(followed) > 8
    for place in followed:
        _, y_mm, _ = path.centre_at(place.t_s)
        assert place.place == pytest.approx(1000 * (START_Y_MM - y_mm) / START_Y_MM, abs=WITHIN)
    assert [place.place for place in track.told][-1] == (BEYOND_FENCE if outcome == "passed" else AT_HOLE)


def test_nothing_is_told_while_nothing_rolls_and_no_game_hears_of_places(track: Track) -> None:
    track.pass_time(2.0)
    assert track.told == []
    track.roll(24.0, 2)
    told = len(track.told)
    track.pass_time(2.0)
    assert len(track.told) == told
    assert not any(isinstance(reading, RollPlace) for reading in track.readings)


def test_a_sphere_that_lies_short_does_not_flicker(track: Track) -> None:
    track.roll(30.0, 2, push=0.05)
    assert len(track.told) < 8


def test_where_no_camera_sees_the_track_the_beams_move_it(track: Track) -> None:
    track.twin.faults.switch("camera covered", True)
    track.pass_time(3.0)
    path = track.roll(24.0, 5)
    assert path.outcome == "passed"
    assert [(place.lane, place.place) for place in track.told] == [(None, AT_HOLE), (None, BEYOND_FENCE)]


def test_the_beams_move_it_where_the_camera_was_unplugged(track: Track) -> None:
    track.unplugged = True
    track.twin.sensing.put(DeviceHealth(t_s=track.clock.now_s(), device="camera", status="absent", code="camera_gone"))
    track.roll(24.0, 5)
    assert [place.place for place in track.told] == [AT_HOLE, BEYOND_FENCE]


def test_while_no_game_watches_the_track_nothing_is_told(track: Track) -> None:
    track.watched = frozenset()
    track.pass_time(0.3)
    track.roll(24.0, 5)
    assert track.told == []


def test_who_is_slow_skips_to_the_newest() -> None:
    rolls = RollPlaces()
    for number in range(5):
        rolls.tell(RollPlace(t_s=float(number), lane=1, place=100 * number))
    heard: Any = rolls.wait_next(0, 0.0)
    assert heard[1].place == 400
    assert rolls.wait_next(heard[0], 0.0) is None
