"""Boss, die and gems on traced tables that no still shows: truth is what was put on the table."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from hardware.rig import Rig
from tests.bench.drawn_table import boss_scene, die_scene, gems_scene
from tests.bench.pieces import result_of, said_of
from vision.tray import gem_colours
from vision.tray.die_outline import CameraOverTray, fit_cubes, likeness_to_disc
from vision.tray.gems import read_gems
from vision.tray.tray import rectify_tray

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("number", "value"), [(0, 1), (3, 6), (6, 4), (11, 5), (15, 2), (18, 3)])
def test_a_die_of_any_colour_is_read_on_any_felt_under_any_lamp(number: int, value: int) -> None:
    scene = die_scene(number)
    assert (scene.shows, scene.truth) == ("die", value)
    assert said_of("die", scene) == value


@pytest.mark.parametrize(
    ("number", "shows"),
    [(4, "coin"), (5, "two dice"), (31, "ball"), (41, "pencil"), (37, "hand")],
)
def test_what_is_no_single_die_has_no_value(number: int, shows: str) -> None:
    scene = die_scene(number)
    assert scene.shows == shows
    assert said_of("die", scene) in (None, "absent")


@pytest.mark.parametrize("number", [32, 39])
def test_a_die_of_the_felts_colour_is_not_said_to_be_absent(number: int) -> None:
    scene = die_scene(number)
    assert scene.shows == "die"
    assert said_of("die", scene) in (None, scene.truth)


@pytest.mark.parametrize(
    ("number", "value"), [(300_098, 4), (300_123, 6), (310_008, 3), (310_020, 6), (310_059, 4), (310_079, 5)]
)
def test_a_die_of_which_a_side_is_lost_is_read_by_its_pips(number: int, value: int) -> None:
    scene = die_scene(number)
    assert (scene.shows, scene.truth) == ("die", value)
    assert said_of("die", scene) == value


@pytest.mark.parametrize("number", [9, 14])
def test_an_empty_tray_is_empty_in_shadow_and_in_light(number: int) -> None:
    scene = die_scene(number)
    assert scene.shows == "empty"
    assert said_of("die", scene) == "absent"
    assert said_of("gems", scene) == ()


@pytest.mark.parametrize("number", [0, 1, 6, 750])
def test_gems_are_named_on_any_felt(number: int) -> None:
    scene = gems_scene(number)
    assert said_of("gems", scene) == scene.truth


@pytest.mark.parametrize(("number", "shows"), [(701, "hand"), (749, "die"), (742, "touching gems")])
def test_what_may_hide_gems_or_be_two_is_not_counted(number: int, shows: str) -> None:
    scene = gems_scene(number)
    assert scene.shows == shows
    assert result_of(said_of("gems", scene), scene.truth) != "wrong"


def test_gems_are_not_said_to_be_none_where_none_could_be_seen() -> None:
    scene = gems_scene(5)
    assert scene.truth == ()
    noise = np.random.default_rng(1).normal(0, 1, scene.picture.shape)
    dark = np.clip(scene.picture * 0.12 + 9 + 7 * noise, 0, 255).astype(np.uint8)
    tray = rectify_tray(dark, scene.view, Rig(), 4.0)
    assert tray is not None
    assert not tray.clear
    gems = read_gems(dark, scene.view, Rig())
    assert gems.confidence == 0.0
    assert "unknown" in gems.colours


@pytest.mark.parametrize(
    ("number", "shows", "lane"),
    [
        (1003, "lane", 5),
        (1002, "lane, ball waits", 6),
        (1029, "absent, ball waits", None),
        (1078, "absent, ball waits", None),
        (1031, "between", None),
    ],
)
def test_the_boss_is_told_from_a_ball_that_waits(number: int, shows: str, lane: int | None) -> None:
    scene = boss_scene(number)
    assert scene.shows == shows
    assert said_of("boss", scene) == (shows.split(",")[0], lane)


@pytest.mark.parametrize("number", [1025, 1034])
def test_a_hand_or_a_ball_before_the_slot_is_no_boss(number: int) -> None:
    scene = boss_scene(number)
    assert scene.shows.startswith("absent, ")
    assert result_of(said_of("boss", scene), scene.truth) != "wrong"


@pytest.mark.parametrize(("number", "shows"), [(1504, "lane, hand"), (1554, "absent, hand"), (1798, "lane, hand")])
def test_a_finger_or_a_hard_shadow_over_the_slot_is_not_taken_for_the_boss(number: int, shows: str) -> None:
    scene = boss_scene(number)
    assert scene.shows == shows
    assert result_of(said_of("boss", scene), scene.truth) != "wrong"


@pytest.mark.parametrize("turn_deg", [0.0, 20.0, 50.0, 77.0])
def test_a_cubes_outline_gives_its_place_size_and_turn_back(turn_deg: float) -> None:
    eye = CameraOverTray(np.array([-300.0, -150.0]), 1200.0, 40.0)
    side, middle, turn = 40.0, np.array([110.0, 100.0]), np.radians(turn_deg)
    rays = []
    for height in (0.0, side):
        for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            corner = middle + side / 2 * np.array(
                [x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn)]
            )
            away = (1200.0 - 40.0) / (1200.0 - height)  # similar triangles from the camera, 1200 px up
            rays.append(eye.foot_px + (corner - eye.foot_px) * away)
    body = np.zeros((220, 220), np.uint8)
    cv2.fillConvexPoly(body, cv2.convexHull(np.rint(rays).astype(np.int32)), (1,))
    felt = np.ones_like(body)
    cube = fit_cubes(body, felt, eye, 2.5)[0]
    assert cube.likeness > 0.94
    assert cube.likeness > likeness_to_disc(body, felt)
    assert (cube.x_px, cube.y_px) == pytest.approx(middle.tolist(), abs=1.5)
    assert cube.side_px == pytest.approx(side, abs=1.5)
    assert abs((cube.turn_deg - turn_deg + 45) % 90 - 45) < 4


def test_a_coin_is_likest_to_a_disc() -> None:
    body = np.zeros((220, 220), np.uint8)
    cv2.circle(body, (110, 100), 26, (1,), -1)
    felt = np.ones_like(body)
    felt[:, 125:] = 0
    eye = CameraOverTray(np.array([-300.0, -150.0]), 1200.0, 40.0)
    assert likeness_to_disc(body, felt) > 0.95
    assert fit_cubes(body, felt, eye, 2.5)[0].likeness < likeness_to_disc(body, felt)


@pytest.mark.parametrize(
    ("number", "shows", "lane"),
    [
        (300_005, "lane", 5),
        (300_014, "lane", 6),
        (300_033, "lane", 5),
        (300_043, "lane", 2),
        (300_572, "between", None),
        (300_890, "lane", 1),
    ],
)
def test_a_figure_as_dark_as_the_edge_it_hides_is_seen_by_its_sides(number: int, shows: str, lane: int | None) -> None:
    scene = boss_scene(number)
    assert scene.shows == shows
    assert said_of("boss", scene) == (shows, lane)


@pytest.mark.parametrize(
    ("number", "shows"), [(300_625, "absent, hand"), (300_914, "absent, hand"), (300_965, "between")]
)
def test_what_has_no_two_sides_is_no_boss_and_a_faint_one_is_not_absent(number: int, shows: str) -> None:
    scene = boss_scene(number)
    assert scene.shows == shows
    assert result_of(said_of("boss", scene), scene.truth) != "wrong"


@pytest.mark.parametrize("number", [300_038, 300_050, 300_088, 300_101])
def test_a_clear_gem_one_at_the_rim_and_one_in_little_light_are_named(number: int) -> None:
    scene = gems_scene(number)
    assert said_of("gems", scene) == scene.truth


def test_what_gives_no_light_has_no_hue() -> None:
    """A blob of a damaged picture may be black altogether."""
    assert gem_colours._hue(np.zeros(3)) == ("unknown", 0.0)
