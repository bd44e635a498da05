"""The next traveller believes or turns Informer. After believing they discard one card and draw one (RULES §4.4)."""

from __future__ import annotations

from appliance.games.customs.rules.actions import Believe, Disbelieve, Discard
from appliance.games.customs.rules.cards import CARDS
from appliance.games.customs.rules.codes import reject
from appliance.games.customs.rules.phases.opening import look_into
from appliance.games.customs.rules.phases.rounds import end_round, hand_lapses, let_declare
from appliance.games.customs.rules.prompts import prompt_of
from appliance.games.customs.rules.state import Cards, Doubting, Exchanging, State
from appliance.games.customs.rules.step_builder import CustomsStage, StepBuilder
from appliance.games.protocol import Choice, OneOf, Prompt, Rejection


def believe(builder: StepBuilder, action: Believe) -> Rejection | None:
    """Take the hand. Only then may the traveller look at it (CU-30, CU-31)."""
    state = builder.state
    builder.change(declaration=None)
    builder.tell("hand_believed", "CU-31", seat=action.seat)
    if not state.pack:
        builder.tell("hand_lapsed", "CU-50", seat=action.seat)
        end_round(builder)
    elif state.options.physical:
        # The players see on the table which real card was discarded.
        _exchange(builder, action.seat, state.hand[:1])
    else:
        builder.change(stage=Exchanging(action.seat))
    return None


def disbelieve(builder: StepBuilder, action: Disbelieve) -> Rejection | None:
    """Have the hand shown (CU-32, CU-43)."""
    state = builder.state
    assert state.declaration is not None
    builder.tell("hand_disbelieved", "CU-32", seat=action.seat, target=state.declaration.seat)
    look_into(builder, action.seat)
    return None


def discardable(hand: Cards) -> Cards:
    """Return the kinds of a received hand that may be discarded: only the Bag if the hand has it (CU-45)."""
    return ("bag",) if "bag" in hand else tuple(card for card in CARDS if card in hand)


def discard(builder: StepBuilder, action: Discard) -> Rejection | None:
    """Lay one card face up on the open suitcase and draw one (CU-31)."""
    state = builder.state
    if action.card not in discardable(state.hand):
        # The same rejection for every card that may not be discarded: only the traveller knows which one may.
        return reject("card_cannot_go", "CU-45" if "bag" in state.hand else "CU-31", {"seat": action.seat})
    builder.tell("card_discarded", "CU-31", seat=action.seat, card=action.card)
    _exchange(builder, action.seat, (action.card,))
    return None


def _exchange(builder: StepBuilder, seat: int, gone: Cards) -> None:
    state = builder.state
    kept = list(state.hand)
    kept.remove(gone[0])
    builder.change(hand=(*kept, *state.pack[:1]), pack=state.pack[1:], discards=(*state.discards, *gone), opened=None)
    let_declare(builder, seat)


# -- the stages


def _doubting(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    seat = state.at(Doubting).seat
    return tuple(prompt_of(state, "doubt", seat, do) for do in ("believe", "disbelieve"))


def _left_while_doubting(builder: StepBuilder, seat: int) -> None:
    state, waited = builder.state, builder.state.at(Doubting).seat
    if seat == waited:
        hand_lapses(builder, state.next_traveller(seat))
    elif state.declaration and seat == state.declaration.seat:
        hand_lapses(builder, waited)


def _exchanging(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    seat = state.at(Exchanging).seat
    own: dict[str, Choice] = {"card": OneOf(discardable(state.hand))} if viewer == seat else {}
    return (prompt_of(state, "exchange", seat, "discard", own, veiled=viewer != seat),)


def _left_while_exchanging(builder: StepBuilder, seat: int) -> None:
    if seat == builder.state.at(Exchanging).seat:
        hand_lapses(builder, builder.state.next_traveller(seat))


DOUBTING = CustomsStage(
    asked=lambda state: (state.at(Doubting).seat,),
    due=lambda state: reject("doubt_due", "CU-30", {"seat": state.at(Doubting).seat}),
    prompts=_doubting,
    does={Believe: believe, Disbelieve: disbelieve},
    left=_left_while_doubting,
)
EXCHANGING = CustomsStage(
    asked=lambda state: (state.at(Exchanging).seat,),
    due=lambda state: reject("discard_due", "CU-31", {"seat": state.at(Exchanging).seat}),
    prompts=_exchanging,
    does={Discard: discard},
    left=_left_while_exchanging,
)
