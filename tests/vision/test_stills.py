"""Sight on path-traced stills: every reading against what was rendered."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.sight_report import report_on
from hardware.cameras.camera_model import CameraView, Image
from tests.narrowed import there
from tests.places import RECORDINGS
from tests.vision.stills import DATA, RIG, camera, items, needs_data, picture, sessions, true_view
from vision.boss.boss import read_boss
from vision.markers import find_view
from vision.observations import Sphere
from vision.observe_file import load_picture
from vision.sphere.sphere import pan_colour, read_pan
from vision.tray.die import read_die
from vision.tray.die_close_up import read_die_close_up
from vision.tray.gems import read_gems

pytestmark = pytest.mark.slow

SIZES = [1.0, 0.5]


def shrunk(image: Any, scale: float) -> Any:
    return image if scale == 1.0 else cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)


@cache
def on_the_pan(picture_file: Path, session: Path) -> Sphere | None:
    image = load_picture(picture_file)
    return read_pan(image, find_view(image, RIG, camera(session)), RIG)


@pytest.mark.parametrize(("session", "item"), items("pan"))
def test_a_sphere_on_the_pan_is_measured_and_named(session: Path, item: dict[str, Any]) -> None:
    sphere = on_the_pan(session / item["file"], session)
    assert sphere is not None
    assert sphere.colour == item["colour"]
    assert sphere.diameter_mm == pytest.approx(item["mean_diameter"], abs=0.6)
    assert sphere.diameter_sd_mm is not None
    assert abs(sphere.diameter_mm - item["mean_diameter"]) < 4 * sphere.diameter_sd_mm
    assert np.allclose(there(sphere.centre_mm), item["center"], atol=0.8)


@pytest.mark.thorough
@needs_data
def test_diameters_are_not_biased_by_the_dark_side_above_the_pan() -> None:
    errors = []
    for session, item in (each.values for each in items("pan")):
        sphere = on_the_pan(session / item["file"], session)
        assert sphere is not None
        assert sphere.diameter_mm is not None
        errors.append(sphere.diameter_mm - item["mean_diameter"])
    assert abs(np.mean(errors)) < 0.05
    assert np.sqrt(np.mean(np.square(errors))) < 0.13


@pytest.mark.parametrize("scale", SIZES)
@pytest.mark.parametrize(("session", "item"), items("boss"))
def test_the_boss_is_seen_at_his_lane_or_between_or_not_at_all(
    session: Path, item: dict[str, Any], scale: float
) -> None:
    image = shrunk(picture(session, item), scale)
    boss = read_boss(image, find_view(image, RIG, camera(session)), RIG)
    assert (boss.state, boss.lane) == (item["state"], item["lane"])


@needs_data
def test_a_board_over_the_slot_is_not_the_boss() -> None:
    session = next(session for session in sessions() if session.name == "s02")
    image = load_picture(session / "charuco" / "charuco_01.jpg")
    assert read_boss(image, find_view(image, RIG, camera(session)), RIG).state == "unknown"


@pytest.mark.parametrize(
    ("name", "corner_mm", "turn_deg", "rise_mm"),
    [
        ("s01", (-140, 320, 90), -11, (56, 39)),
        ("s02", (-143, 349, 117), -17, (30, -43)),
        ("s02", (-156, 274, 125), 22, (51, 28)),
    ],
)
def test_a_drawn_board_over_the_slot_is_not_the_boss(
    name: str, corner_mm: tuple[float, float, float], turn_deg: float, rise_mm: tuple[float, float]
) -> None:
    session, item = next(each.values for each in items("pan") if each.values[0].name == name)
    table = cv2.resize(picture(session, item), (1536, 864), interpolation=cv2.INTER_AREA)
    covered = with_board(table, find_view(table, RIG, camera(session)), corner_mm, turn_deg, rise_mm)
    assert read_boss(covered, find_view(covered, RIG, camera(session)), RIG).state == "unknown"


def with_board(
    image: Image, view: CameraView, corner_mm: tuple[float, float, float], turn_deg: float, rise_mm: tuple[float, float]
) -> Image:
    """Draw the ChArUco board over the picture: its far left corner, its turn, and the rise of its far and left side."""
    wide_mm, deep_mm, px_per_mm = 290, 200, 10
    dictionary = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_100)
    print_of = cv2.aruco.CharucoBoard((9, 6), 30.0, 22.0, dictionary).generateImage
    sheet = print_of((wide_mm * px_per_mm, deep_mm * px_per_mm), None, 10 * px_per_mm)
    sheet = cv2.GaussianBlur(np.interp(sheet, [0, 255], [25, 225]), (0, 0), 2.5)
    turn = np.radians(turn_deg)
    across = np.array([wide_mm * np.cos(turn), wide_mm * np.sin(turn), rise_mm[0]])
    down = np.array([deep_mm * np.sin(turn), -deep_mm * np.cos(turn), rise_mm[1]])
    corners = np.array(corner_mm) + np.array([np.zeros(3), across, across + down, down])
    high, wide = sheet.shape
    onto = cv2.getPerspectiveTransform(
        np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32), view.project(corners).astype(np.float32)
    )
    size = image.shape[1], image.shape[0]
    share = cv2.warpPerspective(np.ones_like(sheet), onto, size)[..., None]
    drawn = cv2.warpPerspective(sheet, onto, size)[..., None]
    return np.rint(image * (1 - share) + drawn * share).astype(np.uint8)


@pytest.mark.parametrize("scale", SIZES)
@pytest.mark.parametrize(("session", "item"), items("die"))
def test_the_die_is_read(session: Path, item: dict[str, Any], scale: float) -> None:
    image = shrunk(picture(session, item), scale)
    view = find_view(image, RIG, camera(session))
    assert read_die(image, view, RIG).value == item["value"]
    assert read_gems(image, view, RIG).colours == ()


@pytest.mark.parametrize("scale", SIZES)
@pytest.mark.parametrize(("session", "item"), items("gem"))
def test_the_gems_are_counted_and_named(session: Path, item: dict[str, Any], scale: float) -> None:
    image = shrunk(picture(session, item), scale)
    view = find_view(image, RIG, camera(session))
    assert read_gems(image, view, RIG).colours == tuple(sorted(gem["colour"] for gem in item["gems"]))
    assert read_die(image, view, RIG).state == "absent"


@pytest.mark.parametrize(("session", "item"), items("boss"))
def test_a_table_without_sphere_and_die_shows_none(session: Path, item: dict[str, Any]) -> None:
    image = picture(session, item)
    view = find_view(image, RIG, camera(session))
    assert read_pan(image, view, RIG) is None
    assert read_die(image, view, RIG).state == "absent"


@pytest.mark.parametrize("share", [0.4, 1.0])
def test_a_sheet_of_print_over_the_tray_is_no_die(share: float) -> None:
    session, item = items("die")[0].values
    image = picture(session, item).copy()
    x, y = RIG.tray_centre_mm
    view = find_view(image, RIG, camera(session))
    side = RIG.tray_side_mm * share
    for row in range(8):
        for column in range(8):
            square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) / 8 + [column / 8 - 0.5, row / 8 - 0.5]
            corners = np.column_stack([square * side + [x, y], np.full(4, 3.0)])
            shade = (235, 235, 235) if (row + column) % 2 else (20, 20, 20)
            cv2.fillPoly(image, [view.project(corners).round().astype(np.int32)], shade)
    assert read_die(image, view, RIG).value is None


@needs_data
def test_diameters_of_all_spheres_err_as_little_as_the_design_says() -> None:
    round_ones, all_ = [], []
    for session, item in (each.values for each in items("pan")):
        sphere = on_the_pan(session / item["file"], session)
        assert sphere is not None
        assert sphere.diameter_mm is not None
        all_.append(sphere.diameter_mm - item["mean_diameter"])
        round_ones += all_[-1:] if item["out_of_round_pct"] < 2.0 else []
    assert len(round_ones) > 3
    assert np.sqrt(np.mean(np.square(round_ones))) < 0.15
    assert np.sqrt(np.mean(np.square(all_))) < 0.30


@pytest.mark.thorough
@needs_data
def test_real_dice_are_read_as_the_design_says_on_every_fourth_picture() -> None:
    assert DATA is not None
    dice = Path(DATA) / "dice"
    truths = json.loads((dice / "truth.json").read_text(encoding="utf-8"))[::4]
    said = [(read_die_close_up(load_picture(dice / item["file"])).value, item["value"]) for item in truths]
    right, unknown = sum(value == true for value, true in said), sum(value is None for value, _ in said)
    assert {true for _, true in said} == {1, 2, 3, 4, 5, 6}
    assert right / (len(said) - unknown) >= 0.97
    assert unknown / len(said) <= 0.07


def test_the_report_of_the_stills_that_come_with_the_project_finds_nothing_wrong() -> None:
    report = report_on(RECORDINGS)
    for what, stills in {"sphere's colour": 2, "boss": 2, "die": 2, "gems": 2}.items():
        assert report.count(what, "right") == stills
        assert report.count(what, "wrong") == report.count(what, "unknown") == 0
    assert len(report.diameters) == 2
    assert report.rms_mm() < 0.30


@needs_data
@pytest.mark.soak
def test_the_figures_of_the_design_hold_on_the_whole_folder() -> None:
    """The tests above say the same of each picture on its own, and of a quarter of the real dice."""
    assert DATA is not None
    report = report_on(Path(DATA))
    for what in ("sphere's colour", "boss", "die", "gems"):
        assert report.count(what, "wrong") == 0
        assert report.count(what, "unknown") == 0
    assert report.rms_mm(below_pct=2.0) < 0.15
    assert report.rms_mm() < 0.30
    right, unknown, wrong = (report.count("real die, close-up", each) for each in ("right", "unknown", "wrong"))
    assert right / (right + wrong) >= 0.97
    assert unknown / (right + unknown + wrong) <= 0.07


ODD_TABLES = RECORDINGS / "odd_tables"
"""Path-traced tables with what the data folder has not: a shadow in another lamp's colour, a cloth as pink as putty, a
figure as dark as the table behind it, one whose shadow has the colour of a hand."""


@pytest.mark.parametrize(
    ("picture_file", "session"),
    [
        (ODD_TABLES / "shadow_on_pan/boss_00.jpg", ODD_TABLES / "shadow_on_pan"),
        (ODD_TABLES / "shadow_on_pan/gem_02.jpg", ODD_TABLES / "shadow_on_pan"),
        (ODD_TABLES / "patches_on_s01.png", RECORDINGS / "table/s01"),
    ],
    ids=["shadow", "another shadow", "patches over its edge"],
)
def test_an_empty_pan_is_empty(picture_file: Path, session: Path) -> None:
    image = load_picture(picture_file)
    view = true_view(session, image.shape[1])
    assert read_pan(image, view, RIG) is None
    assert pan_colour(image, view, RIG) is None


def test_a_sphere_before_a_cloth_of_its_colour_is_found() -> None:
    session = ODD_TABLES / "cloth_of_its_colour"
    sphere = on_the_pan(session / "pink_42_mm.jpg", session)
    assert sphere is not None
    assert sphere.colour == "pink"
    assert sphere.diameter_mm == pytest.approx(42.0, abs=0.3)


@pytest.mark.parametrize(("table", "lane"), [("dark_figure", 5), ("dark_figure_and_its_shadow", 2)])
def test_a_dark_figure_is_seen_before_a_dark_table_and_behind_its_own_shadow(table: str, lane: int) -> None:
    session = ODD_TABLES / table
    image = load_picture(session / f"lane_{lane}.jpg")
    boss = read_boss(image, true_view(session, image.shape[1]), RIG)
    assert (boss.state, boss.lane) == ("lane", lane)
