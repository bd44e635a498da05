"""Drawing cards (PR-10 … PR-17): up to two cards of the row or the pile; a card from the pile ends the draw."""

from __future__ import annotations

from collections.abc import Iterator

from appliance.games.prohis.rules.actions import Draw, StopDrawing, Take
from appliance.games.prohis.rules.codes import reject
from appliance.games.prohis.rules.phases.ending import end_turn, left_in_turn, see_whether_triggered
from appliance.games.prohis.rules.prompts import prompt_of
from appliance.games.prohis.rules.state import State
from appliance.games.prohis.rules.step_builder import ProhisStage, StepBuilder
from appliance.games.protocol import OneOf, Prompt, Rejection

HAND_LIMIT = 8
"""Players with this many cards or more may not start to draw (PR-13)."""


def open_slots(state: State) -> tuple[int, ...]:
    """Return the slots of the row that hold a card."""
    return tuple(slot for slot, card in enumerate(state.row) if card is not None)


def may_draw(state: State) -> bool:
    """Return whether the player whose turn it is may take a card with this hand size (PR-13, PR-14)."""
    held = len(state.players[state.turn].hand)
    return held < HAND_LIMIT or (state.phase == "second" and not state.options.hand_cap)


def take(builder: StepBuilder, action: Take) -> Rejection | None:
    """Take a face-up card and refill its slot at once (PR-12)."""
    state = builder.state
    if problem := _hand_full(state, action.seat):
        return problem
    if action.slot not in open_slots(state):
        return reject("no_card_there", "PR-11", {"slots": [slot + 1 for slot in open_slots(state)]})
    card = state.row[action.slot]
    assert card is not None
    row = list(state.row)
    row[action.slot] = state.pile[0] if state.pile else None
    builder.hand_in(action.seat, (card,))
    builder.change(row=tuple(row), pile=state.pile[1:])
    builder.tell("row_card_taken", "PR-11", seat=action.seat, card=card)
    see_whether_triggered(builder)
    if state.phase == "second":
        end_turn(builder)
        return None
    builder.change(phase="second")
    if not may_draw(builder.state) or not (builder.state.pile or open_slots(builder.state)):
        end_turn(builder)
    return None


def draw(builder: StepBuilder, action: Draw) -> Rejection | None:
    """Take the top card of the pile. The row is full while the pile has cards, so this never begins the last turns."""
    state = builder.state
    if problem := _hand_full(state, action.seat):
        return problem
    if not state.pile:
        return reject("pile_empty", "PR-15")
    builder.hand_in(action.seat, state.pile[:1])
    builder.change(pile=state.pile[1:])
    builder.tell("pile_card_drawn", "PR-11", seat=action.seat)
    builder.tell("pile_card_seen", "PR-5", to=action.seat, card=state.pile[0])
    end_turn(builder)
    return None


def stop_drawing(builder: StepBuilder, action: StopDrawing) -> Rejection | None:
    """End the draw with one card."""
    builder.tell("draw_stopped", "PR-11", seat=action.seat)
    end_turn(builder)
    return None


def _hand_full(state: State, seat: int) -> Rejection | None:
    if not may_draw(state):
        return reject("hand_full", "PR-13", {"seat": seat, "most": HAND_LIMIT})
    return None


# -- the stage


def drawable(state: State, situation: str) -> Iterator[Prompt]:
    """Yield the prompts to draw a card, if the hand has room and a card is left."""
    if not may_draw(state):
        return
    if slots := open_slots(state):
        yield prompt_of(state, situation, state.turn, "take", {"slot": OneOf(slots)})
    if state.pile:
        yield prompt_of(state, situation, state.turn, "draw")


def _second_card(state: State, viewer: int | None) -> Iterator[Prompt]:
    yield from drawable(state, "second")
    yield prompt_of(state, "second", state.turn, "stop_drawing")


SECOND = ProhisStage(
    asked=lambda state: (state.turn,),
    due=lambda state: reject("second_card_due", "PR-11", {"seat": state.turn}),
    prompts=_second_card,
    does={Take: take, Draw: draw, StopDrawing: stop_drawing},
    left=left_in_turn,
)
