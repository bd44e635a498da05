"""A player leaves (SM-101): his sphere is out, what he owes or is owed lapses, the rest play on."""

from __future__ import annotations

from appliance.games.protocol import Rejection
from appliance.games.smugglers.rules.actions import Leave
from appliance.games.smugglers.rules.phases.inspection import inspect_next
from appliance.games.smugglers.rules.phases.reveal import reveal_next
from appliance.games.smugglers.rules.phases.skill_test import next_at_track
from appliance.games.smugglers.rules.phases.token_choice import go_on
from appliance.games.smugglers.rules.phases.weighing import settle
from appliance.games.smugglers.rules.state import Inspecting, Opening, Ordering, Taking, Tokens, Trying, Weighing
from appliance.games.smugglers.rules.step_builder import Draft


def leave(draft: Draft, action: Leave) -> Rejection | None:
    """Let a player go; allowed at any time while the game is open."""
    seat = action.seat
    _clear_place(draft, seat)
    draft.tell("player_left", "SM-101", seat=seat)
    state = draft.state
    if len(state.here()) == 1:
        draft.end(None, "abandoned")
        draft.tell("game_abandoned", "SM-101")
        return None
    if seat == state.start:
        draft.change(start=state.after(seat))
        draft.tell("start_passed", "SM-101", seat=draft.state.start)
    _lapse(draft, seat)
    return None


def _clear_place(draft: Draft, seat: int) -> None:
    """Put everything of his into the box: tokens, bombs, and his own sweet and sour piece."""
    player, state = draft.state.players[seat], draft.state
    box = Tokens(state.box.sweet + player.tokens.sweet, state.box.sour + player.tokens.sour)
    pieces = state.pieces.plus("bomb", player.usable_bombs + player.spent_bombs).plus("sweet").plus("sour")
    draft.change(box=box, pieces=pieces)
    draft.change_player(
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


def _lapse(draft: Draft, seat: int) -> None:
    """Go on where the table waited for the player who left, or for something about him."""
    inspection = draft.state.inspection
    match draft.state.stage:
        case Trying(seat=waited) if waited == seat:
            next_at_track(draft)
        case Weighing(spheres=spheres) if any(sphere.seat == seat for sphere in spheres):
            draft.change(stage=Weighing(tuple(sphere for sphere in spheres if sphere.seat != seat)))
            settle(draft)
        case Inspecting(place=place, seat=waited) if waited == seat:
            inspect_next(draft, place)
        case Inspecting(place=place):
            # One choice fewer, perhaps none.
            inspect_next(draft, place - 1)
        case Opening(seat=waited) if waited == seat and inspection:
            # The inspection is still due while a closed sphere is left to choose.
            draft.change(lapsed=draft.state.lapsed + 1)
            inspect_next(draft, inspection.place - 1)
        case Opening(seat=waited) if waited == seat or (inspection and inspection.inspector == seat):
            # Without its inspector an inspection that was not opened never happened: its target is uninspected again.
            go_on(draft)
        case Taking(seat=waited) if waited == seat:
            go_on(draft)
        case Taking(seat=thief, cause="missed_bomb") if inspection and inspection.inspector == seat:
            draft.spend_bomb(thief, "SM-85")
            go_on(draft)
        case Ordering(seat=smaller, other=larger) if seat in (smaller, larger):
            reveal_next(draft)
        case _:
            pass
