"""Deliveries: start, transfer in a port, completion (TR-20 … TR-26, TR-45, TR-65, TR-66)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from appliance.games.base.rules.codes import composed
from appliance.games.haulers.rules.actions import Complete, Start, Transfer
from appliance.games.haulers.rules.codes import HappeningCode, reject
from appliance.games.haulers.rules.phases.renting import boats_for, give_back
from appliance.games.haulers.rules.phases.turns import action_free, see_whether_ended
from appliance.games.haulers.rules.prompts import prompt_of
from appliance.games.haulers.rules.stages import Moving, Refilling, Turn
from appliance.games.haulers.rules.state import Hauler, Load, State
from appliance.games.haulers.rules.step_builder import StepBuilder
from appliance.games.protocol import OneOf, Prompt, Rejection

BLACK_CHIP_DOLLARS = STATION_DOLLARS = 200
"""Dollars that each black chip, and each weigh station, adds to the pay of smuggled goods (TR-66)."""


def start(builder: StepBuilder, action: Start) -> Rejection | None:
    """Turn a delivery up in its top city. Its kind stays face down and is final (TR-20)."""
    if problem := action_free(builder, action.seat, "TR-20"):
        return problem
    state, player = builder.state, builder.player(action.seat)
    if not 1 <= action.card <= len(player.hand):
        return reject("no_such_card", "TR-20", {"most": len(player.hand)})
    if not player.unused(action.kind):
        return reject("no_legal_card" if action.kind == "legal" else "no_smuggled_card", "TR-20")
    card = player.hand[action.card - 1]
    ways = carriers(state, action.seat, card)
    if not ways:
        return reject("nobody_there_to_load", "TR-21")
    load = Load(card=card, kind=action.kind, boat=ways[0])
    builder.change_player(
        action.seat, hand=tuple(held for held in player.hand if held != card), loads=(*player.loads, load)
    )
    builder.alter_turn(acted=True)
    delivery = state.card(card)
    builder.tell(
        "delivery_started", "TR-20", seat=action.seat, city=delivery.top, bottom=delivery.bottom, dollars=delivery.pays
    )
    return None


def carriers(state: State, seat: int, card: int) -> tuple[int | None, ...]:
    """Return what could take a delivery in its top city: the truck (None), or boats by owner (TR-20, TR-21).

    A truck never goes overseas. A boat carries only overseas deliveries, and they start on it only overseas (TR-45).
    """
    top = state.card(card).top
    if not state.board.is_overseas(top):
        player = state.players[seat]
        return (None,) if player.truck == top and player.room() > 0 else ()
    return tuple(boat for boat in boats_for(state, seat, top) if not state.aboard(boat))


def startable(state: State, seat: int) -> tuple[int, ...]:
    """Return the positions, from 1, of the cards in hand that could be started now. Only this player may know them."""
    hand = state.players[seat].hand
    return tuple(place for place, card in enumerate(hand, start=1) if carriers(state, seat, card))


def complete(builder: StepBuilder, action: Complete) -> Rejection | None:
    """Reveal and pay in the bottom city (TR-22, TR-23)."""
    if problem := action_free(builder, action.seat, "TR-22"):
        return problem
    load = next((load for load in builder.player(action.seat).loads if load.card == action.load), None)
    if load is None:
        return reject("no_such_load", "TR-22")
    card = builder.state.card(load.card)
    if builder.state.square_of(action.seat, load) != card.bottom:
        return reject("not_there_yet", "TR-22", {"place": card.bottom})
    if not _carried_by_the_right_one(builder.state, load):
        return reject("not_off_the_boat", "TR-45")
    overseas = builder.state.is_overseas(load.card)
    dollars = worth(builder.state, load)
    builder.take_load(action.seat, load.card)
    builder.alter_turn(acted=True)
    builder.change_player(action.seat, served=(*builder.player(action.seat).served, card.bottom))
    told: dict[str, Any] = {"seat": action.seat, "city": card.bottom}
    if builder.state.options.money:
        builder.earn(action.seat, dollars)
        builder.tell(composed(HappeningCode, f"{load.kind}_delivered"), "TR-22", dollars=dollars, **told)
    count = 1 if builder.state.options.money else chips_for(card.pays)
    if not builder.state.options.money:
        builder.tell(composed(HappeningCode, f"{load.kind}_delivered_for_chips"), "TR-65", count=count, **told)
    builder.gain(action.seat, "white" if load.kind == "legal" else "black", count)
    if overseas:
        builder.gain(action.seat, "blue")
        builder.tell("blue_chip", "TR-23", seat=action.seat)
    if load.boat is not None:
        give_back(builder, load.boat, action.seat)
    see_whether_ended(builder, action.seat)
    if not builder.over:
        builder.push(Refilling(seat=action.seat, count=2))
    return None


def worth(state: State, load: Load) -> int:
    """Return the pay of a load in dollars: the face value; for smuggled goods double plus variants (TR-22, TR-66)."""
    face = state.card(load.card).pays
    if load.kind == "legal":
        return face
    black = sum(player.chips.black for player in state.players) if state.options.black_market else 0
    stations = len(state.stations) if state.options.station_premium else 0
    return 2 * face + BLACK_CHIP_DOLLARS * black + STATION_DOLLARS * stations


def chips_for(pays: int) -> int:
    """Return the number of chips for a face value. Between two bands the lower one counts (TR-65)."""
    return 1 if pays < 1500 else 2 if pays < 3000 else 3


def arrived(state: State, seat: int) -> tuple[int, ...]:
    """Return the loads of a player that can be completed at their present square."""
    return tuple(
        load.card
        for load in state.players[seat].loads
        if state.square_of(seat, load) == state.card(load.card).bottom and _carried_by_the_right_one(state, load)
    )


def _carried_by_the_right_one(state: State, load: Load) -> bool:
    """Return whether a load is on a vehicle that can complete it: on the mainland only the truck can (TR-45)."""
    return load.boat is None or state.board.is_overseas(state.card(load.card).bottom)


def transfer(builder: StepBuilder, action: Transfer) -> Rejection | None:
    """Move a load between truck and boat: in a port, in the owner's turn, without cost (TR-45)."""
    stage = builder.open(Turn) or builder.open(Moving)
    if stage is None or stage.seat != action.seat:
        return reject("not_now", "TR-45")
    if (action.load, action.boat) not in transfers(builder.state, action.seat):
        return reject("no_transfer", "TR-45")
    before = next(load for load in builder.player(action.seat).loads if load.card == action.load)
    builder.change_load(action.seat, action.load, boat=action.boat)
    place = builder.player(action.seat).truck
    code: HappeningCode = "loaded_onto_truck" if action.boat is None else "loaded_onto_boat"
    builder.tell(code, "TR-45", seat=action.seat, city=place)
    if before.boat is not None:
        give_back(builder, before.boat, action.seat)
    return None


def transfers(state: State, seat: int) -> tuple[tuple[int, int | None], ...]:
    """Return pairs (load, target) of possible transfers. The target is the owner of a boat, or None for the truck."""
    player: Hauler = state.players[seat]
    if player.truck not in state.board.ports:
        return ()
    boats = boats_for(state, seat, player.truck)
    found: list[tuple[int, int | None]] = []
    for load in player.loads:
        if not state.is_overseas(load.card):
            continue
        if load.boat is None:
            found += [(load.card, boat) for boat in boats if not state.aboard(boat)]
        elif load.boat in boats and player.room() > 0:
            found.append((load.card, None))
    return tuple(found)


def transferable(state: State, name: str, seat: int) -> Iterator[Prompt]:
    """Yield the prompts to move loads between vehicles."""
    for load, boat in transfers(state, seat):
        yield prompt_of(name, seat, "transfer", {"load": OneOf((load,)), "boat": OneOf((boat,))})
