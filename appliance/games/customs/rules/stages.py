"""The stages of Customs, each with its rules."""

from __future__ import annotations

from collections.abc import Mapping

from appliance.games.customs.rules.phases import border, loans, opening, paying, receiving, rounds
from appliance.games.customs.rules.state import (
    Appointing,
    Asking,
    Deciding,
    Declaring,
    Doubting,
    Exchanging,
    Opening,
    Over,
    Owing,
    Shuffling,
    Stage,
    State,
)
from appliance.games.customs.rules.step_builder import CustomsStage
from appliance.games.protocol import Prompt

STAGES: Mapping[type[Stage], CustomsStage] = {
    Appointing: rounds.APPOINTING,
    Shuffling: rounds.SHUFFLING,
    Declaring: border.DECLARING,
    Deciding: border.DECIDING,
    Doubting: receiving.DOUBTING,
    Opening: opening.OPENING,
    Exchanging: receiving.EXCHANGING,
    Owing: paying.OWING,
    Asking: paying.ASKING,
    Over: rounds.OVER,
}


def stage_of(state: State) -> CustomsStage:
    """Return the rules of the open stage."""
    return STAGES[type(state.stage)]


def expects(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    """Return the open prompts for the viewer at seat `viewer` (None: everybody)."""
    if isinstance(state.stage, Over):
        return ()
    return (*stage_of(state).prompts(state, viewer), *loans.repayable(state, viewer))
