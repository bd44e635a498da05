"""Stand-in cards for exports without everyone's consent: another game in which everybody saw the same.

The cards that stayed secret are found anew from the public story alone. So nothing about them can be read from an
export: two games with the same story export the same. What the story itself proves stays true, of course: so many of
each kind were counted in the end. Where the search fails, the true cards are mixed for as long as the story allows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from msgspec.structs import replace

from appliance.games.prohis.anonymise.consistent_deals import World, WorldSearch
from appliance.games.prohis.anonymise.consistent_hands import Place
from appliance.games.prohis.anonymise.public_card_history import Hidden, Lent, Story, public_story
from appliance.games.prohis.rules import actions as acts
from appliance.games.prohis.rules.cards import CARDS, OWN_PROHIS, Card, deck
from appliance.games.protocol import Action, Rules, Setup

MIXINGS = 200
"""Pairs of true cards that are tried in each other's place, where no other world was found."""


def stand_ins(game: Rules, setup: Setup, actions: Sequence[Action]) -> tuple[Action, ...]:
    """Return `actions` with other cards in every secret place, folding to equal public views and happenings.

    :raises ValueError: when the actions do not fold.
    """
    if setup.options.get("physical"):
        return tuple(actions)
    players = len(setup.players)
    story = public_story(game, setup, actions)
    search = WorldSearch(story, players)

    def told(world: World | None) -> tuple[Action, ...] | None:
        """Return the game in that world, None when anybody would have seen anything else."""
        if world is None:
            return None
        anew = tuple(_told_anew(number, action, story, world, players) for number, action in enumerate(actions))
        try:
            return anew if public_story(game, setup, anew) == story else None
        except ValueError:
            return None

    found = told(search.world())
    if found is not None:
        return found
    return _mixed(actions, story, lambda lying: told(search.world_of(lying)))


def _mixed(
    actions: Sequence[Action], story: Story, told: Callable[[Mapping[Place, Card]], tuple[Action, ...] | None]
) -> tuple[Action, ...]:
    """Return the game with as many of its true cards in each other's place as the draws leave."""
    lying: dict[Place, Card] = {}
    for movement in story.movements:
        if not isinstance(movement, Hidden | Lent):
            continue
        action = actions[movement.by]
        assert isinstance(action, acts.Convoy | acts.Offer)
        for place in movement.places if isinstance(movement, Lent) else (movement.place,):
            lying[movement.by, place] = action.cards[place]
    mixed = told(lying)
    assert mixed is not None, "the true cards fit their own story"
    rng = Random(len(actions))
    for _ in range(MIXINGS if len(lying) > 1 else 0):
        one, other = rng.sample(sorted(lying), 2)
        changed = {**lying, one: lying[other], other: lying[one]}
        anew = None if lying[one] == lying[other] else told(changed)
        if anew is not None:
            mixed, lying = anew, changed
    return mixed


def _told_anew(number: int, action: Action, story: Story, world: World, players: int) -> Action:
    match action:
        case acts.Shuffle():
            return acts.Shuffle(order=_order(story, world, players))
        case acts.Convoy() | acts.Offer():
            # What is not in the world was shown: an open bribe that went back, cards of a convoy that was called off.
            cards = tuple(world.lying.get((number, place), shown) for place, shown in enumerate(action.cards))
            return replace(action, cards=cards)
        case acts.Declare() if number in story.never_shown:
            return replace(action, prohi=None)
        case _:
            return action


def _order(story: Story, world: World, players: int) -> tuple[int, ...]:
    """Return the shuffle that deals the world; what nobody saw lies at the bottom, in the deck's own order."""
    dealt = 4 * players
    drawn = iter(world.drawn[dealt:])
    pile: list[Any] = [card if card is not None else next(drawn) for card in story.pile]
    places: dict[Card, list[int]] = {card: [] for card in CARDS if card not in OWN_PROHIS}
    for place, card in enumerate(deck(players)):
        places[card].append(place)
    top = [places[card].pop(0) for card in (*world.drawn[:dealt], *story.row, *pile)]
    return (*top, *(place for left in places.values() for place in left))
