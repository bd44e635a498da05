"""The inspections (RULES §1.8): who inspects whom, and the effects of the guess."""

from __future__ import annotations

from appliance.games.protocol import Choice, OneOf, Prompt, Rejection
from appliance.games.smugglers.rules.actions import PIECES, Found, Inspect, Piece
from appliance.games.smugglers.rules.codes import reject
from appliance.games.smugglers.rules.phases.reveal import reveal_next
from appliance.games.smugglers.rules.phases.rounds import next_round
from appliance.games.smugglers.rules.prompts import prompt_of
from appliance.games.smugglers.rules.state import Inspecting, Inspection, Opening, State, Taking
from appliance.games.smugglers.rules.step_builder import SmugglersStage, StepBuilder


def inspect_next(builder: StepBuilder, after: int) -> None:
    """Ask for the next inspection after that of armchair `after` (0: the first), or continue with the reveal.

    Armchair 2 inspects only in rounds of four (SM-60 … SM-62). If it is empty, there is one inspection (SM-63).
    """
    builder.change(phase="inspect", inspection=None)
    state = builder.state
    last = 2 if state.count == 4 else 1
    for place in range(after + 1, last + 1):
        inspector = state.in_chair(place)
        if inspector is not None and state.unopened_junk():
            builder.change(stage=Inspecting(inspector, place))
            return
    nothing_opened = all(state.players[seat].opened is None for seat in state.here())
    if not state.in_room("office") and nothing_opened:
        # Nobody is left who inspects. The spheres in the junk room stay closed, even one that passed.
        builder.tell("office_left", "SM-101")
        next_round(builder)
    else:
        reveal_next(builder)


def inspect(builder: StepBuilder, action: Inspect) -> Rejection | None:
    """Take an inspector's target and guess; both are final (SM-67)."""
    stage = builder.state.at(Inspecting)
    targets = builder.state.unopened_junk()
    if action.target not in targets:
        return reject("not_to_be_inspected", "SM-61", {"targets": list(targets)})
    inspection = Inspection(stage.seat, stage.place, action.target, action.guess)
    builder.change(stage=Opening(action.target), inspection=inspection)
    builder.tell("inspection_made", "SM-67", seat=action.seat, target=action.target, guess=action.guess)
    return None


def resolve(builder: StepBuilder, inspection: Inspection, found: tuple[Found, ...]) -> None:
    """Settle an inspection by the real content of the sphere, which takes precedence over the phone's seal."""
    target, inspector = inspection.target, inspection.inspector
    hidden = legal_piece(builder.state, target, found)
    if hidden is None:
        builder.tell("sack_illegal", "SM-87", seat=target)
        builder.change(stage=Taking(inspector, "illegal_sack"))
        return
    right = hidden == inspection.guess
    builder.tell("guess_right" if right else "guess_wrong", "SM-67", seat=inspector, target=target)
    if hidden != "bomb":
        builder.gain(inspector if right else target, hidden, "SM-80" if right else "SM-84")
    elif right:
        _hand_over_bomb(builder, inspection)
    else:
        builder.change(stage=Taking(target, "missed_bomb"))
        return
    if not builder.over:
        inspect_next(builder, inspection.place)


def legal_piece(state: State, seat: int, found: tuple[Found, ...]) -> Piece | None:
    """Return the one legal piece in a sphere, or None for an illegal sack (SM-23, SM-87, SM-89)."""
    if len(found) != 1:
        return None
    hidden = found[0]
    if hidden == "foreign" or (hidden == "bomb" and state.players[seat].hideable_bombs == 0):
        return None
    return hidden


def _hand_over_bomb(builder: StepBuilder, inspection: Inspection) -> None:
    """Move a correctly guessed bomb to the inspector, still usable. No token moves (SM-83)."""
    inspector, target = inspection.inspector, inspection.target
    builder.change_player(target, usable_bombs=builder.state.players[target].usable_bombs - 1)
    builder.win_bomb(inspector)
    builder.tell("bomb_handed_over", "SM-83", seat=inspector, target=target)


# -- the stage


def _inspecting(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    choices: dict[str, Choice] = {"target": OneOf(state.unopened_junk()), "guess": OneOf(PIECES)}
    again = f".again{state.lapsed}" if state.lapsed else ""
    return (prompt_of(state, "inspect", state.at(Inspecting).seat, "inspect", choices, more=again),)


def _left_while_inspecting(builder: StepBuilder, seat: int) -> None:
    stage = builder.state.at(Inspecting)
    # If a possible target left, there is one choice fewer, perhaps none.
    inspect_next(builder, stage.place if seat == stage.seat else stage.place - 1)


INSPECTING = SmugglersStage(
    asked=lambda state: (state.at(Inspecting).seat,),
    due=lambda state: reject("inspection_due", "SM-65", {"seat": state.at(Inspecting).seat}),
    prompts=_inspecting,
    does={Inspect: inspect},
    left=_left_while_inspecting,
)
