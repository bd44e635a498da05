"""The rules of Haulers as one stateless object, with the function for each action."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, overload

from appliance.games.base.rules.apply_checks import wrong_seat
from appliance.games.haulers.rules import actions, view
from appliance.games.haulers.rules.codes import reject
from appliance.games.haulers.rules.options import Options
from appliance.games.haulers.rules.phases import (
    buying,
    cards,
    cards_by_hand,
    checking,
    hauling,
    moving,
    renting,
    rolling,
    scoring,
    transit,
    turns,
)
from appliance.games.haulers.rules.phases.leaving import leave
from appliance.games.haulers.rules.set_up import RULES_REVISION, SEATS, set_up
from appliance.games.haulers.rules.stage_rules import expects, settle
from appliance.games.haulers.rules.stages import Over
from appliance.games.haulers.rules.state import State
from appliance.games.haulers.rules.step_builder import StepBuilder
from appliance.games.haulers.rules.view import SeatView, View
from appliance.games.protocol import Action, Outcome, Prompt, Rejection, Setup, Step

_DOES: dict[type[Action], Callable[[StepBuilder, Any], Rejection | None]] = {
    actions.Shuffle: cards.shuffle,
    actions.Roll: rolling.roll,
    actions.Discard: cards.discard,
    actions.SwapMission: transit.swap_mission,
    actions.KeepMission: transit.keep_mission,
    actions.Redraw: cards.redraw,
    actions.Drive: moving.drive,
    actions.Sail: moving.sail,
    actions.Go: moving.go,
    actions.Stop: moving.stop,
    actions.Start: hauling.start,
    actions.Complete: hauling.complete,
    actions.Check: checking.check,
    actions.CallIn: moving.call_in,
    actions.WaveOn: moving.wave_on,
    actions.Offer: checking.offer,
    actions.Accept: checking.accept,
    actions.RollOff: checking.roll_off,
    actions.ShowPapers: checking.show_papers,
    actions.Inspect: checking.inspect,
    actions.Draw: cards.draw,
    actions.Skip: cards.skip,
    actions.Buy: buying.buy,
    actions.Build: buying.build,
    actions.Enlarge: buying.enlarge,
    actions.Launch: buying.launch,
    actions.BuyPapers: buying.buy_papers,
    actions.Transfer: hauling.transfer,
    actions.AskBoat: renting.ask_boat,
    actions.Lend: renting.lend,
    actions.Refuse: renting.refuse,
    actions.ReturnBoat: renting.return_boat,
    actions.Sabotage: transit.sabotage,
    actions.HandOver: cards_by_hand.hand_over,
    actions.Done: cards_by_hand.done,
    actions.Judge: scoring.judge,
    actions.EndTurn: turns.end_turn,
    actions.BuyTurn: turns.buy_turn,
    actions.Decline: turns.decline,
    actions.Leave: leave,
}


ROLES = ("seat", "target", "owner", "source")
"""Fields of actions that hold seats."""


class HaulersRules:
    """Trucks and boats, RULES §3: pure, no clock, no chance, no input or output."""

    name = "haulers"
    revision = RULES_REVISION
    seats = SEATS
    action_type: Any = actions.HaulersAction
    options_type: Any = Options
    secret_fields: Mapping[str, frozenset[str]] = {
        "shuffle": frozenset({"order"}),
        "discard": frozenset({"card"}),
        "start": frozenset({"card", "kind"}),
    }

    def set_up(self, setup: Setup) -> Step[State] | Rejection:
        """Start a game (TR-1 … TR-3)."""
        return set_up(setup)

    def apply(self, state: State, action: Action) -> Step[State] | Rejection:
        """Do `action` and everything that follows without a decision, or return why it is refused."""
        if isinstance(state.stage, Over):
            return reject("game_over", "TR-52")
        if problem := wrong_seat(action, len(state.players), "TR-1", roles=ROLES):
            return problem
        for role in ROLES:
            seat = getattr(action, role, None)
            if seat is not None and state.players[seat].left:
                return reject("seat_left", "TR-10", {"seat": seat})
        builder = StepBuilder(state)
        builder.change(deed=state.deed + 1)
        refused = _DOES[type(action)](builder, action)
        if refused is not None:
            return refused
        settle(builder)
        return builder.step()

    def expects(self, state: State, seat: int | None) -> tuple[Prompt, ...]:
        """Return the open prompts. Those that depend on a hand are shown only to its owner."""
        return expects(state, seat)

    @overload
    def view(self, state: State, seat: int) -> SeatView: ...

    @overload
    def view(self, state: State, seat: int | None) -> View: ...

    def view(self, state: State, seat: int | None) -> View | SeatView:
        """Return what the viewer at `seat` may know; None and any number that is no seat see the public view."""
        return view.view(state, seat)

    def outcome(self, state: State) -> Outcome | None:
        """Return the winners (none for an abandoned game) and the reason's name, or None while the game is open."""
        return Outcome(state.stage.winners, state.stage.reason) if isinstance(state.stage, Over) else None


RULES = HaulersRules()
