"""Finds cards that fit the public history of the hands. The result depends on the public history alone.

An epoch is the time between two shuffles of the discards. Cards that are in a hand or on a vehicle during a shuffle are
not in the new pile. So a card is drawn at most once in an epoch, and only in a later epoch than that of its discard.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from appliance.games.haulers.anonymise.hand_history import Cleared, Discarded, Drawn, Kept, Movement, Started

ATTEMPTS = 1000
"""Number of random choices of the cards that left the hands. Nearly always one of the first ten fits."""
NEVER = 1_000_000
"""A number above every epoch."""


@dataclass(eq=False)
class Slot:
    """One drawn card. `card` is None until one is found for it."""

    epoch: int
    released: int = NEVER
    """The epoch in which it was discarded."""
    exit: int | None = None
    """The number of the action that took it out of the hand by its position."""
    card: int | None = None
    among: Collection[int] | None = None
    """The possible cards; None: any."""


def consistent_hands(
    history: Sequence[Movement], deck: Collection[int], overseas: Collection[int]
) -> list[Slot] | None:
    """Return a slot with a card for every drawn card, in the order of drawing, or None when no choice fits.

    :param deck: the cards in the game.
    :param overseas: the cards of `deck` that need a boat.
    """
    for attempt in range(ATTEMPTS):
        slots = _slots(history, overseas, Random(attempt))
        if slots is not None and all(_deal(slots, deck, overseas)):
            return slots
    return None


def _slots(history: Sequence[Movement], overseas: Collection[int], random: Random) -> list[Slot] | None:
    """Choose for each card that left a hand which drawn card it was. Return None when none is possible."""
    slots: list[Slot] = []
    hands: dict[int, list[Slot]] = {}
    free_from: dict[int, int] = {}
    for movement in history:
        hand = hands.setdefault(movement.seat, [])
        match movement:
            case Drawn(epoch=epoch):
                hand.append(Slot(epoch))
                slots.append(hand[-1])
            case Started(number=number, card=card, released=released):
                possible = [slot for slot in hand if slot.epoch >= free_from.get(card, 0)]
                if not possible:
                    return None
                slot = random.choice(possible)
                hand.remove(slot)
                slot.card, slot.exit = card, number
                slot.released = NEVER if released is None else released
                free_from[card] = slot.released + 1
            case Discarded(number=number, epoch=epoch):
                slot = hand.pop(random.randrange(len(hand)))
                slot.released, slot.exit = epoch, number
            case Cleared(epoch=epoch, overseas=only_overseas):
                for slot in hand:
                    slot.released, slot.among = epoch, overseas if only_overseas else None
                hand.clear()
            case Kept(cards=cards):
                for slot in hand:
                    slot.among = cards
    return slots


def _deal(slots: Sequence[Slot], deck: Collection[int], overseas: Collection[int]) -> Iterator[bool]:
    """Find a card for every slot, epoch by epoch. Yield whether each check succeeded."""
    started = [slot for slot in slots if slot.card is not None]
    for epoch in sorted({slot.epoch for slot in slots}):
        held = {slot.card for slot in slots if slot.epoch < epoch <= slot.released}
        pile = set(deck) - held
        drawn = [slot for slot in slots if slot.epoch == epoch]
        known = {slot.card for slot in drawn if slot.card is not None}
        yield known <= pile
        wanted = {
            card: min((slot.epoch for slot in started if slot.card == card and slot.epoch > epoch), default=NEVER + 1)
            for card in pile - known
        }
        # Cards that are needed again soonest come first, then cards that go by road: with those in hand no game gets
        # into a deadlock by chance.
        cards = sorted(wanted, key=lambda card: (wanted[card], card in overseas, card))
        unknown = sorted((slot for slot in drawn if slot.card is None), key=lambda slot: -slot.released)
        fits = [
            [card for card in cards if wanted[card] > slot.released and (slot.among is None or card in slot.among)]
            for slot in unknown
        ]
        matched = _matched(fits)
        yield len(matched) == len(unknown)
        for card, place in matched.items():
            unknown[place].card = card


def _matched(fits: Sequence[Sequence[int]]) -> dict[int, int]:
    """Return the index in `fits` for each card: a maximum matching by augmenting paths (Kuhn's algorithm)."""
    matched: dict[int, int] = {}

    def find(place: int, tried: set[int]) -> bool:
        # Free cards come before cards that another index would have to give up.
        for card in sorted(fits[place], key=matched.__contains__):
            if card not in tried:
                tried.add(card)
                if card not in matched or find(matched[card], tried):
                    matched[card] = place
                    return True
        return False

    for place in range(len(fits)):
        find(place, set())
    return matched
