"""The open prompts of one position of a game: which must be answered, and which the appliance may draw."""

from __future__ import annotations

from collections.abc import Mapping

from appliance.games.protocol import Action, Prompt
from appliance.table.offered import offers


class OpenPrompts:
    """All prompts that the rules have open, and what they demand of answers.

    :param prompts: as `History.prompts` returns them.
    """

    def __init__(self, prompts: tuple[Prompt, ...] = ()) -> None:
        self._prompts = prompts
        self.names = frozenset(prompt.prompt for prompt in prompts)
        self.must = frozenset(prompt.prompt for prompt in prompts if not prompt.optional)
        """Names of those that somebody must answer before the game goes on."""

    @property
    def asked(self) -> str:
        """The name of the only prompt that must be answered; "" if there is none or more than one."""
        (name,) = self.must if len(self.must) == 1 else ("",)
        return name

    def drawable(self, name: str) -> Prompt | None:
        """Return the prompt of that name if the appliance may draw its answer."""
        return next((prompt for prompt in self._prompts if prompt.prompt == name and prompt.chance != "no"), None)

    def drawn_at_once(self) -> tuple[Prompt, ...]:
        """Return the prompts that the appliance answers without being asked, one of each name."""
        return tuple({prompt.prompt: prompt for prompt in self._prompts if prompt.chance == "must"}.values())

    def against_chance(self, action: Action, draws: Mapping[str, Action]) -> bool:
        """Return whether `action` answers a prompt otherwise than a draw for it that was undone.

        :param draws: the draws of the game so far, by prompt.
        """
        return any(draws.get(prompt.prompt, action) != action and offers(prompt, action) for prompt in self._prompts)
