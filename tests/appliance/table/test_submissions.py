"""What people hand in: once each, only for open prompts, only for themselves, on disk before it is answered."""

import threading

import msgspec
import pytest

from appliance.games.protocol import Rejection
from appliance.snapshot import Accepted, Submission
from hardware.clock import MonotonicClock
from tests.appliance.conftest import Bench, setup
from tests.appliance.games.porters import Cross, Flip, Hide


def code(answer) -> str:
    assert isinstance(answer, Rejection), answer
    return answer.code


def test_without_a_game_the_table_is_a_lobby(bench: Bench):
    assert bench.table.snapshot().game is None
    assert code(bench.do(Hide(seat=0, mass_g=20.0))) == "no_game_open"
    assert code(bench.table.undo("u")) == "no_game_open"
    assert bench.table.history() is None


def test_opening_a_game_publishes_it_with_its_rules_revision(bench: Bench):
    seq = bench.open(3)
    snapshot = bench.table.snapshot()
    assert (snapshot.game, snapshot.game_id, snapshot.journal_seq) == ("porters", seq, seq)
    assert snapshot.setup is not None
    assert snapshot.setup.rules == 3
    assert [line.happening.code for line in snapshot.log] == ["porters_met"]


def test_a_setup_that_the_game_refuses_or_nobody_knows_opens_nothing(bench: Bench):
    assert code(bench.table.open_game(setup(1), "one")) == "player_count"
    chess = msgspec.structs.replace(setup(), game="chess")
    assert code(bench.table.open_game(chess, "two")) == "unknown_game"
    newer = msgspec.structs.replace(setup(), rules=4)
    assert code(bench.table.open_game(newer, "three")) == "rules_newer"
    assert bench.table.snapshot().game is None


def test_a_second_game_waits_until_the_first_is_over_or_put_away(bench: Bench):
    bench.open()
    assert code(bench.table.open_game(setup(), "again")) == "game_open"
    assert isinstance(bench.table.close_game("close"), Accepted)
    assert bench.table.snapshot().game is None
    bench.open()


def test_an_accepted_action_counts_and_is_told(bench: Bench):
    bench.open()
    seq = bench.did(Hide(seat=1, mass_g=19.3), prompt="hide.1.1", seat=1)
    assert bench.state.loads == (None, 19.3)
    assert [(line.seq, line.happening.code) for line in bench.table.snapshot().log][1:] == [
        (seq, "load_hidden"),
        (seq, "own_load"),
    ]


def test_a_double_tap_counts_once_and_is_answered_alike(bench: Bench):
    bench.open()
    tap = Submission(id="tap", action=Hide(seat=0, mass_g=22.7), prompt="hide.1.0", seat=0)
    first = bench.table.submit(tap)
    version = bench.table.snapshot().version
    assert bench.table.submit(tap) == first
    assert bench.table.snapshot().version == version
    assert bench.journal.last_seq() == bench.accepted(first)


def test_a_repeat_after_a_restart_still_gets_the_first_answer(bench: Bench):
    bench.open()
    tap = Submission(id="tap", action=Hide(seat=0, mass_g=22.7), prompt="hide.1.0", seat=0)
    first = bench.table.submit(tap)
    assert bench.reopen().submit(tap) == first
    assert bench.state.loads == (22.7, None)


def test_a_refused_id_stays_refused_even_when_it_would_be_possible_now(bench: Bench):
    bench.open()
    early = Submission(id="early", action=Cross(seat=0, outcome="passed"))
    assert code(bench.table.submit(early)) == "not_to_cross"
    bench.did(Hide(seat=0, mass_g=22.7))
    bench.did(Hide(seat=1, mass_g=19.3))
    assert code(bench.table.submit(early)) == "not_to_cross"


def test_a_closed_prompt_refuses_and_an_open_one_of_another_seat_does_not_help(bench: Bench):
    bench.open()
    bench.did(Hide(seat=0, mass_g=22.7), prompt="hide.1.0")
    assert code(bench.do(Hide(seat=0, mass_g=9.9), prompt="hide.1.0")) == "prompt_closed"
    assert code(bench.do(Hide(seat=0, mass_g=9.9), prompt="hide.1.1")) == "not_to_hide"
    assert bench.state.loads == (22.7, None)


def test_a_late_second_tap_does_not_answer_the_next_question(bench: Bench):
    bench.open()
    bench.did(Hide(seat=0, mass_g=22.7))
    bench.did(Hide(seat=1, mass_g=19.3))
    bench.did(Cross(seat=0, outcome="stuck"), prompt="cross.1.0.0")
    assert code(bench.do(Cross(seat=0, outcome="stuck"), prompt="cross.1.0.0")) == "prompt_closed"
    assert bench.state.tries == 1


def test_a_seat_acts_only_for_itself_and_never_for_the_table(bench: Bench):
    bench.open()
    assert code(bench.do(Hide(seat=1, mass_g=19.3), seat=0)) == "not_your_seat"
    assert code(bench.do(Flip(heads=True), seat=0)) == "not_your_seat"
    bench.did(Hide(seat=1, mass_g=19.3), seat=None)


@pytest.mark.parametrize("bad", ["", "x" * 65, "table:1", "a\nb", "\ud800", "\x00"])
def test_ids_that_could_not_be_kept_are_refused(bench: Bench, bad: str):
    bench.open()
    assert code(bench.table.submit(Submission(id=bad, action=Hide(seat=0, mass_g=20.0)))) == "bad_id"


def test_an_action_of_another_game_is_refused(bench: Bench):
    class Castle(msgspec.Struct, frozen=True, tag_field="do", tag="castle"):
        side: str

    bench.open()
    assert code(bench.do(Castle(side="king"))) == "unknown_action"  # that is the point


def test_four_seats_commit_at_the_same_moment_from_four_threads(bench: Bench):
    bench.clock = MonotonicClock()  # a running loop needs a running clock
    table = bench.reopen()
    table.start()
    bench.open(4)
    ready, answers = threading.Barrier(4), {}

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
    assert sorted(bench.accepted(answer) for answer in answers.values()) == [2, 3, 4, 5]
    assert bench.state.loads == (10.0, 11.0, 12.0, 13.0)


def test_an_answer_is_published_before_it_is_given(bench: Bench):
    bench.open()
    version = bench.table.snapshot().version
    seq = bench.did(Hide(seat=0, mass_g=22.7))
    newer = bench.table.wait_newer(version, 0.0)
    assert newer is not None
    assert newer.journal_seq == seq
    assert bench.table.wait_newer(newer.version, 0.0) is None


def test_a_stopped_table_says_so(bench: Bench):
    bench.open()
    bench.table.stop()
    assert code(bench.do(Hide(seat=0, mass_g=22.7))) == "table_stopped"


def test_what_must_be_chance_is_drawn_by_the_appliance_and_journalled(bench: Bench):
    bench.open(2, flip_first=True)
    bench.table.step()
    assert not bench.state.flipping
    setup_and_actions = bench.table.history()
    assert setup_and_actions is not None
    (flip,) = setup_and_actions[1]
    assert isinstance(flip, Flip)
    bench.reopen()
    again = bench.table.history()
    assert again is not None
    assert again[1] == (flip,)


def test_finished_games_are_listed_with_their_end(bench: Bench):
    first = bench.open()
    for _ in range(2):
        bench.did(Hide(seat=0, mass_g=22.7))
        bench.did(Hide(seat=1, mass_g=19.3))
        bench.did(Cross(seat=0, outcome="passed"))
        bench.did(Cross(seat=1, outcome="passed"))
    played = bench.table.history()
    second = bench.open()  # a finished game makes room by itself
    bench.table.close_game("away")
    unfinished, finished = bench.table.archive.past_games()
    assert (finished.game, unfinished.game) == (first, second)
    assert finished.outcome is not None
    assert (finished.outcome.winners, finished.outcome.reason) == ((0,), "two_rounds")
    assert unfinished.outcome is None
    assert bench.table.archive.history(first) == played
    assert code(bench.table.archive.history(999)) == "no_such_game"
