"""Counts cards by weight. A stack with a known number of cards gives the mass of one (RULES §2.8, §4.8). Pure."""

from __future__ import annotations

import math

import msgspec

SURE_SD = 3.0
"""A count is sure when an error of this many standard deviations would not change it."""
CARD_SPREAD_REL = 0.01
"""Relative standard deviation of the mass of single cards of one printing. The errors are independent."""


class CardStack(msgspec.Struct, frozen=True):
    """A stack that was counted by hand and weighed: `cards` ≥ 1, `mass_g` > 0 and its standard deviation."""

    cards: int
    mass_g: float
    sd_g: float = 0.0


class CardCount(msgspec.Struct, frozen=True):
    """The number of cards on the pan. `sure` is False when another number is about as likely: count by hand then."""

    cards: int
    sure: bool


def card_mass_g(stack: CardStack) -> float:
    """Return the mass of one card.

    :raises ValueError: when the stack is empty or weighs nothing.
    """
    if stack.cards < 1 or stack.mass_g <= 0:
        raise ValueError("weigh a stack of at least one card")
    return stack.mass_g / stack.cards


def count_cards(mass_g: float, sd_g: float, stack: CardStack) -> CardCount:
    """Return the number of cards that weigh `mass_g` ± `sd_g`, calibrated by `stack`.

    The error of the count has three parts: the weighing, the calibration (which grows with the count), and the spread
    of single cards (which grows with its root).
    """
    card_g = card_mass_g(stack)
    cards = max(0, round(mass_g / card_g))
    calibration_g = cards * math.hypot(stack.sd_g / stack.cards, CARD_SPREAD_REL * card_g / math.sqrt(stack.cards))
    spread_g = math.sqrt(cards) * CARD_SPREAD_REL * card_g
    error_g = math.sqrt(sd_g**2 + calibration_g**2 + spread_g**2)
    rest_g = abs(mass_g - cards * card_g)
    return CardCount(cards, sure=rest_g + SURE_SD * error_g <= card_g / 2)
