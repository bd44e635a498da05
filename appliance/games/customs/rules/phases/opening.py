"""Showing a hand to all, and the payments that follow: duty, fines, compensation, reward (CU-21, CU-32, §4.5)."""

from __future__ import annotations

from collections import Counter

from appliance.games.customs.rules.actions import Open
from appliance.games.customs.rules.cards import CARDS, HAND, PACK, Card, dutiable
from appliance.games.customs.rules.codes import reject
from appliance.games.customs.rules.phases.paying import pay
from appliance.games.customs.rules.phases.rounds import hand_lapses
from appliance.games.customs.rules.prompts import prompt_of
from appliance.games.customs.rules.state import Declaration, Due, OpenedHand, Opening, State
from appliance.games.customs.rules.step_builder import CustomsStage, StepBuilder
from appliance.games.customs.rules.tariff import duty, fines
from appliance.games.protocol import Choice, ManyOf, Prompt, Rejection

COMPENSATION = 200
"""Pounds to an honest traveller (CU-21, CU-32, CU-41, CU-43)."""
REWARD = 100
"""Pounds to an Informer who was right (CU-32, CU-43)."""
FALSE_CLAIM = 200
"""Pounds for a false claim to the Bag, in addition to all fines (CU-42, CU-43)."""


def look_into(builder: StepBuilder, by: int) -> None:
    """Turn the hand face up for seat `by`. With real cards, ask for its cards."""
    hand = builder.state.hand
    seen = tuple(card for card in hand if card is not None)
    if len(seen) < len(hand):
        builder.change(stage=Opening(by))
    else:
        _judge(builder, by, seen)


def open_hand(builder: StepBuilder, action: Open) -> Rejection | None:
    """Take the entered real cards. They take precedence over the appliance's data (AP-1)."""
    state = builder.state
    if len(action.cards) != HAND:
        return reject("not_four_cards", "CU-10", {"count": HAND})
    if too_many := Counter(action.cards) - not_shown(state):
        card = next(iter(too_many))
        return reject("not_in_pack", "CU-1", {"card": card, "count": PACK.count(card)})
    _judge(builder, state.at(Opening).by, action.cards)
    return None


def not_shown(state: State) -> Counter[Card]:
    """Return the number of cards of each kind that have not been shown in this round.

    Only cards that everybody saw count as shown, so that a rejection reveals nothing about a closed hand.
    """
    shown = Counter(card for card in (*state.discards, *state.put_away) if card is not None)
    return Counter(PACK) - shown


def _judge(builder: StepBuilder, by: int, shown: tuple[Card, ...]) -> None:
    # Sorted by kind: the order in which the cards were drawn stays secret.
    cards = tuple(sorted(shown, key=CARDS.index))
    builder.change(hand=cards)
    state = builder.state
    declaration, officer = state.declaration, state.officer
    assert declaration is not None
    assert officer is not None
    seat = declaration.seat
    honest = "bag" in cards if declaration.bag else declaration.goods == dutiable(cards)
    builder.tell("hand_opened", "CU-21" if by == officer else "CU-32", seat=seat, cards=list(cards))
    builder.tell("truth_told" if honest else "truth_not_told", "CU-11", seat=seat)
    if by == officer:
        dues, drawer = _searched(state, declaration, cards, honest), state.next_traveller(seat)
    else:
        dues, drawer = _informed(state, declaration, cards, honest, by), by
    builder.change(
        opened=OpenedHand(seat=seat, by=by, cards=cards, honest=honest),
        dues=tuple(one for one in dues if one.amount),
        drawer=drawer,
        passes_on=False,
    )
    pay(builder)


def _fine(state: State, declaration: Declaration, cards: tuple[Card, ...], rule: str) -> Due:
    """Return the due for an untrue declaration: the fine of every dutiable card held, plus £200 for a false claim."""
    assert state.officer is not None
    amount = fines(state.options.tariff, dutiable(cards)) + (FALSE_CLAIM if declaration.bag else 0)
    return Due(payer=declaration.seat, payee=state.officer, amount=amount, rule=rule)


def _searched(state: State, declaration: Declaration, cards: tuple[Card, ...], honest: bool) -> list[Due]:
    officer, seat = state.officer, declaration.seat
    assert officer is not None
    if not honest:
        return [_fine(state, declaration, cards, "CU-42" if declaration.bag else "CU-21")]
    if declaration.bag:
        return [Due(payer=officer, payee=seat, amount=COMPENSATION, rule="CU-41")]
    owed = duty(state.options.tariff, dutiable(cards))
    return [
        Due(payer=seat, payee=officer, amount=owed, rule="CU-21"),
        Due(payer=officer, payee=seat, amount=COMPENSATION, rule="CU-21"),
    ]


def _informed(
    state: State, declaration: Declaration, cards: tuple[Card, ...], honest: bool, informer: int
) -> list[Due]:
    rule = "CU-43" if declaration.bag else "CU-32"
    if honest:
        return [Due(payer=informer, payee=declaration.seat, amount=COMPENSATION, rule=rule)]
    assert state.officer is not None
    return [
        _fine(state, declaration, cards, rule),
        Due(payer=state.officer, payee=informer, amount=REWARD, rule=rule),
    ]


# -- the stage


def _declarer(state: State) -> int:
    assert state.declaration is not None
    return state.declaration.seat


def _four_cards(state: State) -> Choice:
    """Return the choice of four cards. Each kind is limited to its cards not yet shown in this round."""
    left = {card: min(HAND, count) for card, count in not_shown(state).items()}
    kinds = tuple(card for card in CARDS if card in left)
    return ManyOf(kinds, at_most=HAND, at_least=HAND, most_each=tuple(left[card] for card in kinds))


def _opening(state: State, viewer: int | None) -> tuple[Prompt, ...]:
    return (prompt_of(state, "open", _declarer(state), "open", {"cards": _four_cards(state)}),)


def _left_while_opening(builder: StepBuilder, seat: int) -> None:
    state, by, declarer = builder.state, builder.state.at(Opening).by, _declarer(builder.state)
    if seat in (by, declarer):
        hand_lapses(builder, by if seat == declarer and by != state.officer else state.next_traveller(seat))


OPENING = CustomsStage(
    asked=lambda state: (_declarer(state),),
    due=lambda state: reject("opening_due", "CU-21", {"seat": _declarer(state)}),
    prompts=_opening,
    does={Open: open_hand},
    left=_left_while_opening,
)
