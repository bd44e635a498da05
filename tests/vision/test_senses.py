"""Frames → readings: what a game would be told, on staged frames and on the simulated table's own truth."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from appliance.sensing.camera_pipeline import IDLE_FPS, CameraPipeline
from hardware.readings import (
    BossSeen,
    DieSettled,
    GemsSettled,
    PassageSeen,
    Reading,
    RollPlace,
    SphereOnPan,
    SphereOnTrack,
    TrayCleared,
)
from tests.narrowed import there
from tests.vision.staged import Ball
from tests.vision.watched import RIG, STAGED_CAMERA, Simulated, Staged, shot

pytestmark = pytest.mark.slow


def test_a_roll_is_told_when_it_starts_and_when_it_ends() -> None:
    table = Staged("track")
    table.for_s(0.5, table.stage.draw)
    started, ended = (reading for reading in table.roll(5) if not isinstance(reading, RollPlace))
    assert isinstance(started, SphereOnTrack)
    assert (started.lane, started.colour) == (5, "orange")
    assert isinstance(ended, PassageSeen)
    assert (ended.outcome, ended.lane, ended.colour) == ("passed", 5, "orange")
    assert ended.crossed_s is not None
    assert started.t_s < ended.crossed_s < ended.t_s


def test_what_is_not_attended_is_not_looked_at() -> None:
    table = Staged("tray", "boss", "pan")
    readings = table.for_s(0.5, table.stage.draw) + table.roll(5)
    assert not [reading for reading in readings if isinstance(reading, SphereOnTrack | PassageSeen)]
    idle = Simulated()
    idle.for_s(0.5)
    assert idle.after(idle.world.throw_die(3)) == []
    idle.world.sculpt(0, 28.0, ("sour",))
    assert idle.after(idle.world.put_on_pan(0)) == []


def test_the_camera_is_asked_for_no_more_frames_than_the_game_needs() -> None:
    senses = CameraPipeline(RIG, STAGED_CAMERA)
    assert senses.wanted_fps == IDLE_FPS
    senses.attend({"tray", "boss"})
    assert senses.wanted_fps is not None
    assert 5 <= senses.wanted_fps <= 10
    senses.attend({"track"})
    assert senses.wanted_fps is None


def test_every_throw_is_told_once_even_with_the_same_face_up() -> None:
    table = Simulated("tray")
    table.for_s(1.5)
    told: list[int | None] = []
    for face in (3, 3, 6, 6, 1):
        told += [r.value for r in table.after(table.world.throw_die(face)) if isinstance(r, DieSettled)]
    assert told == [3, 3, 6, 6, 1]
    assert [type(reading) for reading in table.after(table.world.clear_tray())] == [TrayCleared]


def test_a_die_that_lay_there_before_anybody_looked_was_not_thrown() -> None:
    table = Simulated("tray")
    deed = table.world.throw_die(4)
    table.world.advance_to(3.0)
    table.t_s = 3.0
    assert deed.done
    assert table.for_s(3.0) == []


@pytest.mark.parametrize("before_s", [0.2, 0.5, 0.8, 1.0])
def test_a_throw_that_is_on_its_way_when_the_tray_is_first_looked_at_is_told(before_s: float) -> None:
    """The hand holds the die, lets it go, or is away and the die still tumbles."""
    table = Simulated("tray")
    deed = table.world.throw_die(4)
    table.world.advance_to(before_s)
    table.t_s = before_s
    assert not deed.done
    assert [r.value for r in table.after(deed) if isinstance(r, DieSettled)] == [4]


def test_a_hand_over_a_die_that_lay_there_at_the_first_look_is_no_throw() -> None:
    table = Simulated("tray")
    table.world.throw_die(4)
    table.world.advance_to(3.0)
    table.t_s = 3.0
    table.for_s(0.2)
    table.world._reach((0.2, (205.0, -45.0, 60.0)), (0.4, (205.0, -45.0, 60.0)))
    assert table.for_s(4.0) == []


@pytest.mark.parametrize("thrown_for_s", [0.3, 0.6, 0.9, 1.2])
def test_a_throw_during_which_the_camera_is_nudged_is_told(thrown_for_s: float) -> None:
    table = Simulated("tray")
    table.for_s(1.5)
    deed = table.world.throw_die(5)
    readings = table.for_s(thrown_for_s)
    table.nudged_px = 3
    readings += table.after(deed) + table.for_s(1.0)
    assert [r.value for r in readings if isinstance(r, DieSettled)] == [5]


def test_a_die_that_lies_is_not_told_again_when_the_camera_has_found_its_place_anew() -> None:
    table = Simulated("tray")
    table.for_s(1.5)
    table.after(table.world.throw_die(5))
    table.senses.attend(())
    table.nudged_px = 3
    assert [said.code for said in table.health_for_s(3.0)] == ["camera_moved", "camera_ok"]
    table.senses.attend({"tray"})
    assert table.for_s(3.0) == []
    assert [r.value for r in table.after(table.world.throw_die(5)) if isinstance(r, DieSettled)] == [5]


def test_a_hand_over_a_lying_die_is_no_throw() -> None:
    table = Simulated("tray")
    table.for_s(1.5)
    table.after(table.world.throw_die(5))
    table.world._reach((0.4, (205.0, -45.0, 60.0)), (0.9, (205.0, -45.0, 60.0)))
    assert table.for_s(3.0) == []


def test_a_die_is_read_though_the_track_was_left_in_the_middle_of_a_roll() -> None:
    """People tapped the verdict while the sphere still rolled: the next throw counts all the same."""
    table = Simulated("track", "tray", fps=30.0)
    table.world.sculpt(0, 30.0, ("sweet",))
    table.for_s(1.0)
    table.world.start_roll(0, 7)
    while not any(isinstance(reading, SphereOnTrack) for reading in table.for_s(0.1)):
        assert table.t_s < 10.0
    table.senses.attend({"tray"})
    assert [r.value for r in table.after(table.world.throw_die(2)) if isinstance(r, DieSettled)] == [2]


def test_an_opened_sphere_shows_its_pieces() -> None:
    table = Simulated("tray")
    table.for_s(1.5)
    table.world.sculpt(1, 30.0, ("sour", "bomb"))
    [gems] = table.after(table.world.open_sphere(1))
    assert isinstance(gems, GemsSettled)
    assert (gems.pieces, gems.clear) == (("bomb", "sour"), True)


def test_the_boss_is_told_when_he_stands_elsewhere_and_only_then() -> None:
    table = Simulated("boss")
    first = table.for_s(2.0)
    assert [r.lane for r in first if isinstance(r, BossSeen)] == [4]
    moved = table.after(table.world.place_boss(7))
    assert [r.lane for r in moved if isinstance(r, BossSeen)] == [7]
    assert table.for_s(3.0) == []


def test_each_sphere_laid_on_the_pan_is_told_with_its_colour() -> None:
    table = Simulated("pan")
    table.for_s(1.0)
    seen: list[Reading] = []
    for seat, diameter in ((0, 26.0), (3, 33.0)):
        table.world.sculpt(seat, diameter, ("sweet",))
        seen += table.after(table.world.put_on_pan(seat))
        seen += table.after(table.world.lift_from_pan())
    assert [r.colour for r in seen if isinstance(r, SphereOnPan)] == ["yellow", "pink"]
    assert len(seen) == 2


def test_the_live_picture_shows_the_track_and_never_the_pan_or_the_tray() -> None:
    table = Staged("track")
    table.for_s(0.5, table.stage.draw)
    loud = table.stage.draw(Ball(0.0, 100.0, 14.0, "pink"))
    plain = loud.copy()
    for x, y, reach in ((546, 235, 36), (552, 365, 45)):  # the pan and the tray, by eye
        loud[y - reach : y + reach, x - reach : x + reach] = (0, 0, 255)
    one = table.senses.live_picture(shot(table.t_s, plain))
    other = table.senses.live_picture(shot(table.t_s, loud))
    assert one is not None
    assert one == other
    shown = there(cv2.imdecode(np.frombuffer(one, np.uint8), cv2.IMREAD_COLOR))
    assert shown.shape[1] <= 640
    pink = (shown[..., 2] > 170) & (shown[..., 1] < 120) & (shown[..., 0] > 100)
    assert pink.sum() > 150


def test_no_live_picture_outside_the_test_phase() -> None:
    table = Staged("track")
    table.for_s(0.5, table.stage.draw)
    frame = shot(table.t_s, table.stage.draw())
    assert table.senses.live_picture(frame) is not None
    table.senses.attend({"pan", "tray"})
    assert table.senses.live_picture(frame) is None
