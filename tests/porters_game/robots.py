"""Robots that play Porters."""

from __future__ import annotations

from random import Random
from typing import Any

from appliance.games.protocol import Action, Prompt
from tests.porters_game.rules.actions import Cross, Hide

SKILLS: dict[str, float] = {"beginner": 0.5, "expert": 0.8}
"""How likely each gets a load across, weakest first."""


def demo_options() -> dict[str, Any]:
    """Return the options of the games that robots open by themselves: none."""
    return {}


class Robot:
    """One seat's player."""

    def __init__(self, seat: int, skill: str, seed: int) -> None:
        self.seat, self._passes = seat, SKILLS[skill]
        self._random = Random(f"{seed} {seat}")

    def choose(self, view: Any, prompts: tuple[Prompt, ...], /) -> tuple[Prompt, Action] | None:
        """Answer the first prompt of the own seat."""
        mine = next((prompt for prompt in prompts if prompt.seat == self.seat), None)
        if mine is None:
            return None
        if mine.do == "hide":
            return mine, Hide(seat=self.seat, mass_g=round(self._random.uniform(5.0, 50.0), 1))
        passes = self._random.random() < self._passes
        return mine, Cross(seat=self.seat, outcome="passed" if passes else "stuck")
