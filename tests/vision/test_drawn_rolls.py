"""Drawn rolls under lamps of any colour: judged as they were drawn, on the table that this repository holds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.bench import drawn_rolls
from tests.bench.rolls import FLIES, Verdict, ends_of, judge

pytestmark = [pytest.mark.slow, pytest.mark.thorough]


@pytest.fixture(autouse=True)
def _own_table(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("SMUGGLERS_DATA", raising=False)
    drawn_rolls.backgrounds.cache_clear()
    yield
    drawn_rolls.backgrounds.cache_clear()


def right(verdict: Verdict) -> bool:
    assert verdict.result == "right", (verdict.said, verdict.truth)
    return True


@pytest.mark.parametrize("number", [2, 4, 14, 24])
def test_drawn_rolls_in_evening_light_are_judged_right(number: int) -> None:
    """Two at once, a pass, one that a hand takes, one that falls short: each throws its shadow over other lanes."""
    verdict = judge(number)
    assert "evening" in verdict.conditions
    assert right(verdict)


@pytest.mark.parametrize("number", [935, 40118, 40438])
def test_a_persons_shadow_over_a_sphere_that_waits_is_no_short_roll(number: int) -> None:
    verdict = judge(number)
    assert (verdict.what, verdict.truth) == ("sleeve or shadow", "none")
    assert right(verdict)


def test_the_shadow_of_a_sphere_that_waits_is_no_hand_at_it() -> None:
    """It lies over a wall, and the lamp is nearer to this lane than to those that show the ground. It falls short."""
    assert right(judge(41851))


def test_the_coloured_shadow_of_a_sphere_stuck_in_its_hole_has_not_passed() -> None:
    verdict = judge(70213)
    assert "stuck" in verdict.truth
    assert right(verdict)


def test_specks_of_a_compressed_picture_that_a_shadow_joins_are_no_third_sphere() -> None:
    assert right(judge(71320))


def test_ground_that_a_rolling_sphere_uncovers_and_passes_does_not_delay_its_crossing() -> None:
    verdict = judge(41347)
    assert right(verdict)
    assert max(map(abs, verdict.crossing)) < 0.3


def test_a_hole_that_brakes_a_sphere_does_not_delay_its_crossing() -> None:
    verdict = judge(76696)
    assert right(verdict)
    assert max(map(abs, verdict.crossing)) < 0.4


def test_an_approach_that_was_not_seen_whole_gives_no_crossing_time() -> None:
    verdict = judge(80218)
    assert right(verdict)
    assert verdict.untold == 1


def test_two_spheres_that_look_like_one_for_a_moment_stay_two() -> None:
    verdict = judge(74921)
    assert ";" in verdict.truth
    assert right(verdict)


@pytest.mark.parametrize("number", [74201, 75305, 80881])
def test_a_large_sphere_that_hangs_over_the_platforms_end_is_followed(number: int) -> None:
    """The sheet's end cuts it. It is pushed by 6 mm and falls short."""
    assert right(judge(number))


def test_a_finger_that_leaves_the_sphere_that_it_laid_down_has_not_rolled_it() -> None:
    verdict = judge(91168)
    assert verdict.truth == "none"
    assert right(verdict)


def test_the_shadow_that_accompanies_a_rolling_sphere_does_not_roll() -> None:
    assert right(judge(88694))


def test_ground_under_a_waiting_sphere_has_the_colour_of_the_lamp_at_its_side() -> None:
    """The lamp is at the right and warm. The shadow of the sphere covers other lanes."""
    assert right(judge(75433))


@pytest.mark.parametrize("number", [82678, 91126, 91404])
def test_coloured_ground_beside_a_sphere_is_no_second_sphere_that_touches_it(number: int) -> None:
    """The lamp colours it in the first picture, and the sphere's own blob reaches over it."""
    assert right(judge(number))


def test_the_shadow_of_a_sphere_that_slips_through_is_no_hand() -> None:
    verdict = judge(80359)
    assert verdict.what == "oozes through"
    assert right(verdict)


def test_a_sphere_that_is_laid_down_from_behind_the_platform_has_not_rolled() -> None:
    verdict = judge(81412)
    assert verdict.truth == "none"
    assert right(verdict)


def test_a_sphere_crosses_before_it_is_seen_beyond() -> None:
    """Its own shadow lies beside it on the lower ramp, and makes it look late."""
    verdict = judge(83021)
    assert right(verdict)
    assert max(map(abs, verdict.crossing)) < 0.3


def test_a_sphere_smeared_over_the_fence_while_it_rests_in_its_hole_has_not_flown() -> None:
    verdict = judge(85919)
    assert verdict.what == "oozes through"
    assert right(verdict)


@pytest.mark.parametrize("number", [173, 223, 715])
def test_a_sphere_that_its_hole_brakes_has_passed(number: int) -> None:
    """Beyond the fence it is late and looks larger, as one that flew over. But it was seen behind the fence's face."""
    verdict = judge(number)
    assert "passed" in verdict.truth
    assert right(verdict)


def test_the_larger_of_two_that_part_on_the_ramp_is_no_shadow_of_the_other() -> None:
    """On the platform the two and their shadows look like a hand. One is stuck, the other passes."""
    verdict = judge(94520)
    assert verdict.what == "two at once"
    assert right(verdict)


@pytest.mark.parametrize("number", [50003, 50016, 50022])
def test_a_sphere_that_flies_over_the_fence_has_not_passed(number: int) -> None:
    scene = drawn_rolls.rolls(number, "flies over")
    [end] = ends_of(scene)
    assert end.outcome in ("astray", "unknown")


@pytest.mark.parametrize("number", [80022, 80078])
def test_a_sphere_that_leaves_the_track_over_its_wall_is_not_stuck(number: int) -> None:
    """It jumps at the outer wall and is last seen beside the track, level with the fence."""
    assert right(judge(number, "flies over"))


@pytest.mark.parametrize("number", [94008, 96196, 100019, 100281, 105138])
def test_a_sphere_in_the_air_that_no_frame_shows_behind_the_face_has_not_passed(number: int) -> None:
    """Two hid the face in one frame. Of one no frame shows the lower ramp. Two look 5 to 8 % larger."""
    verdict = judge(number, FLIES)
    assert "astray" in verdict.truth
    assert verdict.result != "wrong", verdict.said


def test_light_that_is_there_all_along_is_no_hand_that_carries_a_stuck_sphere_over() -> None:
    verdict = judge(100258)
    assert verdict.what == "oozes through"
    assert right(verdict)


def test_a_second_sphere_that_rolls_behind_the_first_is_not_its_shadow() -> None:
    """It is first seen on the ramp, while the first one rolls. It comes nearer, which no shadow does."""
    verdict = judge(102213)
    assert verdict.what == "two at once"
    assert right(verdict)
