"""Whoever only listens knows the ledger and the map: money, chips, vehicles and stations, with the right values."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import msgspec
import pytest

from appliance.games.haulers.rules.actions import COLOURS, Colour
from appliance.games.haulers.rules.rules import RULES
from appliance.games.haulers.rules.state import State
from appliance.games.protocol import Happening, Step
from tests.appliance.games.haulers.play import VARIANTS, a_setup, played
from tests.appliance.games.recordings import NAMES, heard

Heard = Iterable[tuple[State, tuple[Happening, ...]]]
TAKEN: dict[str, Colour] = {"legal": "white", "smuggled": "black"}


class Listener:
    """Keeps money, chips, places and whose turn it is by what is announced alone; prices are printed on the board."""

    def __init__(self, state: State) -> None:
        view = RULES.view(state, None)
        count = len(view.players)
        self.prices, self.with_money = view.prices, state.options.money
        self.cash = [2000 if self.with_money else 0] * count
        self.chips = [dict.fromkeys(COLOURS, 0) for _ in range(count)]
        self.truck: list[str | None] = [None] * count
        self.kit = [{"radar": 0, "turbo": 0, "double": 0} for _ in range(count)]
        self.papers_bought = [0] * count
        self.stations: dict[str, tuple[int, bool]] = {}
        self.turn: int | None = None

    def spend(self, seat: int, dollars: int) -> None:
        self.cash[seat] -= dollars if self.with_money else 0

    def hear(self, happening: Happening) -> None:
        code, values = happening.code, happening.values
        seat, target, dollars = values.get("seat", -1), values.get("target", -1), values.get("dollars", 0)
        source, count, place = values.get("source", -1), values.get("count", 0), values.get("place", "")
        match code.split("_"):
            case ["turn", "began"] | ["last", "turn", "began"] | ["paid", "turn", "began"]:
                self.turn = seat
            case ["truck", "placed"]:
                self.truck[seat] = values["city"]
            case ["truck", "moved"]:
                self.truck[seat] = place
            case [("legal" | "smuggled") as kind, "delivered"]:
                self.cash[seat] += dollars
                self.chips[seat][TAKEN[kind]] += 1
            case [("legal" | "smuggled") as kind, "delivered", "for", "chips"]:
                self.chips[seat][TAKEN[kind]] += count
            case [("blue" | "red") as colour, "chip"]:
                self.chips[seat][colour] += 1
            case ["reward", "paid"] | ["transit", "paid"] | ["mission", "paid"] | ["bonus", _]:
                self.cash[seat] += dollars
            case ["transit", "charged"] | ["turn", "bought"]:
                self.cash[seat] -= dollars
            case ["bribe", "paid"]:
                self.cash[seat], self.cash[target] = self.cash[seat] - dollars, self.cash[target] + dollars
            case ["bribe", "paid", "in", ("white" | "black" | "red" | "blue") as colour]:
                self.chips[seat][colour] -= count
                self.chips[target][colour] += count
            case ["boat", "rented"]:
                owner = values["owner"]
                self.cash[seat], self.cash[owner] = self.cash[seat] - dollars, self.cash[owner] + dollars
            case ["boat", "launched"]:
                self.spend(seat, self.prices["boat"])
            case [("radar" | "turbo" | "double") as what, "bought"]:
                self.spend(seat, self.prices[what])
                self.kit[seat][what] += 1
            case ["turbo", "ruined"]:
                self.kit[target]["turbo"] -= 1
            case ["papers", "bought"]:
                self.papers_bought[seat] += 1
                self.cash[seat] -= 500 * self.papers_bought[seat]
            case ["station", "built"]:
                self.spend(seat, self.prices["station"])
                self.stations[place] = seat, False
            case ["station", "enlarged"]:
                self.spend(seat, 1000)
                self.stations[place] = seat, True
            case ["money", *_] if code.endswith(("over", "bank")):
                for one, amount in ((source, -dollars), (target, dollars)):
                    if one >= 0:
                        self.cash[one] += amount
            case ["chips", *_] if code.endswith(("over", "bank")):
                for one, amount in ((source, -count), (target, count)):
                    if one >= 0:
                        self.chips[one][values["colour"]] += amount
            case ["player", "left"]:
                self.cash[seat], self.chips[seat], self.truck[seat] = 0, dict.fromkeys(COLOURS, 0), None
                self.kit[seat] = dict.fromkeys(self.kit[seat], 0)
                self.stations = {at: of for at, of in self.stations.items() if of[0] != seat}
            case ["game", "won" | "shared"]:
                assert {self.cash[winner] for winner in values["winners"]} == {dollars}


def listen(told: Heard) -> None:
    listener: Listener | None = None
    for state, happened in told:
        listener = listener or Listener(state)
        for happening in happened:
            listener.hear(happening)
        view = RULES.view(state, None)
        assert listener.cash == [player.cash for player in view.players]
        if listener.with_money:
            # Without money the chips that pay for a purchase are chosen, not told.
            assert listener.chips == [msgspec.structs.asdict(player.chips) for player in view.players]
        assert listener.truck == [player.truck for player in view.players]
        kits = [{"radar": p.radars, "turbo": int(p.turbo), "double": int(p.double)} for p in view.players]
        assert listener.kit == kits
        assert listener.stations == {at: (one.owner, one.heavy) for at, one in view.stations.items()}
        assert view.seat is None or listener.turn == view.seat


@pytest.mark.parametrize("name", NAMES["haulers"])
def test_who_only_listens_knows_the_ledger_and_the_map(name: str) -> None:
    listen(heard("haulers", name))


@pytest.mark.slow
@pytest.mark.parametrize("variant", range(len(VARIANTS)))
def test_who_only_listens_knows_them_in_random_games_with_every_option(variant: int) -> None:
    setup = a_setup(3, **VARIANTS[variant])
    first = RULES.set_up(setup)
    assert isinstance(first, Step)
    steps = played(setup, Random(variant), leaving=0.001)
    listen([(first.state, first.happened), *((state, happened) for _, _, state, happened in steps)])
