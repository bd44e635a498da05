"""The secret hands of a finished game of Customs, for players who all agreed to see them (AP-4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from appliance.games.base.folding import folded
from appliance.games.customs.rules.actions import ClaimBag, Declare
from appliance.games.customs.rules.cards import CARDS, Card, Good, dutiable
from appliance.games.customs.rules.rules import RULES
from appliance.games.customs.rules.state import State
from appliance.games.customs.rules.tariff import duty
from appliance.games.protocol import Action, Setup

Seen = Literal["unseen", "officer", "informer"]


class Carried(msgspec.Struct, frozen=True, kw_only=True):
    """One declaration: the round and its Officer, the declaring seat, its cards, the declared goods, and who looked.

    `unpaid` is the duty in pounds of the cards held, less the duty of the declared goods, if nobody looked; else 0.
    """

    round: int
    officer: int
    seat: int
    cards: tuple[Card, ...]
    goods: tuple[Good, ...]
    bag: bool
    honest: bool
    seen: Seen
    unpaid: int


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """Every declaration in order, and `counts`: for each catalogue code one number per seat.

    The numbers are lies, unseen lies, unpaid pounds, and unseen lies to this seat as Officer.
    """

    declarations: tuple[Carried, ...]
    counts: dict[str, tuple[int, ...]]


def post_mortem(setup: Setup, actions: Sequence[Action]) -> Told:
    """Return every declaration that was made with the appliance's cards.

    :raises ValueError: the actions do not fold.
    """
    told: list[Carried] = []
    told_of_now = False
    for before, action, step in folded(RULES, setup, actions):
        if isinstance(action, Declare | ClaimBag):
            cards = tuple(sorted((card for card in before.hand if card is not None), key=CARDS.index))
            told_of_now = len(cards) == len(before.hand)
            if told_of_now:
                told.append(_carried(before, action, cards))
        opened = step.state.opened
        if told_of_now and opened is not None and any(one.code == "hand_opened" for one in step.happened):
            seen: Seen = "officer" if opened.by == before.officer else "informer"
            told[-1] = msgspec.structs.replace(told[-1], seen=seen, unpaid=0)
    return Told(declarations=tuple(told), counts=_counts(told, len(setup.players)))


def _carried(state: State, action: Declare | ClaimBag, cards: tuple[Card, ...]) -> Carried:
    held, bag = dutiable(cards), isinstance(action, ClaimBag)
    goods = dutiable(action.goods) if isinstance(action, Declare) else ()
    # After a true claim to the Bag no duty is owed (CU-40).
    honest = "bag" in cards if bag else goods == held
    tariff = state.options.tariff
    unpaid = 0 if honest else max(0, duty(tariff, held) - duty(tariff, goods))
    assert state.officer is not None
    return Carried(
        round=state.round,
        officer=state.officer,
        seat=action.seat,
        cards=cards,
        goods=goods,
        bag=bag,
        honest=honest,
        seen="unseen",
        unpaid=unpaid,
    )


def _counts(told: Sequence[Carried], seats: int) -> dict[str, tuple[int, ...]]:
    unseen = [one for one in told if one.seen == "unseen" and not one.honest]
    counted = {
        "post_mortem.lies": [(one.seat, 1) for one in told if not one.honest],
        "post_mortem.unseen": [(one.seat, 1) for one in unseen],
        "post_mortem.unpaid": [(one.seat, one.unpaid) for one in unseen],
        "post_mortem.fooled": [(one.officer, 1) for one in unseen],
    }
    return {
        code: tuple(sum(n for who, n in of if who == seat) for seat in range(seats)) for code, of in counted.items()
    }
