"""Purchases with their prices and limits, missions, and boats for rent (TR-40 … TR-46, TR-61 … TR-65)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from appliance.games.haulers.rules import actions
from appliance.games.haulers.rules.actions import Buy, Complete, EndTurn, Roll
from appliance.games.haulers.rules.rules import RULES
from appliance.games.haulers.rules.state import Boat, Chips, Load
from appliance.games.protocol import Action, AnyOrder, OneOf
from tests.appliance.games.haulers.play import a_setup, started
from tests.appliance.games.haulers.staged import (
    A,
    B,
    after,
    at_turn,
    code,
    off_the_pile,
    with_player,
)
from tests.narrowed import of_kind


@pytest.mark.parametrize(
    ("deliveries", "prices"),
    [
        (7, {"radar": 1000, "double": 2000, "turbo": 3000, "station": 500, "boat": 3500}),
        (6, {"radar": 500, "double": 2000, "turbo": 2500, "station": 500, "boat": 2500}),
        (5, {"radar": 500, "double": 1500, "turbo": 2000, "station": 500, "boat": 2000}),
    ],
)
def test_tr63_what_things_cost(deliveries: int, prices: dict[str, int]) -> None:
    bought: dict[str, Action] = {
        **{what: Buy(seat=A, what=what) for what in ("radar", "double", "turbo")},
        "station": actions.Build(seat=A, at="Aal–Bos 1"),
        "boat": actions.Launch(seat=A, at="Dor–Fin 1"),
    }
    for ware, action in bought.items():
        state = at_turn(deliveries=deliveries)
        enough, short = (with_player(state, A, cash=prices[ware] - less) for less in (0, 1))
        assert after(enough, action).players[A].cash == 0, ware
        assert code(short, action) == "too_little_money", ware


def test_tr42_one_radar_a_turn_and_another_in_the_next() -> None:
    state = after(with_player(at_turn(), A, cash=3000), Buy(seat=A, what="radar"))
    assert code(state, Buy(seat=A, what="radar")) == "one_radar_a_turn"
    state = after(state, EndTurn(seat=A), EndTurn(seat=B), Buy(seat=A, what="radar"))
    assert state.players[A].radars == 2


@pytest.mark.parametrize("what", ["double", "turbo"])
def test_tr43_tr44_one_each(what: Any) -> None:
    state = after(with_player(at_turn(), A, cash=9000), Buy(seat=A, what=what))
    assert code(state, Buy(seat=A, what=what)) == "only_one_each"


@pytest.mark.parametrize(("ware", "stack"), [("radar", "radar"), ("double", "double"), ("turbo", "turbo")])
def test_tr46_an_empty_stack_is_not_for_sale(ware: Any, stack: str) -> None:
    state = with_player(at_turn(), A, cash=9000)
    assert code(msgspec.structs.replace(state, stock={**state.stock, stack: 0}), Buy(seat=A, what=ware)) == "sold_out"
    last = after(msgspec.structs.replace(state, stock={**state.stock, stack: 1}), Buy(seat=A, what=ware))
    assert last.stock[stack] == 0


@pytest.mark.parametrize(
    ("at", "refused"),
    [("Dor–Fin 1", None), ("Dor", "no_sea_square"), ("Fin", "no_sea_square"), ("Aal–Bos 1", "no_sea_square")],
)
def test_tr45_a_boat_is_set_on_a_sea_line_and_everybody_has_one_at_most(at: str, refused: str | None) -> None:
    state = with_player(at_turn(), A, cash=9000)
    assert code(state, actions.Launch(seat=A, at=at)) == refused
    if refused is None:
        launched = after(state, actions.Launch(seat=A, at=at))
        assert code(launched, actions.Launch(seat=A, at=at)) == "only_one_each"


def test_tr61_each_of_a_players_papers_costs_500_more() -> None:
    state = with_player(at_turn(transit=True, keep_cards="sold"), A, cash=9000)
    state = msgspec.structs.replace(state, papers_pile=(2, 3, 4, 5))
    spent = []
    for seat in (A, A, B):
        before = state.players[seat].cash
        if seat == B:
            state = after(state, EndTurn(seat=A))
        state = after(state, actions.BuyPapers(seat=seat))
        spent.append(before - state.players[seat].cash)
    assert spent == [500, 1000, 500]


@pytest.mark.parametrize("keep_cards", ["sold", "in"])
def test_tr61_papers_that_were_shown_are_for_sale_again_and_come_from_no_roll(keep_cards: str) -> None:
    state = with_player(
        at_turn(transit=True, keep_cards=keep_cards), B, papers=(2,), loads=(Load(card=0, kind="legal"),)
    )
    state = msgspec.structs.replace(state, papers_pile=(), transit_discards=(), transit_pile=())
    check = actions.Check(seat=A, target=B, vehicle="truck")
    state = after(state, check, actions.ShowPapers(seat=B))
    sold = keep_cards == "sold"
    assert (state.papers_pile, state.transit_discards) == (((2,), ()) if sold else ((), (2,)))
    state = with_player(state, A, cash=9000)
    assert code(state, actions.BuyPapers(seat=A)) == (None if sold else "not_in_this_game")


@pytest.mark.parametrize(("pay", "left"), [("white+white", (0, 1)), ("white+red", (1, 0))])
def test_tr65_upgrades_cost_two_chips_of_any_colour(pay: str, left: tuple[int, int]) -> None:
    state = with_player(at_turn(money=False), A, chips=Chips(white=2, red=1))
    assert code(state, Buy(seat=A, what="turbo", pay="white")) == "wrong_chips"
    assert code(state, Buy(seat=A, what="turbo", pay="red+red")) == "wrong_chips"
    chips = after(state, Buy(seat=A, what="turbo", pay=pay)).players[A].chips
    assert (chips.white, chips.red) == left


def test_tr62_a_mission_is_swapped_once_and_goes_under_the_pile() -> None:
    state = started(a_setup(2, missions="secret"))
    while not any(prompt.do == "swap_mission" for prompt in RULES.expects(state, None)):
        (prompt,) = (prompt for prompt in RULES.expects(state, None) if prompt.do in ("shuffle", "roll"))
        if prompt.do == "roll":
            state = after(state, Roll(seat=prompt.seat, die_1=1 + (prompt.seat or 0), die_2=1))
        else:
            pile = of_kind(OneOf, prompt.choices["pile"]).values[0]
            order = of_kind(AnyOrder, prompt.choices["order"]).count
            state = after(state, actions.Shuffle(pile=pile, order=tuple(range(order))))
    assert [player.mission for player in state.players] == [0, 1]
    state = after(state, actions.SwapMission(seat=A))
    assert (state.players[A].mission, state.mission_pile) == (2, (3, 0))
    assert code(state, actions.SwapMission(seat=A)) == "no_swap_now"


def test_tr64_a_boat_is_rented_for_what_was_agreed_and_goes_back_with_its_load_delivered() -> None:
    state = with_player(at_turn(boats_for_rent=True), B, boat=Boat(at="Fin"))
    ask = actions.AskBoat(seat=A, owner=B, amount=700, steers="renter", pact=True)
    assert code(state, msgspec.structs.replace(ask, amount=2001)) == "too_little_money"
    assert after(state, ask, actions.Refuse(seat=B)).players[B].boat == Boat(at="Fin")
    state = after(state, ask, actions.Lend(seat=B))
    assert [player.cash for player in state.players] == [1300, 2700]
    assert state.players[B].boat == Boat(at="Fin", renter=A, steers="renter", pact=True)
    assert code(state, actions.Sail(seat=A, boat=B)) is None
    state = off_the_pile(with_player(state, A, loads=(Load(card=6, kind="legal", boat=B),)), 6)
    state = after(state, Complete(seat=A, load=6))
    assert state.players[B].boat == Boat(at="Fin")
    assert (state.players[A].chips.white, state.players[A].chips.blue) == (1, 1)


def test_tr64_only_an_empty_boat_is_given_back_or_asked_for() -> None:
    state = with_player(at_turn(boats_for_rent=True), B, boat=Boat(at="Dor", renter=A, steers="renter"))
    assert after(state, actions.ReturnBoat(seat=A, owner=B)).players[B].boat == Boat(at="Dor")
    loaded = off_the_pile(with_player(state, A, loads=(Load(card=6, kind="legal", boat=B),)), 6)
    assert code(loaded, actions.ReturnBoat(seat=A, owner=B)) == "no_rented_boat"
    full = off_the_pile(with_player(at_turn(boats_for_rent=True), B, boat=Boat(at="Dor")), 6)
    full = with_player(full, B, loads=(Load(card=6, kind="legal", boat=B),))
    ask = actions.AskBoat(seat=A, owner=B, amount=0, steers="owner", pact=False)
    assert code(full, ask) == "no_boat_for_rent"
    assert code(state, ask) == "no_boat_for_rent", "rented out already"


def test_tr10_nobody_buys_in_the_turn_of_another_or_under_way() -> None:
    state = at_turn()
    assert code(state, Buy(seat=B, what="radar")) == "not_your_turn"
    assert code(after(state, actions.Drive(seat=A, dice=2)), Buy(seat=A, what="radar")) == "not_now"
