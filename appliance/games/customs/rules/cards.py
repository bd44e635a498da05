"""The pack (CU-1): 26 luggage cards, the Diplomatic Bag, the Crown, and four each of seven dutiable kinds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal, get_args

Good = Literal["wine", "cigars", "brandy", "perfume", "watch", "camera", "necklace", "crown"]
"""The dutiable kinds, cheapest first."""
Card = Literal["luggage", "bag", "wine", "cigars", "brandy", "perfume", "watch", "camera", "necklace", "crown"]

GOODS: tuple[Good, ...] = get_args(Good)
CARDS: tuple[Card, ...] = get_args(Card)
HAND = 4
"""Cards in a hand, and the most goods that a declaration can name."""

_COUNTS: dict[Card, int] = dict.fromkeys(CARDS, 4) | {"luggage": 26, "bag": 1, "crown": 1}
PACK: tuple[Card, ...] = tuple(card for card in CARDS for _ in range(_COUNTS[card]))
"""All 56 cards by the numbers of a shuffle: 0–25 luggage, 26 the Bag, 27–54 four of each kind, 55 the Crown."""


def dutiable(cards: Iterable[Card | None]) -> tuple[Good, ...]:
    """Return the dutiable cards of `cards`, cheapest kind first."""
    held = Counter(cards)
    return tuple(good for good in GOODS for _ in range(held[good]))
