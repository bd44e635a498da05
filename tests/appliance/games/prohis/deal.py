"""Shuffles that deal what a test wants: what a person would do by stacking the deck."""

from __future__ import annotations

from collections.abc import Sequence

from appliance.games.prohis.rules.cards import Card, deck

KINDS: dict[str, Card] = {"L": "legal", "I": "illegal", "T": "lieutenant", "C": "captain", "M": "major"}


def cards(letters: str) -> list[Card]:
    return [KINDS[letter] for letter in letters]


def stacked(hands: Sequence[str], row: str = "LLLL", pile: str = "") -> list[int]:
    """Return the order that deals four cards to each of `hands`, then `row`, then a pile that begins with `pile`.

    What is left of the deck follows, legal goods first.
    """
    left = list(enumerate(deck(len(hands))))
    order = []
    for wanted in cards("".join(hands) + row + pile):
        place = next(place for place, (_, card) in enumerate(left) if card == wanted)
        order.append(left.pop(place)[0])
    return order + [number for number, _ in left]
