"""Opening a sphere for all to see (SM-68, SM-90). What is really inside counts, whatever was committed."""

from __future__ import annotations

from appliance.games.protocol import Rejection
from appliance.games.smugglers.rules.actions import Open
from appliance.games.smugglers.rules.codes import reject
from appliance.games.smugglers.rules.phases.inspection import legal_piece, resolve
from appliance.games.smugglers.rules.phases.reveal import resolve_reveal
from appliance.games.smugglers.rules.refusals import refusal
from appliance.games.smugglers.rules.state import Opening, Sealed
from appliance.games.smugglers.rules.step_builder import StepBuilder

MOST_PIECES = 12
"""All the contraband pieces there are (SM-1)."""


def open_sphere(builder: StepBuilder, action: Open) -> Rejection | None:
    """Take what the opened sphere shows, and settle it."""
    state = builder.state
    if not isinstance(state.stage, Opening) or action.seat != state.stage.seat:
        return refusal(state)
    if len(action.found) > MOST_PIECES:
        return reject("too_many_pieces", "SM-1", {"seat": action.seat, "most": MOST_PIECES})
    seal = state.players[action.seat].seal
    opened_seal = Sealed(state.round, seal, action.found) if seal else None
    builder.change_player(action.seat, opened=action.found, seal=None, opened_seal=opened_seal)
    rule = "SM-68" if state.inspection else "SM-90"
    if action.found:
        builder.tell("sphere_opened", rule, seat=action.seat, pieces=list(action.found))
    else:
        builder.tell("empty_sphere_opened", rule, seat=action.seat)
    if state.inspection:
        resolve(builder, state.inspection, action.found)
    else:
        resolve_reveal(builder, action.seat, legal_piece(state, action.seat, action.found))
    return None
