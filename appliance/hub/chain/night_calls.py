"""The games and the open calls of league nights, and how calls end after the night.

A game that was played for a call may reach the hub long after its night has ended, if its table was offline. Such a
call stays until its table has told all that it had.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec
from sqlalchemy import select

from appliance.games.league.chain_night import Called, CalledOff, NightTable, TableGame, chain_night
from appliance.hub.chain.tables_now import HEARD_WITHIN_S, tables_now
from appliance.hub.folds.folded_game import FoldedGame, result_of
from appliance.hub.people import nights
from appliance.hub.people.nights import HubNight
from appliance.hub.store.database import Database
from appliance.hub.store.schema import GAMES

GAMES_OF_A_NIGHT = 300
"""Most games of one table that a night looks at: more than a table plays in a day.

Everybody may ask for a night of long ago, so its cost has to be bounded."""


def games_of(database: Database, on: HubNight) -> tuple[TableGame, ...]:
    """Return the games of the night's kind that were opened at its tables after their first call."""
    since: dict[str, int] = {}
    for event in on.events:
        if isinstance(event, Called):
            since[event.table] = min(event.after, since.get(event.table, event.after))
    return games_at(database, on.kind, since)


def games_at(database: Database, kind: str, after: Mapping[str, int]) -> tuple[TableGame, ...]:
    """Return the games of one kind that were opened at the tables of `after` by an envelope with a higher number.

    They are the first of each table, at most `GAMES_OF_A_NIGHT`, without those that were played elsewhere.
    """
    rows: list[Any] = []
    wanted = select(GAMES.c.table_name, GAMES.c.game, GAMES.c.body).where(
        GAMES.c.kind == kind, GAMES.c.imported.is_(False)
    )
    wanted = wanted.order_by(GAMES.c.opened_seq).limit(GAMES_OF_A_NIGHT)
    with database.read() as connection:
        for name, seq in sorted(after.items()):
            here = (GAMES.c.table_name == name) & (GAMES.c.opened_seq > seq)
            rows += connection.execute(wanted.where(here)).all()
    played = ((row, msgspec.json.decode(row.body, type=FoldedGame)) for row in rows)
    return tuple(
        TableGame(
            table=row.table_name,
            game=row.game,
            opened_seq=game.opened_seq,
            players=game.players,
            is_open=game.is_open,
            result=result_of(row.table_name, row.game, game),
        )
        for row, game in played
    )


def open_calls(database: Database, on: HubNight) -> tuple[NightTable, ...]:
    """Return the tables to which guests were called who have not begun to play."""
    stands = chain_night(on.events, games_of(database, on), size=on.size, least=2)
    return tuple(one for one in stands.tables if one.state == "called")


def kept_for(database: Database, besides: int | None = None) -> dict[str, tuple[str, ...]]:
    """Return, by table, the guests whom a running night has called there and who have not begun to play.

    :param besides: the number of a night whose own calls are left out.
    """
    nights_on = [on for on in reversed(nights.nights_on(database)) if on.night != besides]
    return {one.table: one.guests for on in nights_on for one in open_calls(database, on)}


def calls_at_the_end(database: Database, on: HubNight, now_s: float) -> tuple[CalledOff, ...]:
    """Return what cancels the calls to which nobody played, for a night that ends now.

    A call to a table that may be lost, or whose games may still have to arrive, stays: see `close_calls`.
    """
    tables = tables_now(database, now_s)
    known = {one.name for one in tables if one.is_up_to_date and now_s - (one.told_s or 0) <= HEARD_WITHIN_S}
    return _called_off(one for one in open_calls(database, on) if one.table in known)


def close_calls(database: Database, now_s: float) -> None:
    """Cancel the open calls of ended nights at tables that have told, since the end, all that they had."""
    unclosed = nights.unclosed(database)
    tables = tables_now(database, now_s) if unclosed else ()
    for on in unclosed:
        known = {one.name for one in tables if one.is_up_to_date and (one.told_s or 0) > (on.ended_s or 0)}
        waiting = open_calls(database, on)
        told = tuple(one for one in waiting if one.table in known)
        all_told = len(told) == len(waiting)
        if told or all_told:  # a table that never comes back would have the database written to for ever
            nights.close(database, on, _called_off(told), now_s if all_told else None)


def _called_off(tables: Iterable[NightTable]) -> tuple[CalledOff, ...]:
    return tuple(CalledOff(one.call) for one in tables if one.call is not None)
