"""The catalogue of games. Each is imported on first use."""

from __future__ import annotations

import importlib
from functools import cache

from appliance.games.game import Game

GAMES = ("smugglers", "prohis", "customs", "haulers")
"""Names, as in a set-up; the first is the flagship."""


def find_game(name: str) -> Game | None:
    """Return the game of that name, or None when there is none (see `GAMES`)."""
    return _load(name) if name in GAMES else None


def the_game(name: str) -> Game:
    """Return the game of that name.

    :raises KeyError: there is none.
    """
    game = find_game(name)
    if game is None:
        raise KeyError(name)
    return game


@cache
def _load(name: str) -> Game:
    game: Game = importlib.import_module(f"appliance.games.{name}.game").GAME
    return game
