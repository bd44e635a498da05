"""A player leaves: they pay debts as far as possible, their remaining money leaves the game, the others continue."""

from __future__ import annotations

from appliance.games.customs.rules.actions import Leave
from appliance.games.customs.rules.phases.loans import forget_loans, repay_all
from appliance.games.customs.rules.phases.paying import pay_all_due
from appliance.games.customs.rules.phases.rounds import end_if_too_few, end_round
from appliance.games.customs.rules.stages import stage_of
from appliance.games.customs.rules.step_builder import StepBuilder
from appliance.games.protocol import Rejection


def leave(builder: StepBuilder, action: Leave) -> Rejection | None:
    """Remove a player from the game; allowed at any time while the game is open."""
    seat = action.seat
    builder.tell("player_left", "CU-62", seat=seat)
    pay_all_due(builder, seat)
    repay_all(builder, seat)
    state = builder.state
    builder.change(set_aside=state.set_aside + state.players[seat].money)
    builder.change_player(seat, money=0, status="left")
    forget_loans(builder, seat)
    if end_if_too_few(builder):
        return None
    if seat == state.officer:
        builder.tell("officer_out", "CU-62", seat=seat)
        end_round(builder)
        return None
    stage_of(builder.state).left(builder, seat)
    return None
