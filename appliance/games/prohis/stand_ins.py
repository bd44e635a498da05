"""Stand-in cards for exports without everyone's consent: another game in which everybody saw the same.

The cards that stayed secret are found anew from the public story alone, by a search in a fixed order that stops at the
first world that fits. So nothing about them can be read from an export: two games with the same story export the same.
What the story itself proves stays true, of course: so many of each kind were counted in the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from random import Random
from typing import Any

from msgspec.structs import replace

from appliance.games.game import Action, Game, Setup
from appliance.games.prohis import actions as acts
from appliance.games.prohis.cards import CARDS, OWN_PROHIS, Card, Cards, arranged, deck
from appliance.games.prohis.public_story import (
    Drawn,
    Gained,
    Gone,
    Held,
    Hidden,
    Lent,
    Movement,
    Stored,
    Story,
    public_story,
)

MOST_TRIES = 300
"""Beginnings of the search before it gives up; the start values are fixed, so that it depends on the story alone."""
HAND_TRIES = 500
"""Steps of the search within one hand."""

Place = tuple[int, int]
"""An action's number, and which of its cards."""


def stand_ins(game: Game, setup: Setup, actions: Sequence[Action]) -> tuple[Action, ...]:
    """Return `actions` with other cards in every secret place, folding to equal public views and happenings.

    :raises ValueError: when the actions do not fold, or no world was found that fits.
    """
    if setup.options.get("physical"):
        return tuple(actions)
    story = public_story(game, setup, actions)
    world = _Search(story, len(setup.players)).world()
    if world is None:
        raise ValueError("no_stand_ins")
    anew = tuple(_told_anew(number, action, story, world, len(setup.players)) for number, action in enumerate(actions))
    if public_story(game, setup, anew) != story:
        raise ValueError("no_stand_ins")
    return anew


class _World:
    """What lies where: the kinds of cards drawn unseen, in order, and of every card that lay on the table."""

    def __init__(self, drawn: list[Card], lying: dict[Place, Card]) -> None:
        self.drawn = drawn
        self.lying = lying


class _Search:
    """Chooses, for every card that left a hand unseen, what it was.

    Cards that changed owners unseen (bribes, seizures) come first, so that what each hand gives up and takes in adds up
    to what was counted in the end. Then the hands no longer concern each other: each is filled by itself.
    """

    def __init__(self, story: Story, players: int) -> None:
        self._story = story
        self._seats = range(players)
        self._movements = [[m for m in story.movements if m.seat == seat] for seat in self._seats]
        hidden = [movement for movement in story.movements if isinstance(movement, Hidden)]
        self._crossing = [movement for movement in hidden if movement.store not in (None, movement.seat)]
        self._wanted, self._needed = self._accounts()

    def world(self) -> _World | None:
        """Return the first world that fits, None when none was found."""
        for attempt in range(MOST_TRIES):
            crossed = self._cross(Random(attempt))
            if crossed is None:
                continue
            lying: dict[Place, Card] = {}
            for seat in self._seats:
                filled = self._fill(seat, crossed)
                if filled is None:
                    break
                lying |= filled
            else:
                drawn = self._name_drawn(lying)
                if drawn is not None:
                    return _World(drawn, lying)
        return None

    def _accounts(self) -> tuple[list[Counter[Card]], list[Counter[Card]]]:
        """Return what each warehouse still wants unseen, and what each seat needs beyond what it was seen to get.

        In a game that is still open nothing was counted: nothing is wanted, and everything may be.
        """
        if self._story.hands is None or self._story.warehouses is None:
            return [], []
        wanted = [Counter(cards) for cards in self._story.warehouses]
        needed = [Counter(cards) for cards in self._story.hands]
        for movement in self._story.movements:
            match movement:
                case Stored(seat=seat, card=card):
                    wanted[seat][card] -= 1
                case Gone(seat=seat, card=card, store=store):
                    needed[seat][card] += 1
                    if store is not None:
                        wanted[store][card] -= 1
                case Gained(seat=seat, card=card):
                    needed[seat][card] -= 1
                case _:
                    pass
        for seat in self._seats:
            needed[seat].update(wanted[seat])
        return wanted, needed

    def _cross(self, rng: Random) -> dict[Place, Card] | None:
        """Choose the cards that changed owners: what a giver must get rid of, and what the taker can account for."""
        wanted = [counter.copy() for counter in self._wanted]
        needed = [counter.copy() for counter in self._needed]
        crossed: dict[Place, Card] = {}
        order = self._crossing[:]
        rng.shuffle(order)
        for movement in order:
            giver, taker = movement.seat, movement.store
            assert taker is not None
            if not self._wanted:
                crossed[movement.by, movement.place] = "legal"
                continue
            fits = [card for card in CARDS if wanted[taker][card] > 0 and needed[taker][card] > 0]
            if not fits:
                return None
            worst = min(needed[giver][card] for card in fits)
            urgent = [card for card in fits if needed[giver][card] == worst] if worst < 0 else fits
            card = rng.choices(urgent, [wanted[taker][card] for card in urgent])[0]
            crossed[movement.by, movement.place] = card
            wanted[taker][card] -= 1
            needed[taker][card] -= 1
            needed[giver][card] += 1
        return None if any(count < 0 for counter in needed for count in counter.values()) else crossed

    def _fill(self, seat: int, crossed: dict[Place, Card]) -> dict[Place, Card] | None:
        """Choose everything that lay on the table out of this hand, or None when it cannot be."""
        pool: Counter[Card] | None = None
        if self._wanted:
            taken = [crossed[m.by, m.place] for m in self._crossing if m.store == seat]
            pool = self._wanted[seat] - Counter(taken)
        ending = None if self._story.hands is None else Counter(self._story.hands[seat])
        return _Hand(self._movements[seat], crossed, pool, ending).fill()

    def _name_drawn(self, lying: dict[Place, Card]) -> list[Card] | None:
        """Name every card drawn unseen: the oldest of a hand becomes what is needed first."""
        names: list[Card | None] = []
        known = [Counter[Card]() for _ in self._seats]
        waiting: list[list[int]] = [[] for _ in self._seats]

        def need(seat: int, cards: Counter[Card]) -> None:
            for card in (cards - known[seat]).elements():
                names[waiting[seat].pop(0)] = card
                known[seat][card] += 1

        for movement in self._story.movements:
            seat = movement.seat
            if isinstance(movement, Drawn):
                waiting[seat].append(len(names))
                names.append(None)
            elif isinstance(movement, Gained):
                known[seat][movement.card] += 1
            elif isinstance(movement, Gone | Hidden):
                card = _named(movement, lying)
                need(seat, Counter((card,)))
                known[seat][card] -= 1
            elif isinstance(movement, Held):
                need(seat, Counter(movement.cards))
            elif isinstance(movement, Lent):
                need(seat, Counter(lying[movement.by, place] for place in movement.places))
        for seat, hand in enumerate(self._story.hands or ()):
            need(seat, Counter(hand))
        # In a game that is still open the rest may be anything that there is.
        supply = Counter(deck(len(self._seats)))
        supply.subtract(Counter(self._story.row))
        supply.subtract(Counter(card for card in self._story.pile if card is not None))
        supply.subtract(Counter(name for name in names if name is not None))
        if min(supply.values()) < 0:
            return None
        rest = supply.elements()
        return [name if name is not None else next(rest) for name in names]


class _Hand:
    """One hand through the whole story: what is known in it, and a number of cards drawn unseen.

    These become something only when they must: that is never a worse choice than to fix them earlier.

    :param pool: what its own convoys brought into its own warehouse unseen, all in all; None: anything.
    :param ending: what it held in the end; None: anything.
    """

    def __init__(
        self,
        movements: Sequence[Movement],
        crossed: dict[Place, Card],
        pool: Counter[Card] | None,
        ending: Counter[Card] | None,
    ) -> None:
        self._movements = movements
        self._crossed = crossed
        self._pool = pool
        self._ending = ending or Counter()
        self._tries = HAND_TRIES
        self._lying: dict[Place, Card] = {}
        self._needs, self._nets = self._look_ahead()

    def fill(self) -> dict[Place, Card] | None:
        """Return the kind of each card that lay on the table unseen, or None when nothing fits."""
        return dict(self._lying) if self._walk(0, Counter(), 0) else None

    def _look_ahead(self) -> tuple[list[Counter[Card]], list[Counter[Card]]]:
        """Return, before each movement, what the hand must hold to do all that is seen, and comings less goings."""
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
        """Say whether from here on the cards that are drawn unseen can become everything that is still missing."""
        if unseen < 0:
            return False
        if self._pool is None:
            return True
        need, net = self._needs[number], self._nets[number]
        return all(self._pool[card] - known[card] - net[card] >= max(0, need[card] - known[card]) for card in CARDS)

    def _walk(self, number: int, known: Counter[Card], unseen: int) -> bool:
        while number < len(self._movements):
            movement = self._movements[number]
            match movement:
                case Drawn():
                    unseen += 1
                case Gained(card=card):
                    known[card] += 1
                case Held(cards=cards):
                    unseen = _reveal(known, unseen, cards)
                case Gone(card=card):
                    unseen = _reveal(known, unseen, (card,))
                    known[card] -= 1
                case Hidden(by=by, place=place) if (by, place) in self._crossed:
                    card = self._lying[by, place] = self._crossed[by, place]
                    unseen = _reveal(known, unseen, (card,))
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
        """Try every kind: what the hand can spare, what it holds, what would have to be drawn."""
        need = self._needs[number]
        pool = self._pool if movement.store is not None else None
        for card in sorted(CARDS, key=lambda card: (known[card] <= need[card], known[card] <= 0, CARDS.index(card))):
            if (pool is not None and pool[card] <= 0) or self._tries <= 0:
                continue
            self._tries -= 1
            mine = known.copy()
            left = _reveal(mine, unseen, (card,))
            mine[card] -= 1
            if pool is not None:
                pool[card] -= 1
            self._lying[movement.by, movement.place] = card
            if self._sound(number + 1, mine, left) and self._walk(number + 1, mine, left):
                return True
            if pool is not None:
                pool[card] += 1
        return False

    def _lend(self, number: int, movement: Lent, known: Counter[Card], unseen: int) -> bool:
        """Try cards that went back to the hand: such as it can hold then, and other ones than before (PR-30)."""
        places = [(movement.by, place) for place in movement.places]
        taken = self._struck(movement)
        for other in self._movements[:number]:
            if isinstance(other, Lent) and other.negotiation == movement.negotiation is not None:
                taken.add(arranged(self._lying[other.by, place] for place in other.places))
        drawn = [card for card in CARDS for _ in range(min(unseen, len(places)))]
        for some in dict.fromkeys(combinations([*arranged((+known).elements()), *drawn], len(places))):
            self._tries -= 1
            if self._tries <= 0:
                return False
            mine = known.copy()
            left = _reveal(mine, unseen, some)
            if arranged(some) in taken or not self._sound(number + 1, mine, left):
                continue
            self._lying |= dict(zip(places, some, strict=True))
            if self._walk(number + 1, mine, left):
                return True
        return False

    def _struck(self, movement: Lent) -> set[Cards]:
        """Return the bribe that was accepted after this one was rejected: it was another one."""
        if movement.negotiation is None:
            return set()
        by = {m.by for m in self._movements if isinstance(m, Hidden) and m.negotiation == movement.negotiation}
        cards = arranged(card for (number, _), card in self._crossed.items() if number in by)
        return {cards} if cards else set()


def _named(movement: Gone | Hidden, lying: dict[Place, Card]) -> Card:
    return movement.card if isinstance(movement, Gone) else lying[movement.by, movement.place]


def _reveal(known: Counter[Card], unseen: int, cards: Cards) -> int:
    """Let cards drawn unseen become what the hand must hold; return how many are left, below 0 when too few were."""
    missing = Counter(cards) - known
    known.update(missing)
    return unseen - missing.total()


def _told_anew(number: int, action: Action, story: Story, world: _World, players: int) -> Action:
    match action:
        case acts.Shuffle():
            return acts.Shuffle(order=_order(story, world, players))
        case acts.Convoy() | acts.Offer():
            cards = [world.lying.get((number, place)) for place in range(len(action.cards))]
            if None in cards:
                # An open bribe that went back, or what a called-off convoy had shown.
                cards = [card if card is not None else shown for card, shown in zip(cards, action.cards, strict=True)]
            return replace(action, cards=tuple(cards))
        case _:
            return action


def _order(story: Story, world: _World, players: int) -> tuple[int, ...]:
    """Return the shuffle that deals the world; what nobody saw lies at the bottom, in the deck's own order."""
    dealt = 4 * players
    drawn = iter(world.drawn[dealt:])
    pile: list[Any] = [card if card is not None else next(drawn) for card in story.pile]
    places: dict[Card, list[int]] = {card: [] for card in CARDS if card not in OWN_PROHIS}
    for place, card in enumerate(deck(players)):
        places[card].append(place)
    top = [places[card].pop(0) for card in (*world.drawn[:dealt], *story.row, *pile)]
    return (*top, *(place for left in places.values() for place in left))
