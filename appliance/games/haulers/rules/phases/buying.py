"""Purchases and their limits (TR-40 … TR-46, TR-61, TR-63, TR-65, TR-66)."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Literal

from appliance.games.base.rules.codes import composed
from appliance.games.haulers.rules.actions import COLOURS, Build, Buy, BuyPapers, Enlarge, Launch
from appliance.games.haulers.rules.codes import HappeningCode, reject
from appliance.games.haulers.rules.phases.turns import turn_of
from appliance.games.haulers.rules.stages import Drawing, Turn
from appliance.games.haulers.rules.state import Boat, State, Station
from appliance.games.haulers.rules.step_builder import StepBuilder
from appliance.games.protocol import Rejection

Ware = Literal["station", "radar", "double", "turbo", "boat", "enlargement", "papers"]
PRICES: dict[int, dict[str, int]] = {
    7: {"station": 500, "radar": 1000, "double": 2000, "turbo": 3000, "boat": 3500},
    6: {"station": 500, "radar": 500, "double": 2000, "turbo": 2500, "boat": 2500},
    5: {"station": 500, "radar": 500, "double": 1500, "turbo": 2000, "boat": 2000},
}
"""Prices in dollars by the number of deliveries that ends the game (TR-40 … TR-45, TR-63)."""
CHIP_PRICES = {"station": 1, "radar": 1, "double": 2, "turbo": 2, "boat": 2}
"""Prices in chips of any colour, in games without money (TR-65)."""
ENLARGEMENT_DOLLARS = 1000
PAPERS_STEP_DOLLARS = 500
STOCK_OF = {"station": "stations", "radar": "radar", "double": "double", "turbo": "turbo", "boat": "boats"}
RULE_IDS: dict[str, str] = {
    "station": "TR-40",
    "radar": "TR-42",
    "double": "TR-43",
    "turbo": "TR-44",
    "boat": "TR-45",
    "enlargement": "TR-66",
    "papers": "TR-61",
}
"""The rule of each ware."""


def price(state: State, seat: int, ware: Ware) -> int:
    """Return the price in dollars, or in chips in games without money."""
    if ware == "enlargement":
        return ENLARGEMENT_DOLLARS
    if ware == "papers":
        return PAPERS_STEP_DOLLARS * (state.players[seat].papers_bought + 1)
    return PRICES[state.options.deliveries][ware] if state.options.money else CHIP_PRICES[ware]


def payments(state: State, seat: int, ware: Ware) -> tuple[str, ...]:
    """Return every way in which a player could pay; () when they cannot."""
    cost = price(state, seat, ware)
    player = state.players[seat]
    if state.options.money:
        return ("money",) if player.cash >= cost else ()
    ways = combinations_with_replacement([colour for colour in COLOURS if player.chips.of(colour)], cost)
    return tuple("+".join(way) for way in ways if all(way.count(c) <= player.chips.of(c) for c in way))


def not_for_sale(state: State, turn: Turn, ware: Ware) -> Rejection | None:
    """Return why a ware cannot be bought now, apart from its price; None if it can."""
    player = state.players[turn.seat]
    rule = RULE_IDS[ware]
    if ware in STOCK_OF and not state.stock.get(STOCK_OF[ware], 0):
        return reject("sold_out", "TR-46")
    if ware == "station" and turn.built:
        return reject("one_station_a_turn", rule)
    if ware == "radar" and turn.radar:
        return reject("one_radar_a_turn", rule)
    owned = {"double": player.double, "turbo": player.turbo, "boat": player.boat is not None}
    if owned.get(ware):
        return reject("only_one_each", rule)
    if ware == "enlargement" and not state.options.heavy_stations:
        return reject("not_in_this_game", rule)
    if ware == "papers" and (state.options.keep_cards != "sold" or not state.papers_pile):
        return reject("not_in_this_game", rule)
    return None


def _pay(builder: StepBuilder, seat: int, ware: Ware, way: str) -> Rejection | None:
    """Check whether a ware may be bought, and pay for it."""
    turn = turn_of(builder, seat, RULE_IDS[ware])
    if isinstance(turn, Rejection):
        return turn
    if problem := not_for_sale(builder.state, turn, ware):
        return problem
    if way not in payments(builder.state, seat, ware):
        cost = price(builder.state, seat, ware)
        if builder.state.options.money:
            return reject("too_little_money", "TR-46", {"dollars": cost})
        return reject("wrong_chips", "TR-65", {"count": cost})
    if way == "money":
        builder.earn(seat, -price(builder.state, seat, ware))
    else:
        for colour in COLOURS:
            builder.gain(seat, colour, -way.split("+").count(colour))
    if ware in STOCK_OF:
        stock = builder.state.stock
        builder.change(stock={**stock, STOCK_OF[ware]: stock[STOCK_OF[ware]] - 1})
    if builder.state.options.purchases == "at_the_end":
        builder.alter_turn(shopping=True)
    return None


def buy(builder: StepBuilder, action: Buy) -> Rejection | None:
    """Buy a radar gun, a double carrier or turbo (TR-42 … TR-44)."""
    if problem := _pay(builder, action.seat, action.what, action.pay):
        return problem
    player = builder.player(action.seat)
    builder.tell(composed(HappeningCode, f"{action.what}_bought"), RULE_IDS[action.what], seat=action.seat)
    if action.what == "radar":
        builder.change_player(action.seat, radars=player.radars + 1)
        builder.alter_turn(radar=True)
    elif action.what == "turbo":
        builder.change_player(action.seat, turbo=True)
    else:
        builder.change_player(action.seat, double=True)
        builder.push(Drawing(seat=action.seat, left=1))
    return None


def building_ground(state: State) -> tuple[str, ...]:
    """Return the squares for a new weigh station: road squares without one, not cities (TR-40)."""
    return tuple(
        name for name, square in state.board.squares.items() if square.terrain == "road" and name not in state.stations
    )


def build(builder: StepBuilder, action: Build) -> Rejection | None:
    """Buy a weigh station and put it down. This triggers no check now (TR-40)."""
    square = builder.state.board.squares.get(action.at)
    if square is None or square.terrain != "road":
        return reject("no_road_square", "TR-40", {"place": action.at})
    if action.at in builder.state.stations:
        return reject("station_there", "TR-40", {"place": action.at})
    if problem := _pay(builder, action.seat, "station", action.pay):
        return problem
    builder.change(stations={**builder.state.stations, action.at: Station(action.seat)})
    builder.alter_turn(built=True)
    builder.tell("station_built", "TR-40", seat=action.seat, place=action.at)
    return None


def enlargeable(state: State, seat: int) -> tuple[str, ...]:
    """Return the squares of a player's weigh stations that are not yet upgraded (TR-66)."""
    return tuple(at for at, station in state.stations.items() if station.owner == seat and not station.heavy)


def enlarge(builder: StepBuilder, action: Enlarge) -> Rejection | None:
    """Upgrade a weigh station to three dice (TR-66)."""
    if action.at not in enlargeable(builder.state, action.seat):
        return reject("no_own_station", "TR-66", {"place": action.at})
    if problem := _pay(builder, action.seat, "enlargement", "money"):
        return problem
    builder.change(stations={**builder.state.stations, action.at: Station(action.seat, heavy=True)})
    builder.tell("station_enlarged", "TR-66", seat=action.seat, place=action.at)
    return None


def moorings(state: State) -> tuple[str, ...]:
    """Return the squares for a new boat: those of sea lines (TR-45)."""
    return tuple(name for name, square in state.board.squares.items() if square.terrain == "sea")


def launch(builder: StepBuilder, action: Launch) -> Rejection | None:
    """Buy a boat and put it on the sea (TR-45)."""
    if action.at not in moorings(builder.state):
        return reject("no_sea_square", "TR-45", {"place": action.at})
    if problem := _pay(builder, action.seat, "boat", action.pay):
        return problem
    builder.change_player(action.seat, boat=Boat(at=action.at))
    builder.tell("boat_launched", "TR-45", seat=action.seat, place=action.at)
    return None


def buy_papers(builder: StepBuilder, action: BuyPapers) -> Rejection | None:
    """Buy the next keep-card. Each costs more than the previous one (TR-61)."""
    if problem := _pay(builder, action.seat, "papers", "money"):
        return problem
    player, stack = builder.player(action.seat), builder.state.papers_pile
    builder.change_player(action.seat, papers=(*player.papers, stack[0]), papers_bought=player.papers_bought + 1)
    builder.change(papers_pile=stack[1:])
    builder.tell("papers_bought", "TR-61", seat=action.seat)
    return None
