"""A player leaves (SM-101): their sphere is removed, their open choices lapse, the others continue."""

from __future__ import annotations

from appliance.games.protocol import Rejection
from appliance.games.smugglers.rules.actions import Leave
from appliance.games.smugglers.rules.stages import stage_of
from appliance.games.smugglers.rules.state import Tokens
from appliance.games.smugglers.rules.step_builder import StepBuilder


def leave(builder: StepBuilder, action: Leave) -> Rejection | None:
    """Remove a player from the game; allowed at any time while the game is open."""
    seat = action.seat
    _clear_place(builder, seat)
    builder.tell("player_left", "SM-101", seat=seat)
    state = builder.state
    if len(state.here()) == 1:
        builder.end(None, "abandoned")
        builder.tell("game_abandoned", "SM-101")
        return None
    if seat == state.start:
        builder.change(start=state.after(seat))
        builder.tell("start_passed", "SM-101", seat=builder.state.start)
    stage_of(builder.state).left(builder, seat)
    return None


def _clear_place(builder: StepBuilder, seat: int) -> None:
    """Put the player's tokens, bombs and own sweet and sour piece into the box."""
    player, state = builder.state.players[seat], builder.state
    box = Tokens(state.box.sweet + player.tokens.sweet, state.box.sour + player.tokens.sour)
    pieces = state.pieces.plus("bomb", player.usable_bombs + player.spent_bombs).plus("sweet").plus("sour")
    builder.change(box=box, pieces=pieces)
    builder.change_player(
        seat,
        tokens=Tokens(),
        usable_bombs=0,
        spent_bombs=0,
        won_bombs=0,
        room="left",
        place=None,
        attempts=0,
        opened=None,
        seal=None,
        opened_seal=None,
    )
