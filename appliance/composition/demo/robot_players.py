"""Robot players of games without sensors: each waits for a thinking time, then taps what its robot chooses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from appliance.games.game import Robot
from appliance.games.protocol import Action

THINK_S = (0.8, 2.6)
"""Range of the thinking time. It is drawn per prompt and seat and does not depend on the choice (AP-8)."""


class RobotPlayers:
    """Plays the automatic seats of a game that needs no hands.

    :param robots: a robot for every seat that may be automatic.
    :param submit: taps an answer: the seat that taps, the prompt's name, the action.
    """

    def __init__(
        self, robots: Mapping[int, Robot], submit: Callable[[int | None, str, Action], None], *, seed: int = 0
    ) -> None:
        self.automatic = set(robots)
        self._robots, self._submit, self._seed = robots, submit, seed
        self._since_s: dict[tuple[int, str], float] = {}

    def play(self, views: Callable[[int | None], Any], now_s: float, question: str | None = None) -> None:
        """Tap what is due. Call it at least five times per simulated second."""
        still_open: set[tuple[int, str]] = set()
        for seat in sorted(self.automatic):
            view = views(seat)
            mine = tuple(prompt for prompt in view.expects if prompt.seat == seat and prompt.chance != "must")
            still_open |= {(seat, prompt.prompt) for prompt in mine}
            if mine and all(self._thought(seat, prompt.prompt, now_s) for prompt in mine):
                chosen = self._robots[seat].choose(view, view.expects)
                if chosen is not None:
                    self._submit(seat, chosen[0].prompt, chosen[1])
        self._since_s = {key: since for key, since in self._since_s.items() if key in still_open}

    def _thought(self, seat: int, prompt: str, now_s: float) -> bool:
        """Return whether the thinking time for this prompt is over."""
        since_s = self._since_s.setdefault((seat, prompt), now_s)
        return now_s - since_s >= Random(f"{self._seed} {seat} {prompt}").uniform(*THINK_S)
