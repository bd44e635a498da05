"""A world that fits a public story: what every card may have been that nobody but its owners saw.

The search draws by fixed start values and stops at the first world that fits, so it depends on the story alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from random import Random

import msgspec

from appliance.games.prohis.anonymise.consistent_hands import HandSearch, Place, forced
from appliance.games.prohis.anonymise.crossing import Crossing
from appliance.games.prohis.anonymise.public_card_history import Drawn, Gained, Gone, Held, Hidden, Lent, Stored, Story
from appliance.games.prohis.rules.cards import Card, deck

ATTEMPTS = 40
"""Beginnings of the search before it gives up."""
ACCOUNTS_MENDED = 3000
"""Changes of cards that changed owners, until nobody gives what he never had."""
HANDS_MENDED = 150
"""Changes until every hand could have given its cards at that time."""
OWING = 1_000_000
"""Worse than any hand that cannot be told."""


class World(msgspec.Struct, frozen=True):
    """What lies where: the kinds of cards drawn unseen, in order, and of every card that lay on the table."""

    drawn: tuple[Card, ...]
    lying: Mapping[Place, Card]


class WorldSearch:
    """Finds for every card that left a hand unseen what it may have been.

    Cards that changed owners unseen (bribes, seizures) come first, so that what each hand gives up and takes in adds up
    to what was counted in the end. Then the hands no longer concern each other: each is filled by itself.
    """

    def __init__(self, story: Story, players: int) -> None:
        self._story = story
        self._seats = range(players)
        self._movements = [[m for m in story.movements if m.seat == seat] for seat in self._seats]
        self._hands = [Counter(hand) for hand in story.hands or [()] * players]
        self._supply = Counter(deck(players))
        self._supply.subtract(Counter(story.row))
        self._supply.subtract(Counter(card for card in story.pile if card is not None))
        self._free = self._supply.copy()
        """What is drawn unseen, but for what was seen later."""
        for seat in self._seats:
            self._free -= forced(self._movements[seat], self._hands[seat])

    def world(self) -> World | None:
        """Return the first world that fits, None when none was found."""
        for attempt in range(ATTEMPTS):
            lying = self._attempt(attempt)
            world = None if lying is None else self.world_of(lying)
            if world is not None:
                return world
        return None

    def world_of(self, lying: Mapping[Place, Card]) -> World | None:
        """Return the world in which these cards lay on the table, None when the deck has not so many of a kind.

        Every card drawn unseen gets a name: the oldest of a hand becomes what is needed first.
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

        for movement in self._story.movements:
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
        # In a game that is still open the rest may be anything that there is.
        supply = self._supply.copy()
        supply.subtract(Counter(name for name in names if name is not None))
        if min(supply.values()) < 0:
            return None
        rest = supply.elements()
        return World(tuple(name if name is not None else next(rest) for name in names), lying)

    def _attempt(self, attempt: int) -> dict[Place, Card] | None:
        crossing = self._crossing(Random(attempt))
        filled: dict[tuple[object, ...], tuple[dict[Place, Card] | None, int]] = {}

        def fill(seat: int) -> tuple[dict[Place, Card] | None, int]:
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
            return OWING if crossing.owed() else sum(fill(seat)[1] for seat in self._seats)

        if not _mend(crossing, crossing.owed, ACCOUNTS_MENDED) or not _mend(crossing, unfit, HANDS_MENDED):
            return None
        return {place: card for seat in self._seats for place, card in (fill(seat)[0] or {}).items()}

    def _crossing(self, rng: Random) -> Crossing:
        """Return what the cards that changed owners unseen have to add up to, chosen anyhow.

        In a game that is still open nothing was counted: nothing is wanted, and everything may be.
        """
        story = self._story
        if story.hands is None or story.warehouses is None:
            return Crossing((), None, [Counter() for _ in self._seats], rng)
        wanted = [Counter(cards) for cards in story.warehouses]
        needed = [hand.copy() for hand in self._hands]
        crossing: list[Hidden] = []
        for movement in story.movements:
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


def _mend(crossing: Crossing, cost: Callable[[], int], changes: int) -> bool:
    """Change one thing after another that makes nothing worse; say whether nothing is wrong in the end."""
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
