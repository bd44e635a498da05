"""The public history of the hands in one game: when a card was drawn, and when and how one left.

The card itself is public only when a delivery is started.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

import msgspec

from appliance.games.haulers.rules.actions import Discard, Leave, Redraw, Shuffle, Start
from appliance.games.haulers.rules.phases.deadlock import can_arrive
from appliance.games.haulers.rules.state import State
from appliance.games.protocol import Action, Happening


class Drawn(msgspec.Struct, frozen=True, kw_only=True):
    """`seat` drew a card from the pile made by shuffle number `epoch`."""

    seat: int
    epoch: int


class Started(msgspec.Struct, frozen=True, kw_only=True):
    """Action `number` of `seat` turned `card` up. `released` is the epoch in which it was discarded; None: never."""

    seat: int
    number: int
    card: int
    released: int | None


class Discarded(msgspec.Struct, frozen=True, kw_only=True):
    """Action `number` of `seat` discarded a card unseen, in `epoch`."""

    seat: int
    number: int
    epoch: int


class Cleared(msgspec.Struct, frozen=True, kw_only=True):
    """`seat` discarded the whole hand in `epoch`. `overseas`: every card of it needs a boat (TR-5)."""

    seat: int
    epoch: int
    overseas: bool


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """The hand of `seat` at the end contains only cards of `cards`."""

    seat: int
    cards: frozenset[int]


Movement: TypeAlias = Drawn | Started | Discarded | Cleared | Kept


def hand_history(
    states: Sequence[State], actions: Sequence[Action], happened: Sequence[Sequence[Happening]]
) -> tuple[Movement, ...]:
    """Return the public history of the hands. `states` has one more than `actions`: the first precedes all actions."""
    epochs = _epochs(actions)
    movements: list[Movement] = []
    for number, (action, (before, after)) in enumerate(zip(actions, pairwise(states), strict=True)):
        match action:
            case Start(seat=seat, card=place):
                card = before.players[seat].hand[place - 1]
                released = _released(states[number + 1 :], epochs[number:], seat, card)
                movements.append(Started(seat=seat, number=number, card=card, released=released))
            case Discard(seat=seat):
                movements.append(Discarded(seat=seat, number=number, epoch=epochs[number]))
            case Redraw(seat=seat) | Leave(seat=seat):
                movements.append(Cleared(seat=seat, epoch=epochs[number], overseas=isinstance(action, Redraw)))
            case _:
                pass
        pile = _pile(before, action)
        for card in pile[: len(pile) - len(after.pile)]:
            (seat,) = (seat for seat, player in enumerate(after.players) if card in player.hand)
            movements.append(Drawn(seat=seat, epoch=epochs[number]))
    if happened and any(one.code == "nobody_can_deliver" for one in happened[-1]):
        movements += _stranded(states[-1])
    return tuple(movements)


def _epochs(actions: Sequence[Action]) -> list[int]:
    """Return the epoch of each action: the number of shuffles of deliveries up to and including it, minus 1."""
    epoch, epochs = -1, []
    for action in actions:
        epoch += isinstance(action, Shuffle) and action.pile == "deliveries"
        epochs.append(epoch)
    return epochs


def _released(later: Sequence[State], epochs: Sequence[int], seat: int, card: int) -> int | None:
    for state, epoch in zip(later, epochs, strict=True):
        if all(load.card != card for load in state.players[seat].loads):
            return epoch
    return None


def _pile(before: State, action: Action) -> tuple[int, ...]:
    if isinstance(action, Shuffle) and action.pile == "deliveries":
        return tuple(before.discards[index] for index in action.order)
    return before.pile


def _stranded(state: State) -> list[Movement]:
    """Return what a deadlock reveals: players with room for a delivery hold no delivery that could arrive."""
    cards = range(len(state.edition.deliveries))
    return [
        Kept(seat=seat, cards=frozenset(card for card in cards if not can_arrive(state, seat, card)))
        for seat in state.here()
        if state.players[seat].room() > 0
    ]
