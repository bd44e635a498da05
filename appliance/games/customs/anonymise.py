"""Replacement packs for exports without everyone's consent (DESIGN §4).

The order of a shuffle contains secrets: the cards of hands that were never opened, the rest of the pack, and when a
traveller drew a card that they discarded later. The replacement keeps everything public (every opened hand, every card
on the open suitcase, and when) and nothing else. A fixed rule fills the places of the pack that stay unknown. The
result folds to the same public view and happenings at every step.

The rule: a discarded card is the oldest of its hand. The Bag is the newest, because it must be discarded when received
(CU-45). An opened hand and the unseen rest are filled in the order of the kinds, the Bag last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from appliance.games.customs.rules.actions import Discard, Shuffle
from appliance.games.customs.rules.cards import CARDS, HAND, PACK, Card
from appliance.games.customs.rules.state import State
from appliance.games.protocol import Action, Rejection, Rules, Setup, Step


class _Round:
    """One round as everybody saw it: the pack places that are in the hand, and the kinds that became known."""

    def __init__(self, shuffle: int) -> None:
        self.shuffle = shuffle
        self.known: dict[int, Card] = {}
        self._hand: list[int] = []
        self._drawn = 0

    def follow(self, before: State, action: Action, step: Step[State]) -> None:
        """Record the cards that one action showed."""
        if isinstance(action, Discard):
            self._show(self._hand[-1] if action.card == "bag" else self._hand[0], action.card)
        for happening in step.happened:
            if happening.code == "hand_opened":
                cards = sorted(happening.values["cards"], key=_bag_last)
                for place, card in zip(tuple(self._hand), cards, strict=True):
                    self._show(place, card)
            if happening.code == "hand_drawn":
                self._hand = []
                self._draw(HAND)
        if isinstance(action, Discard):
            self._draw(1)

    def _draw(self, count: int) -> None:
        self._hand += range(self._drawn, self._drawn + count)
        self._drawn += count

    def _show(self, place: int, card: Card) -> None:
        self.known[place] = card
        self._hand.remove(place)

    def order(self) -> tuple[int, ...]:
        """Return an order of the pack that shows the same cards."""
        rest = Counter(PACK) - Counter(self.known.values())
        unseen = iter(sorted(rest.elements(), key=_bag_last))
        kinds = [self.known[place] if place in self.known else next(unseen) for place in range(len(PACK))]
        return _numbers(kinds)


def anonymise(game: Rules, setup: Setup, actions: Sequence[Action]) -> tuple[Action, ...]:
    """Return `actions` with other shuffles, folding to equal public views and happenings at every step.

    :raises ValueError: when the actions do not fold.
    """
    step = _taken(game.set_up(setup))
    replaced = list(actions)
    rounds: list[_Round] = []
    for number, action in enumerate(actions):
        before, step = step.state, _taken(game.apply(step.state, action))
        if isinstance(action, Shuffle):
            rounds.append(_Round(number))
        if rounds:
            rounds[-1].follow(before, action, step)
    for one in rounds:
        replaced[one.shuffle] = Shuffle(order=one.order())
    return tuple(replaced)


def _taken(step: Step[State] | Rejection) -> Step[State]:
    if isinstance(step, Rejection):
        raise ValueError(step.code)
    return step


def _bag_last(card: Card) -> int:
    return len(CARDS) if card == "bag" else CARDS.index(card)


def _numbers(kinds: Iterable[Card]) -> tuple[int, ...]:
    """Return the numbers of `PACK` for an order of kinds. Equal cards get ascending numbers."""
    free = {card: iter([number for number, one in enumerate(PACK) if one == card]) for card in CARDS}
    return tuple(next(free[card]) for card in kinds)
