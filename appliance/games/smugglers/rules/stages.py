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


class _Newest:
    """The open prompts of the states that were asked for last: every screen and the referee ask for the same ones.

    Threads may share it, because a tuple is replaced whole.
    """

    MOST = 4

    def __init__(self) -> None:
        self._known: tuple[tuple[State, tuple[Prompt, ...]], ...] = ()

    def expects(self, state: State) -> tuple[Prompt, ...]:
        for known, prompts in self._known:
            if known is state:
                return prompts
        prompts = (*stage_of(state).prompts(state, None), *seals.unsealable(state))
        self._known = ((state, prompts), *self._known[: self.MOST - 1])
        return prompts


_newest = _Newest()


def expects(state: State) -> tuple[Prompt, ...]:
    """Return the open prompts. They are the same for every viewer: nothing in them is secret."""
    return () if isinstance(state.stage, Over) else _newest.expects(state)
