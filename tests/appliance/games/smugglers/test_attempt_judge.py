"""Camera and beams vote on an attempt (SM-38 … SM-41, AP-7, A-02). Truth: the rule texts."""

from __future__ import annotations

from typing import Literal

import pytest

from appliance.games.smugglers.referee.attempt_judge import PATIENCE_S, AttemptJudge, Doubt, Verdict
from hardware.readings import BeamPassage, PassageSeen, SphereOnTrack

LIMIT_S = 5.0
LATER_S = 60.0
_HELD: tuple[Literal["blocked", "bounced"], ...] = ("blocked", "bounced")


def judge() -> AttemptJudge:
    return AttemptJudge(lane=4, putty="pink", pass_limit_s=LIMIT_S, opened_s=0.0)


def seen(
    outcome: Literal["passed", "stuck", "short", "astray", "unknown"],
    t_s: float = 11.0,
    lane: int | None = 4,
    colour: Literal["pink", "green"] | None = "pink",
) -> PassageSeen:
    crossed_s = t_s - 0.2 if outcome == "passed" else None
    return PassageSeen(
        t_s=t_s, outcome=outcome, lane=lane, colour=colour, started_s=10.0, crossed_s=crossed_s, confidence=0.95
    )


def beams(
    outcome: Literal["passed", "blocked", "bounced", "reversed"], t_s: float = 11.0, first_s: float = 10.8
) -> BeamPassage:
    return BeamPassage(t_s=t_s, outcome=outcome, first_broken_s=first_s, crossed_s=t_s if outcome == "passed" else None)


def decide(one: AttemptJudge, now_s: float, camera_ok: bool = True, beams_ok: bool = True) -> Verdict | Doubt | None:
    return one.decide(now_s, camera_ok=camera_ok, beams_ok=beams_ok)


def test_both_say_passed() -> None:
    one = judge()
    one.camera_says(seen("passed"))
    one.beams_say(beams("passed"))
    assert decide(one, 11.0) == Verdict("passed", ("camera", "beams"))


def test_another_lanes_hole_is_astray_sm_41() -> None:
    one = judge()
    one.camera_says(seen("passed", lane=5))
    one.beams_say(beams("passed"))
    assert decide(one, 11.0) == Verdict("astray", ("camera", "beams"))
    assert one.votes(camera_ok=True, beams_ok=True) == {"camera": "other_lane", "beams": "passed"}


def test_a_hand_that_breaks_the_beams_after_a_pass_takes_nothing_back() -> None:
    one = judge()
    one.beams_say(beams("passed"))
    one.beams_say(beams("blocked", t_s=12.0, first_s=11.6))
    one.camera_says(seen("passed"))
    assert decide(one, 12.0) == Verdict("passed", ("camera", "beams"))


def test_stuck_only_after_the_pass_limit_sm_39() -> None:
    one = judge()
    one.camera_says(seen("stuck"))
    one.beams_say(beams("blocked"))
    assert decide(one, 10.8 + LIMIT_S - 0.01) is None
    assert decide(one, 10.8 + LIMIT_S) == Verdict("stuck", ("camera", "beams"))


def test_oozing_through_within_the_limit_is_a_pass_sm_39() -> None:
    one = judge()
    one.camera_says(seen("stuck"))
    one.beams_say(beams("blocked"))
    one.camera_says(seen("passed", t_s=13.0))
    one.beams_say(beams("passed", t_s=13.0))
    assert decide(one, 13.0) == Verdict("passed", ("camera", "beams"))


@pytest.mark.parametrize(("through_s", "outcome"), [(10.8 + LIMIT_S, "passed"), (10.8 + LIMIT_S + 0.01, "stuck")])
def test_a_sphere_that_never_rests_but_oozes_through_after_the_limit_is_stuck_sm_39(
    through_s: float, outcome: Literal["passed", "stuck"]
) -> None:
    one = judge()
    one.camera_says(seen("passed", t_s=through_s))
    one.beams_say(beams("passed", t_s=through_s))
    assert decide(one, through_s) == Verdict(outcome, ("camera", "beams"))
    vote = "passed" if outcome == "passed" else "too_late"
    assert one.votes(camera_ok=True, beams_ok=True) == {"camera": vote, "beams": vote}


def test_beams_that_tell_after_the_limit_of_a_crossing_within_it_tell_of_a_pass_sm_39() -> None:
    one = judge()
    crossed_s = 10.8 + LIMIT_S - 0.1
    one.camera_says(seen("passed", t_s=crossed_s + 0.4))
    one.beams_say(BeamPassage(t_s=crossed_s + 0.3, outcome="passed", first_broken_s=10.8, crossed_s=crossed_s))
    assert decide(one, LATER_S) == Verdict("passed", ("camera", "beams"))


@pytest.mark.parametrize(
    ("camera", "beam"), [("stuck", "passed"), ("short", "passed"), ("passed", "blocked"), ("short", "bounced")]
)
def test_contradiction_is_a_question_a_02(
    camera: Literal["stuck", "short", "passed"], beam: Literal["passed", "blocked", "bounced"]
) -> None:
    one = judge()
    one.camera_says(seen(camera))
    one.beams_say(beams(beam))
    assert decide(one, 11.0) is None, "the slower sense gets its time"
    assert decide(one, LATER_S) == Doubt("senses_disagree")


def test_the_patience_with_the_senses_begins_with_the_slower_one() -> None:
    one = judge()
    one.camera_says(seen("short"))
    one.beams_say(beams("passed", t_s=14.0))
    assert decide(one, 14.0 + PATIENCE_S - 0.01) is None
    assert decide(one, 14.0 + PATIENCE_S) == Doubt("senses_disagree")


def test_a_short_roll_breaks_no_beam_sm_40() -> None:
    one = judge()
    one.camera_says(seen("short"))
    assert decide(one, 11.0) == Verdict("short", ("camera",))


def test_camera_passed_but_healthy_beams_silent() -> None:
    one = judge()
    one.camera_says(seen("passed"))
    assert decide(one, 11.0) is None
    assert decide(one, 11.0 + PATIENCE_S) == Doubt("beams_silent")


def test_camera_alone_decides_when_the_beams_are_missing() -> None:
    one = judge()
    one.camera_says(seen("passed"))
    assert decide(one, 11.0, beams_ok=False) == Verdict("passed", ("camera",))
    two = judge()
    two.camera_says(seen("stuck"))
    assert decide(two, 11.5, beams_ok=False) is None
    assert decide(two, 11.0 + LIMIT_S, beams_ok=False) == Verdict("stuck", ("camera",))


def test_beams_alone_cannot_tell_the_lane_and_ask_ap_7() -> None:
    """They cross all lanes: a pass looks like another lane's hole (SM-41), a stuck sphere like one stuck elsewhere."""
    one = judge()
    one.beams_say(beams("passed"))
    assert decide(one, 11.0, camera_ok=False) == Doubt("lane_unseen")
    for outcome in _HELD:
        two = judge()
        two.beams_say(beams(outcome))
        assert decide(two, 10.8 + LIMIT_S - 0.01, camera_ok=False) is None, "it may still ooze through"
        assert decide(two, LATER_S, camera_ok=False) == Doubt("beams_unsure")


def test_hands_at_the_fence_ask_nothing_while_the_camera_sees_no_roll() -> None:
    one = judge()
    one.beams_say(beams("bounced"))
    assert decide(one, LATER_S) is None


def test_a_roll_that_the_camera_saw_begin_and_not_end_is_asked() -> None:
    one = judge()
    one.began(SphereOnTrack(t_s=10.0, lane=4, colour="pink"))
    one.beams_say(beams("blocked"))
    assert decide(one, LATER_S) == Doubt("camera_silent")


def test_a_pass_that_only_the_beams_noticed_is_asked() -> None:
    one = judge()
    one.beams_say(beams("passed"))
    assert decide(one, LATER_S) == Doubt("camera_silent")


def test_edges_from_before_the_roll_do_not_count() -> None:
    one = judge()
    one.beams_say(beams("blocked", t_s=5.0, first_s=4.0))
    one.began(SphereOnTrack(t_s=10.0, lane=4, colour="pink"))
    one.camera_says(seen("short"))
    assert decide(one, 11.0) == Verdict("short", ("camera",))


def test_what_began_before_the_attempt_was_due_belongs_to_the_one_before() -> None:
    one = AttemptJudge(lane=4, putty="pink", pass_limit_s=LIMIT_S, opened_s=10.9)
    one.camera_says(seen("passed", colour="green"))
    one.beams_say(beams("passed"))
    assert decide(one, LATER_S) is None


def test_someone_elses_sphere_is_asked() -> None:
    one = judge()
    one.camera_says(seen("passed", colour="green"))
    one.beams_say(beams("passed"))
    assert decide(one, 11.0) == Doubt("wrong_sphere")


def test_a_sphere_whose_colour_the_camera_cannot_tell_is_the_one_that_is_due() -> None:
    one = judge()
    one.camera_says(seen("passed", colour=None))
    one.beams_say(beams("passed"))
    assert decide(one, 11.0) == Verdict("passed", ("camera", "beams"))


def test_a_pass_whose_lane_the_camera_cannot_tell_is_asked_sm_41() -> None:
    one = judge()
    one.camera_says(seen("passed", lane=None))
    one.beams_say(beams("passed"))
    assert decide(one, 11.0) == Doubt("camera_unsure")


def test_no_evidence_no_verdict() -> None:
    assert decide(judge(), LATER_S) is None
    assert decide(judge(), LATER_S, camera_ok=False, beams_ok=False) is None


def test_a_sphere_that_rolls_again_is_judged_by_what_the_camera_sees_from_then_on() -> None:
    one = judge()
    one.camera_says(seen("stuck"))
    one.began(SphereOnTrack(t_s=12.0, lane=4, colour="pink"))
    assert decide(one, LATER_S, beams_ok=False) is None


def test_a_roll_that_is_judged_anew_leaves_behind_what_the_beams_saw_before() -> None:
    one = judge()
    one.beams_say(beams("passed", t_s=10.9))
    one.began(SphereOnTrack(t_s=30.0, lane=4, colour="pink"))
    one.judge_anew(30.0)
    assert decide(one, LATER_S) is None
    assert one.votes(camera_ok=True, beams_ok=True) == {"camera": "silent", "beams": "silent"}


def test_a_roll_that_is_judged_anew_and_reported_late_keeps_what_the_beams_saw_of_it() -> None:
    one = judge()
    one.beams_say(beams("passed", first_s=10.8))
    one.began(SphereOnTrack(t_s=11.2, lane=4, colour="pink"))
    one.judge_anew(11.2)
    one.camera_says(seen("passed", t_s=11.5))
    assert decide(one, 11.5) == Verdict("passed", ("camera", "beams"))
