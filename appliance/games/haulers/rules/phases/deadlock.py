"""Detects a deadlock: only overseas goods are in transit, and nothing can deliver them."""

from __future__ import annotations

from msgspec.structs import astuple

from appliance.games.haulers.rules.map.board import paths
from appliance.games.haulers.rules.phases.buying import CHIP_PRICES, PRICES
from appliance.games.haulers.rules.phases.transit import transit_cards
from appliance.games.haulers.rules.state import Load, State


def nobody_can_deliver(state: State) -> bool:
    """Return whether no delivery can ever be completed again, for any dice and any agreements.

    All players are stuck, there is no more income, and all the money together pays for neither a boat nor a double
    carrier. The rule book does not cover this. The game then ends and is scored.
    """
    return all(_stuck(state, seat) for seat in state.here()) and not _rescue_in_reach(state)


def _stuck(state: State, seat: int) -> bool:
    """Return whether no load of a player, and no card they have room for, can arrive.

    Goods found legal stay on board until they arrive. Others may be found in a check and lost, which gives room and
    money.
    """
    player = state.players[seat]
    if not player.loads or not all(load.open for load in player.loads):
        return False
    if any(_load_can_arrive(state, seat, load) for load in player.loads):
        return False
    if player.room() > 0:
        swaps = state.options.transit and any(card.effect == "delivery" for card in transit_cards(state))
        if swaps and player.hand:
            # The swap needs a card in hand: with an empty hand the card just drawn must be discarded.
            return False
        return not any(can_arrive(state, seat, card) for card in player.hand)
    return True


def _load_can_arrive(state: State, seat: int, load: Load) -> bool:
    """Return whether a load in transit can arrive (TR-45).

    From a boat to the mainland it needs room on the truck. To go overseas it needs a boat that is not blocked by a load
    waiting for such room.
    """
    full = state.players[seat].room() == 0
    ends_overseas = state.board.is_overseas(state.card(load.card).bottom)
    if not ends_overseas:
        return load.boat is None or not full
    waiting = {one.boat for one in state.players[seat].loads if one.boat is not None and full}
    return load.boat is not None or can_arrive(state, seat, load.card, frozenset(waiting))


def can_arrive(state: State, seat: int, card: int, but: frozenset[int] = frozenset()) -> bool:
    """Return whether a delivery goes by road, or a boat that the player has or could rent can reach its overseas city.

    :param but: owners of boats that cannot take it.
    """
    if not state.is_overseas(card):
        return True
    delivery = state.card(card)
    abroad = delivery.top if state.board.is_overseas(delivery.top) else delivery.bottom
    owners = range(len(state.players)) if state.options.boats_for_rent else (seat,)
    boats = (state.players[owner].boat for owner in owners if owner not in but)
    squares = len(state.board.squares)
    return any(boat and abroad in {boat.at, *paths(state.board.sea, boat.at, squares)} for boat in boats)


def _rescue_in_reach(state: State) -> bool:
    """Return whether anybody could buy a boat, or a double carrier and then get a card for it (TR-43, TR-45)."""
    seats = state.here()
    boat = state.stock["boats"] > 0 and any(
        state.players[seat].boat is None and _affordable(state, seat, "boat") for seat in seats
    )
    double = state.stock["double"] > 0 and any(
        not state.players[seat].double and _affordable(state, seat, "double") and _finds_a_card(state, seat)
        for seat in seats
    )
    return boat or double


def _finds_a_card(state: State, seat: int) -> bool:
    return bool(state.pile or state.discards) or any(can_arrive(state, seat, card) for card in state.players[seat].hand)


def _affordable(state: State, seat: int, ware: str) -> bool:
    """Return whether a player could pay for a ware, including money that others could pay as bribes (TR-31, TR-65)."""
    if not state.options.money:
        given = sum(
            player.chips.white + player.chips.blue for other, player in enumerate(state.players) if other != seat
        )
        own: int = sum(astuple(state.players[seat].chips))
        return own + given >= CHIP_PRICES[ware]
    if state.options.transit and any(card.dollars > 0 or card.effect == "by_hand" for card in transit_cards(state)):
        return True
    return sum(player.cash for player in state.players) >= PRICES[state.options.deliveries][ware]
