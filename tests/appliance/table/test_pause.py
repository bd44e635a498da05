"""A pause: all clocks stand, sensors and taps are not taken, and the game goes on where it was, over restarts too."""

from __future__ import annotations

import shutil

import pytest
from msgspec import to_builtins

from appliance.games.protocol import Proposal, Question, Rejection, Timer
from appliance.table.game.pending_advice import PendingAdvice
from tests.appliance.conftest import PortersTable
from tests.appliance.games.porters import Cross

PASSED = Proposal(action=Cross(seat=0, outcome="passed"), prompt="cross.1.0.0", because=("beams",), grace_s=2.0)


def pause(porters: PortersTable) -> None:
    porters.accepted(porters.table.pause(True, porters.new_id()))


def go_on(porters: PortersTable) -> None:
    porters.accepted(porters.table.pause(False, porters.new_id()))


def hourglass_left_s(porters: PortersTable) -> float:
    return porters.table.snapshot().timers["hourglass"].ends_s - porters.clock.now_s()


@pytest.mark.parametrize("killed", [False, True])
def test_a_timer_has_as_much_left_after_a_pause_as_before_it(crossing: PortersTable, killed: bool) -> None:
    now_s = crossing.clock.now_s()
    crossing.advise(Timer(name="hourglass", started_s=now_s, ends_s=now_s + 40.0))
    crossing.wait(10.0)
    pause(crossing)
    crossing.wait(600.0)
    if killed:
        crossing.reopen()
        crossing.wait(600.0)
    assert crossing.table.snapshot().paused
    assert crossing.table.snapshot().timers == {}, "no screen counts down"
    go_on(crossing)
    assert not crossing.table.snapshot().paused
    assert hourglass_left_s(crossing) == pytest.approx(30.0)


def test_a_plug_pulled_as_the_game_goes_on_stops_no_timer(
    crossing: PortersTable, tmp_path_factory: pytest.TempPathFactory
) -> None:
    now_s = crossing.clock.now_s()
    crossing.advise(Timer(name="hourglass", started_s=now_s, ends_s=now_s + 40.0))
    crossing.wait(10.0)
    pause(crossing)
    crossing.wait(600.0)
    pulled, unkept = tmp_path_factory.mktemp("pulled") / "data", shutil.ignore_patterns("*-shm", "*.lock")

    def pull() -> None:
        shutil.copytree(crossing.folder, pulled, ignore=unkept)

    crossing.journal.on_commit(pull)
    go_on(crossing)
    crossing.folder = pulled
    crossing.reopen()
    assert not crossing.table.snapshot().paused
    assert hourglass_left_s(crossing) == pytest.approx(30.0)


def test_nothing_counts_while_the_game_is_paused(crossing: PortersTable) -> None:
    crossing.advise(PASSED)
    before = crossing.state
    pause(crossing)
    crossing.wait(60.0)
    assert crossing.state == before, "no grace ends"
    assert crossing.table.snapshot().pending is None
    answer = crossing.do(Cross(seat=0, outcome="stuck"))
    assert isinstance(answer, Rejection)
    assert answer.code == "game_paused"
    undone = crossing.table.undo(crossing.new_id())
    assert isinstance(undone, Rejection)
    assert undone.code == "game_paused"
    assert crossing.table.attention() == frozenset(), "the camera watches nothing"
    assert not crossing.table.snapshot().quiet


def test_what_the_sensors_said_before_waits_its_whole_grace_again(crossing: PortersTable) -> None:
    crossing.advise(PASSED)
    crossing.wait(1.5)
    pause(crossing)
    crossing.wait(60.0)
    go_on(crossing)
    crossing.wait(1.9)
    assert crossing.state.crossed == ()
    crossing.wait(0.2)
    assert crossing.state.crossed == (True,)


def test_what_the_sensors_said_before_is_not_asked_beside_it() -> None:
    """The referee of the game that goes on has seen nothing yet, and may ask at once."""
    before, after = PendingAdvice(), PendingAdvice()
    before.put(PASSED, {PASSED.prompt}, to_builtins, now_s=5.0)
    after.put(Question(prompt=PASSED.prompt, code="unclear"), {PASSED.prompt}, to_builtins, now_s=600.0)
    after.take_over(before, {PASSED.prompt}, lambda action: True, now_s=600.0)
    assert (after.question, after.pending is not None) == (None, True)
    assert after.next_due_s() == 602.0


def test_an_open_question_is_asked_again(crossing: PortersTable) -> None:
    crossing.advise(Question(prompt="cross.1.0.0", code="unsure"))
    pause(crossing)
    assert crossing.table.snapshot().question is None
    go_on(crossing)
    asked = crossing.table.snapshot().question
    assert asked is not None
    assert asked.code == "unsure"


def test_what_somebody_objected_to_does_not_come_back_after_a_pause(crossing: PortersTable) -> None:
    crossing.advise(PASSED)
    shown = crossing.table.snapshot().pending
    assert shown is not None
    crossing.accepted(crossing.table.object_to(shown.id, "no"))
    pause(crossing)
    go_on(crossing)
    crossing.advise(PASSED)
    assert crossing.table.snapshot().pending is None
    question = crossing.table.snapshot().question
    assert question is not None
    assert question.code == "overruled"


def test_pausing_twice_or_going_on_twice_changes_nothing(crossing: PortersTable) -> None:
    pause(crossing)
    held = crossing.table.snapshot().journal_seq
    pause(crossing)
    assert crossing.table.snapshot().journal_seq == held
    go_on(crossing)
    gone_on = crossing.table.snapshot().journal_seq
    go_on(crossing)
    assert crossing.table.snapshot().journal_seq == gone_on
    crossing.did(Cross(seat=0, outcome="passed"))


def test_corrections_after_a_pause_reach_back_before_it(crossing: PortersTable) -> None:
    crossing.did(Cross(seat=0, outcome="passed"))
    pause(crossing)
    go_on(crossing)
    crossing.accepted(crossing.table.undo(crossing.new_id()))
    assert crossing.state.crossed == ()


def test_in_the_lobby_there_is_nothing_to_pause(porters: PortersTable) -> None:
    answer = porters.table.pause(True, porters.new_id())
    assert isinstance(answer, Rejection)
    assert answer.code == "no_game_open"


def test_a_paused_game_can_be_put_away(crossing: PortersTable) -> None:
    pause(crossing)
    crossing.accepted(crossing.table.close_game(crossing.new_id()))
    assert crossing.table.snapshot().game is None
    assert not crossing.table.snapshot().paused
    crossing.open()
    assert not crossing.table.snapshot().paused
