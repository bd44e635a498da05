"""Guests and options of recent games, with which the next set-up begins; and the check of named house rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from appliance.games.catalogue import the_game
from appliance.games.protocol import Json, Player, Rejection, Setup
from appliance.table.table import Table
from web.evening.kept import EveningStore
from web.evening.untyped import is_untyped

LOOKED_AT = 30
"""Number of newest games whose guests are offered."""
NAMES_MOST = 12
"""Most names that the keyboard offers."""
NAMES = ("Ann", "Ben", "Clara", "David", "Emma", "Finn", "Greta", "Hugo", "Ida", "Jonas", "Lena", "Max")
"""Names that are offered if fewer guests are known."""


def setups_of(table: Table, evening: EveningStore) -> tuple[Setup, ...]:
    """Return the set-ups of the game that is shown and of past games, newest first.

    Players whose name was erased, or never typed, have the name "".

    Past games are left out if the journal is busy or damaged: a game can be set up without them.
    """
    shown = table.snapshot().setup
    games = table.past_games(LOOKED_AT)
    played = (
        ()
        if isinstance(games, Rejection)
        else tuple(evening.without_erased(past.setup, past.game, "") for past in games if not past.imported)
    )
    return tuple(map(_typed, played if shown is None else (shown, *played)))


def _typed(setup: Setup) -> Setup:
    players = (replace(one, name="") if is_untyped(one) else one for one in setup.players)
    return replace(setup, players=tuple(players))


def players_of(game: str, names: Sequence[str]) -> tuple[Player, ...]:
    """Return the players of a guest list. If possible, nobody brings what would make their name count as untyped."""
    offered = the_game(game).demo_players(NAMES[: max(the_game(game).rules.seats)])
    shifts = (
        tuple(replace(offered[(seat + shift) % len(offered)], name=name) for seat, name in enumerate(names))
        for shift in range(len(offered))
    )
    return min(shifts, key=lambda players: sum(map(is_untyped, players)))


def guests_of(setups: Sequence[Setup], game: str) -> dict[str, Any]:
    """Return the initial values of a set-up page of `game`: `known_names`, `last_guests` and `last_options`.

    :param setups: newest first.
    """
    names = dict.fromkeys(player.name for setup in setups for player in setup.players if player.name)
    last = msgspec.to_builtins(setups[0]) if setups else None
    return {
        "known_names": tuple(dict.fromkeys((*names, *NAMES)))[:NAMES_MOST],
        "last_guests": last and {"players": last["players"], "oldest": last.get("oldest", 0)},
        "last_options": next((setup.options for setup in setups if setup.game == game), {}),
    }


def refused_options(game: str, options: Mapping[str, Json], numbers: Iterable[int] | None = None) -> Rejection | None:
    """Return why the game refuses these options; None if it accepts them with one of these numbers of seats.

    :param numbers: None: every number of seats of the game.
    """
    refused: Rejection | None = None
    rules = the_game(game).rules
    for seats in rules.seats if numbers is None else numbers:
        players = the_game(game).demo_players(NAMES[:seats])
        step = rules.set_up(Setup(format=1, game=game, players=players, options=dict(options), rules=rules.revision))
        if not isinstance(step, Rejection):
            return None
        refused = step
    return refused
