"""Which games there are. Each is imported when it is first asked for."""

from __future__ import annotations

import importlib
from functools import cache

from appliance.games.game import Game

GAMES = {name: f"appliance.games.{name}.game" for name in ("smugglers", "prohis", "customs", "haulers")}
"""By its name, as in a set-up: the module that declares a game. The first is the flagship."""


def find_game(name: str) -> Game | None:
    """Return the game of that name, or None when there is none (see `GAMES`)."""
    return _load(GAMES[name]) if name in GAMES else None


def the_game(name: str) -> Game:
    """Return the game of that name.

    :raises KeyError: there is none.
    """
    game = find_game(name)
    if game is None:
        raise KeyError(name)
    return game


@cache
def _load(module: str) -> Game:
    game: Game = importlib.import_module(module).GAME
    return game
