"""Boss, die and gems in the light of two lamps, one warm and one cold, in pictures that a person reads at a glance."""

from __future__ import annotations

import pytest

from tests.bench.drawn_lamps import Lamps, lamps_alike, lamps_apart
from tests.bench.drawn_table import ball_before_boss_scene, boss_scene, die_scene, gems_scene
from tests.bench.pieces import result_of, said_of

pytestmark = [pytest.mark.slow, pytest.mark.thorough]


@pytest.mark.parametrize(("number", "value"), [(912_300, 2), (912_324, 4), (912_393, 3)])
def test_a_shadow_that_another_lamp_colours_is_no_part_of_a_die_and_no_second_one(number: int, value: int) -> None:
    assert said_of("die", die_scene(number, lamps_apart)) == value


@pytest.mark.parametrize(("number", "value"), [(940_020, 4), (940_119, 4), (940_278, 2)])
def test_a_die_whose_sides_are_as_dark_as_its_shadow_is_read_from_its_top(number: int, value: int) -> None:
    assert said_of("die", die_scene(number, lamps_apart)) == value


@pytest.mark.parametrize("number", [940_028, 940_163])
def test_lit_felt_beside_a_shadow_over_most_of_it_is_no_die(number: int) -> None:
    assert said_of("die", die_scene(number, lamps_apart)) == "absent"


@pytest.mark.parametrize(("number", "value"), [(943_217, 1), (944_012, 3), (944_413, 5), (944_475, 4)])
def test_parts_of_lit_felt_beside_a_shadow_are_no_second_die(number: int, value: int) -> None:
    assert said_of("die", die_scene(number, lamps_apart)) == value


@pytest.mark.parametrize(("number", "value"), [(944_306, 6), (944_337, 5)])
def test_a_die_of_which_only_parts_of_a_gems_size_show_is_not_said_to_be_absent(number: int, value: int) -> None:
    assert said_of("die", die_scene(number, lamps_apart)) in (None, value)


def test_a_pale_die_whose_corners_look_like_two_more_pips_is_not_told_wrong() -> None:
    assert said_of("die", die_scene(945_217, lamps_apart)) in (None, 2)


@pytest.mark.parametrize(("number", "value"), [(944_433, 4), (945_154, 5)])
def test_pips_that_lead_far_are_read_where_a_side_is_beyond_the_rim_or_in_the_dark(number: int, value: int) -> None:
    assert said_of("die", die_scene(number, lamps_apart)) == value


@pytest.mark.parametrize(
    ("number", "lamps"),
    [(940_069, lamps_apart), (940_383, lamps_apart), (940_289, lamps_apart), (924_004, lamps_alike)],
)
def test_a_gem_with_a_large_highlight_has_the_hue_of_nearly_all_its_pixels(number: int, lamps: Lamps) -> None:
    scene = gems_scene(number, lamps)
    assert said_of("gems", scene) == scene.truth


@pytest.mark.parametrize("number", [940_169, 940_229, 941_286, 941_377])
def test_felt_in_two_lights_has_no_more_noise_than_felt_in_one(number: int) -> None:
    scene = gems_scene(number, lamps_apart)
    assert said_of("gems", scene) == scene.truth


@pytest.mark.parametrize("number", [940_298, 940_385, 940_307, 941_371, 940_075])
def test_gems_are_named_where_lamps_of_two_colours_light_the_felt(number: int) -> None:
    scene = gems_scene(number, lamps_apart)
    assert said_of("gems", scene) == scene.truth


@pytest.mark.parametrize("number", [940_081, 941_308])
def test_a_yellow_gem_in_a_shadow_has_little_of_the_felt_s_light(number: int) -> None:
    scene = gems_scene(number, lamps_apart)
    assert said_of("gems", scene) == scene.truth


@pytest.mark.parametrize(("number", "lamps"), [(940_148, lamps_apart), (941_408, lamps_apart), (924_282, lamps_alike)])
def test_a_highlight_is_no_gem_s_colour_and_a_gem_in_warm_light_no_felt(number: int, lamps: Lamps) -> None:
    scene = gems_scene(number, lamps)
    assert result_of(said_of("gems", scene), scene.truth) != "wrong"


@pytest.mark.parametrize(
    ("number", "truth"),
    [
        (912_500, ("between", None)),
        (912_502, ("lane", 2)),
        (912_509, ("lane", 7)),
        (912_529, ("lane", 3)),
        (912_596, ("lane", 2)),
    ],
)
def test_the_boss_whose_shadow_another_lamp_colours_stands_behind_no_hand(
    number: int, truth: tuple[str, int | None]
) -> None:
    assert said_of("boss", boss_scene(number, lamps_apart)) == truth


@pytest.mark.parametrize("number", [912_555, 912_590, 912_674])
def test_coloured_shadows_on_an_empty_slot_hide_no_boss(number: int) -> None:
    assert said_of("boss", boss_scene(number, lamps_apart)) == ("absent", None)


@pytest.mark.parametrize(
    ("number", "lamps"),
    [(912_763, lamps_apart), (913_524, lamps_apart), (914_603, lamps_apart), (917_209, lamps_alike)],
)
def test_fingers_over_table_and_ledge_are_no_boss_and_neither_are_their_shadows(number: int, lamps: Lamps) -> None:
    assert said_of("boss", boss_scene(number, lamps)) in (None, ("absent", None))


@pytest.mark.parametrize(
    ("number", "lamps"),
    [(930_138, lamps_alike), (930_222, lamps_alike), (930_274, lamps_alike), (930_137, lamps_apart)],
)
def test_a_ball_before_the_boss_makes_no_empty_slot_and_moves_them_to_no_other_place(number: int, lamps: Lamps) -> None:
    scene = ball_before_boss_scene(number, lamps)
    assert said_of("boss", scene) in (None, scene.truth)
