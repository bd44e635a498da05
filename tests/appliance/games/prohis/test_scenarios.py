"""More of what the recordings of Prohis show: who is asked and told what, and what is seen."""

from __future__ import annotations

from functools import partial

import msgspec
import pytest

from appliance.games.prohis.rules.actions import Draw, Shuffle, Start, Take
from appliance.games.prohis.rules.rules import RULES
from appliance.games.prohis.rules.state import State
from appliance.games.protocol import Action, Rejection
from tests.appliance.games import recordings
from tests.appliance.games.playing import folded
from tests.appliance.games.prohis.deal import stacked
from tests.appliance.games.prohis.play import a_setup, started, stepped
from tests.narrowed import there

recorded = partial(recordings.recorded, "prohis")
told = partial(recordings.told, "prohis")


@pytest.mark.parametrize(("players", "pile", "cards"), [(3, 50, 66), (4, 46, 66), (5, 72, 96), (6, 68, 96)])
def test_p01_so_many_goods_and_lieutenants_are_in_use(players: int, pile: int, cards: int) -> None:
    state = recorded(f"P-01-{players}").state
    assert len(state.pile) == pile
    dealt = [card for player in state.players for card in player.hand]
    assert all(dealt.count(prohi) == players for prohi in ("captain", "major"))
    assert len(dealt) + pile + len(state.row) == cards + 2 * players


def test_p08_no_face_of_the_convoy_is_shown_to_anybody() -> None:
    transcript = recorded("P-08")
    state = started(transcript.setup)
    for action in transcript.actions:
        step = stepped(state, action)
        state = step.state
        if state.convoy is not None:
            assert there(RULES.view(state, 1).convoy).cards == (None,) * 4
        assert not any("card" in happening.values for happening in step.happened)
    assert RULES.view(state, 1).players[0].warehouse == 4


def test_p14_the_unturned_cards_are_told_to_nobody() -> None:
    transcript = recorded("P-14")
    assert told("P-14").count("card_turned") == 2
    state = started(transcript.setup)
    for action in transcript.actions:
        state = stepped(state, action).state
        if state.convoy is not None:
            for seat in (None, 1, 2, 3):
                assert "illegal" not in there(RULES.view(state, seat).convoy).cards


def test_what_happens_is_told_in_order() -> None:
    assert told("P-16")[3:] == [
        *("let_pass", "prohi_played", "let_pass", "inspector_came", "no_bribe_offered", "inspection_begun"),
        *("card_turned", "prohi_found", "prohi_won", "convoy_arrived"),
    ]
    assert told("P-20-end")[-3:] == ["row_card_taken", "game_ended", "game_won"]
    assert told("P-25")[-2:] == ["game_ended", "win_shared"]


def with_hand(held: int, *actions: Action, hand_cap: bool = False) -> State:
    """Return the first player's turn, after `actions`, with so many cards in their hand at its beginning."""
    begun = (Shuffle(order=tuple(stacked(["LLII", "LLLL", "LLLL", "LLLL"]))), Start(first=0))
    state: State = folded(RULES, a_setup(4, hand_cap=hand_cap), begun)
    first = msgspec.structs.replace(state.players[0], hand=("legal",) * held)
    state = msgspec.structs.replace(state, players=(first, *state.players[1:]))
    for action in actions:
        state = stepped(state, action).state
    return state


@pytest.mark.parametrize("action", [Take(seat=0, slot=0), Draw(seat=0)])
@pytest.mark.parametrize("held", [7, 8, 9])
def test_pr13_nobody_begins_to_draw_with_eight_cards(held: int, action: Action) -> None:
    state = with_hand(held)
    drawn = RULES.apply(state, action)
    assert isinstance(drawn, Rejection) == (held >= 8)
    assert not isinstance(drawn, Rejection) or (drawn.code, drawn.rule) == ("hand_full", "PR-13")
    assert ({"take", "draw"} <= {prompt.do for prompt in RULES.expects(state, 0)}) == (held < 8)


@pytest.mark.parametrize("action", [Take(seat=0, slot=1), Draw(seat=0)])
def test_pr14_who_began_with_seven_may_hold_nine_unless_the_table_agreed_on_eight(action: Action) -> None:
    begun = with_hand(7, Take(seat=0, slot=0))
    assert len(stepped(begun, action).state.players[0].hand) == 9
    capped = with_hand(7, Take(seat=0, slot=0), hand_cap=True)
    assert (capped.turn, len(capped.players[0].hand)) == (1, 8), "the turn is over"
