"""The figures of an evening: the games of the last hours, their guests and their lengths."""

from __future__ import annotations

from collections import Counter
from statistics import median

import msgspec
from sqlalchemy import func, select

from appliance.games.league.result import name_key
from appliance.hub.folds.folded_game import FoldedGame
from appliance.hub.store.database import Database
from appliance.hub.store.schema import GAMES, TABLES

HOURS = 12
PARTS_AN_HOUR = 2
GAMES_OF_A_TABLE = 200
"""Most games of one table that are read. A table with a stolen key may open any number."""


class Evening(msgspec.Struct, frozen=True, kw_only=True):
    """The last twelve hours by the hub's clock. `at_once`: the number of tables with an open game, per half hour.

    `minutes` is the median length of games that somebody won, or None.
    """

    games: int
    won: int
    guests: int
    minutes: float | None
    at_once: tuple[int, ...]
    kinds: tuple[tuple[str, int], ...]


def evening_of(database: Database, now_s: float, cafe: str | None = None) -> Evening:
    """Return the figures of the whole chain, or of a café."""
    from_s = now_s - HOURS * 3600
    nth = func.row_number().over(partition_by=GAMES.c.table_name, order_by=GAMES.c.opened_seq.desc()).label("nth")
    games = select(GAMES.c.table_name, GAMES.c.body, nth).join(TABLES, TABLES.c.name == GAMES.c.table_name)
    games = games.where(GAMES.c.opened_s >= from_s, GAMES.c.opened_s <= now_s, GAMES.c.imported.is_(False))
    if cafe is not None:
        games = games.where(TABLES.c.cafe == cafe)
    newest = games.subquery()
    wanted = select(newest.c.table_name, newest.c.body).where(newest.c.nth <= GAMES_OF_A_TABLE)
    with database.read() as connection:
        rows = connection.execute(wanted).all()
    played = [(row.table_name, msgspec.json.decode(row.body, type=FoldedGame)) for row in rows]
    busy: list[set[str]] = [set() for _ in range(HOURS * PARTS_AN_HOUR)]
    for table, game in played:
        end_s = now_s if game.is_open and game.outcome is None else (game.outcome_s or game.last_s)
        first, last = (int((at_s - from_s) * PARTS_AN_HOUR / 3600) for at_s in (game.opened_s, end_s))
        for part in range(max(0, first), min(len(busy) - 1, last) + 1):
            busy[part].add(table)
    lengths = [game.outcome_s - game.opened_s for _, game in played if game.outcome_s is not None and game.outcome]
    return Evening(
        games=len(played),
        won=len(lengths),
        guests=len({name_key(name) for _, game in played for name in game.players if name}),
        minutes=round(median(lengths) / 60, 1) if lengths else None,
        at_once=tuple(map(len, busy)),
        kinds=tuple(Counter(game.kind for _, game in played).most_common()),
    )
