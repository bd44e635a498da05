"""What the referee makes of readings in an open game: whose throw it was, whose roll, ranking without a scale."""

from __future__ import annotations

from typing import Any

import pytest

from appliance.games.protocol import Action, Proposal, Question, Rejection, Remark, Timing
from appliance.games.smugglers.game import GAME
from appliance.games.smugglers.rules.actions import Attempt, Roll, TieRoll, TimeUp, Weigh
from appliance.games.smugglers.rules.rules import RULES
from hardware.readings import (
    BeamPassage,
    DeviceHealth,
    DieSettled,
    LoadRemoved,
    MassSettled,
    PassageSeen,
    PuttyColour,
    Reading,
    SphereOnPan,
    SphereOnTrack,
    Status,
)
from tests.appliance.games.smugglers.play import a_setup


class Sitting:
    """One game and its referee; proposals count at once."""

    def __init__(self, players: int = 3, **options: Any) -> None:
        setup = a_setup(players, **options)
        self.putty = [player.putty for player in setup.players]
        self.state = RULES.set_up(setup).state
        self.referee = GAME.referee(setup, Timing())
        self.now_s = 100.0
        self.remarks: dict[str, Remark] = {}
        self.questions: list[str] = []
        self._heed(self.referee.stepped(self.state, None, self.now_s))
        for device in ("camera", "beams", "scale"):
            self.health(device)

    def health(self, device: Any, status: Status = "ok") -> None:
        self.sense(DeviceHealth(t_s=self.now_s, device=device, status=status, code=f"{device}_{status}"))

    def did(self, *actions: Action) -> None:
        for action in actions:
            self.now_s += 5.0
            self.state = RULES.apply(self.state, action).state
            self._heed(self.referee.stepped(self.state, action, self.now_s))

    def sense(self, *readings: Reading) -> list[Action]:
        done: list[Action] = []
        for reading in readings:
            done += self._heed(self.referee.sense(self.state, reading))
        return done

    def tick(self, now_s: float) -> list[Action]:
        self.now_s = now_s
        return self._heed(self.referee.tick(self.state, now_s))

    def press(self, button: str) -> list[Action] | Rejection:
        answer = self.referee.command(self.state, button, self.now_s)
        return answer if isinstance(answer, Rejection) else self._heed(answer)

    def _heed(self, advice: Any) -> list[Action]:
        done: list[Action] = []
        for one in advice:
            match one:
                case Proposal(action=action):
                    done.append(action)
                case Question(code=code):
                    self.questions.append(code)
                case Remark(topic=topic):
                    self.remarks[topic] = one
        for action in done:
            self.did(action)
        return done

    def all_pass(self) -> None:
        self.did(Roll(seat=0, value=2), TimeUp())
        for seat in range(len(self.putty)):
            self.did(Attempt(seat=seat, outcome="passed"))

    def order(self) -> list[int]:
        """Seats in armchairs, best first."""
        seated = [(player.place, seat) for seat, player in enumerate(RULES.view(self.state, None).players)]
        return [seat for place, seat in sorted(each for each in seated if each[0] is not None)]


def die(value: int | None) -> DieSettled:
    return DieSettled(t_s=1.0, value=value, confidence=0.9)


def load(mass_g: float, sd_g: float = 0.01) -> tuple[Reading, Reading]:
    return MassSettled(t_s=1.0, mass_g=mass_g, sd_g=sd_g, samples=20), LoadRemoved(t_s=2.0)


def named(colour: Any) -> SphereOnPan:
    """What the camera says of a sphere on the pan; None: its colour is not clear."""
    return SphereOnPan(t_s=1.0, colour=colour, confidence=0.9)


def test_of_equals_the_first_throws_first_and_is_told_so() -> None:
    sitting = Sitting()
    sitting.all_pass()
    sitting.did(*(Weigh(seat=seat, mass_g=20.0) for seat in range(3)))
    assert sitting.remarks["tie"] == Remark(topic="tie", code="roll_for_tie", values={"seat": 0})
    assert sitting.sense(die(2)) == [TieRoll(seat=0, value=2)]
    assert sitting.remarks["tie"].values == {"seat": 1}
    assert sitting.sense(die(5)) == [TieRoll(seat=1, value=5)]
    assert sitting.remarks["tie"].code == "", "one is left: nobody can be mistaken"
    assert sitting.sense(die(4)) == [TieRoll(seat=2, value=4)]
    assert sitting.order() == [1, 2]


def test_a_die_that_is_not_clear_is_asked_about_until_it_is_thrown_again_sm_21() -> None:
    sitting = Sitting()
    assert sitting.sense(die(None)) == []
    assert sitting.questions == ["die_unclear"]
    assert sitting.sense(die(3)) == [Roll(seat=0, value=3)]


def test_a_roll_of_the_one_before_is_not_held_against_the_next() -> None:
    sitting = Sitting()
    sitting.did(Roll(seat=0, value=2), TimeUp(), Attempt(seat=0, outcome="passed"))
    colour: PuttyColour = "green" if sitting.putty[0] == "green" else sitting.putty[0]  # one of the four
    before_s = sitting.now_s - 1.0
    late = PassageSeen(
        t_s=sitting.now_s + 1.0,
        outcome="passed",
        lane=RULES.view(sitting.state, None).lane,
        colour=colour,
        started_s=before_s,
        crossed_s=before_s + 0.5,
        confidence=0.9,
    )
    beams = BeamPassage(t_s=sitting.now_s + 1.0, outcome="passed", first_broken_s=before_s, crossed_s=before_s + 0.5)
    assert sitting.sense(late, beams) == []
    assert sitting.questions == []


def test_a_pass_that_only_beams_saw_is_a_question_ap_7() -> None:
    sitting = Sitting()
    sitting.health("camera", "faulty")
    sitting.did(Roll(seat=0, value=2), TimeUp())
    first_s = sitting.now_s + 1.0
    assert sitting.sense(BeamPassage(t_s=first_s, outcome="passed", first_broken_s=first_s, crossed_s=first_s)) == []
    assert sitting.questions == ["lane_unseen"]


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


def test_a_table_without_a_camera_weighs_the_sphere_of_whom_it_asks() -> None:
    sitting = Sitting()
    sitting.referee = GAME.referee(a_setup(3), Timing())
    for device, status in (("camera", "absent"), ("beams", "absent"), ("scale", "ok")):
        sitting.health(device, status)  # type: ignore[arg-type]  # a status
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


def test_beams_that_fail_during_a_roll_leave_it_to_people_ap_7() -> None:
    sitting = Sitting()
    sitting.did(Roll(seat=0, value=2), TimeUp())
    rolled_s = sitting.now_s + 1.0
    lane = RULES.view(sitting.state, None).lane
    passed = PassageSeen(
        t_s=rolled_s + 0.6,
        outcome="passed",
        lane=lane,
        colour=sitting.putty[0],  # type: ignore[arg-type]  # a colour
        started_s=rolled_s,
        crossed_s=rolled_s + 0.5,
        confidence=0.9,
    )
    assert sitting.sense(passed) == []
    sitting.now_s = rolled_s + 1.2
    sitting.health("beams", "faulty")
    assert sitting.sense(passed) == []
    assert sitting.tick(rolled_s + 3.0) == []
    assert sitting.questions == ["beams_silent"]


def test_on_a_table_without_beams_the_camera_judges_alone() -> None:
    sitting = Sitting()
    sitting.health("beams", "absent")
    sitting.did(Roll(seat=0, value=2), TimeUp())
    rolled_s = sitting.now_s + 1.0
    passed = PassageSeen(
        t_s=rolled_s + 0.6,
        outcome="passed",
        lane=RULES.view(sitting.state, None).lane,
        colour=sitting.putty[0],  # type: ignore[arg-type]  # a colour
        started_s=rolled_s,
        crossed_s=rolled_s + 0.5,
        confidence=0.9,
    )
    assert sitting.sense(passed) == [Attempt(seat=0, outcome="passed")]
    assert sitting.questions == []


def test_a_roll_after_a_doubt_about_a_roll_that_nobody_saw_is_judged_anew_ap_7() -> None:
    sitting = Sitting()
    sitting.did(Roll(seat=0, value=2), TimeUp())
    ghost_s = sitting.now_s + 1.0
    assert sitting.sense(BeamPassage(t_s=ghost_s, outcome="passed", first_broken_s=ghost_s, crossed_s=ghost_s)) == []
    sitting.tick(ghost_s + 30.0)
    assert sitting.questions == ["camera_silent"], "and people say that nobody rolled"
    rolled_s = ghost_s + 40.0
    lane, colour = RULES.view(sitting.state, None).lane, sitting.putty[0]
    crossed_s = rolled_s + 0.9
    assert sitting.sense(SphereOnTrack(t_s=rolled_s, lane=lane, colour=colour)) == []  # type: ignore[arg-type]  # a colour
    assert sitting.tick(rolled_s + 0.5) == []
    assert sitting.questions == ["camera_silent"], "the doubt is not told again about the new roll"
    passed = PassageSeen(
        t_s=rolled_s + 1.0,
        outcome="passed",
        lane=lane,
        colour=colour,  # type: ignore[arg-type]  # a colour
        started_s=rolled_s,
        crossed_s=crossed_s,
        confidence=0.9,
    )
    beams = BeamPassage(t_s=rolled_s + 1.1, outcome="passed", first_broken_s=crossed_s - 0.03, crossed_s=crossed_s)
    assert sitting.sense(passed, beams) == [Attempt(seat=0, outcome="passed")]


def test_a_roll_after_a_doubt_is_doubted_anew() -> None:
    sitting = Sitting()
    sitting.did(Roll(seat=0, value=2), TimeUp())
    for rolled_s in (sitting.now_s + 1.0, sitting.now_s + 40.0):
        sitting.sense(SphereOnTrack(t_s=rolled_s, lane=3, colour=None))
        sitting.sense(
            PassageSeen(
                t_s=rolled_s + 1.0,
                outcome="unknown",
                lane=None,
                colour=None,
                started_s=rolled_s,
                crossed_s=None,
                confidence=0.3,
            )
        )
        sitting.tick(rolled_s + 10.0)
    assert sitting.questions == ["camera_unsure", "camera_unsure"]
