"""Finds cards that fit what everybody saw of the hands. The result depends on the public history alone.

A card is in one place at a time. Whatever was held in a hand or on a vehicle when the discards were shuffled is not in
the new pile. So a card is drawn at most once in an epoch, and only in a later epoch than the one it was discarded in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from random import Random

from appliance.games.haulers.anonymise.hand_history import Cleared, Discarded, Drawn, Kept, Movement, Started

ATTEMPTS = 1000
"""Choices of what left the hands that are tried. Nearly always one of the first ten fits."""
NEVER = 1_000_000
"""Later than every epoch."""


@dataclass(eq=False)
class Slot:
    """One card from the moment it is drawn. `card` is None until one is found for it."""

    epoch: int
    released: int = NEVER
    """The epoch in which it was discarded."""
    exit: int | None = None
    """The number of the action that took it out of the hand by its place."""
    card: int | None = None
    among: Collection[int] | None = None
    """The cards that it can be, None: any."""


def consistent_hands(
    history: Sequence[Movement], deck: Collection[int], overseas: Collection[int]
) -> list[Slot] | None:
    """Return the drawn cards in the order of their drawing, every one with its card, or None when none were found.

    :param deck: the cards that are played with.
    :param overseas: those of them that need a boat.
    """
    for attempt in range(ATTEMPTS):
        slots = _slots(history, overseas, Random(attempt))
        if slots is not None and all(_deal(slots, deck, overseas)):
            return slots
    return None


def _slots(history: Sequence[Movement], overseas: Collection[int], random: Random) -> list[Slot] | None:
    """Choose which drawn card it was that left a hand, each time. Return None where none can have been it."""
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
    """Find a card for every slot, epoch by epoch. Yield whether there was one for each."""
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
        # What is needed again soonest goes to the slots that can still take it. Cards that go by road come first: with
        # them in hand no game is stuck by chance.
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
    """Return by card the place that it is for: a largest matching by augmenting paths (Kuhn's algorithm)."""
    matched: dict[int, int] = {}

    def find(place: int, tried: set[int]) -> bool:
        # A card that is free comes before one that another place would have to give up.
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
