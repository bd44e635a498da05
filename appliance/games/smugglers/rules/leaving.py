"""A player leaves (SM-101): their sphere is out, their open choices lapse, the others play on."""

from __future__ import annotations

from appliance.games.protocol import Rejection
from appliance.games.smugglers.rules.actions import Leave
from appliance.games.smugglers.rules.phases.inspection import inspect_next
from appliance.games.smugglers.rules.phases.reveal import reveal_next
from appliance.games.smugglers.rules.phases.skill_test import next_at_track
from appliance.games.smugglers.rules.phases.token_choice import go_on
from appliance.games.smugglers.rules.phases.weighing import settle
from appliance.games.smugglers.rules.state import Inspecting, Opening, Ordering, Taking, Tokens, Trying, Weighing
from appliance.games.smugglers.rules.step_builder import StepBuilder


def leave(builder: StepBuilder, action: Leave) -> Rejection | None:
    """Let a player go; allowed at any time while the game is open."""
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
    _lapse(builder, seat)
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
        room="left",
        place=None,
        attempts=0,
        opened=None,
        seal=None,
        opened_seal=None,
    )


def _lapse(builder: StepBuilder, seat: int) -> None:
    """Go on where the table waited for the player who left, or for a choice about them."""
    inspection = builder.state.inspection
    match builder.state.stage:
        case Trying(seat=waited) if waited == seat:
            next_at_track(builder)
        case Weighing(spheres=spheres) if any(sphere.seat == seat for sphere in spheres):
            builder.change(stage=Weighing(tuple(sphere for sphere in spheres if sphere.seat != seat)))
            settle(builder)
        case Inspecting(place=place, seat=waited) if waited == seat:
            inspect_next(builder, place)
        case Inspecting(place=place):
            # One choice fewer, perhaps none.
            inspect_next(builder, place - 1)
        case Opening(seat=waited) if waited == seat and inspection:
            # The inspection is still due while a closed sphere is left to choose.
            builder.change(lapsed=builder.state.lapsed + 1)
            inspect_next(builder, inspection.place - 1)
        case Opening(seat=waited) if waited == seat or (inspection and inspection.inspector == seat):
            # Without its inspector an inspection that was not opened never happened: its target is uninspected again.
            go_on(builder)
        case Taking(seat=waited) if waited == seat:
            go_on(builder)
        case Taking(seat=thief, cause="missed_bomb") if inspection and inspection.inspector == seat:
            builder.spend_bomb(thief, "SM-85")
            go_on(builder)
        case Ordering(seat=smaller, other=larger) if seat in (smaller, larger):
            reveal_next(builder)
        case _:
            pass
