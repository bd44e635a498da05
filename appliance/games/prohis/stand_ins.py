"""Stand-in cards for exports without everyone's consent: another game in which everybody saw the same.

The cards that stayed secret are found anew from the public story alone, by a search in a fixed order that stops at the
first world that fits. So nothing about them can be read from an export: two games with the same story export the same.
What the story itself proves stays true, of course: so many of each kind were counted in the end. The search is bounded;
where it fails, the cards of bribes and seizures, which two players saw, stay as they were, and all else is replaced.
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

MOST_TRIES = 60
"""Beginnings of the search before it gives up; the start values are fixed, so that it depends on the story alone."""
MENDINGS = 3000
"""Changes that are tried before the cards that changed owners are chosen afresh."""
HAND_TRIES = 6000
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
    search = _Search(story, len(setup.players))
    world = search.world() or search.world_with(_crossed_in(actions, search.crossing))
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
        self._wanted, self._needed = self._accounts()
        self.crossing = [one for one in hidden if one.store not in (None, one.seat)] if self._wanted else []

    def world(self) -> _World | None:
        """Return the first world that fits, None when none was found."""
        for attempt in range(MOST_TRIES):
            crossed = self._cross(Random(attempt))
            world = None if crossed is None else self.world_with(crossed)
            if world is not None:
                return world
        return None

    def world_with(self, crossed: dict[Place, Card]) -> _World | None:
        """Return the first world in which these cards changed owners unseen, None when there is none."""
        lying: dict[Place, Card] = {}
        for seat in self._seats:
            filled = self._fill(seat, crossed)
            if filled is None:
                return None
            lying |= filled
        drawn = self._name_drawn(lying)
        return None if drawn is None else _World(drawn, lying)

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
        """Choose the cards that changed owners, so that no seat accounts for less than nothing; None when it fails.

        Begins anyhow and mends: a card becomes another kind that its taker's warehouse still wants, or two cards
        for one taker change places, as long as that is no worse than before.
        """
        wanted = [counter.copy() for counter in self._wanted]
        needed = [counter.copy() for counter in self._needed]
        crossed: dict[Place, Card] = {}

        def put(movement: Hidden, card: Card, sign: int) -> None:
            assert movement.store is not None
            wanted[movement.store][card] -= sign
            needed[movement.store][card] -= sign
            needed[movement.seat][card] += sign

        def change(movement: Hidden, card: Card) -> None:
            put(movement, crossed[movement.by, movement.place], -1)
            crossed[movement.by, movement.place] = card
            put(movement, card, 1)

        for movement in self.crossing:
            assert movement.store is not None
            card = rng.choice([card for card in CARDS if wanted[movement.store][card] > 0])
            crossed[movement.by, movement.place] = card
            put(movement, card, 1)
        worst = _owed(needed)
        for _ in range(MENDINGS):
            if not worst:
                return crossed
            one = rng.choice(self.crossing)
            other = rng.choice([movement for movement in self.crossing if movement.store == one.store])
            before, beside = crossed[one.by, one.place], crossed[other.by, other.place]
            assert one.store is not None
            if one is other:
                beside = rng.choice([card for card in CARDS if wanted[one.store][card] > 0] or [before])
                change(one, beside)
            else:
                change(one, beside)
                change(other, before)
            now = _owed(needed)
            if now > worst:
                change(one, before)
                if one is not other:
                    change(other, beside)
            else:
                worst = now
        return None if worst else crossed

    def _fill(self, seat: int, crossed: dict[Place, Card]) -> dict[Place, Card] | None:
        """Choose everything that lay on the table out of this hand, or None when it cannot be."""
        pool: Counter[Card] | None = None
        if self._wanted:
            taken = [crossed[m.by, m.place] for m in self.crossing if m.store == seat]
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
        self._failed: set[tuple[int, ...]] = set()

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
        need, net = self._needs[number], self._nets[number]
        if self._pool is None:
            # Captains and Majors are never drawn.
            return all(known[card] >= need[card] for card in OWN_PROHIS)
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
        spent = self._pool or Counter[Card]()
        situation = (number, unseen, *(known[card] for card in CARDS), *(spent[card] for card in CARDS))
        if situation in self._failed:
            return False
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
            fits = self._sound(number + 1, mine, left) and not self._repeats(movement)
            if fits and self._walk(number + 1, mine, left):
                return True
            del self._lying[movement.by, movement.place]
            if pool is not None:
                pool[card] += 1
        self._failed.add(situation)
        return False

    def _lend(self, number: int, movement: Lent, known: Counter[Card], unseen: int) -> bool:
        """Try cards that went back to the hand: such as it can hold then, and other ones than before (PR-30)."""
        places = [(movement.by, place) for place in movement.places]
        taken = self._bribes(movement.turn) if movement.bribe else set()
        drawn = [card for card in CARDS for _ in range(min(unseen, len(places)))]
        here = known - self._away(number, movement.turn)
        for some in dict.fromkeys(combinations([*arranged(here.elements()), *drawn], len(places))):
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
            for place in places:
                del self._lying[place]
        return False

    def _bribes(self, turn: int) -> set[Cards]:
        """Return the bribes of a turn that are settled, rejected and accepted ones."""
        offered: dict[int, list[Card]] = {}
        for movement in self._movements:
            if isinstance(movement, Lent) and movement.bribe and movement.turn == turn:
                offered[movement.by] = [
                    self._lying[movement.by, p] for p in movement.places if (movement.by, p) in self._lying
                ]
            elif isinstance(movement, Hidden) and movement.turn == turn:
                at = movement.by, movement.place
                card = self._lying.get(at) or self._crossed.get(at)
                offered.setdefault(movement.by, []).extend([card] if card else [])
        return {arranged(cards) for cards in offered.values()}

    def _repeats(self, movement: Hidden) -> bool:
        """Say whether an accepted bribe, with its last card chosen, is one that was rejected before (PR-30)."""
        if movement.turn is None:
            return False
        places = [one for one in self._movements if isinstance(one, Hidden) and one.by == movement.by]
        cards = [self._lying[one.by, one.place] for one in places if (one.by, one.place) in self._lying]
        rejected = [one for one in self._movements if isinstance(one, Lent) and one.bribe and one.turn == movement.turn]
        return len(cards) == len(places) and arranged(cards) in [
            arranged(self._lying[one.by, place] for place in one.places) for one in rejected
        ]

    def _away(self, number: int, turn: int) -> Counter[Card]:
        """Return the cards of a convoy of this turn that was called off later: they could not be a bribe (PR-21)."""
        away = Counter[Card]()
        for one in self._movements[:number]:
            if isinstance(one, Lent) and not one.bribe and one.turn == turn:
                away.update(self._lying[one.by, place] for place in one.places)
        return away


def _crossed_in(actions: Sequence[Action], crossing: Sequence[Hidden]) -> dict[Place, Card]:
    """Return what the cards that changed owners really were: known to both owners, and the last resort."""
    crossed: dict[Place, Card] = {}
    for movement in crossing:
        action = actions[movement.by]
        assert isinstance(action, acts.Convoy | acts.Offer)
        crossed[movement.by, movement.place] = action.cards[movement.place]
    return crossed


def _owed(needed: Sequence[Counter[Card]]) -> int:
    """Return by how many cards the seats account for less than nothing."""
    return sum(-count for counter in needed for count in counter.values() if count < 0)


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
