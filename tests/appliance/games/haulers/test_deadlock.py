"""A game in which nobody can ever deliver again ends, and no other game does (the book is silent)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from appliance.games.haulers.rules.actions import EndTurn
from appliance.games.haulers.rules.rules import RULES
from appliance.games.haulers.rules.state import Boat, Chips, Hauler, Load, State
from appliance.games.protocol import Step
from tests.appliance.games.haulers.little_land import little_land
from tests.appliance.games.haulers.test_ending import at_the_end

BY_ROAD, TO_FIN, FROM_FIN = 0, 6, 7
"""Bos to Cid; Dor to the island; the island to Bos."""
NOTHING_SOLD = {"turbo": 2, "double": 2, "radar": 3, "stations": 4, "boats": 3}


def stranded(hands: tuple[tuple[int, ...], ...] = ((), ()), cash: int = 0, **options: Any) -> State:
    """Return a game in which A and B each carry, by truck, overseas goods that all saw to be legal."""
    state = at_the_end([(0, 0, 0, 0), (0, 0, 0, 0)], **options)
    loads = ((Load(card=6, kind="legal", open=True),), (Load(card=8, kind="legal", open=True),))
    players = tuple(
        msgspec.structs.replace(player, cash=cash, hand=hand, loads=load)
        for player, hand, load in zip(state.players, hands, loads, strict=True)
    )
    pile = tuple(card for card in range(10, 42))
    return msgspec.structs.replace(state, players=players, pile=pile, stock=NOTHING_SOLD)


def but(state: State, seat: int, **fields: Any) -> State:
    players: list[Hauler] = list(state.players)
    players[seat] = msgspec.structs.replace(players[seat], **fields)
    return msgspec.structs.replace(state, players=tuple(players))


def is_over(state: State) -> bool:
    step = RULES.apply(state, EndTurn(seat=0))
    assert isinstance(step, Step)
    outcome = RULES.outcome(step.state)
    assert outcome is None or outcome.reason == "nobody_can_deliver"
    return outcome is not None


@pytest.mark.parametrize(
    ("cash", "sold_out", "options", "over"),
    [
        (0, (), {}, True),
        (999, (), {}, True),
        (1000, (), {}, False),  # together $2,000, a double carrier: room for something else, and a card
        (1749, ("double",), {}, True),
        (1750, ("double",), {}, False),  # together $3,500, a boat
        (1750, ("double", "boats"), {}, True),
        (749, (), {"deliveries": 5}, True),
        (750, (), {"deliveries": 5}, False),  # $1,500 in the shortest game
        (999, ("double",), {"deliveries": 5}, True),
        (1000, ("double",), {"deliveries": 5}, False),
        (0, (), {"money": False}, True),
    ],
)
def test_it_ends_when_all_money_together_buys_no_way_out(
    cash: int, sold_out: tuple[str, ...], options: dict[str, Any], over: bool
) -> None:
    state = stranded(cash=cash, **options)
    assert is_over(msgspec.structs.replace(state, stock={**NOTHING_SOLD, **dict.fromkeys(sold_out, 0)})) == over


def test_goods_that_nobody_has_seen_may_still_be_found_and_lost() -> None:
    state = stranded()
    assert is_over(state)
    assert not is_over(but(state, 1, loads=(Load(card=8, kind="legal"),)))


def test_what_a_full_truck_has_no_room_for_does_not_matter() -> None:
    assert is_over(stranded(hands=((BY_ROAD, 1), ())))
    assert not is_over(but(stranded(hands=((BY_ROAD, 1), ())), 0, double=True))
    assert is_over(but(stranded(hands=((FROM_FIN,), ())), 0, double=True))


def test_transit_cards_help_only_who_has_room_and_a_card_to_give_for_another() -> None:
    """The delivery card draws one and discards one; here no transit card brings money."""
    assert is_over(stranded(hands=((FROM_FIN,), (BY_ROAD,)), transit=True))
    assert is_over(but(stranded(transit=True), 0, double=True))
    assert not is_over(but(stranded(hands=((FROM_FIN,), ()), transit=True), 0, double=True))
    land = little_land()
    no_swap = {**land, "transit": [card for card in land["transit"] if card["effect"] != "delivery"]}
    assert is_over(but(stranded(hands=((FROM_FIN,), ()), transit=True, edition=no_swap), 0, double=True))
    gift = {"title": {"en": "gift", "de": "Geschenk"}, "effect": "money", "dollars": 500}
    assert not is_over(stranded(transit=True, edition={**land, "transit": [*land["transit"], gift]}))


def test_a_boat_brings_its_owners_goods_home() -> None:
    assert not is_over(but(stranded(), 1, boat=Boat(at="Dor")))


def test_a_boat_on_another_sea_is_none() -> None:
    """Aal lies on a lake of its own: from there no boat gets to Fin."""
    land = little_land()
    lake = {"buoys": [{"name": "Lake", "at": [1, 1]}], "sea": [*land["sea"], {"ends": ["Aal", "Lake"], "squares": 1}]}
    state = stranded(edition={**land, **lake})
    assert is_over(but(state, 1, boat=Boat(at="Lake")))
    assert not is_over(but(state, 1, boat=Boat(at="Dor–Fin 1")))


@pytest.mark.parametrize(
    ("one", "other", "over"),
    [
        (Chips(black=1), Chips(black=1), True),  # black chips cannot be given
        (Chips(black=1), Chips(white=1), False),  # B's white one may be his bribe: two buy a boat
        (Chips(red=1), Chips(red=1), True),
        (Chips(blue=1), Chips(blue=1), False),
    ],
)
def test_without_money_only_white_and_blue_chips_change_hands(one: Chips, other: Chips, over: bool) -> None:
    state = stranded(money=False)
    assert is_over(but(but(state, 0, chips=one), 1, chips=other)) == over


def crossed(**fields: Any) -> State:
    """A's truck has goods for the island, the boat goods from it: each needs the other's place (TR-45)."""
    state = stranded()
    loads = (Load(card=TO_FIN, kind="legal", open=True), Load(card=FROM_FIN, kind="legal", boat=0, open=True))
    stock = {**NOTHING_SOLD, "double": 0, "boats": 0}
    return msgspec.structs.replace(but(state, 0, boat=Boat(at="Dor"), loads=loads, **fields), stock=stock)


def test_two_loads_in_each_others_place_get_nowhere() -> None:
    assert is_over(crossed())
    assert not is_over(crossed(double=True))


def test_goods_from_overseas_on_the_truck_need_no_boat_any_more() -> None:
    assert not is_over(but(stranded(), 0, loads=(Load(card=FROM_FIN, kind="legal", open=True),)))
