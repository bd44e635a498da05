"""A player leaves the table: like a pass, at any time. Their convoy, declaration or bribe is called off."""

from __future__ import annotations

from appliance.games.prohis.rules.actions import Leave
from appliance.games.prohis.rules.codes import reject
from appliance.games.prohis.rules.phases.convoying import arrive, settle_declarations
from appliance.games.prohis.rules.phases.ending import end_turn, finish
from appliance.games.prohis.rules.step_builder import StepBuilder
from appliance.games.protocol import Rejection


def leave(builder: StepBuilder, action: Leave) -> Rejection | None:
    """Let a player leave. Their hand and warehouse still score."""
    seat = action.seat
    if builder.state.options.physical:
        return reject("real_cards_stay", "AP-1", {"seat": seat})
    builder.change_player(seat, passed=True)
    builder.tell("player_left", "PR-40", seat=seat)
    state = builder.state
    if state.convoy is None:
        if not state.active(seat):
            finish(builder, "all_passed", "PR-42")
        elif state.phase in ("turn", "second") and seat == state.turn:
            end_turn(builder)
    elif seat == state.turn:
        _call_off(builder)
    elif state.phase == "declare":
        kept = tuple(one for one in state.convoy.declared if one.seat != seat)
        builder.change_convoy(declared=kept)
        settle_declarations(builder)
    elif seat == state.convoy.inspector:
        _return_offer(builder)
        _return_prohi(builder)
        arrive(builder, "PR-40")
    return None


def _call_off(builder: StepBuilder) -> None:
    """The Smuggler has left: all take their cards back."""
    _return_offer(builder)
    if builder.convoy.inspector is not None:
        _return_prohi(builder)
    builder.hand_in(builder.state.turn, builder.convoy.cards)
    builder.tell("convoy_called_off", "PR-40", seat=builder.state.turn)
    end_turn(builder)


def _return_offer(builder: StepBuilder) -> None:
    if builder.convoy.offer is not None:
        builder.hand_in(builder.state.turn, builder.convoy.offer)


def _return_prohi(builder: StepBuilder) -> None:
    inspector, prohi = builder.convoy.inspector, builder.convoy.prohi
    assert inspector is not None
    assert prohi is not None
    builder.hand_in(inspector, (prohi,))
