"""A player leaves: his cards go back, his vehicles and weigh stations off the board, the rest play on."""

from __future__ import annotations

import msgspec

from appliance.games.game import Rejection
from appliance.games.haulers.actions import Leave
from appliance.games.haulers.draft import Draft
from appliance.games.haulers.stages import Briefing, Dealing, Keeping, Ordering, Selling, Stage, Turn
from appliance.games.haulers.state import Boat, Chips
from appliance.games.haulers.turns import ask_next_buyer, next_turn

LEAST_PLAYERS = 2


def leave(draft: Draft, action: Leave) -> Rejection | None:
    """Let a player go, once the trucks are placed; what waited for him, or was about him, lapses."""
    seat = action.seat
    if draft.state.first is None:
        return Rejection("not_before_the_start", "TR-3")
    _clear(draft, seat)
    draft.tell("player_left", "TR-10", seat=seat)
    if len(draft.state.here()) < LEAST_PLAYERS:
        draft.tell("game_abandoned", "TR-10")
        draft.end((), "abandoned")
        return None
    turn = draft.state.turn_stage()
    selling = next((stage for stage in draft.state.agenda if isinstance(stage, Selling)), None)
    if turn is not None and turn.seat == seat:
        next_turn(draft, turn)
    elif selling is not None:
        ask_next_buyer(draft, msgspec.structs.replace(selling, queue=tuple(s for s in selling.queue if s != seat)))
    else:
        agenda = draft.state.agenda
        lapsed = next((place for place, stage in enumerate(agenda) if _concerns(stage, seat)), len(agenda))
        draft.change(agenda=agenda[:lapsed])
    return None


def _concerns(stage: Stage, seat: int) -> bool:
    """Say whether a stage waits for `seat` or is about him."""
    if isinstance(stage, Turn | Briefing | Keeping | Ordering | Dealing):
        return False
    roles = ("seat", "checker", "carrier", "owner", "renter", "boat")
    return any(getattr(stage, role, None) == seat for role in roles)


def _clear(draft: Draft, seat: int) -> None:
    """Put everything of his away; loads of others on his boat are lost with it."""
    for other, load in draft.state.aboard(seat):
        draft.take_load(other, load.card)
        if other != seat:
            draft.tell("load_lost", "TR-64", seat=other)
    for load in draft.player(seat).loads:
        draft.take_load(seat, load.card)
    for owner, player in enumerate(draft.state.players):
        if player.boat is not None and player.boat.renter == seat:
            draft.change_player(owner, boat=Boat(at=player.boat.at))
    state, player = draft.state, draft.player(seat)
    gone = [at for at, station in state.stations.items() if station.owner == seat]
    back = {
        "stations": len(gone),
        "radar": player.radars,
        "double": int(player.double),
        "turbo": int(player.turbo),
        "boats": int(player.boat is not None),
    }
    sold = state.options.keep_cards == "sold"
    draft.earn(seat, -player.cash)
    draft.change(
        discards=(*draft.state.discards, *player.hand),
        transit_discards=(*state.transit_discards, *(() if sold else player.papers)),
        papers_pile=(*state.papers_pile, *(player.papers if sold else ())),
        mission_pile=state.mission_pile if player.mission is None else (*state.mission_pile, player.mission),
        stations={at: station for at, station in state.stations.items() if station.owner != seat},
        stock={name: have + back[name] for name, have in state.stock.items()},
    )
    draft.change_player(
        seat,
        hand=(),
        papers=(),
        mission=None,
        chips=Chips(),
        truck=None,
        boat=None,
        radars=0,
        double=False,
        turbo=False,
        left=True,
    )
