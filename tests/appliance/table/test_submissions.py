"""What people hand in: once each, only for open prompts, only for themselves, on disk before it is answered."""

import threading
from typing import Any

import msgspec
import pytest

from appliance.games.protocol import Action, Rejection
from appliance.snapshot import Accepted, Submission
from hardware.clock import MonotonicClock
from tests.appliance.conftest import PortersTable, setup
from tests.appliance.games.porters import Cross, Flip, Hide
from tests.narrowed import of_kind


def code(answer: object) -> str:
    assert isinstance(answer, Rejection), answer
    return answer.code


def test_without_a_game_the_table_is_a_lobby(porters: PortersTable) -> None:
    assert porters.table.snapshot().game is None
    assert code(porters.do(Hide(seat=0, mass_g=20.0))) == "no_game_open"
    assert code(porters.table.undo("u")) == "no_game_open"
    assert porters.table.history() is None


def test_opening_a_game_publishes_it_with_its_rules_revision(porters: PortersTable) -> None:
    seq = porters.open(3)
    snapshot = porters.table.snapshot()
    assert (snapshot.game, snapshot.game_id, snapshot.journal_seq) == ("porters", seq, seq)
    assert snapshot.setup is not None
    assert snapshot.setup.rules == 3
    assert [line.happening.code for line in snapshot.log] == ["porters_met"]


def test_a_setup_that_the_game_refuses_or_nobody_knows_opens_nothing(porters: PortersTable) -> None:
    assert code(porters.table.open_game(setup(1), "one")) == "player_count"
    chess = msgspec.structs.replace(setup(), game="chess")
    assert code(porters.table.open_game(chess, "two")) == "unknown_game"
    newer = msgspec.structs.replace(setup(), rules=4)
    assert code(porters.table.open_game(newer, "three")) == "rules_newer"
    assert porters.table.snapshot().game is None


def test_a_second_game_waits_until_the_first_is_over_or_put_away(porters: PortersTable) -> None:
    porters.open()
    assert code(porters.table.open_game(setup(), "again")) == "game_open"
    assert isinstance(porters.table.close_game("close"), Accepted)
    assert porters.table.snapshot().game is None
    porters.open()


def test_an_accepted_action_counts_and_is_told(porters: PortersTable) -> None:
    porters.open()
    seq = porters.did(Hide(seat=1, mass_g=19.3), prompt="hide.1.1", seat=1)
    assert porters.state.loads == (None, 19.3)
    assert [(line.seq, line.happening.code) for line in porters.table.snapshot().log][1:] == [
        (seq, "load_hidden"),
        (seq, "own_load"),
    ]


def test_a_double_tap_counts_once_and_is_answered_alike(porters: PortersTable) -> None:
    porters.open()
    tap = Submission(id="tap", action=Hide(seat=0, mass_g=22.7), prompt="hide.1.0", seat=0)
    first = porters.table.submit(tap)
    version = porters.table.snapshot().version
    assert porters.table.submit(tap) == first
    assert porters.table.snapshot().version == version
    assert porters.journal.last_seq() == porters.accepted(first)


def test_a_repeat_after_a_restart_still_gets_the_first_answer(porters: PortersTable) -> None:
    porters.open()
    tap = Submission(id="tap", action=Hide(seat=0, mass_g=22.7), prompt="hide.1.0", seat=0)
    first = porters.table.submit(tap)
    assert porters.reopen().submit(tap) == first
    assert porters.state.loads == (22.7, None)


def test_a_refused_id_stays_refused_even_when_it_would_be_possible_now(porters: PortersTable) -> None:
    porters.open()
    early = Submission(id="early", action=Cross(seat=0, outcome="passed"))
    assert code(porters.table.submit(early)) == "not_to_cross"
    porters.did(Hide(seat=0, mass_g=22.7))
    porters.did(Hide(seat=1, mass_g=19.3))
    assert code(porters.table.submit(early)) == "not_to_cross"


def test_of_very_many_answers_only_the_oldest_are_forgotten(
    porters: PortersTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("appliance.table.table.ANSWERS_REMEMBERED", 3)
    porters.open()
    taps = [Submission(id=f"early-{number}", action=Cross(seat=0, outcome="passed")) for number in range(3)]
    assert [code(porters.table.submit(tap)) for tap in taps] == ["not_to_cross"] * 3
    porters.did(Hide(seat=0, mass_g=22.7))
    porters.did(Hide(seat=1, mass_g=19.3))
    assert code(porters.table.submit(taps[2])) == "not_to_cross", "a repeat of a newer one gets its answer again"


def test_a_closed_prompt_refuses_and_an_open_one_of_another_seat_does_not_help(porters: PortersTable) -> None:
    porters.open()
    porters.did(Hide(seat=0, mass_g=22.7), prompt="hide.1.0")
    assert code(porters.do(Hide(seat=0, mass_g=9.9), prompt="hide.1.0")) == "prompt_closed"
    assert code(porters.do(Hide(seat=0, mass_g=9.9), prompt="hide.1.1")) == "not_to_hide"
    assert porters.state.loads == (22.7, None)


def test_a_late_second_tap_does_not_answer_the_next_question(porters: PortersTable) -> None:
    porters.open()
    porters.did(Hide(seat=0, mass_g=22.7))
    porters.did(Hide(seat=1, mass_g=19.3))
    porters.did(Cross(seat=0, outcome="stuck"), prompt="cross.1.0.0")
    assert code(porters.do(Cross(seat=0, outcome="stuck"), prompt="cross.1.0.0")) == "prompt_closed"
    assert porters.state.tries == 1


def test_a_seat_acts_only_for_itself_and_never_for_the_table(porters: PortersTable) -> None:
    porters.open()
    assert code(porters.do(Hide(seat=1, mass_g=19.3), seat=0)) == "not_your_seat"
    assert code(porters.do(Flip(heads=True), seat=0)) == "not_your_seat"
    porters.did(Hide(seat=1, mass_g=19.3), seat=None)


@pytest.mark.parametrize("bad", ["", "x" * 65, "table:1", "a\nb", "\ud800", "\x00"])
def test_ids_that_could_not_be_kept_are_refused(porters: PortersTable, bad: str) -> None:
    porters.open()
    assert code(porters.table.submit(Submission(id=bad, action=Hide(seat=0, mass_g=20.0)))) == "bad_id"


def test_an_action_of_another_game_is_refused(porters: PortersTable) -> None:
    class Castle(Action, frozen=True, tag="castle"):
        side: str

    porters.open()
    assert code(porters.do(Castle(side="king"))) == "unknown_action"  # that is the point


def test_four_seats_commit_at_the_same_moment_from_four_threads(porters: PortersTable) -> None:
    porters.running = MonotonicClock()
    table = porters.reopen()
    table.start()
    porters.open(4)
    ready, answers = threading.Barrier(4), dict[Any, Any]()

    def commit(seat: int) -> None:
        ready.wait()
        for tap in range(3):
            answer = table.submit(
                Submission(
                    id=f"seat-{seat}", action=Hide(seat=seat, mass_g=10.0 + seat), prompt=f"hide.1.{seat}", seat=seat
                )
            )
            assert answers.setdefault(seat, answer) == answer, tap

    threads = [threading.Thread(target=commit, args=(seat,)) for seat in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(porters.accepted(answer) for answer in answers.values()) == [2, 3, 4, 5]
    assert porters.state.loads == (10.0, 11.0, 12.0, 13.0)


def test_an_answer_is_published_before_it_is_given(porters: PortersTable) -> None:
    porters.open()
    version = porters.table.snapshot().version
    seq = porters.did(Hide(seat=0, mass_g=22.7))
    newer = porters.table.wait_newer(version, 0.0)
    assert newer is not None
    assert newer.journal_seq == seq
    assert porters.table.wait_newer(newer.version, 0.0) is None


def test_a_stopped_table_says_so(porters: PortersTable) -> None:
    porters.open()
    porters.table.stop()
    assert code(porters.do(Hide(seat=0, mass_g=22.7))) == "table_stopped"


def test_what_must_be_chance_is_drawn_by_the_appliance_and_journalled(porters: PortersTable) -> None:
    porters.open(2, flip_first=True)
    porters.table.step()
    assert not porters.state.flipping
    (flip,) = of_kind(tuple, porters.table.history())[1]
    assert isinstance(flip, Flip)
    porters.reopen()
    assert of_kind(tuple, porters.table.history())[1] == (flip,)


def test_finished_games_are_listed_with_their_end(porters: PortersTable) -> None:
    first = porters.open()
    for _ in range(2):
        porters.did(Hide(seat=0, mass_g=22.7))
        porters.did(Hide(seat=1, mass_g=19.3))
        porters.did(Cross(seat=0, outcome="passed"))
        porters.did(Cross(seat=1, outcome="passed"))
    played = porters.table.history()
    second = porters.open()  # a finished game makes room by itself
    porters.table.close_game("away")
    unfinished, finished = of_kind(tuple, porters.table.past_games())
    assert (finished.game, unfinished.game) == (first, second)
    assert finished.outcome is not None
    assert (finished.outcome.winners, finished.outcome.reason) == ((0,), "two_rounds")
    assert unfinished.outcome is None
    assert porters.table.past_history(first) == played
    assert code(porters.table.past_history(999)) == "no_such_game"


def test_a_number_names_a_game_only_where_one_was_opened(porters: PortersTable) -> None:
    opened = porters.open()
    porters.did(Hide(seat=0, mass_g=22.7))
    assert porters.table.opened_s(opened) is not None, "also while it is open"
    for number in (opened + 1, opened + 2, 2**80):
        assert porters.table.opened_s(number) is None
        assert porters.table.past_game(number) is None
