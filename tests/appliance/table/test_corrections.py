"""Amendments and undo (AP-2, A-01): previewed truly, exact, announced once, and the same after a restart."""

import tempfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.games.protocol import Action, Rejection
from appliance.snapshot import Accepted, AmendmentPreview
from tests.appliance.conftest import PortersTable, setup
from tests.appliance.games.porters import Cross, Hide, Porters
from tests.narrowed import of_kind


def code(answer: object) -> str:
    assert isinstance(answer, Rejection), answer
    return answer.code


def image(porters: PortersTable) -> bytes:
    """The whole truth of the game now, byte for byte."""
    return msgspec.msgpack.encode((porters.state, porters.table.history()))


def fold_alone(actions: tuple[Action, ...], players: int = 2) -> Any:
    """What the rules alone make of these actions, without table, journal or history."""
    game = Porters()
    step = game.set_up(setup(players))
    for action in actions:
        assert not isinstance(step, Rejection)
        step = game.apply(step.state, action)
    assert not isinstance(step, Rejection)
    return step.state


def test_undo_brings_back_the_same_bytes(porters: PortersTable) -> None:
    porters.open()
    images = [image(porters)]
    for action in (Hide(seat=0, mass_g=22.7), Hide(seat=1, mass_g=19.3), Cross(seat=0, outcome="stuck")):
        porters.did(action)
        images.append(image(porters))
    for before in reversed(images[:-1]):
        porters.accepted(porters.table.undo(porters.new_id()))
        assert image(porters) == before
    assert code(porters.table.undo(porters.new_id())) == "nothing_to_undo"


def test_undo_of_an_amendment_brings_back_the_same_bytes_and_a_further_undo_goes_further(porters: PortersTable) -> None:
    porters.open()
    *_, first_try, _ = porters.half_a_round()
    porters.accepted(porters.table.undo(porters.new_id()))
    once_stuck = image(porters)
    porters.did(Cross(seat=0, outcome="stuck"))
    before = image(porters)
    porters.accepted(porters.table.amend(first_try, Cross(seat=0, outcome="passed"), porters.new_id()))
    assert image(porters) != before
    porters.accepted(porters.table.undo(porters.new_id()))
    assert image(porters) == before
    porters.accepted(porters.table.undo(porters.new_id()))
    assert image(porters) == once_stuck


def test_a_double_tap_on_undo_takes_back_one_thing(porters: PortersTable) -> None:
    porters.open()
    porters.half_a_round()
    porters.table.undo("tap")
    once = image(porters)
    porters.table.undo("tap")
    assert image(porters) == once


def test_an_amended_verdict_counts_for_everything_after_it(porters: PortersTable) -> None:
    porters.open()
    porters.did(Hide(seat=0, mass_g=22.7))
    porters.did(Hide(seat=1, mass_g=19.3))
    verdict = porters.did(Cross(seat=0, outcome="passed"))
    porters.did(Cross(seat=1, outcome="passed"))
    assert porters.state.won == (1, 0)
    weighing = 3
    porters.accepted(porters.table.amend(weighing, Hide(seat=1, mass_g=25.0), porters.new_id()))
    assert porters.state.won == (0, 1)
    assert verdict in [deed.seq for deed in porters.table.snapshot().correctable]


def test_the_preview_shows_what_confirming_does_and_changes_nothing(porters: PortersTable) -> None:
    porters.open()
    hide, _, first_try, second_try = porters.half_a_round()
    before = image(porters)
    preview = porters.table.preview_amendment(first_try, Cross(seat=0, outcome="passed"))
    assert isinstance(preview, AmendmentPreview)
    assert image(porters) == before
    assert preview.set_aside == (second_try,)
    assert preview.first_problem is not None
    assert preview.first_problem.code == "not_to_cross"
    assert preview.before == porters.game.view(porters.state, None)
    porters.accepted(porters.table.amend(first_try, Cross(seat=0, outcome="passed"), porters.new_id()))
    assert preview.after == porters.game.view(porters.state, None)
    assert hide in [deed.seq for deed in porters.table.snapshot().correctable]


def test_what_becomes_impossible_is_set_aside_with_all_after_it_but_stays_in_the_journal(porters: PortersTable) -> None:
    game = porters.open()
    *_, first_try, second_try = porters.half_a_round()
    after = porters.did(Cross(seat=1, outcome="passed"))
    porters.accepted(porters.table.amend(first_try, Cross(seat=0, outcome="passed"), porters.new_id()))
    effective = of_kind(tuple, porters.table.history())
    assert effective[1][2:] == (Cross(seat=0, outcome="passed"),)
    kept = [entry.seq for entry in porters.journal.read(game)]
    assert {second_try, after} <= set(kept)
    assert code(porters.table.preview_amendment(after, None)) == "not_correctable"
    porters.did(Cross(seat=1, outcome="passed"))
    assert porters.state.round == 2


def test_a_deed_can_count_as_not_done_and_later_as_done_again(porters: PortersTable) -> None:
    porters.open()
    *_, second_try = porters.half_a_round()
    before = porters.state
    porters.accepted(porters.table.amend(second_try, None, porters.new_id()))
    assert porters.state.tries == 1
    assert second_try not in [deed.seq for deed in porters.table.snapshot().correctable]
    porters.accepted(porters.table.amend(second_try, Cross(seat=0, outcome="stuck"), porters.new_id()))
    assert porters.state == before


def test_an_impossible_or_empty_amendment_is_refused_with_its_reason(porters: PortersTable) -> None:
    porters.open()
    hide, *_, second_try = porters.half_a_round()
    table = porters.table
    assert code(table.preview_amendment(second_try, Hide(seat=0, mass_g=9.0))) == "not_to_hide"
    assert code(table.amend(second_try, Hide(seat=0, mass_g=9.0), "a")) == "not_to_hide"
    assert code(table.amend(second_try, Cross(seat=0, outcome="stuck"), "b")) == "nothing_changes"
    assert code(table.amend(999, Cross(seat=0, outcome="stuck"), "c")) == "not_correctable"
    assert code(table.amend(hide, Hide(seat=0, mass_g=-1.0), "d")) == "bad_load"


def corrections(porters: PortersTable) -> list[tuple[str, str, int]]:
    log = porters.table.snapshot().log
    assert [line.seq for line in log] == sorted(line.seq for line in log)
    return [(line.kind, line.happening.code, line.happening.values["seat"]) for line in log if line.kind != "happening"]


def test_a_correction_is_announced_once_with_what_counts_from_then_on(porters: PortersTable) -> None:
    porters.open()
    *_, first_try, second_try = porters.half_a_round()
    porters.table.amend(second_try, Cross(seat=0, outcome="passed"), porters.new_id())
    assert corrections(porters) == [("amended", "load_passed", 0)]
    lines = len(porters.table.snapshot().log)
    porters.table.undo(porters.new_id())
    assert corrections(porters)[1:] == [("restored", "load_stuck", 0)], "the first verdict again"
    assert len(porters.table.snapshot().log) == lines + 1, "old happenings are not told a second time"
    porters.table.undo(porters.new_id())
    assert corrections(porters)[2:] == [("undone", "load_stuck", 0)]
    porters.table.amend(first_try, None, porters.new_id())
    assert corrections(porters)[3:] == [("undone", "load_stuck", 0)]
    porters.table.undo(porters.new_id())
    assert corrections(porters)[4:] == [("restored", "load_stuck", 0)]


def test_correctable_deeds_are_newest_first_and_public(porters: PortersTable) -> None:
    porters.open()
    entries = porters.half_a_round()
    deeds = porters.table.snapshot().correctable
    assert tuple(deed.seq for deed in deeds) == tuple(reversed(entries))
    assert deeds[-1].action == {"do": "hide", "seat": 0}
    assert [happening.code for happening in deeds[-1].happened] == ["load_hidden"], "own_load was for one seat only"


def test_a_tap_lists_only_its_own_deed_anew(porters: PortersTable) -> None:
    porters.open()
    porters.half_a_round()
    before = porters.table.snapshot().correctable
    porters.did(Cross(seat=1, outcome="passed"))
    after = porters.table.snapshot().correctable
    assert [one for one in after if not any(one is known for known in before)] == [after[0]]


def test_a_corrected_deed_is_listed_as_it_counts_now(porters: PortersTable) -> None:
    def listed() -> list[object]:
        return [deed.action.get("outcome") for deed in porters.table.snapshot().correctable if deed.seq == first_try]

    porters.open()
    *_, first_try, _ = porters.half_a_round()
    assert listed() == ["stuck"]
    porters.accepted(porters.table.amend(first_try, Cross(seat=0, outcome="passed"), porters.new_id()))
    assert listed() == ["passed"]
    porters.accepted(porters.table.undo(porters.new_id()))
    assert listed() == ["stuck"]


def test_the_referee_is_told_of_a_correction_without_an_action(porters: PortersTable) -> None:
    porters.open()
    porters.half_a_round()
    porters.referee.heard.clear()
    porters.table.undo(porters.new_id())
    assert ("stepped", None) in porters.referee.heard


def test_corrections_survive_a_restart(porters: PortersTable) -> None:
    porters.open()
    hide, *_, first_try, _ = porters.half_a_round()
    porters.table.amend(first_try, Cross(seat=0, outcome="passed"), porters.new_id())
    porters.did(Cross(seat=1, outcome="passed"))
    porters.table.amend(hide, Hide(seat=0, mass_g=1.5), porters.new_id())
    before, told = image(porters), porters.table.snapshot()
    porters.reopen()
    assert image(porters) == before
    again = porters.table.snapshot()
    assert (again.log, again.correctable) == (told.log, told.correctable)
    porters.table.undo(porters.new_id())
    assert porters.state.won == (1, 0)


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


@pytest.mark.slow
@settings(max_examples=60)
@given(MOVES)
def test_whatever_is_done_the_effective_actions_alone_fold_to_the_state_and_undo_is_exact(
    moves: list[tuple[Any, ...]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        porters = PortersTable(Path(folder))
        porters.open()
        images = [image(porters)]  # what each further undo must bring back
        for move in moves:
            if move[0] == "restart":
                porters.reopen()
            elif move[0] == "undo":
                answer = porters.table.undo(porters.new_id())
                assert isinstance(answer, Accepted) == (len(images) > 1)
                if len(images) > 1:
                    images.pop()
            else:
                if move[0] == "act":
                    answer = porters.do(move[1])
                else:
                    preview = porters.table.preview_amendment(move[1], move[2])
                    answer = porters.table.amend(move[1], move[2], porters.new_id())
                    assert isinstance(preview, AmendmentPreview) == isinstance(answer, Accepted)
                    if isinstance(preview, AmendmentPreview):
                        assert preview.after == porters.game.view(porters.state, None)
                if isinstance(answer, Accepted):
                    images.append(image(porters))
            assert image(porters) == images[-1]
            effective = of_kind(tuple, porters.table.history())
            assert fold_alone(effective[1]) == porters.state
        porters.reopen()
        assert image(porters) == images[-1]
        porters.close()


@pytest.mark.parametrize("seat", [0, 1])
def test_a_preview_tells_no_load(porters: PortersTable, seat: int) -> None:
    porters.open()
    entries = porters.half_a_round()
    preview = porters.table.preview_amendment(entries[seat], Hide(seat=seat, mass_g=44.44))
    told = msgspec.json.encode(preview)
    for mass in (b"22.7", b"19.3", b"44.44"):
        assert mass not in told
