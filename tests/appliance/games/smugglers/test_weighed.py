"""What the referee makes of loads on the pan: whose sphere it is, and what its mass counts for."""

from __future__ import annotations

import pytest

from appliance.games.protocol import Proposal, Rejection, Remark, Timing
from appliance.games.smugglers.game import GAME
from appliance.games.smugglers.rules.actions import Weigh
from hardware.readings import (
    LoadRemoved,
)
from tests.appliance.games.smugglers.play import a_setup
from tests.appliance.games.smugglers.sitting import Sitting, load, named


@pytest.mark.parametrize(("sd_g", "said"), [(0.01, False), (0.06, False), (0.12, True)])
def test_a_scale_too_coarse_for_the_tie_band_is_told_sm_54(sd_g: float, said: bool) -> None:
    sitting = Sitting()
    sitting.all_pass()
    assert sitting.sense(named(sitting.putty[0]), *load(20.0, sd_g)) == [Weigh(seat=0, mass_g=20.0)]
    assert ("coarse" in sitting.remarks) is said


def test_no_scale_is_fine_enough_for_a_tie_band_of_nothing_sm_54() -> None:
    """The band is never below twice the repeatability of the scale, so people are told to compare."""
    sitting = Sitting(tie_band_g=0)
    sitting.all_pass()
    sitting.sense(named(sitting.putty[0]), *load(20.0))
    assert "coarse" in sitting.remarks


def test_where_the_camera_has_failed_people_say_whose_sphere_lies_on_the_pan_ap_7() -> None:
    sitting = Sitting()
    sitting.health("camera", "faulty")
    sitting.all_pass()
    assert sitting.sense(*load(21.0)) == []
    assert sitting.questions == ["whose_sphere"]
    assert sitting.press("pan.2") == [Weigh(seat=2, mass_g=21.0)]
    assert isinstance(sitting.press("pan.0"), Rejection), "nothing lies there any more that was asked about"


def test_a_wrong_answer_to_whose_sphere_it_is_leaves_the_load_for_the_right_one() -> None:
    sitting = Sitting()
    sitting.health("camera", "faulty")
    sitting.all_pass()
    sitting.sense(*load(21.0))
    assert isinstance(sitting.press("pan.7"), Rejection), "nobody sits there"
    assert sitting.press("pan.2") == [Weigh(seat=2, mass_g=21.0)]


def test_a_table_without_a_camera_weighs_the_sphere_of_whom_it_asks() -> None:
    sitting = Sitting()
    sitting.referee = GAME.referee(a_setup(3), Timing())
    sitting.health("camera", "absent")
    sitting.health("beams", "absent")
    sitting.health("scale", "ok")
    sitting.all_pass()
    assert sitting.sense(*load(21.0)) == [Weigh(seat=0, mass_g=21.0)]
    assert sitting.questions == []


def test_a_load_counts_once_until_it_is_lifted_off() -> None:
    """Without a camera the next mass would be taken for the sphere of whoever is asked next."""
    sitting = Sitting()
    sitting.referee = GAME.referee(a_setup(3), Timing())
    sitting.health("scale")
    sitting.all_pass()
    settled, lifted = load(21.0)
    assert sitting.sense(settled) == [Weigh(seat=0, mass_g=21.0)]
    assert sitting.remarks["pan"].code == "lift_off_pan"
    assert sitting.sense(load(20.4)[0]) == []
    sitting.sense(lifted)
    assert sitting.remarks["pan"].code == "put_on_pan"
    assert sitting.sense(load(20.4)[0]) == [Weigh(seat=1, mass_g=20.4)]


def test_a_crumb_on_the_pan_is_no_sphere() -> None:
    sitting = Sitting()
    sitting.all_pass()
    assert sitting.sense(named(sitting.putty[0]), *load(0.9)) == []


def test_another_s_sphere_on_the_pan_is_named_and_counts_as_its_owner_s() -> None:
    sitting = Sitting()
    sitting.all_pass()
    owner = sitting.putty[1]
    assert owner is not None
    sitting.sense(named(owner))
    assert sitting.remarks["other"] == Remark(topic="other", code="other_sphere_on_pan", values={"owner": 1})
    assert sitting.sense(*load(21.0)[:1]) == [Weigh(seat=1, mass_g=21.0)]
    sitting.sense(LoadRemoved(t_s=sitting.now_s))
    assert sitting.remarks["other"].code == ""


def test_a_mass_waits_for_the_camera_that_a_hand_at_the_pan_keeps_from_the_colour() -> None:
    sitting = Sitting()
    sitting.all_pass()
    assert sitting.sense(*load(21.0)[:1]) == []
    assert sitting.sense(named(sitting.putty[1])) == [Weigh(seat=1, mass_g=21.0)]
    assert sitting.questions == []


@pytest.mark.parametrize("looked", [False, True])
def test_people_say_whose_sphere_it_is_where_the_camera_does_not_ap_7(looked: bool) -> None:
    """It sees no colour while a hand stays at the pan, or none that is clear."""
    sitting = Sitting()
    sitting.all_pass()
    sitting.sense(*([named(None)] if looked else []), *load(21.0)[:1])
    if not looked:
        assert sitting._heed(sitting.referee.tick(sitting.state, 3.9)) == []
        sitting._heed(sitting.referee.tick(sitting.state, 4.1))
    assert sitting.questions == ["whose_sphere"]
    assert sitting.press("pan.1") == [Weigh(seat=1, mass_g=21.0)]


def test_the_last_to_be_weighed_needs_no_colour() -> None:
    sitting = Sitting(2)
    sitting.all_pass()
    sitting.did(Weigh(seat=0, mass_g=20.0))
    sitting.sense(*load(21.0)[:1])
    assert sitting._heed(sitting.referee.tick(sitting.state, 4.1)) == [Weigh(seat=1, mass_g=21.0)]
    assert sitting.questions == []


def test_a_colour_from_before_the_camera_failed_names_nobody_ap_7() -> None:
    sitting = Sitting()
    sitting.all_pass()
    sitting.sense(named(sitting.putty[1]))
    sitting.health("camera", "faulty")
    assert sitting.sense(*load(18.0)[:1]) == []
    assert sitting.questions == ["whose_sphere"]


def test_a_load_from_before_the_start_of_the_scale_is_weighed_once_the_pan_was_empty() -> None:
    sitting = Sitting()
    sitting.all_pass()
    sitting.health("scale", "starting")
    assert sitting.remarks["balance"].code == "", "nobody ranks by hand for the sake of a scale that starts"
    assert sitting.sense(named(sitting.putty[0]), *load(20.6, 1.0)) == []
    sitting.health("scale")
    assert sitting.remarks["pan"].code == "put_on_pan"
    assert sitting.sense(named(sitting.putty[0]), *load(20.0)) == [Weigh(seat=0, mass_g=20.0)]


def test_a_mass_that_the_scale_corrects_while_it_is_shown_replaces_the_first() -> None:
    """Something else lay on the pan, too: 23 g for some seconds, then the sphere alone."""
    sitting = Sitting()
    sitting.all_pass()
    told = [
        one
        for reading in (named(sitting.putty[0]), load(23.0)[0], load(20.0)[0])
        for one in sitting.referee.sense(sitting.state, reading)
        if isinstance(one, Proposal)
    ]
    assert [one.action for one in told] == [Weigh(seat=0, mass_g=23.0), Weigh(seat=0, mass_g=20.0)]
    sitting.did(Weigh(seat=0, mass_g=20.0))
    assert sitting.sense(*load(20.5)[:1]) == [], "it is weighed: what changes on the pan now counts for nobody"
