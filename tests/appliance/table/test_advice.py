"""What the referee advises: proposals count after their grace, doubts become questions, timers outlive a kill."""

from itertools import pairwise
from typing import Literal

import pytest

from appliance.games.protocol import Proposal, Question, Rejection, Remark, Timer
from appliance.snapshot import Accepted, Pending
from hardware.readings import BeamPassage, DeviceHealth, PassageSeen, Reading
from tests.appliance.conftest import PortersTable
from tests.appliance.games.porters import Cross, Hide


def passed(seat: int = 0, grace_s: float = 2.0, prompt: str | None = None) -> Proposal:
    where = prompt or f"cross.1.{seat}.0"
    return Proposal(action=Cross(seat=seat, outcome="passed"), prompt=where, because=("beams",), grace_s=grace_s)


def pending(porters: PortersTable) -> Pending:
    found = porters.table.snapshot().pending
    assert found is not None
    return found


def test_a_clear_reading_counts_by_itself_after_its_grace_and_not_before(crossing: PortersTable) -> None:
    crossing.advise(passed(grace_s=2.0))
    shown = pending(crossing)
    assert shown.action == {"do": "cross", "seat": 0, "outcome": "passed"}
    assert (shown.because, shown.ends_s - shown.started_s) == (("beams",), 2.0)
    crossing.wait(1.99)
    assert crossing.state.crossed == ()
    crossing.wait(0.02)
    assert crossing.state.crossed == (True,)
    assert crossing.table.snapshot().pending is None


def test_what_an_action_made_impossible_is_no_longer_proposed(porters: PortersTable) -> None:
    porters.open()
    porters.advise(Proposal(action=Hide(seat=0, mass_g=22.7), prompt="hide.1.1", because=("scale",), grace_s=2.0))
    assert pending(porters).action == {"do": "hide", "seat": 0}
    porters.did(Hide(seat=0, mass_g=22.7))
    assert porters.table.snapshot().pending is None, "nobody is asked to agree to what cannot happen"


def test_without_a_grace_it_counts_at_once(crossing: PortersTable) -> None:
    crossing.advise(passed(grace_s=0.0))
    assert crossing.state.crossed == (True,)


def test_a_proposed_load_is_shown_without_its_mass(porters: PortersTable) -> None:
    porters.open()
    weighed = Proposal(action=Hide(seat=0, mass_g=22.7), prompt="hide.1.0", because=("scale",), grace_s=2.0)
    porters.advise(weighed)
    assert pending(porters).action == {"do": "hide", "seat": 0}
    porters.wait(2.0)
    assert porters.state.loads == (22.7, None)


def test_an_objection_makes_it_a_question_and_it_does_not_come_back(crossing: PortersTable) -> None:
    crossing.advise(passed())
    assert isinstance(crossing.table.object_to(pending(crossing).id, "no"), Accepted)
    snapshot = crossing.table.snapshot()
    assert snapshot.pending is None
    assert snapshot.question is not None
    assert (snapshot.question.code, snapshot.question.prompt) == ("overruled", "cross.1.0.0")
    crossing.advise(passed())
    crossing.wait(10.0)
    assert crossing.state.crossed == ()
    crossing.did(Cross(seat=0, outcome="stuck"), prompt="cross.1.0.0")
    assert crossing.table.snapshot().question is None


def test_after_an_objection_another_reading_may_still_be_right(crossing: PortersTable) -> None:
    crossing.advise(passed())
    crossing.table.object_to(pending(crossing).id, "no")
    stuck = Proposal(action=Cross(seat=0, outcome="stuck"), prompt="cross.1.0.0", because=("camera",), grace_s=1.0)
    crossing.advise(stuck)
    assert crossing.table.snapshot().question is None
    crossing.wait(1.0)
    assert crossing.state.tries == 1


def test_confirming_does_not_wait_for_the_grace(crossing: PortersTable) -> None:
    crossing.advise(passed(grace_s=9.0))
    shown = pending(crossing)
    assert isinstance(crossing.table.confirm(shown.id, "yes"), Accepted)
    assert crossing.state.crossed == (True,)
    for answer in (crossing.table.confirm(shown.id, "yes2"), crossing.table.object_to(shown.id, "no2")):
        assert isinstance(answer, Rejection)
        assert answer.code == "too_late"


def test_a_tap_beats_the_proposal(crossing: PortersTable) -> None:
    crossing.advise(passed())
    crossing.did(Cross(seat=0, outcome="stuck"), prompt="cross.1.0.0")
    assert crossing.table.snapshot().pending is None
    crossing.wait(5.0)
    assert (crossing.state.crossed, crossing.state.tries) == ((), 1)


def test_a_newer_proposal_for_the_same_prompt_replaces_the_older(crossing: PortersTable) -> None:
    crossing.advise(passed(grace_s=2.0))
    stuck = Proposal(action=Cross(seat=0, outcome="stuck"), prompt="cross.1.0.0", because=("camera",), grace_s=2.0)
    crossing.wait(1.0)
    crossing.advise(stuck)
    crossing.wait(1.5)
    assert crossing.state.tries == 0
    crossing.wait(0.5)
    assert (crossing.state.crossed, crossing.state.tries) == ((), 1)


def test_the_same_proposal_again_does_not_start_its_grace_anew(crossing: PortersTable) -> None:
    crossing.advise(passed(grace_s=2.0))
    crossing.wait(1.5)
    crossing.advise(passed(grace_s=2.0))
    crossing.wait(0.6)
    assert crossing.state.crossed == (True,)


@pytest.mark.parametrize(
    "stale",
    [passed(prompt="cross.9.9.9"), passed(seat=1, prompt="cross.1.0.0")],
    ids=["prompt is not open", "impossible now"],
)
def test_a_stale_proposal_is_passed_over(crossing: PortersTable, stale: Proposal) -> None:
    crossing.advise(stale)
    assert crossing.table.snapshot().pending is None


def test_doubt_beats_a_proposal_and_waits_for_people(crossing: PortersTable) -> None:
    crossing.advise(passed())
    crossing.advise(Question(prompt="cross.1.0.0", code="senses_disagree"))
    snapshot = crossing.table.snapshot()
    assert snapshot.pending is None
    assert snapshot.question is not None
    crossing.wait(60.0)
    assert crossing.state.crossed == ()
    assert isinstance(crossing.table.command("dismiss", "d"), Accepted)
    assert crossing.table.snapshot().question is None


def test_a_correction_clears_what_the_senses_said_before_it(crossing: PortersTable) -> None:
    crossing.advise(passed())
    crossing.table.undo("u")
    assert crossing.table.snapshot().pending is None


def test_remarks_are_kept_by_topic_until_taken_down(crossing: PortersTable) -> None:
    crossing.advise(Remark(topic="boss", code="boss_to_lane", values={"lane": 5}))
    crossing.advise(Remark(topic="boss", code="boss_to_lane", values={"lane": 6}))
    assert crossing.table.snapshot().remarks["boss"].values == {"lane": 6}
    version = crossing.table.snapshot().version
    crossing.advise(Remark(topic="boss", code="boss_to_lane", values={"lane": 6}))
    assert crossing.table.snapshot().version == version, "the same remark again is no news"
    crossing.advise(Remark(topic="boss", code=""))
    assert "boss" not in crossing.table.snapshot().remarks


def test_the_referee_is_ticked_at_least_five_times_a_second(crossing: PortersTable) -> None:
    crossing.referee.heard.clear()
    for _ in range(100):
        crossing.wait(0.01)
    ticks = [told for kind, told in crossing.referee.heard if kind == "tick"]
    assert len(ticks) >= 5
    assert max(b - a for a, b in pairwise(ticks)) <= 0.2


def test_a_command_goes_to_the_referee_once(crossing: PortersTable) -> None:
    crossing.table.command("turn_hourglass", "turn")
    crossing.wait(5.0)
    crossing.table.command("turn_hourglass", "turn")
    assert [told for kind, told in crossing.referee.heard if kind == "command"] == ["turn_hourglass"]
    unknown = crossing.table.command("explode", "x")
    assert isinstance(unknown, Rejection)
    assert unknown.code == "unknown_command"


def test_a_timer_goes_on_after_a_restart_and_ends_with_its_situation(crossing: PortersTable) -> None:
    crossing.table.command("turn_hourglass", "turn")
    crossing.wait(10.0)
    crossing.reopen(off_s=12.0, clock_s=5000.0)
    timer = crossing.table.snapshot().timers["hourglass"]
    assert timer == Timer(name="hourglass", started_s=5000.0 - 22.0, ends_s=5000.0 + 18.0)
    assert crossing.referee.resumed_with == (timer,)
    crossing.did(Cross(seat=0, outcome="passed"))
    assert crossing.table.snapshot().timers == {}
    crossing.reopen()
    assert crossing.table.snapshot().timers == {}


def test_a_board_that_wakes_up_in_the_past_does_not_lengthen_the_hourglass(crossing: PortersTable) -> None:
    crossing.table.command("turn_hourglass", "turn")
    crossing.reopen(off_s=-86_400.0)
    timer = crossing.table.snapshot().timers["hourglass"]
    assert timer.ends_s - crossing.clock.now_s() == 40.0


@pytest.mark.parametrize("set_by_s", [30 * 86_400.0, 20.0, -86_400.0])
def test_a_clock_that_is_set_while_the_hourglass_runs_ends_it_no_sooner_and_no_later(
    crossing: PortersTable, set_by_s: float
) -> None:
    crossing.table.command("turn_hourglass", "turn")
    crossing.wait(3.0)
    crossing.wall_s += set_by_s  # network time arrives
    crossing.wait(1.0)
    crossing.reopen(off_s=5.0)
    timer = crossing.table.snapshot().timers["hourglass"]
    assert timer.ends_s - crossing.clock.now_s() == pytest.approx(40.0 - 3.0 - 1.0 - 5.0)


def test_device_health_is_shown_in_the_lobby_and_told_to_the_next_referee(porters: PortersTable) -> None:
    gone = DeviceHealth(t_s=1.0, device="scale", status="absent", code="scale_not_answering")
    porters.table.sense(gone)
    porters.table.step()
    assert porters.table.snapshot().health == {"scale": gone}
    porters.open()
    assert ("sense", gone) in porters.referee.heard
    version = porters.table.snapshot().version
    porters.table.sense(DeviceHealth(t_s=2.0, device="scale", status="absent", code="scale_not_answering"))
    porters.table.step()
    assert porters.table.snapshot().version == version


def test_the_camera_looks_only_where_the_game_needs_it(porters: PortersTable) -> None:
    assert porters.table.attention() == frozenset()
    porters.open()
    assert porters.table.attention() == {"pan"}
    porters.did(Hide(seat=0, mass_g=22.7))
    porters.did(Hide(seat=1, mass_g=19.3))
    assert porters.table.attention() == {"track"}
    porters.table.close_game("c")
    assert porters.table.attention() == frozenset()


def roll(outcome: Literal["passed", "stuck", "unknown"], t_s: float) -> PassageSeen:
    return PassageSeen(
        t_s=t_s, outcome=outcome, lane=4, colour="pink", started_s=t_s - 1, crossed_s=None, confidence=0.9
    )


def practised(porters: PortersTable, *readings: Reading) -> str:
    """What is said of trial passages after `readings`."""
    for reading in readings:
        porters.table.sense(reading)
    porters.table.step()
    return porters.table.snapshot().remarks["practice"].code


def test_trial_spheres_are_told_passed_or_stuck_and_nothing_is_kept(porters: PortersTable) -> None:
    porters.table.practise(True)
    assert porters.table.snapshot().practice
    assert porters.table.attention() == {"track"}
    assert practised(porters, roll("passed", 10.0)) == "practice_passed"
    assert practised(porters, roll("stuck", 20.0)) == "practice_stuck"
    blocked = BeamPassage(t_s=31.0, outcome="blocked", first_broken_s=30.0, crossed_s=None)
    assert practised(porters, roll("passed", 30.0), blocked) == "practice_unsure"
    assert porters.journal.last_seq() == 0
    porters.table.practise(False)
    assert "practice" not in porters.table.snapshot().remarks


def test_a_trial_sphere_is_judged_by_what_the_sensors_saw_of_it_and_not_of_the_one_before(
    porters: PortersTable,
) -> None:
    porters.table.practise(True)
    crossed = BeamPassage(t_s=11.0, outcome="passed", first_broken_s=10.0, crossed_s=10.5)
    assert practised(porters, roll("passed", 10.8), crossed) == "practice_passed", "both agree"
    assert practised(porters, roll("stuck", 20.0)) == "practice_stuck", "the beams have not seen this one"
    assert practised(porters, roll("unknown", 30.0)) == "practice_unsure", "the camera does not know"


def test_practice_ends_when_a_game_opens_and_at_a_pause(porters: PortersTable) -> None:
    assert porters.table.practise(True) is None
    porters.open()
    assert not porters.table.snapshot().practice
    assert porters.table.practise(True) is None
    porters.table.pause(True, "pause")
    assert not porters.table.snapshot().practice
    refused = porters.table.practise(True)
    assert refused is not None
    assert refused.code == "game_paused"
    porters.table.pause(False, "resume")
    assert not porters.table.snapshot().practice
    assert porters.table.attention() == {"pan"}


def test_practice_is_no_gauge_in_a_running_game(porters: PortersTable) -> None:
    porters.open()
    porters.table.practise(True)
    assert porters.table.snapshot().practice
    porters.did(Hide(seat=0, mass_g=22.7))
    assert not porters.table.snapshot().practice
    porters.table.practise(True)
    assert not porters.table.snapshot().practice


def test_of_two_questions_the_newer_is_asked_and_dismissed_first(porters: PortersTable) -> None:
    porters.open()
    for seat in (1, 0):
        porters.advise(Question(prompt=f"hide.1.{seat}", code="senses_disagree"))
    asked = []
    for number in range(3):
        question = porters.table.snapshot().question
        asked.append(question and question.prompt)
        porters.table.command("dismiss", f"dismiss-{number}")
    assert asked == ["hide.1.0", "hide.1.1", None]


def test_a_proposal_that_was_overruled_before_a_correction_may_be_right_after_it(crossing: PortersTable) -> None:
    crossing.advise(passed())
    crossing.table.object_to(pending(crossing).id, "no")
    hidden = next(deed.seq for deed in crossing.table.snapshot().correctable if deed.action["seat"] == 1)
    assert isinstance(crossing.table.amend(hidden, Hide(seat=1, mass_g=30.0), "heavier"), Accepted)
    crossing.advise(passed())
    assert pending(crossing).prompt == "cross.1.0.0"


def test_a_timer_that_begins_anew_is_shown_at_once_and_one_without_length_ends_it(crossing: PortersTable) -> None:
    now_s = crossing.clock.now_s()
    for lasts_s in (40.0, 60.0):
        crossing.advise(Timer(name="hourglass", started_s=now_s, ends_s=now_s + lasts_s))
        assert crossing.table.snapshot().timers["hourglass"].ends_s == now_s + lasts_s
    crossing.advise(Timer(name="hourglass", started_s=now_s, ends_s=now_s))
    assert crossing.table.snapshot().timers == {}
