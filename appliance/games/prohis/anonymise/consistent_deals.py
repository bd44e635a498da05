"""Searches for a deal that fits a public history: a kind for every card that only its owners saw.

The search has fixed seeds and stops at the first deal that fits, so its result depends on the public history alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from random import Random

import msgspec

from appliance.games.prohis.anonymise.consistent_hands import CardPlace, HandSearch, forced
from appliance.games.prohis.anonymise.crossing import Crossing
from appliance.games.prohis.anonymise.public_card_history import (
    Drawn,
    Gained,
    Gone,
    Held,
    Hidden,
    Lent,
    PublicHistory,
    Stored,
)
from appliance.games.prohis.rules.cards import Card, deck

ATTEMPTS = 40
"""Number of seeds that are tried before the search gives up."""
SWAPS_FOR_COUNTS = 3000
"""Limit of changes to cards that changed owners, until no player gives away more cards of a kind than they got."""
SWAPS_FOR_HANDS = 150
"""Limit of changes until every hand holds its cards when it gives them away."""
COUNTS_WRONG = 1_000_000
"""Cost of counts that do not add up, higher than the cost of any hand."""


class Deal(msgspec.Struct, frozen=True):
    """The kinds of the cards drawn unseen, in order, and of every card that lay face down on the table."""

    drawn: tuple[Card, ...]
    lying: Mapping[CardPlace, Card]


class DealSearch:
    """Finds a possible kind for every card that left a hand unseen.

    Cards that changed owners unseen (bribes, seizures) come first, so that the cards each hand gives and gets add up to
    the counts at the end. After that the hands are independent, and each is filled separately.
    """

    def __init__(self, history: PublicHistory, players: int) -> None:
        self._history = history
        self._seats = range(players)
        self._movements = [[m for m in history.movements if m.seat == seat] for seat in self._seats]
        self._hands = [Counter(hand) for hand in history.hands or [()] * players]
        self._supply = Counter(deck(players))
        self._supply.subtract(Counter(history.row))
        self._supply.subtract(Counter(card for card in history.pile if card is not None))
        self._free = self._supply.copy()
        """The kinds of the cards drawn unseen, without those that were seen later."""
        for seat in self._seats:
            self._free -= forced(self._movements[seat], self._hands[seat])

    def deal(self) -> Deal | None:
        """Return the first deal that fits, or None."""
        for attempt in range(ATTEMPTS):
            lying = self._attempt(attempt)
            deal = None if lying is None else self.deal_of(lying)
            if deal is not None:
                return deal
        return None

    def deal_of(self, lying: Mapping[CardPlace, Card]) -> Deal | None:
        """Return the deal in which these cards lay on the table, or None when the deck has too few cards of a kind.

        Every card drawn unseen gets a kind: the oldest unseen card of a hand gets the kind that is needed first.
        """
        names: list[Card | None] = []
        known = [Counter[Card]() for _ in self._seats]
        waiting: list[list[int]] = [[] for _ in self._seats]

        def need(seat: int, cards: Counter[Card]) -> bool:
            for card in (cards - known[seat]).elements():
                if not waiting[seat]:
                    return False
                names[waiting[seat].pop(0)] = card
                known[seat][card] += 1
            return True

        for movement in self._history.movements:
            seat, there = movement.seat, True
            match movement:
                case Drawn():
                    waiting[seat].append(len(names))
                    names.append(None)
                case Gained(card=card):
                    known[seat][card] += 1
                case Gone(card=card):
                    there = need(seat, Counter((card,)))
                    known[seat][card] -= 1
                case Hidden(by=by, place=place):
                    card = lying[by, place]
                    there = need(seat, Counter((card,)))
                    known[seat][card] -= 1
                case Held(cards=cards):
                    there = need(seat, Counter(cards))
                case Lent(by=by, places=places):
                    there = need(seat, Counter(lying[by, place] for place in places))
                case Stored():
                    pass
            if not there:
                return None
        if not all(need(seat, hand) for seat, hand in enumerate(self._hands)):
            return None
        # In an open game the unseen cards that are left may have any remaining kind.
        supply = self._supply.copy()
        supply.subtract(Counter(name for name in names if name is not None))
        if min(supply.values()) < 0:
            return None
        rest = supply.elements()
        return Deal(tuple(name if name is not None else next(rest) for name in names), lying)

    def _attempt(self, attempt: int) -> dict[CardPlace, Card] | None:
        crossing = self._crossing(Random(attempt))
        filled: dict[tuple[object, ...], tuple[dict[CardPlace, Card] | None, int]] = {}

        def fill(seat: int) -> tuple[dict[CardPlace, Card] | None, int]:
            concerned = seat, *crossing.of(seat)
            if concerned not in filled:
                spent = Counter(card for lying, _ in filled.values() for card in (lying or {}).values())
                search = HandSearch(
                    self._movements[seat],
                    crossing.cards,
                    crossing.pool(seat),
                    self._hands[seat],
                    self._free - spent,
                    Random(attempt),
                )
                lying = search.fill()
                filled[concerned] = lying, 0 if lying is not None else len(self._movements[seat]) + 1 - search.reached
            return filled[concerned]

        def unfit() -> int:
            return COUNTS_WRONG if crossing.owed() else sum(fill(seat)[1] for seat in self._seats)

        if not _hill_climb(crossing, crossing.owed, SWAPS_FOR_COUNTS) or not _hill_climb(
            crossing, unfit, SWAPS_FOR_HANDS
        ):
            return None
        return {place: card for seat in self._seats for place, card in (fill(seat)[0] or {}).items()}

    def _crossing(self, rng: Random) -> Crossing:
        """Return a first choice of the cards that changed owners unseen, and the counts that they must match.

        In an open game nothing has been counted, so any choice fits.
        """
        history = self._history
        if history.hands is None or history.warehouses is None:
            return Crossing((), None, [Counter() for _ in self._seats], rng)
        wanted = [Counter(cards) for cards in history.warehouses]
        needed = [hand.copy() for hand in self._hands]
        crossing: list[Hidden] = []
        for movement in history.movements:
            match movement:
                case Stored(seat=seat, card=card):
                    wanted[seat][card] -= 1
                case Gone(seat=seat, card=card, store=store):
                    needed[seat][card] += 1
                    if store is not None:
                        wanted[store][card] -= 1
                case Gained(seat=seat, card=card):
                    needed[seat][card] -= 1
                case Hidden(seat=seat, store=store) if store not in (None, seat):
                    crossing.append(movement)
                case _:
                    pass
        for seat in self._seats:
            needed[seat].update(wanted[seat])
        return Crossing(crossing, wanted, needed, rng)


def _hill_climb(crossing: Crossing, cost: Callable[[], int], changes: int) -> bool:
    """Make random changes and keep those that do not raise the cost. Return whether the cost reached 0."""
    worst = cost()
    for _ in range(changes):
        if not worst or not crossing.cards:
            break
        crossing.change()
        now = cost()
        if now > worst:
            crossing.undo()
        else:
            worst = now
    return not worst
