"""Random draws: the electronic die and shuffled decks (AP-5). Each is derived from its game's start value."""

from __future__ import annotations

import hashlib
import random
from typing import Any

from appliance.games.protocol import Action, AnyOrder, Choice, OneOf, Prompt
from appliance.games.read_action import read_action
from appliance.journal.fold.history import History
from appliance.table.offered import offers

START_BITS = 128
FINGERPRINT_DIGITS = 16


class Dealer:
    """Draws every field of a prompt uniformly.

    A game has one start value from its opening on, sealed in the journal. A draw depends only on it, on the prompt and
    on how often that prompt was drawn before. So a restart cannot give a better draw, and anyone who opens the seal
    after the game can repeat all draws (`table.draws.audit`).

    :param seed: seeds the start values of tests and demos; None: they come from the operating system.
    """

    def __init__(self, seed: int | None = None) -> None:
        self._random = random.SystemRandom() if seed is None else random.Random(seed)

    def start_value(self) -> str:
        """Return the start value of a new game, as hexadecimal digits."""
        return f"{self._random.getrandbits(START_BITS):0{START_BITS // 4}x}"

    def answer(self, history: History, prompt: Prompt) -> Action:
        """Return a random answer to `prompt`; the earlier answer, where a draw for it was undone."""
        before = history.draws.get(prompt.prompt)
        if before is not None and offers(prompt, before):
            return before
        whose = {} if prompt.seat is None else {"seat": prompt.seat}
        drawn = self.draw(prompt, history.start_value, history.drawn[prompt.prompt])
        return read_action({"do": prompt.do, **whose, **drawn}, history.game.rules)

    def draw(self, prompt: Prompt, start_value: str, before: int = 0) -> dict[str, Any]:
        """Return a random value for each field of `prompt` (OneOf and AnyOrder).

        :param start_value: that of the game; "": it has none, and the draw uses the operating system's randomness.
        :param before: how often the prompt was drawn before in this game.
        :raises ValueError: a field cannot be drawn (a number, a text): such a prompt must not say `chance`.
        """
        chance = random.Random(f"{start_value}/{prompt.prompt}/{before}") if start_value else random.SystemRandom()
        return {field: _value(choice, chance) for field, choice in prompt.choices.items()}


def fingerprint(start_value: str) -> str:
    """Return a short digest of a start value. It identifies the value without revealing it while the game is open."""
    return hashlib.sha256(start_value.encode()).hexdigest()[:FINGERPRINT_DIGITS]


def _value(choice: Choice, chance: random.Random) -> Any:
    # Python guarantees the same numbers in every release only for `random()`.
    if isinstance(choice, OneOf):
        return choice.values[int(chance.random() * len(choice.values))]
    if isinstance(choice, AnyOrder):
        return sorted(range(choice.count), key=lambda _: chance.random())
    raise ValueError(f"{type(choice).__name__} cannot be drawn by chance")
