"""A player leaves the table: like a pass, at any time. Their convoy, declaration or bribe is cancelled."""

from __future__ import annotations

from appliance.games.prohis.rules.actions import Leave
from appliance.games.prohis.rules.codes import reject
from appliance.games.prohis.rules.phases.ending import finish
from appliance.games.prohis.rules.stages import stage_of
from appliance.games.prohis.rules.step_builder import StepBuilder
from appliance.games.protocol import Rejection


def leave(builder: StepBuilder, action: Leave) -> Rejection | None:
    """Let a player leave. Their hand and warehouse still score."""
    seat = action.seat
    if builder.state.options.physical:
        return reject("real_cards_stay", "AP-1", {"seat": seat})
    builder.change_player(seat, passed=True, left=True)
    builder.tell("player_left", "PR-40", seat=seat)
    if not builder.state.active(seat):
        finish(builder, "all_passed", "PR-42")
    else:
        stage_of(builder.state).left(builder, seat)
    return None
