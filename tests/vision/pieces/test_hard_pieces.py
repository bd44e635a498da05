"""Boss, die and gems in drawn pictures that a person reads at a glance, by what makes each of them hard to read."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from tests.bench.drawn_table import (
    RIG,
    TRAY_X,
    TRAY_Z,
    boss_scene,
    die_scene,
    gems_scene,
    heap_scene,
)
from tests.bench.pieces import result_of, said_of
from vision.boss.boss import read_boss
from vision.tray.die import read_die
from vision.tray.felt import STANDS_OUT, apart_from, faintest_gem, fitted_felt, scatter_of
from vision.tray.gems import read_gems, read_gems_close_up

pytestmark = [pytest.mark.slow, pytest.mark.thorough]


@pytest.mark.parametrize(
    ("number", "value"),
    [
        pytest.param(90_088, 2, id="pips fainter than the die's edge"),
        pytest.param(90_127, 4, id="pale pips, rounded corners on dark felt"),
        pytest.param(90_057, 6, id="rows of pips that the lens joins, at the rim"),
        pytest.param(90_403, 6, id="black: parts far from each other"),
        pytest.param(90_719, 3, id="black: pips of the sides stand out as well"),
        pytest.param(90_125, 2, id="green, lighter than the felt"),
        pytest.param(90_319, 4, id="green, in front of its shadow"),
        pytest.param(90_476, 1, id="green, one pip, at the rim"),
        pytest.param(90_020, 2, id="black, two pips, a side in the dark"),
        pytest.param(90_531, 1, id="black, one pip, a lamp mirrored on the top"),
        pytest.param(750_101, 3, id="black, an outline like a disc's, plain pips"),
        pytest.param(750_219, 4, id="grey, rounded, a side in its shadow"),
        pytest.param(750_308, 5, id="black, in parts, plain pips"),
        pytest.param(720_111, 6, id="black, rows of pips that the lens joins"),
        pytest.param(760_173, 4, id="bright, its outline widened by the lens"),
        pytest.param(760_251, 2, id="pale, over the felt's rim"),
        pytest.param(765_081, 3, id="black, rows of pips on three faces"),
        pytest.param(765_276, 1, id="green on green, one pip, in parts"),
        pytest.param(765_362, 1, id="green, one pip, rounded corners, a side in its shadow"),
        pytest.param(766_349, 3, id="red, where a larger cube beyond the rim fits as well"),
    ],
)
def test_a_die_that_a_person_reads_is_read(number: int, value: int) -> None:
    scene = die_scene(number)
    assert (scene.shows, scene.truth) == ("die", value)
    assert said_of("die", scene) == value


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(90_115, id="red, hides table behind the rim"),
        pytest.param(90_287, id="red, in a soft picture"),
        pytest.param(90_424, id="purple, small"),
        pytest.param(90_450, id="yellow"),
        pytest.param(90_503, id="purple that is nearly blue"),
        pytest.param(90_551, id="purple in the shade"),
        pytest.param(90_454, id="purple with a large highlight"),
        pytest.param(90_602, id="red with colour that compression spread"),
        pytest.param(90_426, id="reds and a yellow on noisy felt"),
        pytest.param(90_077, id="none; a light table beside dark felt"),
        pytest.param(90_113, id="purple twice; specks that compression leaves"),
        pytest.param(722_146, id="yellow at the rim; compression takes yellow away beside it"),
        pytest.param(722_536, id="purple twice; a shadow too light to be a dark gem"),
        pytest.param(722_034, id="red and yellow touch, one in the shadow of the other"),
        pytest.param(722_131, id="purple and red touch"),
        pytest.param(767_188, id="purple with lobes of colour that compression spread"),
        pytest.param(767_262, id="purple, longer by its shadow"),
        pytest.param(722_114, id="purple twice, touching"),
        pytest.param(722_159, id="red and purple touch, both longer than wide"),
        pytest.param(722_402, id="red and yellow touch side by side"),
        pytest.param(740_901, id="purple twice, touching at an angle; one has a tail of compressed colour"),
        pytest.param(745_281, id="yellow, large in a soft picture"),
        pytest.param(745_442, id="yellow at the rim of pale cloth"),
        pytest.param(745_663, id="yellow, clear: the green felt shines through"),
        pytest.param(741_036, id="purple that is blue in this light"),
        pytest.param(722_430, id="red and yellow touch, with colour that the lens spread"),
        pytest.param(800_178, id="red; woven felt, a corner in the shade"),
        pytest.param(800_232, id="purple and yellows; half the felt in the shade"),
        pytest.param(810_158, id="yellow; noise as large as parts of a gem"),
        pytest.param(800_217, id="none; a speck of noise"),
    ],
)
def test_gems_that_a_person_names_are_named(number: int) -> None:
    scene = gems_scene(number)
    assert said_of("gems", scene) == scene.truth


@pytest.mark.parametrize(("number", "x_mm", "y_mm"), [(90_144, 29.0, -21.0), (90_450, 29.0, 27.0)])
def test_what_goes_on_beyond_the_rim_is_no_gem(number: int, x_mm: float, y_mm: float) -> None:
    scene = gems_scene(number)
    tray_y = RIG.tray_centre_mm[1]
    ends = np.array([[TRAY_X + x, tray_y + y_mm, TRAY_Z + 3.0] for x in (x_mm, x_mm + 40.0)])
    first, last = np.rint(scene.view.project(ends)).astype(int).tolist()
    wide = round(6.0 * float(np.linalg.norm(np.subtract(first, last))) / 40.0)
    colour = scene.picture[first[1], first[0]].tolist()
    longer = np.asarray(cv2.line(scene.picture.copy(), first, last, colour, wide), dtype=np.uint8)
    assert "unknown" in read_gems(longer, scene.view, RIG).colours


@pytest.mark.parametrize("number", [pytest.param(90_838), pytest.param(811_386, id="a fifth of it shows")])
def test_a_gem_in_a_deep_shadow_is_not_overlooked(number: int) -> None:
    scene = gems_scene(number)
    assert len(scene.truth) == 3  # type: ignore[arg-type]  # colours
    assert said_of("gems", scene) in (None, scene.truth)


def test_noise_falls_with_the_light() -> None:
    felt = np.array([0.05, 0.25, 0.05], np.float32)
    light = np.random.default_rng(3).uniform(0.7, 1.3, (4000, 1)) * felt
    noisy = light + np.random.default_rng(4).normal(0, 0.004, light.shape) * np.sqrt(light / felt)
    scatter = scatter_of(noisy.astype(np.float32), felt)
    in_shadow, black = 0.1 * felt, np.array([0.02, 0.02, 0.02], np.float32)
    spots = np.array([in_shadow, black], np.float32)
    fitted = fitted_felt(spots, felt, scatter)
    assert (apart_from(fitted, spots, felt, scatter) < STANDS_OUT).all()
    shadow_apart, black_apart = apart_from(fitted, spots, felt, scatter, noise_of_light=True)
    assert shadow_apart < STANDS_OUT < black_apart


def test_gems_show_in_light_and_not_in_the_dark() -> None:
    felt = np.array([0.05, 0.25, 0.05], np.float32)
    light = np.random.default_rng(5).normal(1, 0.1, (4000, 1)) * felt
    noisy = light + np.random.default_rng(6).normal(0, 0.004, light.shape)
    scatter = scatter_of(noisy.astype(np.float32), felt)
    assert faintest_gem(felt, scatter, 1.0) > STANDS_OUT > faintest_gem(felt, scatter, 0.03)


@pytest.mark.parametrize("number", [722_225, 722_581])
def test_a_die_whose_faces_look_parted_is_no_gems(number: int) -> None:
    scene = gems_scene(number)
    assert scene.shows == "die"
    assert read_gems(scene.picture, scene.view, RIG).confidence == 0


@pytest.mark.parametrize("number", [5000, 5001, 5002, 5051, 5055, 5065, 5071, 5079, 800_072])
def test_three_gems_that_touch_are_counted(number: int) -> None:
    scene = heap_scene(number)
    assert said_of("gems", scene) == scene.truth


def test_a_gem_between_two_brighter_ones_is_not_left_out() -> None:
    scene = heap_scene(795_036)  # its neighbours shade it
    assert scene.truth == ("red", "red", "yellow")
    assert result_of(said_of("gems", scene), scene.truth) != "wrong"


@pytest.mark.parametrize(("number", "lane"), [(90_345, 1), (90_623, 5), (90_625, 3), (90_682, 7)])
def test_a_figure_in_front_of_light_and_shadow_is_no_sheet_over_the_slot(number: int, lane: int) -> None:
    scene = boss_scene(number)
    assert scene.truth == ("lane", lane)
    assert said_of("boss", scene) == ("lane", lane)


def test_fingers_as_wide_as_a_card_are_not_the_figure() -> None:
    scene = boss_scene(90_195)
    assert scene.shows == "lane, hand"
    assert result_of(said_of("boss", scene), scene.truth) != "wrong"


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(730_033, id="deep shadow on the table, less on the ledge"),
        pytest.param(730_086, id="hard shadow over half of the slot"),
        pytest.param(730_367, id="dark checks of a cloth behind one end"),
        pytest.param(730_386, id="half of the cloth in the dark"),
        pytest.param(730_464, id="shadow as wide as a card, in little light"),
        pytest.param(730_540, id="ledge and table of nearly one colour"),
    ],
)
def test_a_ledge_that_shows_along_the_whole_slot_has_no_figure(number: int) -> None:
    scene = boss_scene(number)
    assert scene.shows == "absent"
    assert said_of("boss", scene) == ("absent", None)


@pytest.mark.parametrize(
    ("number", "truth"),
    [
        pytest.param(730_076, ("lane", 3), id="as dark as the table, in little light"),
        pytest.param(1_400_049, ("lane", 5), id="shadows over most of the slot, before a chequered cloth"),
        pytest.param(1_400_489, ("between", None), id="its own shadow beside it, before a chequered cloth"),
        pytest.param(1_400_534, ("lane", 4), id="nearly the colour of the ledge and of a cloth's pale checks"),
    ],
)
def test_a_figure_whose_sides_show_before_ledge_and_table_is_read(number: int, truth: tuple[str, int | None]) -> None:
    scene = boss_scene(number)
    assert scene.truth == truth
    assert said_of("boss", scene) == truth


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(1_412_223, id="a finger and its shadow, at the slot's end"),
        pytest.param(1_412_714, id="a finger and its shadow, together as wide as a card"),
        pytest.param(755_144, id="a finger and its shadow over the table behind a ledge that shows"),
        pytest.param(1_410_682, id="a finger at the ledge, fainter"),
        pytest.param(1_400_113, id="fingers whose outline goes on for most of a card's height"),
    ],
)
def test_a_finger_whose_outline_leaves_a_cards_sides_is_not_the_figure(number: int) -> None:
    scene = boss_scene(number)
    assert scene.shows == "absent, hand"
    assert result_of(said_of("boss", scene), scene.truth) != "wrong"


@pytest.mark.parametrize(
    ("number", "truth"),
    [
        pytest.param(830_061, ("lane", 7), id="its own shadow beside it hides the ledge, too"),
        pytest.param(830_264, ("lane", 7), id="a dark figure before noisy wood, its shadow beside it"),
        pytest.param(831_143, ("between", None), id="as grey as the ledge"),
        pytest.param(860_007, ("lane", 4), id="in little light before a chequered cloth"),
        pytest.param(831_047, ("lane", 6), id="grey before a pale table, in its shadow"),
    ],
)
def test_a_figure_that_hides_the_ledge_is_read(number: int, truth: tuple[str, int | None]) -> None:
    scene = boss_scene(number)
    assert scene.truth == truth
    assert said_of("boss", scene) == truth


@pytest.mark.parametrize("number", [830_511, 831_909])
def test_two_fingers_with_a_gap_between_them_are_not_the_figure(number: int) -> None:
    scene = boss_scene(number)
    assert scene.shows == "absent, hand"
    assert result_of(said_of("boss", scene), scene.truth) != "wrong"


def test_a_hand_and_sleeve_over_most_of_the_slot_leave_no_empty_slot_to_be_sure_of() -> None:
    scene = boss_scene(760_095)  # the figure stands behind a hand as brown as the table
    assert scene.truth == ("between", None)
    assert said_of("boss", scene) is None


def test_a_die_whose_pips_the_light_drowns_is_not_told() -> None:
    scene = die_scene(790_296)  # white, overexposed; the pips of a side show
    assert (scene.shows, scene.truth) == ("die", 1)
    assert result_of(said_of("die", scene), scene.truth) != "wrong"


def test_a_hair_on_even_ground_has_no_gems_colour() -> None:
    picture = np.full((240, 240, 3), (40, 90, 30), np.uint8)
    cv2.line(picture, (30, 40), (190, 40), (80, 130, 70), 1)
    assert read_gems_close_up(picture).colours == ("unknown",)


def test_a_black_close_up_does_not_show_that_there_are_no_gems() -> None:
    seen = read_gems_close_up(np.zeros((120, 120, 3), np.uint8))
    assert (seen.colours, seen.confidence) == (("unknown",), 0.0)


def test_a_figure_as_grey_as_the_ledge_in_half_a_shadow_is_not_said_to_be_absent() -> None:
    scene = boss_scene(870_485)
    assert scene.truth == ("lane", 6)
    assert result_of(said_of("boss", scene), scene.truth) != "wrong"


@pytest.mark.parametrize("number", [850_105, 850_130, 850_182])
def test_a_figure_in_near_darkness_is_not_said_to_be_absent(number: int) -> None:
    scene = boss_scene(number)
    assert scene.truth[0] == "lane"  # type: ignore[index]  # of a boss
    dark = np.clip(scene.picture * 0.06 + 9, 0, 255).astype(np.uint8)
    assert read_boss(dark, scene.view, RIG).state in ("unknown", "lane")


@pytest.mark.parametrize(("number", "light"), [(850_028, 0.2), (850_064, 0.2), (850_004, 0.2), (850_113, 0.06)])
def test_gems_that_noise_hides_are_not_said_to_be_none(number: int, light: float) -> None:
    scene = gems_scene(number)
    assert scene.truth
    noise = 7 * np.random.default_rng(number).normal(0, 1, scene.picture.shape)
    dark = np.clip(scene.picture * light + 9 + noise, 0, 255).astype(np.uint8)
    seen = read_gems(dark, scene.view, RIG)
    assert seen.confidence == 0.0 or seen.colours == scene.truth


@pytest.mark.parametrize(("seed", "light", "noise"), [(56, 0.12, 3), (196, 0.12, 3), (330, 0.2, 1), (559, 0.06, 5)])
def test_a_die_in_near_darkness_is_not_told_wrong(seed: int, light: float, noise: float) -> None:
    scene = die_scene(850_000 + seed % 300)
    assert isinstance(scene.truth, int)
    rng = np.random.default_rng(seed)
    rng.choice(3, 3)
    dark = np.clip(scene.picture * light + 9 + noise * rng.normal(0, 1, scene.picture.shape), 0, 255).astype(np.uint8)
    seen = read_die(dark, scene.view, RIG)
    assert seen.state == "unknown" or seen.value == scene.truth


def test_specks_of_noise_in_a_dies_own_shadow_are_no_second_die() -> None:
    for number, value in ((880_000, 1), (880_387, 6)):
        assert said_of("die", die_scene(number)) == value


def test_a_pale_die_whose_corners_look_like_pips_is_not_told_wrong() -> None:
    assert said_of("die", die_scene(924_456)) in (None, 1)
