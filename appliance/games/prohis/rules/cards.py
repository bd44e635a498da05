"""The cards: kinds, ranks, points, and the cards in a game (PR-1 … PR-3, PR-50, PR-51). A card is just its kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal, TypeAlias, get_args

Card = Literal["legal", "illegal", "lieutenant", "captain", "major"]
Prohi = Literal["lieutenant", "captain", "major"]
Cards: TypeAlias = tuple[Card, ...]

CARDS: Cards = get_args(Card)
PROHIS: tuple[Prohi, ...] = get_args(Prohi)
"""In ascending rank (PR-23)."""

TURNS: dict[Prohi, int] = {"lieutenant": 1, "captain": 2, "major": 3}
"""Number of convoy cards that each Prohi turns up (PR-32)."""
WORTH: dict[str, dict[Card, int]] = {
    "warehouse": {"legal": 1000, "illegal": 4000, "lieutenant": 3000, "captain": 4000, "major": 5000},
    "hand": {"legal": 0, "illegal": -4000, "lieutenant": 1000, "captain": 2000, "major": 3000},
}
"""Points of a card at the end, by the place where it is (PR-50, PR-51)."""

FULL_DECK: dict[Card, int] = {"legal": 58, "illegal": 30, "lieutenant": 8}
SMALL_DECK: dict[Card, int] = {"legal": 40, "illegal": 20, "lieutenant": 6}
"""For three or four players: 18 legal, 10 illegal and 2 Lieutenants are removed (PR-2)."""
OWN_PROHIS: Cards = ("captain", "major")
"""The Prohis that every player gets (PR-3)."""


def deck(players: int) -> Cards:
    """Return the goods and Lieutenants of the unshuffled deck, to which the indices of a shuffle refer."""
    counts = SMALL_DECK if players <= 4 else FULL_DECK
    return tuple(card for card, count in counts.items() for _ in range(count))


def in_play(players: int) -> dict[Card, int]:
    """Return the number of cards of each kind in the game."""
    return dict(Counter([*deck(players), *OWN_PROHIS * players]))


def arranged(cards: Iterable[Card]) -> Cards:
    """Return the cards sorted by kind, as in a hand or a warehouse."""
    return tuple(sorted(cards, key=CARDS.index))


def holds(cards: Iterable[Card], some: Iterable[Card]) -> bool:
    """Return whether `some` are all among `cards`."""
    return not Counter(some) - Counter(cards)


def without(cards: Iterable[Card], some: Iterable[Card]) -> Cards:
    """Return `cards`, arranged, without `some`, which must be among them."""
    return arranged((Counter(cards) - Counter(some)).elements())


def worth(cards: Iterable[Card], place: str) -> int:
    """Return the points of cards in a "warehouse" or a "hand"."""
    return sum(WORTH[place][card] for card in cards)
