"""The stages of Haulers, each with its rules. Stages that need no decision continue by themselves.

If the stage of an action is not open, the action itself returns the rejection; every action has its own code for that.
"""

from __future__ import annotations

from collections.abc import Mapping

from appliance.games.haulers.rules.phases import (
    cards,
    cards_by_hand,
    checking,
    moving,
    own_turn,
    renting,
    rolling,
    scoring,
    transit,
    turns,
)
from appliance.games.haulers.rules.phases.deadlock import nobody_can_deliver
from appliance.games.haulers.rules.stages import (
    Briefing,
    ByHand,
    Contest,
    Dealing,
    Discarding,
    Drawing,
    Judging,
    Keeping,
    Looking,
    Moving,
    Ordering,
    Over,
    Parley,
    Raid,
    Reassigning,
    Refilling,
    Renting,
    Rolling,
    Sabotaging,
    Selling,
    Shuffling,
    Stage,
    StationCall,
    TransitDrawing,
    Turn,
)
from appliance.games.haulers.rules.state import State
from appliance.games.haulers.rules.step_builder import HaulersStage, StepBuilder
from appliance.games.protocol import Prompt

STAGES: Mapping[type[Stage], HaulersStage] = {
    Shuffling: cards.SHUFFLING,
    Dealing: cards.DEALING,
    Rolling: rolling.ROLLING,
    Ordering: rolling.ORDERING,
    Briefing: transit.BRIEFING,
    Keeping: cards.KEEPING,
    Turn: own_turn.TURN,
    Moving: moving.MOVING,
    StationCall: moving.STATION_CALL,
    Parley: checking.PARLEY,
    Contest: checking.CONTEST,
    Raid: checking.RAID,
    Looking: checking.LOOKING,
    Drawing: cards.DRAWING,
    Refilling: cards.REFILLING,
    Discarding: cards.DISCARDING,
    TransitDrawing: transit.TRANSIT_DRAWING,
    ByHand: cards_by_hand.BY_HAND,
    Sabotaging: transit.SABOTAGING,
    Reassigning: transit.REASSIGNING,
    Renting: renting.RENTING,
    Selling: turns.SELLING,
    Judging: scoring.JUDGING,
    Over: HaulersStage(),
}


def expects(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    """Return the open prompts as the viewer at a seat (None: everybody) may see them."""
    return tuple(STAGES[type(state.stage)].prompts(state, state.stage, viewer))


def settle(builder: StepBuilder) -> None:
    """Continue until a decision or a result of chance is needed, or the game is over."""
    while STAGES[type(builder.state.stage)].goes_on(builder, builder.state.stage) is not False:
        pass
    turn = builder.open(Turn)
    if turn is not None and not turn.moved and not turn.acted and nobody_can_deliver(builder.state):
        builder.tell("nobody_can_deliver", "TR-50")
        scoring.score(builder, "nobody_can_deliver")
