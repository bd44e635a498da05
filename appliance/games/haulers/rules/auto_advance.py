"""What goes on by itself: stages of the agenda that ask nobody."""

from __future__ import annotations

from appliance.games.haulers.rules.deadlock import nobody_can_deliver
from appliance.games.haulers.rules.phases.cards import deal, draw_on, keep
from appliance.games.haulers.rules.phases.checking import compare, look_by_itself, raid
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
from appliance.games.haulers.rules.step_builder import Draft


def settle(draft: Draft) -> None:
    """Go on until somebody has to decide, something has to be drawn by chance, or the game is over."""
    while _goes_on(draft):
        pass
    turn = draft.open(Turn)
    if turn is not None and not turn.moved and not turn.acted and nobody_can_deliver(draft.state):
        draft.tell("nobody_can_deliver", "TR-50")
        score(draft, "nobody_can_deliver")


def _goes_on(draft: Draft) -> bool:
    """Do what the open stage does by itself; say whether it did anything."""
    match draft.state.stage:
        case Dealing() as dealing:
            deal(draft, dealing)
        case Ordering() as ordering:
            order(draft, ordering)
        case Briefing() as briefing:
            return brief(draft, briefing)
        case Keeping() as keeping:
            return keep(draft, keeping)
        case Drawing() as drawing:
            draw_on(draft, drawing)
        case TransitDrawing() as drawing:
            draw_transit(draft, drawing)
        case Contest() as contest:
            compare(draft, contest)
        case Raid() as raided:
            return raid(draft, raided)
        case Looking() as looking:
            return look_by_itself(draft, looking)
        case Moving() as moving:
            return arrive(draft, moving)
        case Turn(seat=seat) as turn if draft.player(seat).left:
            next_turn(draft, turn)
        case _:
            return False
    return True
