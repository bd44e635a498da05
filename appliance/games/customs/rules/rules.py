"""The rules of Customs as one stateless object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, overload

from appliance.games.base.rules.apply_checks import wrong_seat
from appliance.games.customs.rules import actions, view
from appliance.games.customs.rules.codes import reject
from appliance.games.customs.rules.leaving import leave
from appliance.games.customs.rules.options import Options
from appliance.games.customs.rules.phases import paying
from appliance.games.customs.rules.set_up import RULES_REVISION, SEATS, set_up
from appliance.games.customs.rules.stages import expects, stage_of
from appliance.games.customs.rules.state import Over, State
from appliance.games.customs.rules.step_builder import StepBuilder
from appliance.games.customs.rules.view import SeatView, View
from appliance.games.protocol import Action, Outcome, Prompt, Rejection, Setup, Step

ANY_TIME: Mapping[type[Action], Callable[[StepBuilder, Any], Rejection | None]] = {
    actions.Repay: paying.repay,
    actions.Leave: leave,
}
"""The actions that are legal in every stage except the last."""


class CustomsRules:
    """Customs, RULES §4: pure, no clock, no chance, no input or output."""

    name = "customs"
    revision = RULES_REVISION
    seats = SEATS
    action_type: Any = actions.CustomsAction
    options_type: Any = Options
    secret_fields: Mapping[str, frozenset[str]] = {"shuffle": frozenset({"order"})}

    def set_up(self, setup: Setup) -> Step[State] | Rejection:
        """Start a game (CU-1 … CU-5)."""
        return set_up(setup)

    def apply(self, state: State, action: Action) -> Step[State] | Rejection:
        """Do `action` and everything that follows without a decision, or return why it is refused."""
        stage = stage_of(state)
        if isinstance(state.stage, Over):
            return stage.due(state)
        if problem := wrong_seat(action, len(state.players), "CU-1"):
            return problem
        seat = getattr(action, "seat", None)
        if seat is not None and state.players[seat].status != "in":
            return reject("seat_is_out", "CU-62", {"seat": seat})
        builder = StepBuilder(state)
        does = ANY_TIME.get(type(action), stage.take)
        return does(builder, action) or builder.step()

    def expects(self, state: State, seat: int | None) -> tuple[Prompt, ...]:
        """Return the open prompts as the viewer at `seat` may see them."""
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
        return Outcome(state.stage.winners, state.stage.reason) if isinstance(state.stage, Over) else None


RULES = CustomsRules()
