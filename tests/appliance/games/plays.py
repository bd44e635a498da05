"""What plays a game at random: the module `play` of the game's own tests, or, without one, its open prompts alone."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

from appliance.games.catalogue import the_game
from appliance.games.game import Game
from appliance.games.protocol import Action, Prompt, Rejection, Setup
from appliance.journal.fold.history import History
from tests.appliance.games import playing
from tests.appliance.games.contract import play as contract
from tests.appliance.games.playing import Played
from tests.narrowed import there

MOST_STEPS = 20_000
SHIPPED = ("smugglers", "prohis", "customs", "haulers")
"""They are long enough for a test to know at least how often it looked; a new game may be short."""


def at_least(game: str, times: int) -> int:
    """Return how often a test of `game` must have looked to prove anything."""
    return times if game in SHIPPED else 1


def demo_options(game: str) -> dict[str, Any]:
    """Return the options with which robots open `game`."""
    return dict(there(the_game(game).robots)().demo_options())


def begun(setup: Setup) -> History:
    """Return the history of a game that has just been opened, as entry 1."""
    found = the_game(setup.game)
    start = found.rules.set_up(setup)
    assert not isinstance(start, Rejection), start
    return History(found, setup, 1, start)


class Prompted:
    """Plays a game of which tests know nothing but its declaration, as a module `play` does."""

    VARIANTS: tuple[dict[str, Any], ...] = ({},)
    one_of = staticmethod(contract.one_of)

    def __init__(self, game: Game) -> None:
        self.game, self.RULES = game, game.rules

    def a_setup(self, players: int | None = None, **options: Any) -> Setup:
        return contract.a_setup(self.game, players, **options)

    def action_of(self, prompt: Prompt, fields: dict[str, Any]) -> Action:
        return contract.action_of(self.game, prompt.do, prompt.seat, fields)

    def played(self, setup: Setup, rng: Random, leaving: float = 0.0) -> Iterator[Played]:
        """Yield each step of a random game in which somebody leaves with probability `leaving` a step."""
        seats = len(setup.players)

        def decide(state: Any) -> Action:
            action = contract.leave_of(self.game, rng.randrange(seats)) if rng.random() < leaving else None
            if action is not None and not isinstance(self.game.rules.apply(state, action), Rejection):
                return action
            return contract.answer(self.game, rng.choice(contract.own_prompts(self.game, state, seats)), rng)

        return playing.played(self.game.rules, setup, decide, MOST_STEPS)


def own_module(game: str, name: str) -> Any | None:
    """Return a module of the tests of `game`, or None: no game needs any."""
    there = (Path(__file__).parent / game / f"{name}.py").exists()
    return import_module(f"tests.appliance.games.{game}.{name}") if there else None


def play_of(game: str) -> Any:
    """Return what plays `game`, with `a_setup`, `played`, `one_of` and `action_of`."""
    return own_module(game, "play") or Prompted(the_game(game))
