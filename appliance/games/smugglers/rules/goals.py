"""The goals of a game of Smugglers: the numbers of tokens that win, and the names of the ways to win (SM-95, SM-98)."""

from __future__ import annotations

from typing import Literal

import msgspec

Reached = Literal["seven_sweet", "seven_sour", "five_of_each", "five_sweet", "five_sour", "four_of_each"]
"""The names of the ways to win."""


class Goal(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of one colour that win, tokens of each colour that win together, and the `rule` that defines them."""

    rule: str
    one_colour: int
    each_colour: int
    sweet: Reached
    sour: Reached
    both: Reached

    def reached(self, sweet: int, sour: int) -> Reached | None:
        """Return the way to win that these token counts reach, or None."""
        if sweet >= self.one_colour:
            return self.sweet
        if sour >= self.one_colour:
            return self.sour
        return self.both if min(sweet, sour) >= self.each_colour else None


GOALS = {
    "full": Goal(
        rule="SM-95", one_colour=7, each_colour=5, sweet="seven_sweet", sour="seven_sour", both="five_of_each"
    ),
    "short": Goal(rule="SM-98", one_colour=5, each_colour=4, sweet="five_sweet", sour="five_sour", both="four_of_each"),
}
"""The goals by the value of the option `goal`."""

ABANDONED_RULE = "SM-101"
"""The rule that ends a game without a winner."""
