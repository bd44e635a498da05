"""Random draws: the electronic die and shuffled decks (AP-5)."""

from __future__ import annotations

import random
import secrets
from typing import Any

from appliance.games.protocol import AnyOrder, Choice, OneOf, Prompt


class Dealer:
    """Draws each field of a prompt uniformly.

    The seed is 128 bits of the system's randomness unless a test or a demo gives one. It can be shown after the game
    for audit, because the same seed gives the same draws.

    :param start_value: the generator's seed.
    """

    def __init__(self, start_value: int | None = None) -> None:
        self.start_value = secrets.randbits(128) if start_value is None else start_value
        self._random = random.Random(self.start_value)

    def draw(self, prompt: Prompt) -> dict[str, Any]:
        """Return a value for each field of `prompt` that is left to chance (OneOf and AnyOrder).

        :raises ValueError: a field cannot be drawn (a number, a text): such a prompt must not say `chance`.
        """
        return {field: self._value(choice) for field, choice in prompt.choices.items()}

    def _value(self, choice: Choice) -> Any:
        if isinstance(choice, OneOf):
            return self._random.choice(choice.values)
        if isinstance(choice, AnyOrder):
            order = list(range(choice.count))
            self._random.shuffle(order)
            return order
        raise ValueError(f"{type(choice).__name__} cannot be drawn by chance")
