"""Replaces secrets in exports without everyone's consent: everything that never became public (DESIGN §4).

Hands, discards and piles get cards that fit the public history and depend on nothing else. Missions and transit cards
that nobody saw get the order of the edition. Goods whose kind was never shown become legal while legal cards last. All
public data stays the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from appliance.games.haulers.anonymise.consistent_hands import Slot, consistent_hands
from appliance.games.haulers.anonymise.hand_history import hand_history
from appliance.games.haulers.anonymise.unshown_kinds import kinds_replaced
from appliance.games.haulers.rules.actions import Discard, Shuffle, Start
from appliance.games.haulers.rules.state import State
from appliance.games.protocol import Action, Rejection, Rules, Setup, Step


def anonymise(game: Rules, setup: Setup, actions: Sequence[Action]) -> tuple[Action, ...] | None:
    """Return `actions` with other secrets, folding to equal public views and happenings at every step.

    :returns: None when no cards were found that fit the public game.
    :raises ValueError: when the actions do not fold.
    """
    steps = list(_folded(game, setup, actions))
    states, happened = [step.state for step in steps], [step.happened for step in steps]
    deck = states[0].discards
    overseas = frozenset(card for card in deck if states[0].is_overseas(card))
    slots = consistent_hands(hand_history(states, actions, happened), deck, overseas)
    if slots is None:
        return None
    public = kinds_replaced(states, _other_piles(states, actions))
    try:
        replaced = tuple(_dealt(game, steps[0].state, public, slots))
        told = [step.happened for step in _folded(game, setup, replaced)]
    except ValueError:
        return None
    return replaced if told == happened else None


def _folded(game: Rules, setup: Setup, actions: Sequence[Action]) -> Iterator[Step[Any]]:
    """Yield every step, starting with that of the set-up."""
    step = _taken(game.set_up(setup))
    yield step
    for action in actions:
        step = _taken(game.apply(step.state, action))
        yield step


def _taken(step: Step[Any] | Rejection) -> Step[Any]:
    if isinstance(step, Rejection):
        raise ValueError(step.code)
    return step


def _dealt(game: Rules, state: State, actions: Sequence[Action], slots: Sequence[Slot]) -> Iterator[Action]:
    """Yield the actions with the delivery cards of `slots`: the orders of shuffles, and the positions in hands."""
    exits = {slot.exit: slot.card for slot in slots if slot.exit is not None}
    epoch = -1
    for number, action in enumerate(actions):
        changed = action
        match action:
            case Shuffle(pile="deliveries"):
                epoch += 1
                drawn = [slot.card for slot in slots if slot.epoch == epoch]
                top = [state.discards.index(card) for card in drawn if card is not None]
                rest = sorted(set(range(len(state.discards))) - set(top), key=state.discards.__getitem__)
                changed = replace(action, order=(*top, *rest))
            case Start(seat=seat) | Discard(seat=seat):
                card = exits[number]
                assert card is not None
                changed = replace(action, card=state.players[seat].hand.index(card) + 1)
            case _:
                pass
        state = _taken(game.apply(state, changed)).state
        yield changed


def _other_piles(states: Sequence[State], actions: Sequence[Action]) -> list[Action]:
    """Return the actions with unseen missions and transit cards in the order of the edition."""
    replaced = list(actions)
    undrawn = set(states[-1].transit_pile)
    for number in reversed(range(len(actions))):
        action, before = actions[number], states[number]
        match action:
            case Shuffle(pile="missions"):
                unseen = set(before.mission_pile) - _missions_seen(states)
                replaced[number] = replace(action, order=_in_order(before.mission_pile, action.order, unseen))
            case Shuffle(pile="transit"):
                replaced[number] = replace(action, order=_in_order(before.transit_discards, action.order, undrawn))
                # A pile is reshuffled only when all its cards were drawn, and drawn cards are shown.
                undrawn = set()
            case _:
                pass
    return replaced


def _missions_seen(states: Sequence[State]) -> set[int]:
    """Return the missions that everybody saw at some time (TR-62)."""
    shown = (
        player.mission for state in states for seat, player in enumerate(state.players) if state.shows_mission(seat)
    )
    return {mission for mission in shown if mission is not None}


def _in_order(cards: Sequence[int], order: Sequence[int], unseen: Collection[int]) -> tuple[int, ...]:
    """Return `order`, the order of `cards`, with the unseen cards among themselves in ascending order."""
    rising = iter(sorted((place for place in order if cards[place] in unseen), key=cards.__getitem__))
    return tuple(next(rising) if cards[place] in unseen else place for place in order)
