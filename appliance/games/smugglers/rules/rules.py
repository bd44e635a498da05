"""The rules of Smugglers as one stateless object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, overload

from appliance.games.base.rules.apply_checks import wrong_seat
from appliance.games.protocol import Action, Outcome, Prompt, Rejection, Setup, Step
from appliance.games.smugglers.rules import actions, view
from appliance.games.smugglers.rules.codes import reject
from appliance.games.smugglers.rules.leaving import leave
from appliance.games.smugglers.rules.options import Options
from appliance.games.smugglers.rules.phases import seals, skill_test, weighing
from appliance.games.smugglers.rules.set_up import RULES_REVISION, SEATS, set_up
from appliance.games.smugglers.rules.stages import expects, stage_of
from appliance.games.smugglers.rules.state import Over, State
from appliance.games.smugglers.rules.step_builder import StepBuilder
from appliance.games.smugglers.rules.view import SeatView, View

ANY_TIME: Mapping[type[Action], Callable[[StepBuilder, Any], Rejection | None]] = {
    actions.Unseal: seals.unseal,
    actions.Leave: leave,
}
"""Actions that are legal in every stage except the last. In the last stage seals may still be shown, without effect."""
REFUSED_FIRST: Mapping[type[Action], Callable[[State, Any], Rejection | None]] = {
    actions.Commit: seals.sealing_closed,
    actions.TimeUp: skill_test.hourglass_not_running,
    actions.Weigh: weighing.no_such_mass,
}
"""Checks of actions that run in every stage, before the stage itself is asked."""


class SmugglersRules:
    """Smugglers, RULES §1: pure, no clock, no chance, no input or output."""

    name = "smugglers"
    revision = RULES_REVISION
    seats = SEATS
    action_type: Any = actions.SmugglersAction
    options_type: Any = Options
    secret_fields: Mapping[str, frozenset[str]] = {"weigh": frozenset({"mass_g"})}

    def set_up(self, setup: Setup) -> Step[State] | Rejection:
        """Start a game (SM-6 … SM-12)."""
        return set_up(setup)

    def apply(self, state: State, action: Action) -> Step[State] | Rejection:
        """Do `action` and everything that follows without a decision, or return why it is refused."""
        stage = stage_of(state)
        if isinstance(state.stage, Over) and not isinstance(action, actions.Unseal):
            return stage.due(state)
        if problem := wrong_seat(action, len(state.players), "SM-6"):
            return problem
        seat = getattr(action, "seat", None)
        if seat is not None and state.players[seat].room == "left":
            return reject("seat_left", "SM-101", {"seat": seat})
        refuses = REFUSED_FIRST.get(type(action))
        if refuses is not None and (problem := refuses(state, action)):
            return problem
        builder = StepBuilder(state)
        return ANY_TIME.get(type(action), stage.take)(builder, action) or builder.step()

    def expects(self, state: State, seat: int | None) -> tuple[Prompt, ...]:
        """Return the open prompts; they hold no secret, so every viewer gets the same."""
        return expects(state)

    @overload
    def view(self, state: State, seat: int) -> SeatView: ...

    @overload
    def view(self, state: State, seat: int | None) -> View: ...

    def view(self, state: State, seat: int | None) -> View | SeatView:
        """Return what the viewer at `seat` may know; None and any number that is no seat see the public view."""
        return view.view(state, seat)

    def outcome(self, state: State) -> Outcome | None:
        """Return the winner (none for an abandoned game) and the reason's name, or None while the game is open."""
        if not isinstance(state.stage, Over):
            return None
        winner = state.stage.winner
        return Outcome(() if winner is None else (winner,), state.stage.reason)


RULES = SmugglersRules()
