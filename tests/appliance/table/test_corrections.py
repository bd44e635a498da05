"""Amendments and undo (AP-2, A-01): previewed truly, exact, announced once, and the same after a restart."""

import tempfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from appliance.games.protocol import Action, Rejection
from appliance.snapshot import Accepted, AmendmentPreview
from tests.appliance.conftest import Bench, setup
from tests.appliance.games.porters import Cross, Hide, Porters


def code(answer: object) -> str:
    assert isinstance(answer, Rejection), answer
    return answer.code


def image(bench: Bench) -> bytes:
    """The whole truth of the game now, byte for byte."""
    return msgspec.msgpack.encode((bench.state, bench.table.history()))


def fold_alone(actions: tuple[Action, ...], players: int = 2) -> Any:
    """What the rules alone make of these actions, without table, journal or history."""
    game = Porters()
    step = game.set_up(setup(players))
    for action in actions:
        assert not isinstance(step, Rejection)
        step = game.apply(step.state, action)
    assert not isinstance(step, Rejection)
    return step.state


def test_undo_brings_back_the_same_bytes(bench: Bench):
    bench.open()
    images = [image(bench)]
    for action in (Hide(seat=0, mass_g=22.7), Hide(seat=1, mass_g=19.3), Cross(seat=0, outcome="stuck")):
        bench.did(action)
        images.append(image(bench))
    for before in reversed(images[:-1]):
        bench.accepted(bench.table.undo(bench.new_id()))
        assert image(bench) == before
    assert code(bench.table.undo(bench.new_id())) == "nothing_to_undo"


def test_undo_of_an_amendment_brings_back_the_same_bytes_and_a_further_undo_goes_further(bench: Bench):
    bench.open()
    *_, first_try, _ = bench.half_a_round()
    bench.accepted(bench.table.undo(bench.new_id()))
    once_stuck = image(bench)
    bench.did(Cross(seat=0, outcome="stuck"))
    before = image(bench)
    bench.accepted(bench.table.amend(first_try, Cross(seat=0, outcome="passed"), bench.new_id()))
    assert image(bench) != before
    bench.accepted(bench.table.undo(bench.new_id()))
    assert image(bench) == before
    bench.accepted(bench.table.undo(bench.new_id()))
    assert image(bench) == once_stuck


def test_a_double_tap_on_undo_takes_back_one_thing(bench: Bench):
    bench.open()
    bench.half_a_round()
    bench.table.undo("tap")
    once = image(bench)
    bench.table.undo("tap")
    assert image(bench) == once


def test_an_amended_verdict_counts_for_everything_after_it(bench: Bench):
    bench.open()
    bench.did(Hide(seat=0, mass_g=22.7))
    bench.did(Hide(seat=1, mass_g=19.3))
    verdict = bench.did(Cross(seat=0, outcome="passed"))
    bench.did(Cross(seat=1, outcome="passed"))
    assert bench.state.won == (1, 0)
    weighing = 3
    bench.accepted(bench.table.amend(weighing, Hide(seat=1, mass_g=25.0), bench.new_id()))
    assert bench.state.won == (0, 1)
    assert verdict in [deed.seq for deed in bench.table.snapshot().correctable]


def test_the_preview_shows_what_confirming_does_and_changes_nothing(bench: Bench):
    bench.open()
    hide, _, first_try, second_try = bench.half_a_round()
    before = image(bench)
    preview = bench.table.preview_amendment(first_try, Cross(seat=0, outcome="passed"))
    assert isinstance(preview, AmendmentPreview)
    assert image(bench) == before
    assert preview.set_aside == (second_try,)
    assert preview.first_problem is not None
    assert preview.first_problem.code == "not_to_cross"
    assert preview.before == bench.game.view(bench.state, None)
    bench.accepted(bench.table.amend(first_try, Cross(seat=0, outcome="passed"), bench.new_id()))
    assert preview.after == bench.game.view(bench.state, None)
    assert hide in [deed.seq for deed in bench.table.snapshot().correctable]


def test_what_becomes_impossible_is_set_aside_with_all_after_it_but_stays_in_the_journal(bench: Bench):
    game = bench.open()
    *_, first_try, second_try = bench.half_a_round()
    after = bench.did(Cross(seat=1, outcome="passed"))
    bench.accepted(bench.table.amend(first_try, Cross(seat=0, outcome="passed"), bench.new_id()))
    effective = bench.table.history()
    assert effective is not None
    assert effective[1][2:] == (Cross(seat=0, outcome="passed"),)
    kept = [entry.seq for entry in bench.journal.read(game)]
    assert {second_try, after} <= set(kept)
    assert code(bench.table.preview_amendment(after, None)) == "not_correctable"
    bench.did(Cross(seat=1, outcome="passed"))
    assert bench.state.round == 2


def test_a_deed_can_count_as_not_done_and_later_as_done_again(bench: Bench):
    bench.open()
    *_, second_try = bench.half_a_round()
    before = bench.state
    bench.accepted(bench.table.amend(second_try, None, bench.new_id()))
    assert bench.state.tries == 1
    assert second_try not in [deed.seq for deed in bench.table.snapshot().correctable]
    bench.accepted(bench.table.amend(second_try, Cross(seat=0, outcome="stuck"), bench.new_id()))
    assert bench.state == before


def test_an_impossible_or_empty_amendment_is_refused_with_its_reason(bench: Bench):
    bench.open()
    hide, *_, second_try = bench.half_a_round()
    table = bench.table
    assert code(table.preview_amendment(second_try, Hide(seat=0, mass_g=9.0))) == "not_to_hide"
    assert code(table.amend(second_try, Hide(seat=0, mass_g=9.0), "a")) == "not_to_hide"
    assert code(table.amend(second_try, Cross(seat=0, outcome="stuck"), "b")) == "nothing_changes"
    assert code(table.amend(999, Cross(seat=0, outcome="stuck"), "c")) == "not_correctable"
    assert code(table.amend(hide, Hide(seat=0, mass_g=-1.0), "d")) == "bad_load"


def corrections(bench: Bench) -> list[tuple[str, str, int]]:
    log = bench.table.snapshot().log
    assert [line.seq for line in log] == sorted(line.seq for line in log)
    return [(line.kind, line.happening.code, line.happening.values["seat"]) for line in log if line.kind != "happening"]


def test_a_correction_is_announced_once_with_what_the_table_says_instead(bench: Bench):
    bench.open()
    *_, first_try, second_try = bench.half_a_round()
    bench.table.amend(second_try, Cross(seat=0, outcome="passed"), bench.new_id())
    assert corrections(bench) == [("amended", "load_passed", 0)]
    lines = len(bench.table.snapshot().log)
    bench.table.undo(bench.new_id())
    assert corrections(bench)[1:] == [("undone", "load_passed", 0)]
    assert len(bench.table.snapshot().log) == lines + 1, "old happenings are not told a second time"
    bench.table.undo(bench.new_id())
    assert corrections(bench)[2:] == [("undone", "load_stuck", 0)]
    bench.table.amend(first_try, None, bench.new_id())
    assert corrections(bench)[3:] == [("undone", "load_stuck", 0)]
    bench.table.undo(bench.new_id())
    assert corrections(bench)[4:] == [("amended", "load_stuck", 0)]


def test_correctable_deeds_are_newest_first_and_public(bench: Bench):
    bench.open()
    entries = bench.half_a_round()
    deeds = bench.table.snapshot().correctable
    assert tuple(deed.seq for deed in deeds) == tuple(reversed(entries))
    assert deeds[-1].action == {"do": "hide", "seat": 0}
    assert [happening.code for happening in deeds[-1].happened] == ["load_hidden"], "own_load was for one seat only"


def test_the_referee_is_told_of_a_correction_without_an_action(bench: Bench):
    bench.open()
    bench.half_a_round()
    bench.referee.heard.clear()
    bench.table.undo(bench.new_id())
    assert ("stepped", None) in bench.referee.heard


def test_corrections_survive_a_restart(bench: Bench):
    bench.open()
    hide, *_, first_try, _ = bench.half_a_round()
    bench.table.amend(first_try, Cross(seat=0, outcome="passed"), bench.new_id())
    bench.did(Cross(seat=1, outcome="passed"))
    bench.table.amend(hide, Hide(seat=0, mass_g=1.5), bench.new_id())
    before, told = image(bench), bench.table.snapshot()
    bench.reopen()
    assert image(bench) == before
    again = bench.table.snapshot()
    assert (again.log, again.correctable) == (told.log, told.correctable)
    bench.table.undo(bench.new_id())
    assert bench.state.won == (1, 0)


ACTIONS = st.one_of(
    st.builds(Hide, seat=st.integers(0, 1), mass_g=st.sampled_from([5.0, 19.3, 22.7])),
    st.builds(Cross, seat=st.integers(0, 1), outcome=st.sampled_from(["passed", "stuck"])),
)
MOVES = st.lists(
    st.one_of(
        st.tuples(st.just("act"), ACTIONS),
        st.tuples(st.just("act"), ACTIONS),
        st.tuples(st.just("amend"), st.integers(0, 30), st.one_of(st.none(), ACTIONS)),
        st.tuples(st.just("undo")),
        st.tuples(st.just("restart")),
    ),
    max_size=40,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(MOVES)
def test_whatever_is_done_the_effective_actions_alone_fold_to_the_state_and_undo_is_exact(moves):
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        bench.open()
        images = [image(bench)]  # what each further undo must bring back
        for move in moves:
            if move[0] == "restart":
                bench.reopen()
            elif move[0] == "undo":
                answer = bench.table.undo(bench.new_id())
                assert isinstance(answer, Accepted) == (len(images) > 1)
                if len(images) > 1:
                    images.pop()
            else:
                if move[0] == "act":
                    answer = bench.do(move[1])
                else:
                    preview = bench.table.preview_amendment(move[1], move[2])
                    answer = bench.table.amend(move[1], move[2], bench.new_id())
                    assert isinstance(preview, AmendmentPreview) == isinstance(answer, Accepted)
                    if isinstance(preview, AmendmentPreview):
                        assert preview.after == bench.game.view(bench.state, None)
                if isinstance(answer, Accepted):
                    images.append(image(bench))
            assert image(bench) == images[-1]
            effective = bench.table.history()
            assert effective is not None
            assert fold_alone(effective[1]) == bench.state
        bench.reopen()
        assert image(bench) == images[-1]
        bench.close()


@pytest.mark.parametrize("seat", [0, 1])
def test_a_preview_tells_no_load(bench: Bench, seat: int):
    bench.open()
    entries = bench.half_a_round()
    preview = bench.table.preview_amendment(entries[seat], Hide(seat=seat, mass_g=44.44))
    told = msgspec.json.encode(preview)
    for mass in (b"22.7", b"19.3", b"44.44"):
        assert mass not in told
