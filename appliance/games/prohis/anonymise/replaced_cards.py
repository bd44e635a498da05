"""Replacement cards for exports without everyone's consent: another game with the same public history.

The new cards are searched from the public history alone. So an export reveals nothing about the secret cards: two games
with the same public history have the same export. Facts that the history proves stay true, such as the counts at the
end. If the search fails, true cards are swapped as far as the history allows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from msgspec.structs import replace

from appliance.games.prohis.anonymise.consistent_deals import Deal, DealSearch
from appliance.games.prohis.anonymise.consistent_hands import CardPlace
from appliance.games.prohis.anonymise.public_card_history import Hidden, Lent, PublicHistory, public_history
from appliance.games.prohis.rules import actions as acts
from appliance.games.prohis.rules.cards import CARDS, OWN_PROHIS, Card, deck
from appliance.games.protocol import Action, Rules, Setup

SWAPS = 200
"""Number of random swaps of true cards that are tried if no other deal was found."""


def anonymise(game: Rules, setup: Setup, actions: Sequence[Action]) -> tuple[Action, ...]:
    """Return `actions` with other cards in every secret place, folding to equal public views and happenings.

    :raises ValueError: when the actions do not fold.
    """
    if setup.options.get("physical"):
        return tuple(actions)
    players = len(setup.players)
    history = public_history(game, setup, actions)
    search = DealSearch(history, players)

    def rewritten(deal: Deal | None) -> tuple[Action, ...] | None:
        """Return the actions with the cards of that deal, or None if that changes the public history."""
        if deal is None:
            return None
        anew = tuple(_rewritten(number, action, history, deal, players) for number, action in enumerate(actions))
        try:
            return anew if public_history(game, setup, anew) == history else None
        except ValueError:
            return None

    found = rewritten(search.deal())
    if found is not None:
        return found
    return _mixed(actions, history, lambda lying: rewritten(search.deal_of(lying)))


def _mixed(
    actions: Sequence[Action],
    history: PublicHistory,
    rewritten: Callable[[Mapping[CardPlace, Card]], tuple[Action, ...] | None],
) -> tuple[Action, ...]:
    """Return the game with true cards swapped at random, as far as the public history allows."""
    lying: dict[CardPlace, Card] = {}
    for movement in history.movements:
        if not isinstance(movement, Hidden | Lent):
            continue
        action = actions[movement.by]
        assert isinstance(action, acts.LayConvoy | acts.Offer)
        for place in movement.places if isinstance(movement, Lent) else (movement.place,):
            lying[movement.by, place] = action.cards[place]
    mixed = rewritten(lying)
    assert mixed is not None, "the true cards fit their own history"
    rng = Random(len(actions))
    for _ in range(SWAPS if len(lying) > 1 else 0):
        one, other = rng.sample(sorted(lying), 2)
        changed = {**lying, one: lying[other], other: lying[one]}
        anew = None if lying[one] == lying[other] else rewritten(changed)
        if anew is not None:
            mixed, lying = anew, changed
    return mixed


def _rewritten(number: int, action: Action, history: PublicHistory, deal: Deal, players: int) -> Action:
    match action:
        case acts.Shuffle():
            return acts.Shuffle(order=_order(history, deal, players))
        case acts.LayConvoy() | acts.Offer():
            # Cards that are not in the deal were shown: an open bribe that went back, a convoy that was called off.
            cards = tuple(deal.lying.get((number, place), shown) for place, shown in enumerate(action.cards))
            return replace(action, cards=cards)
        case acts.Declare() if number in history.never_shown:
            return replace(action, prohi=None)
        case _:
            return action


def _order(history: PublicHistory, deal: Deal, players: int) -> tuple[int, ...]:
    """Return the shuffle that gives this deal. Cards that nobody saw are at the bottom, in the order of the deck."""
    dealt = 4 * players
    drawn = iter(deal.drawn[dealt:])
    pile: list[Any] = [card if card is not None else next(drawn) for card in history.pile]
    places: dict[Card, list[int]] = {card: [] for card in CARDS if card not in OWN_PROHIS}
    for place, card in enumerate(deck(players)):
        places[card].append(place)
    top = [places[card].pop(0) for card in (*deal.drawn[:dealt], *history.row, *pile)]
    return (*top, *(place for left in places.values() for place in left))
