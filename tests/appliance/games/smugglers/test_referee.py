"""What the referee makes of throws and rolls in an open game: whose they are, and what is a doubt."""

from __future__ import annotations

from typing import Any

import pytest

from appliance.games.protocol import Remark
from appliance.games.smugglers.rules.actions import Attempt, Roll, TieRoll, TimeUp, Weigh
from appliance.games.smugglers.rules.codes import reject
from appliance.games.smugglers.rules.rules import RULES
from hardware.readings import (
    BeamPassage,
    BossSeen,
    ButtonPressed,
    PassageSeen,
    SphereOnTrack,
)
from tests.appliance.games.smugglers.sitting import Sitting, die


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
    before_s = sitting.now_s - 1.0
    late = PassageSeen(
        t_s=sitting.now_s + 1.0,
        outcome="passed",
        lane=RULES.view(sitting.state, None).lane,
        colour=sitting.putty[0],
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


def test_beams_that_fail_during_a_roll_leave_it_to_people_ap_7() -> None:
    sitting = Sitting()
    sitting.did(Roll(seat=0, value=2), TimeUp())
    rolled_s = sitting.now_s + 1.0
    lane = RULES.view(sitting.state, None).lane
    passed = PassageSeen(
        t_s=rolled_s + 0.6,
        outcome="passed",
        lane=lane,
        colour=sitting.putty[0],
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
        colour=sitting.putty[0],
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
    assert sitting.sense(SphereOnTrack(t_s=rolled_s, lane=lane, colour=colour)) == []
    assert sitting.tick(rolled_s + 0.5) == []
    assert sitting.questions == ["camera_silent"], "the doubt is not told again about the new roll"
    passed = PassageSeen(
        t_s=rolled_s + 1.0,
        outcome="passed",
        lane=lane,
        colour=colour,
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


def test_an_hourglass_that_runs_is_not_turned_again_sm_17() -> None:
    sitting = Sitting(hourglass_s=40)
    sitting.did(Roll(seat=0, value=2))
    turned_s = sitting.now_s
    assert sitting.press("turn_hourglass") == []
    sitting.now_s += 30.0
    assert sitting.press("turn_hourglass") == reject("no_hourglass_now", "SM-17")
    assert sitting.sense(ButtonPressed(t_s=sitting.now_s, button="hourglass")) == []
    assert sitting.tick(turned_s + 39.9) == []
    assert sitting.tick(turned_s + 40.0) == [TimeUp()]


def test_a_misplaced_boss_is_told_while_spheres_are_made_and_roll() -> None:
    sitting = Sitting()
    sitting.sense(BossSeen(t_s=1.0, lane=5, confidence=0.9))
    assert sitting.remarks["boss"].code == "", "nobody needs it before the first throw"
    sitting.did(Roll(seat=0, value=2))
    due = RULES.view(sitting.state, None).boss_lane
    assert sitting.remarks["boss"] == Remark(topic="boss", code="boss_misplaced", values={"lane": due, "seen": 5})
    sitting.sense(BossSeen(t_s=2.0, lane=due, confidence=0.9))
    assert sitting.remarks["boss"].code == ""


def test_a_tick_without_an_action_before_it_makes_no_view(monkeypatch: pytest.MonkeyPatch) -> None:
    sitting = Sitting()
    made: list[Any] = []
    view = type(RULES).view

    def counted(rules: Any, state: Any, seat: int | None) -> Any:
        made.append(state)
        return view(rules, state, seat)

    monkeypatch.setattr(type(RULES), "view", counted)
    sitting.did(Roll(seat=0, value=2))
    assert len(made) == 1
    sitting.referee.tick(sitting.state, sitting.now_s + 1.0)
    sitting.referee.attention(sitting.state)
    assert len(made) == 1, "nothing was done since"
