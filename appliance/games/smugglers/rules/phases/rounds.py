"""Rounds: their start, their end, and rounds in which no sphere passed (SM-14 … SM-16, SM-66)."""

from __future__ import annotations

from appliance.games.protocol import Rejection
from appliance.games.smugglers.rules.codes import reject
from appliance.games.smugglers.rules.goals import ABANDONED_RULE, GOALS
from appliance.games.smugglers.rules.state import Over, Rolling, State
from appliance.games.smugglers.rules.step_builder import SmugglersStage, StepBuilder


def next_round(builder: StepBuilder) -> None:
    """Reset the spheres (SM-94b) and start a round. The starting player and the die move one seat clockwise (SM-15)."""
    state = builder.state
    for seat in state.here():
        builder.change_player(seat, room="screen", place=None, attempts=0, won_bombs=0, opened=None, seal=None)
    builder.change(
        round=state.round + 1,
        start=state.after(state.start),
        count=len(state.here()),
        phase="roll",
        lane=None,
        blind=False,
        stage=Rolling(),
        inspection=None,
        first_of_two=None,
        lapsed=0,
    )
    builder.tell("round_started", "SM-15", seat=builder.state.start, round=builder.state.round)


def void_round(builder: StepBuilder) -> None:
    """End a round in which no sphere passed: no inspection, no reveal, nothing is spent (SM-66)."""
    builder.tell("round_void", "SM-66")
    next_round(builder)


def _game_over(state: State) -> Rejection:
    abandoned = state.at(Over).winner is None
    return reject("game_over", ABANDONED_RULE if abandoned else GOALS[state.options.goal].rule)


OVER = SmugglersStage(due=_game_over)
