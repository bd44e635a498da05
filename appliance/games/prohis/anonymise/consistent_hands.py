"""Searches for kinds of the unseen cards of one hand that fit the public history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from random import Random
from typing import TypeAlias

from appliance.games.prohis.anonymise.public_card_history import (
    Drawn,
    Gained,
    Gone,
    Held,
    Hidden,
    Lent,
    Movement,
    Stored,
)
from appliance.games.prohis.rules.cards import CARDS, OWN_PROHIS, Card, Cards, arranged

TRIES = 6000
"""Limit of steps of the search within one hand."""

CardPlace: TypeAlias = tuple[int, int]
"""The number of an action, and the index of the card in it."""


class HandSearch:
    """Follows one hand through the history, as its known cards and the number of its cards drawn unseen.

    Unseen cards get a kind as late as possible. That is never worse than an earlier choice.

    :param crossed: the cards that it gave to other players unseen.
    :param pool: all cards that its own convoys brought into its own warehouse unseen; None: any cards.
    :param ending: the hand at the end; empty if unknown.
    :param likely: the number of undrawn cards of each kind, as weights for free choices.
    """

    def __init__(
        self,
        movements: Sequence[Movement],
        crossed: Mapping[CardPlace, Card],
        pool: Counter[Card] | None,
        ending: Counter[Card],
        likely: Counter[Card],
        rng: Random,
    ) -> None:
        self._movements = movements
        self._crossed = crossed
        self._pool = pool
        self._ending = ending
        self._likely = likely
        self._rng = rng
        self.reached = 0
        """The largest number of movements that were explained so far."""
        self._tries = TRIES
        self._lying: dict[CardPlace, Card] = {}
        self._needs, self._nets = self._look_ahead()
        self._failed: set[tuple[int, ...]] = set()

    def fill(self) -> dict[CardPlace, Card] | None:
        """Return the kind of each card that lay on the table unseen, or None when no choice fits."""
        return dict(self._lying) if self._walk(0, Counter(), 0) else None

    def needed(self) -> Counter[Card]:
        """Return the cards that the hand must draw to make all movements possible."""
        return self._needs[0]

    def _look_ahead(self) -> tuple[list[Counter[Card]], list[Counter[Card]]]:
        """Return two lists with, before each movement, the cards that the hand needs for all later movements, and the
        cards it gets later minus those it gives or keeps at the end.
        """
        need, net = self._ending.copy(), Counter[Card]()
        net.subtract(self._ending)
        needs, nets = [need.copy()], [net.copy()]
        for movement in reversed(self._movements):
            match movement:
                case Gained(card=card):
                    need[card] = max(0, need[card] - 1)
                    net[card] += 1
                case Gone(card=card):
                    need[card] += 1
                    net[card] -= 1
                case Hidden(by=by, place=place) if (by, place) in self._crossed:
                    need[self._crossed[by, place]] += 1
                    net[self._crossed[by, place]] -= 1
                case Held(cards=cards):
                    need |= Counter(cards)
                case _:
                    pass
            needs.append(need.copy())
            nets.append(net.copy())
        return needs[::-1], nets[::-1]

    def _sound(self, number: int, known: Counter[Card], unseen: int) -> bool:
        """Return whether cards drawn unseen can provide everything that is still missing after movement `number`."""
        if unseen < 0:
            return False
        need, net = self._needs[number], self._nets[number]
        if any(known[card] < need[card] for card in OWN_PROHIS):
            # These are never drawn.
            return False
        return self._pool is None or all(
            self._pool[card] - known[card] - net[card] >= max(0, need[card] - known[card]) for card in CARDS
        )

    def _walk(self, number: int, known: Counter[Card], unseen: int) -> bool:
        while number < len(self._movements):
            self.reached = max(self.reached, number)
            movement = self._movements[number]
            match movement:
                case Drawn():
                    unseen += 1
                case Gained(card=card):
                    known[card] += 1
                case Held(cards=cards):
                    unseen = reveal(known, unseen, cards)
                case Gone(card=card):
                    unseen = reveal(known, unseen, (card,))
                    known[card] -= 1
                case Hidden(by=by, place=place) if (by, place) in self._crossed:
                    card = self._lying[by, place] = self._crossed[by, place]
                    unseen = reveal(known, unseen, (card,))
                    known[card] -= 1
                case Hidden():
                    return self._choose(number, movement, known, unseen)
                case Lent():
                    return self._lend(number, movement, known, unseen)
                case Stored():
                    pass
            number += 1
            if not self._sound(number, known, unseen):
                return False
        return self._pool is None or (not known - self._ending and (self._ending - known).total() == unseen)

    def _choose(self, number: int, movement: Hidden, known: Counter[Card], unseen: int) -> bool:
        """Try every kind for a hidden card: first those that the hand can spare, then the others, in random order."""
        spent = self._pool or Counter[Card]()
        situation = (number, unseen, *(known[card] for card in CARDS), *(spent[card] for card in CARDS))
        if situation in self._failed:
            return False
        need = self._needs[number]
        pool = self._pool if movement.store is not None else None
        drawn = self._by_chance()
        for card in sorted(CARDS, key=lambda card: (known[card] <= need[card], drawn.index(card))):
            if (pool is not None and pool[card] <= 0) or self._tries <= 0:
                continue
            self._tries -= 1
            mine = known.copy()
            left = reveal(mine, unseen, (card,))
            mine[card] -= 1
            if pool is not None:
                pool[card] -= 1
            self._lying[movement.by, movement.place] = card
            fits = self._sound(number + 1, mine, left) and not self._repeats(movement)
            if fits and self._walk(number + 1, mine, left):
                return True
            del self._lying[movement.by, movement.place]
            if pool is not None:
                pool[card] += 1
        self._failed.add(situation)
        return False

    def _lend(self, number: int, movement: Lent, known: Counter[Card], unseen: int) -> bool:
        """Try cards for a movement back to the hand: cards it can hold then, but not an adjacent bribe (PR-30)."""
        places = [(movement.by, place) for place in movement.places]
        taken = self._next_to(movement.by, movement.turn) if movement.bribe else set()
        drawn = [card for card in self._by_chance() if card not in OWN_PROHIS for _ in range(min(unseen, len(places)))]
        here = known - self._away(number, movement.turn)
        for some in dict.fromkeys(combinations([*arranged(here.elements()), *drawn], len(places))):
            self._tries -= 1
            if self._tries <= 0:
                return False
            mine = known.copy()
            left = reveal(mine, unseen, some)
            if arranged(some) in taken or not self._sound(number + 1, mine, left):
                continue
            self._lying |= dict(zip(places, some, strict=True))
            if self._walk(number + 1, mine, left):
                return True
            for place in places:
                del self._lying[place]
        return False

    def _by_chance(self) -> list[Card]:
        """Return the kinds in a random order: that of their first appearance when cards are drawn one by one."""
        gone = Counter(self._lying.values())
        waits = {card: self._rng.expovariate(max(self._likely[card] - gone[card], 0.001)) for card in CARDS}
        return sorted(CARDS, key=waits.__getitem__)

    def _next_to(self, by: int, turn: int) -> set[Cards]:
        """Return the bribes directly before and after that of action `by`, if all their cards are chosen (PR-30)."""
        bribes: dict[int, list[CardPlace]] = {}
        for one in self._movements:
            if isinstance(one, Lent) and one.bribe and one.turn == turn:
                bribes[one.by] = [(one.by, place) for place in one.places]
            elif isinstance(one, Hidden) and one.turn == turn:
                bribes.setdefault(one.by, []).append((one.by, one.place))
        order = sorted(bribes)
        at = order.index(by)
        settled: set[Cards] = set()
        for other in (*order[max(0, at - 1) : at], *order[at + 1 : at + 2]):
            cards = [self._lying.get(place) or self._crossed.get(place) for place in bribes[other]]
            known = [card for card in cards if card is not None]
            if len(known) == len(cards):
                settled.add(arranged(known))
        return settled

    def _repeats(self, movement: Hidden) -> bool:
        """Return whether an accepted bribe, once its last card is chosen, equals the one just rejected (PR-30)."""
        if movement.turn is None:
            return False
        places = [one for one in self._movements if isinstance(one, Hidden) and one.by == movement.by]
        cards = [self._lying[one.by, one.place] for one in places if (one.by, one.place) in self._lying]
        return len(cards) == len(places) and arranged(cards) in self._next_to(movement.by, movement.turn)

    def _away(self, number: int, turn: int) -> Counter[Card]:
        """Return the cards of a convoy of this turn that was called off later. They could not be a bribe (PR-21)."""
        away = Counter[Card]()
        for one in self._movements[:number]:
            if isinstance(one, Lent) and not one.bribe and one.turn == turn:
                away.update(self._lying[one.by, place] for place in one.places)
        return away


def reveal(known: Counter[Card], unseen: int, cards: Cards) -> int:
    """Give unseen cards the kinds that the hand must hold. Return how many stay unseen, below 0 if impossible."""
    missing = Counter(cards) - known
    known.update(missing)
    return -1 if any(missing[card] for card in OWN_PROHIS) else unseen - missing.total()


def forced(movements: Sequence[Movement], ending: Counter[Card]) -> Counter[Card]:
    """Return the cards that a hand must have drawn, computed from its public movements alone."""
    seen = [one for one in movements if not isinstance(one, Hidden)]
    return HandSearch(seen, {}, None, ending, Counter(), Random(0)).needed()
