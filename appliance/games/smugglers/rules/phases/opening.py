"""Opening a sphere for all to see (SM-68, SM-90). The real content counts, not the sealed one."""

from __future__ import annotations

from appliance.games.protocol import Choice, ManyOf, Prompt, Rejection
from appliance.games.smugglers.rules.actions import FOUND, Open
from appliance.games.smugglers.rules.codes import reject
from appliance.games.smugglers.rules.phases.inspection import inspect_next, legal_piece, resolve
from appliance.games.smugglers.rules.phases.reveal import resolve_reveal
from appliance.games.smugglers.rules.phases.token_choice import go_on
from appliance.games.smugglers.rules.prompts import prompt_of
from appliance.games.smugglers.rules.state import Opening, Sealed, State
from appliance.games.smugglers.rules.step_builder import SmugglersStage, StepBuilder

MOST_PIECES = 12
"""Number of contraband pieces in the box (SM-1)."""
FOUND_INSIDE: dict[str, Choice] = {"found": ManyOf(FOUND, at_most=MOST_PIECES)}


def open_sphere(builder: StepBuilder, action: Open) -> Rejection | None:
    """Record the content of the opened sphere, and settle it."""
    state = builder.state
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


# -- the stage


def _opening(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    by = f".by{state.inspection.inspector}" if state.inspection else ""
    return (prompt_of(state, "open", state.at(Opening).seat, "open", FOUND_INSIDE, more=by),)


def _left_while_opening(builder: StepBuilder, seat: int) -> None:
    waited, inspection = builder.state.at(Opening).seat, builder.state.inspection
    if seat == waited and inspection:
        # The inspection is still due if a closed sphere is left to choose.
        builder.change(lapsed=builder.state.lapsed + 1)
        inspect_next(builder, inspection.place - 1)
    elif seat == waited or (inspection and inspection.inspector == seat):
        # If the inspector left before the opening, the inspection is void: its target counts as uninspected again.
        go_on(builder)


OPENING = SmugglersStage(
    asked=lambda state: (state.at(Opening).seat,),
    due=lambda state: reject("opening_due", "SM-68" if state.inspection else "SM-90", {"seat": state.at(Opening).seat}),
    prompts=_opening,
    does={Open: open_sphere},
    left=_left_while_opening,
)
