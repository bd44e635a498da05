"""The one way in which a game could go on for ever: only overseas deliveries under way, and no boat in reach."""

from __future__ import annotations

from msgspec.structs import astuple

from appliance.games.haulers.buying import CHIP_PRICES, PRICES
from appliance.games.haulers.state import State
from appliance.games.haulers.transit import transit_cards


def nobody_can_deliver(state: State) -> bool:
    """Say whether no delivery can ever be completed again.

    Everybody carries only overseas goods, known to be legal, and holds only overseas cards; nobody has a boat; and all
    money together, with nothing more to come, buys none. The book is silent; the game then ends and is scored.
    """
    return all(_stranded(state, seat) for seat in state.here()) and not _boat_in_reach(state)


def _stranded(state: State, seat: int) -> bool:
    player = state.players[seat]
    deliveries = (*player.hand, *(load.card for load in player.loads))
    only_overseas = bool(player.loads) and all(state.is_overseas(card) for card in deliveries)
    return only_overseas and player.boat is None and all(load.open for load in player.loads)


def _boat_in_reach(state: State) -> bool:
    if not state.stock["boats"]:
        return False
    if not state.options.money:
        return sum(sum(astuple(player.chips)) for player in state.players) >= CHIP_PRICES["boat"]
    gifts = state.options.transit and any(card.dollars > 0 for card in transit_cards(state))
    return gifts or sum(player.cash for player in state.players) >= PRICES[state.options.deliveries]["boat"]
