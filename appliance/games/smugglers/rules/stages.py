"""The stages of Smugglers, each with its rules."""

from __future__ import annotations

from collections.abc import Mapping

from appliance.games.protocol import Prompt
from appliance.games.smugglers.rules.phases import (
    inspection,
    opening,
    reveal,
    rounds,
    seals,
    skill_test,
    token_choice,
    weighing,
)
from appliance.games.smugglers.rules.state import (
    Inspecting,
    Opening,
    Ordering,
    Over,
    Rolling,
    Sculpting,
    Stage,
    State,
    Taking,
    Trying,
    Weighing,
)
from appliance.games.smugglers.rules.step_builder import SmugglersStage

STAGES: Mapping[type[Stage], SmugglersStage] = {
    Rolling: skill_test.ROLLING,
    Sculpting: skill_test.SCULPTING,
    Trying: skill_test.TRYING,
    Weighing: weighing.WEIGHING,
    Inspecting: inspection.INSPECTING,
    Opening: opening.OPENING,
    Taking: token_choice.TAKING,
    Ordering: reveal.ORDERING,
    Over: rounds.OVER,
}


def stage_of(state: State) -> SmugglersStage:
    """Return the rules of the open stage."""
    return STAGES[type(state.stage)]


def expects(state: State) -> tuple[Prompt, ...]:
    """Return the open prompts. They are the same for every viewer: nothing in them is secret."""
    if isinstance(state.stage, Over):
        return ()
    return (*stage_of(state).prompts(state, None), *seals.unsealable(state))
