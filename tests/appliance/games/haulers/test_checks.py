"""Checks: who may check whom, bribes, the roll-off and the look at one load (TR-30 … TR-36, TR-64, TR-65)."""

from __future__ import annotations

from typing import Any

import pytest

from appliance.games.haulers.rules import actions
from appliance.games.haulers.rules.actions import Roll
from appliance.games.haulers.rules.rules import RULES
from appliance.games.haulers.rules.stages import Contest, Looking, Parley, Refilling, Rolling, Turn
from appliance.games.haulers.rules.state import Boat, Chips, Load, State
from appliance.games.protocol import OneOf
from tests.appliance.games.haulers.staged import (
    LEGAL,
    SMUGGLED,
    A,
    B,
    after,
    at_turn,
    code,
    off_the_pile,
    with_agenda,
    with_player,
)
from tests.narrowed import of_kind


def rolled_off(state: State, boat: int | None, checker: tuple[int, ...], carrier: tuple[int, int]) -> State:
    """A checks B: both roll."""
    contest = Contest(checker=A, carrier=B, boat=boat)
    state = with_agenda(state, Turn(seat=A, acted=True), contest, Rolling(seat=A, dice=len(checker), why="checker"))
    state = after(state, Roll(seat=A, **{f"die_{number}": die for number, die in enumerate(checker, start=1)}))
    return after(state, Roll(seat=B, die_1=carrier[0], die_2=carrier[1]))


@pytest.mark.parametrize(
    ("guns", "of_carrier", "found"),
    [(0, 0, False), (1, 0, False), (2, 0, True), (1, 2, False), (2, 2, True)],
)
def test_tr33_guns_add_up_for_the_checker_and_never_defend(guns: int, of_carrier: int, found: bool) -> None:
    """A rolls 6, B rolls 7: with one gun it is a tie, which the carrier wins (TR-32)."""
    state = off_the_pile(with_player(at_turn(), B, loads=(SMUGGLED,), radars=of_carrier), 1)
    state = rolled_off(with_player(state, A, radars=guns), None, (2, 4), (3, 4))
    assert (state.players[A].chips.red == 1) == found


def test_tr33_guns_do_not_help_on_the_water() -> None:
    state = with_player(at_turn(), B, boat=Boat(at="Dor"), loads=(Load(card=6, kind="smuggled", boat=B),))
    state = off_the_pile(with_player(state, A, radars=3, boat=Boat(at="Dor")), 6)
    assert rolled_off(state, B, (2, 4), (3, 4)).players[A].chips.red == 0


def test_tr36_the_checker_picks_one_of_two_loads_and_the_other_travels_on_unseen() -> None:
    state = off_the_pile(with_player(at_turn(), B, double=True, loads=(LEGAL, SMUGGLED)), 0, 1)
    state = with_agenda(state, Turn(seat=A, acted=True), Looking(checker=A, carrier=B))
    seen = after(state, actions.Inspect(seat=A, load=0))
    assert [(load.card, load.open) for load in seen.players[B].loads] == [(0, True), (1, False)]
    assert RULES.view(seen, None).players[B].loads[1].kind is None
    found = after(state, actions.Inspect(seat=A, load=1))
    assert [(load.card, load.open) for load in found.players[B].loads] == [(0, False)]
    assert found.stage == Refilling(seat=B, count=1)
    assert (found.players[A].cash, found.players[A].chips.red) == (3000, 1)


@pytest.mark.parametrize(
    ("boat", "vehicle", "place", "refused"),
    [
        (None, "truck", "Bos", None),
        (None, "truck", "Cid", "nobody_to_check"),
        (None, "boat", "Bos", "nobody_to_check"),
        (B, "boat", "Dor", None),
        (B, "truck", "Dor", "nobody_to_check"),
    ],
)
def test_tr30_trucks_check_trucks_and_boats_boats_on_one_square(
    boat: int | None, vehicle: Any, place: str, refused: str | None
) -> None:
    carried = Load(card=6, kind="legal", boat=boat)
    state = off_the_pile(with_player(at_turn(), B, loads=(carried,), boat=Boat(at="Dor")), 6)
    state = with_player(state, A, truck=place, boat=Boat(at="Dor" if boat is not None else "Fin"))
    assert code(state, actions.Check(seat=A, target=B, vehicle=vehicle)) == refused


def test_tr64_a_pact_forbids_checks_on_the_square_too() -> None:
    state = off_the_pile(with_player(at_turn(3, boats_for_rent=True), B, loads=(LEGAL,)), 0)
    for pact in (False, True):
        rented = with_player(state, B, boat=Boat(at="Dor", renter=A, steers="owner", pact=pact))
        allowed = [None, "nobody_to_check"][pact]
        assert code(rented, actions.Check(seat=A, target=B, vehicle="truck")) == allowed


def test_tr65_a_find_without_money_brings_a_chip_and_no_dollars() -> None:
    state = off_the_pile(with_player(at_turn(money=False), B, loads=(SMUGGLED,)), 1)
    state = with_agenda(state, Turn(seat=A, acted=True), Parley(checker=A, carrier=B))
    state = after(state, actions.RollOff(seat=A))
    state = after(state, Roll(seat=A, die_1=6, die_2=6), Roll(seat=B, die_1=1, die_2=1))
    assert (state.players[A].cash, state.players[A].chips.red, state.bank) == (0, 1, 0)


@pytest.mark.parametrize(("of", "amount", "refused"), [("white", 1, None), ("blue", 2, None), ("white", 2, "range")])
def test_tr65_bribes_in_white_and_blue_chips_are_paid_at_once(of: Any, amount: int, refused: str | None) -> None:
    state = with_player(at_turn(money=False), B, loads=(LEGAL,), chips=Chips(white=1, blue=2, black=5, red=1))
    state = with_agenda(off_the_pile(state, 0), Turn(seat=A, acted=True), Parley(checker=A, carrier=B))
    offers = {of_kind(OneOf, p.choices["of"]).values[0] for p in RULES.expects(state, B) if p.do == "offer"}
    assert offers == {"white", "blue"}, "red and black chips may not be given"
    offer = actions.Offer(seat=B, amount=amount, of=of)
    if refused:
        assert code(state, offer) == "bribe_out_of_range"
        return
    state = after(state, offer, actions.Accept(seat=A))
    assert (state.players[A].chips.of(of), state.players[B].chips.of(of)) == (amount, {"white": 0, "blue": 0}[of])
    assert isinstance(state.stage, Turn), "no roll, no check"


def test_tr31_nobody_accepts_their_own_bribe() -> None:
    state = with_agenda(at_turn(), Turn(seat=A, acted=True), Parley(checker=A, carrier=B))
    state = after(with_player(state, B, loads=(LEGAL,)), actions.Offer(seat=A, amount=2000))
    assert code(state, actions.Accept(seat=A)) == "nothing_to_accept"
    paid = after(state, actions.Accept(seat=B))
    assert (paid.players[A].cash, paid.players[B].cash) == (4000, 0)
