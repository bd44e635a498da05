"""The catalogue of games. Each is imported on first use."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial

from appliance.games.game import Game


@cache
def _load(module: str) -> Game:
    game: Game = importlib.import_module(module).GAME
    return game


GAMES: dict[str, Callable[[], Game]] = {
    name: partial(_load, f"appliance.games.{name}.game") for name in ("smugglers", "prohis", "customs", "haulers")
}
"""The loader of each game by the name that set-ups give. The first is the flagship."""


def the_game(name: str) -> Game:
    """Return the game of that name.

    :raises KeyError: there is none.
    """
    return GAMES[name]()


@contextmanager
def added(game: Game) -> Iterator[Game]:
    """Add a game to the end of `GAMES` inside this context. Tests load their own games with it.

    :raises ValueError: there is a game of that name.
    """
    if game.name in GAMES:
        raise ValueError(f"there is a game called {game.name}")
    GAMES[game.name] = lambda: game
    try:
        yield game
    finally:
        del GAMES[game.name]
