"""Advances stages of the agenda that need no decision."""

from __future__ import annotations

from appliance.games.haulers.rules.phases.cards import deal, draw_on, keep
from appliance.games.haulers.rules.phases.checking import compare, look_by_itself, raid
from appliance.games.haulers.rules.phases.deadlock import nobody_can_deliver
from appliance.games.haulers.rules.phases.moving import arrive
from appliance.games.haulers.rules.phases.rolling import order
from appliance.games.haulers.rules.phases.scoring import score
from appliance.games.haulers.rules.phases.transit import brief, draw_transit
from appliance.games.haulers.rules.phases.turns import next_turn
from appliance.games.haulers.rules.stages import (
    Briefing,
    Contest,
    Dealing,
    Drawing,
    Keeping,
    Looking,
    Moving,
    Ordering,
    Raid,
    TransitDrawing,
    Turn,
)
from appliance.games.haulers.rules.step_builder import StepBuilder


def settle(builder: StepBuilder) -> None:
    """Go on until somebody has to decide, something has to be drawn by chance, or the game is over."""
    while _goes_on(builder):
        pass
    turn = builder.open(Turn)
    if turn is not None and not turn.moved and not turn.acted and nobody_can_deliver(builder.state):
        builder.tell("nobody_can_deliver", "TR-50")
        score(builder, "nobody_can_deliver")


def _goes_on(builder: StepBuilder) -> bool:
    """Advance the open stage if it needs no decision. Return whether it did."""
    match builder.state.stage:
        case Dealing() as dealing:
            deal(builder, dealing)
        case Ordering() as ordering:
            order(builder, ordering)
        case Briefing() as briefing:
            return brief(builder, briefing)
        case Keeping() as keeping:
            return keep(builder, keeping)
        case Drawing() as drawing:
            draw_on(builder, drawing)
        case TransitDrawing() as drawing:
            draw_transit(builder, drawing)
        case Contest() as contest:
            compare(builder, contest)
        case Raid() as raided:
            return raid(builder, raided)
        case Looking() as looking:
            return look_by_itself(builder, looking)
        case Moving() as moving:
            return arrive(builder, moving)
        case Turn(seat=seat) as turn if builder.player(seat).left:
            next_turn(builder, turn)
        case _:
            return False
    return True
