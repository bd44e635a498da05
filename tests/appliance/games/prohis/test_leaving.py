"""Somebody leaves while others are asked (PR-40): what waited for them goes on, the rest stays, and cards go back."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from appliance.games.prohis.rules.actions import (
    Decide,
    Declare,
    LayConvoy,
    Leave,
    Offer,
    Pass,
    Shuffle,
    Start,
    StopBribing,
    Take,
    Turn,
)
from appliance.games.prohis.rules.rules import RULES
from appliance.games.prohis.rules.state import State
from appliance.games.protocol import Action, Rejection
from tests.appliance.games.playing import folded
from tests.appliance.games.prohis.deal import stacked
from tests.appliance.games.prohis.play import a_setup, stepped
from tests.narrowed import there

A, B, C, D = range(4)
TURN: tuple[Action, ...] = (Shuffle(order=tuple(stacked(["LLII", "LLLL", "LLLL", "LLLL"]))), Start(first=A))
SECOND = (*TURN, Take(seat=A, slot=0))
LAID = (*TURN, LayConvoy(seat=A, cards=("legal", "illegal")))
CAME = (*LAID, Declare(seat=B, prohi=None), Declare(seat=C, prohi="major"), Declare(seat=D, prohi="captain"))
"""C inspects A's convoy of two."""
OFFERED = (*CAME, Offer(seat=A, cards=("legal",)))
ASKED_TO_INSPECT = (*CAME, StopBribing(seat=A))
UNDER_WAY = (*ASKED_TO_INSPECT, Decide(seat=C, inspect=True), Turn(seat=C, position=0))
OWN_TURN = ("take", "draw", "convoy", "pass")


def after(*actions: Action) -> State:
    state: State = folded(RULES, a_setup(4), actions)
    return state


def asked(state: State) -> set[tuple[Any, str]]:
    return {(prompt.seat, prompt.do) for prompt in RULES.expects(state, None)}


@pytest.mark.parametrize(
    ("actions", "leaver", "seats", "dos"),
    [
        (TURN, A, B, OWN_TURN),
        (TURN, B, A, OWN_TURN),
        (SECOND, A, B, OWN_TURN),
        (SECOND, C, A, ("take", "draw", "stop_drawing")),
        (LAID, A, B, OWN_TURN),
        (CAME, A, B, OWN_TURN),
        (CAME, B, A, ("offer", "stop_bribing")),
        (CAME, C, B, OWN_TURN),
        (OFFERED, A, B, OWN_TURN),
        (OFFERED, B, C, ("answer",)),
        (OFFERED, C, B, OWN_TURN),
        (ASKED_TO_INSPECT, A, B, OWN_TURN),
        (ASKED_TO_INSPECT, D, C, ("decide",)),
        (ASKED_TO_INSPECT, C, B, OWN_TURN),
        (UNDER_WAY, A, B, OWN_TURN),
        (UNDER_WAY, B, C, ("turn",)),
        (UNDER_WAY, C, B, OWN_TURN),
    ],
)
def test_pr40_only_what_waited_for_the_leaver_goes_on(
    actions: tuple[Action, ...], leaver: int, seats: int, dos: tuple[str, ...]
) -> None:
    assert asked(after(*actions, Leave(seat=leaver))) == {(seats, do) for do in dos}


def test_pr40_a_declaration_leaves_with_its_player() -> None:
    """C's Major goes; D's Captain inspects."""
    state = after(*LAID, Declare(seat=C, prohi="major"), Leave(seat=C), Declare(seat=B, prohi=None))
    assert asked(state) == {(D, "declare")}
    state = stepped(state, Declare(seat=D, prohi="captain")).state
    assert state.convoy.inspector == D
    assert len(state.players[C].hand) == 6


@pytest.mark.parametrize("actions", [CAME, OFFERED, ASKED_TO_INSPECT, UNDER_WAY])
def test_pr40_all_cards_go_back_where_the_smuggler_leaves_and_the_convoy_arrives_where_the_inspector_does(
    actions: tuple[Action, ...],
) -> None:
    called_off, through = after(*actions, Leave(seat=A)), after(*actions, Leave(seat=C))
    assert [len(player.hand) for player in called_off.players] == [6, 6, 6, 6]
    assert [len(player.warehouse) for player in called_off.players] == [0, 0, 0, 0]
    assert [len(player.hand) for player in through.players] == [4, 6, 6, 6]
    assert [len(player.warehouse) for player in through.players] == [2, 0, 0, 0]


def test_pr43_who_left_has_no_last_turn_and_takes_nobody_elses() -> None:
    last = {"pile": (), "row": (None, "legal", "legal", "legal"), "turn": B, "last_turns": (C, D)}
    state = msgspec.structs.replace(after(*TURN), **last)
    waiting = stepped(state, Leave(seat=C)).state
    assert asked(waiting) == {(B, do) for do in ("take", "convoy", "pass")}
    gone = stepped(waiting, Leave(seat=B)).state
    assert (gone.turn, gone.last_turns) == (D, ())
    ended = stepped(gone, Leave(seat=D)).state
    assert there(RULES.outcome(ended)).reason == "pile_ran_out"


def test_pr42_the_game_ends_with_the_last_who_leaves_before_the_first_turn() -> None:
    state = after(*TURN[:1], *(Leave(seat=seat) for seat in (A, B, C)))
    assert asked(state) == {(None, "start")}
    assert there(RULES.outcome(stepped(state, Leave(seat=D)).state)).reason == "all_passed"


def test_who_left_is_not_told_that_they_passed() -> None:
    for code, before in (("seat_left", Leave(seat=B)), ("seat_passed", Pass(seat=A))):
        refused = RULES.apply(after(*TURN, before), Leave(seat=before.seat))
        assert isinstance(refused, Rejection)
        assert (refused.code, refused.rule) == (code, "PR-40")
