"""Ranking without a scale, by taps and by a balance."""

from __future__ import annotations

import pytest

from appliance.games.protocol import Rejection
from appliance.games.smugglers.rules.actions import Attempt, Roll, TieRoll, TimeUp, Weigh
from appliance.games.smugglers.rules.rules import RULES
from tests.appliance.games.smugglers.sitting import Sitting, die, load, named


def test_without_a_scale_a_balance_ranks_and_equals_roll() -> None:
    sitting = Sitting()
    sitting.health("scale", "faulty")
    sitting.all_pass()
    assert sitting.remarks["pan"].code == ""
    assert sitting.remarks["balance"].code == "rank_heaviest"
    sitting.press("rank.2")
    assert sitting.remarks["balance"].code == "rank_next"
    sitting.press("rank.0.1")
    assert sitting.remarks["balance"].code == ""
    assert sitting.sense(die(1), die(6)) == [TieRoll(seat=0, value=1), TieRoll(seat=1, value=6)]
    assert sitting.order() == [2, 1]


@pytest.mark.parametrize("band_g", [0.0, 0.2, 10.0])
def test_two_armchairs_are_given_out_by_two_taps_whatever_the_tie_band_sm_48(band_g: float) -> None:
    sitting = Sitting(4, tie_band_g=band_g)
    sitting.health("scale", "absent")
    sitting.all_pass()
    sitting.press("rank.3")
    sitting.press("rank.1")
    assert sitting.order() == [3, 1]


def test_of_two_spheres_one_tap_says_all_sm_49() -> None:
    sitting = Sitting(2)
    sitting.health("scale", "absent")
    sitting.all_pass()
    sitting.press("rank.1")
    assert sitting.order() == [1]
    level = Sitting(2)
    level.health("scale", "absent")
    level.all_pass()
    level.press("rank.0.1")
    assert [prompt.do for prompt in RULES.expects(level.state, None)] == ["tie_roll", "tie_roll"]


def test_equals_that_no_armchair_is_left_for_do_not_roll_sm_54() -> None:
    sitting = Sitting(4)
    sitting.health("scale", "absent")
    sitting.all_pass()
    sitting.press("rank.0.3")
    assert {prompt.seat for prompt in RULES.expects(sitting.state, None)} == {0, 3}


@pytest.mark.parametrize("button", ["rank", "rank.2.2", "rank.0.2", "rank.9"])
def test_who_is_ranked_already_or_not_there_is_not_ranked_again(button: str) -> None:
    sitting = Sitting(3)
    sitting.health("scale", "absent")
    sitting.all_pass()
    sitting.press("rank.2")
    assert isinstance(sitting.press(button), Rejection)


def test_scale_and_balance_are_never_mixed_in_one_ranking_sm_55() -> None:
    sitting = Sitting()
    sitting.all_pass()
    assert sitting.remarks["pan"].code == "put_on_pan"
    assert sitting.sense(named(sitting.putty[0]), *load(21.0)) == [Weigh(seat=0, mass_g=21.0)]
    refused = sitting.press("rank.1")
    assert isinstance(refused, Rejection)
    assert (refused.code, refused.rule) == ("weighed_by_scale", "SM-55")
    other = Sitting()
    other.all_pass()
    other.press("without_scale")
    assert other.remarks["balance"].code == "rank_heaviest"
    other.press("rank.1")
    assert other.sense(*load(21.0)) == [], "the scale keeps out of a ranking that people have begun"


def test_without_a_scale_people_say_whether_a_sphere_weighs_as_before_sm_46() -> None:
    sitting = Sitting(same_mass_check=True)
    sitting.did(Roll(seat=0, value=2), TimeUp())
    assert sitting.sense(named(sitting.putty[0]), *load(21.0)) == [Weigh(seat=0, mass_g=21.0)]
    sitting.did(Attempt(seat=0, outcome="stuck"))
    sitting.health("scale", "faulty")
    assert sitting.remarks["balance"].code == "compare_masses"
    due = RULES.expects(sitting.state, None)[0].prompt
    sitting.press("other_mass")
    assert [prompt.do for prompt in RULES.expects(sitting.state, None)] == ["weigh", "decline"]
    assert RULES.expects(sitting.state, None)[0].prompt != due
    sitting.press("same_mass")
    assert [prompt.do for prompt in RULES.expects(sitting.state, None)] == ["attempt", "decline"]


@pytest.mark.parametrize("button", ["rank.0", "level.7", "rank.-1", "rank.x", "same_mass", "without_scale", "explode"])
def test_buttons_at_the_wrong_moment_are_refused(button: str) -> None:
    assert isinstance(Sitting().press(button), Rejection)
