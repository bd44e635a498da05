"""The rules of Prohis as one stateless object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, overload

from appliance.games.base.rules.apply_checks import wrong_seat
from appliance.games.prohis.rules import actions, view
from appliance.games.prohis.rules.leaving import leave
from appliance.games.prohis.rules.options import Options
from appliance.games.prohis.rules.phases import bribing
from appliance.games.prohis.rules.phases.ending import out_of_game
from appliance.games.prohis.rules.set_up import RULES_REVISION, SEATS, set_up
from appliance.games.prohis.rules.stages import expects, stage_of
from appliance.games.prohis.rules.state import State
from appliance.games.prohis.rules.step_builder import StepBuilder
from appliance.games.prohis.rules.view import SeatView, View
from appliance.games.protocol import Action, Outcome, Prompt, Rejection, Setup, Step


class ProhisRules:
    """Prohis, RULES §2: pure, no clock, no chance, no input or output."""

    name = "prohis"
    revision = RULES_REVISION
    seats = SEATS
    action_type: Any = actions.ProhisAction
    options_type: Any = Options
    secret_fields: Mapping[str, frozenset[str]] = {
        "shuffle": frozenset({"order"}),
        "convoy": frozenset({"cards"}),
        "declare": frozenset({"prohi"}),
        "offer": frozenset({"cards"}),
    }

    def set_up(self, setup: Setup) -> Step[State] | Rejection:
        """Start a game (PR-1 … PR-5)."""
        return set_up(setup)

    def apply(self, state: State, action: Action) -> Step[State] | Rejection:
        """Do `action` and everything that follows without a decision, or return why it is refused."""
        stage = stage_of(state)
        if state.phase == "over":
            return stage.due(state)
        if problem := wrong_seat(action, len(state.players), "PR-1"):
            return problem
        seat = getattr(action, "seat", None)
        if seat is not None and (problem := out_of_game(state, seat)):
            return problem
        if isinstance(action, actions.Decide) and (problem := bribing.must_inspect(state, action)):
            return problem
        builder = StepBuilder(state)
        refused = leave(builder, action) if isinstance(action, actions.Leave) else stage.take(builder, action)
        return refused or builder.step()

    def expects(self, state: State, seat: int | None) -> tuple[Prompt, ...]:
        """Return the open prompts, as the viewer at `seat` may see them."""
        return expects(state, seat)

    @overload
    def view(self, state: State, seat: int) -> SeatView: ...

    @overload
    def view(self, state: State, seat: int | None) -> View: ...

    def view(self, state: State, seat: int | None) -> View | SeatView:
        """Return what the viewer at `seat` may know; None and any number that is no seat see the public view."""
        return view.view(state, seat)

    def outcome(self, state: State) -> Outcome | None:
        """Return the winners and the reason's name, or None while the game is open."""
        return None if state.reason is None else Outcome(state.winners, state.reason)


RULES = ProhisRules()
