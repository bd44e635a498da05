"""The stages of Prohis, each with its rules."""

from __future__ import annotations

from collections.abc import Mapping

from appliance.games.prohis.rules.phases import (
    bribing,
    convoying,
    counting,
    dealing,
    drawing,
    ending,
    inspection,
    own_turn,
)
from appliance.games.prohis.rules.state import Phase, State
from appliance.games.prohis.rules.step_builder import ProhisStage
from appliance.games.protocol import Prompt

STAGES: Mapping[Phase, ProhisStage] = {
    "shuffle": dealing.SHUFFLE,
    "start": dealing.START,
    "turn": own_turn.TURN,
    "second": drawing.SECOND,
    "declare": convoying.DECLARE,
    "bribe": bribing.BRIBE,
    "answer": bribing.ANSWER,
    "decide": bribing.DECIDE,
    "inspect": inspection.INSPECT,
    "play": counting.PLAY,
    "count": counting.COUNT,
    "over": ending.OVER,
}


def stage_of(state: State) -> ProhisStage:
    """Return the rules of the open stage."""
    return STAGES[state.phase]


def expects(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    """Return the open prompts as `viewer` may see them."""
    return tuple(stage_of(state).prompts(state, viewer))
