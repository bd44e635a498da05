"""A player leaves: their cards, vehicles and weigh stations go back, and the others continue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from appliance.games.haulers.rules.actions import Leave
from appliance.games.haulers.rules.codes import reject
from appliance.games.haulers.rules.phases.scoring import judge_on
from appliance.games.haulers.rules.phases.turns import ask_next_buyer
from appliance.games.haulers.rules.stages import (
    ByHand,
    Contest,
    Discarding,
    Drawing,
    Judging,
    Raid,
    Reassigning,
    Refilling,
    Sabotaging,
    Selling,
    Shuffling,
    Stage,
    TransitDrawing,
    Turn,
)
from appliance.games.haulers.rules.state import Boat, Chips
from appliance.games.haulers.rules.step_builder import StepBuilder
from appliance.games.protocol import Rejection

LEAST_PLAYERS = 2
OF_ONE_PLAYER = (ByHand, Discarding, Drawing, Reassigning, Refilling, Sabotaging, TransitDrawing)
"""Stages in which one player handles cards. They concern nobody else, whatever the stages below are."""


def leave(builder: StepBuilder, action: Leave) -> Rejection | None:
    """Remove a player, once the first player is known. Stages that wait for them or concern them are dropped."""
    seat = action.seat
    if builder.state.first is None:
        return reject("not_before_the_start", "TR-3")
    _clear(builder, seat)
    builder.tell("player_left", "TR-10", seat=seat)
    if len(builder.state.here()) < LEAST_PLAYERS:
        builder.tell("game_abandoned", "TR-10")
        builder.end((), "abandoned")
        return None
    selling, judging = builder.open(Selling), builder.open(Judging)
    if judging is not None:
        judge_on(builder, msgspec.structs.replace(judging, seats=tuple(s for s in judging.seats if s != seat)))
    elif selling is not None:
        ask_next_buyer(builder, msgspec.structs.replace(selling, queue=tuple(s for s in selling.queue if s != seat)))
    else:
        builder.change(agenda=tuple(_staying(builder.state.agenda, seat)))
    return None


def _staying(agenda: Iterable[Stage], seat: int) -> Iterator[Stage]:
    """Yield the stages that continue without `seat`, lowest first. A stage above a dropped one is usually dropped too.

    Exceptions: each roll-off of a raid is independent (TR-61), and so are stages with the cards of one player. The turn
    of the player who left stays below them until they are done. Shuffles are dropped, because they would miss the
    returned cards; the drawing stage asks for a new one.
    """
    lapsing = False
    for stage in agenda:
        if isinstance(stage, Raid) or (isinstance(stage, Contest) and stage.checker is None):
            lapsing = _concerns(stage, seat)
        elif _concerns(stage, seat):
            lapsing = True
        leavers_turn = isinstance(stage, Turn) and stage.seat == seat
        others_cards = isinstance(stage, OF_ONE_PLAYER) and stage.seat != seat
        if (leavers_turn or others_cards or not lapsing) and not isinstance(stage, Shuffling):
            yield stage


def _concerns(stage: Stage, seat: int) -> bool:
    """Return whether a stage waits for `seat` alone or concerns it."""
    roles = ("seat", "checker", "carrier", "owner", "renter", "boat")
    return any(getattr(stage, role, None) == seat for role in roles)


def _clear(builder: StepBuilder, seat: int) -> None:
    """Remove everything that `seat` owns. Loads of other players on their boat are lost."""
    for other, load in builder.state.aboard(seat):
        builder.take_load(other, load.card)
        if other != seat:
            builder.tell("load_lost", "TR-64", seat=other)
    for load in builder.player(seat).loads:
        builder.take_load(seat, load.card)
    for owner, player in enumerate(builder.state.players):
        if player.boat is not None and player.boat.renter == seat:
            builder.change_player(owner, boat=Boat(at=player.boat.at))
    state, player = builder.state, builder.player(seat)
    gone = [at for at, station in state.stations.items() if station.owner == seat]
    back = {
        "stations": len(gone),
        "radar": player.radars,
        "double": int(player.double),
        "turbo": int(player.turbo),
        "boats": int(player.boat is not None),
    }
    builder.earn(seat, -player.cash)
    builder.give_back_papers(player.papers)
    builder.change(
        discards=(*builder.state.discards, *player.hand),
        mission_pile=state.mission_pile if player.mission is None else (*state.mission_pile, player.mission),
        stations={at: station for at, station in state.stations.items() if station.owner != seat},
        stock={name: have + back[name] for name, have in state.stock.items()},
    )
    builder.change_player(
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
