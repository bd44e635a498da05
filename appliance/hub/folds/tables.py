"""Folds each table's new envelopes into its games and their results. Several workers share the tables."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, func, select, tuple_

from appliance.games.league.result import Result, name_key
from appliance.games.league.seasons import season_of
from appliance.hub.envelopes import Envelope, TheGame
from appliance.hub.folds.erased import (
    Clock,
    anonymous,
    by_the_hubs_clock,
    clocks_of,
    erased_at,
    erased_names,
    or_at_the_table,
)
from appliance.hub.folds.folded_game import Erased, FoldedGame, fold, result_of
from appliance.hub.folds.waiting import TABLES_AT_ONCE, Waiting, drawn, read
from appliance.hub.store.database import Database, Work, in_parts
from appliance.hub.store.schema import CHANGED, FOLDED, GAMES, PLAYERS, RESULTS, TABLES
from appliance.words.errors import way_to

_log = logging.getLogger(__name__)
CLOCK_BACK_S = 3600.0
"""If a table's clock goes back so far between two envelopes, it was wrong before or after."""
_Key = tuple[str, int]


class _Batch:
    """The inputs and the changed games of one transaction."""

    def __init__(self, database: Database, connection: Connection) -> None:
        self.database, self.connection = database, connection
        self.erased = erased_names(connection)
        self.clocks: Mapping[str, Clock] = {}
        self.erased_at: Mapping[str, Mapping[str, int]] = {}
        self.before: dict[_Key, FoldedGame] = {}
        self.games: dict[_Key, FoldedGame] = {}


def fold_new(database: Database) -> int:
    """Fold some of the stored envelopes that are not folded yet. Return their number.

    0: none is left, or other workers fold them.

    :raises sqlalchemy.exc.OperationalError: the database cannot be reached or ended the transaction; try again.
    """
    with database.write() as connection:
        database.beside_others(connection, Work.FOLD)
        fresh = select(TABLES.c.name).outerjoin(FOLDED, FOLDED.c.table_name == TABLES.c.name)
        fresh = fresh.where(FOLDED.c.table_name.is_(None)).order_by(TABLES.c.name).limit(TABLES_AT_ONCE)
        empty = {"seq": 0, "wall_s": 0.0, "unread": 0, "clock_back": 0}
        names = connection.execute(fresh).scalars()
        database.insert_new(connection, FOLDED, [{"table_name": name, **empty} for name in names])
        held = (
            select(FOLDED).where(database.one_of(FOLDED.c.table_name, drawn(connection))).order_by(FOLDED.c.table_name)
        )
        rows = connection.execute(held.with_for_update(skip_locked=True)).all()
        if not rows:
            return 0
        batch = _Batch(database, connection)
        waiting = read(database, connection, {row.table_name: row.seq for row in rows})
        batch.clocks = clocks_of(database, connection, list(waiting))
        batch.erased_at = erased_at(database, connection, list(waiting))
        keys = [(name, one.game) for name, some in waiting.items() for _, one, _ in some if one is not None]
        batch.before = folded_games(database, connection, keys)
        done = [_fold_table(batch, row, waiting[row.table_name]) for row in rows if row.table_name in waiting]
        write_games(database, connection, batch.before, batch.games)
        database.upsert(connection, FOLDED, done)
        return sum(map(len, waiting.values()))


def _fold_table(batch: _Batch, row: Any, some: Sequence[Waiting]) -> dict[str, Any]:
    name, wall_s, unread, clock_back = row.table_name, row.wall_s, row.unread, row.clock_back
    for seq, envelope, arrived_s in some:
        erased = by_the_hubs_clock(batch.erased, arrived_s, batch.clocks.get(name))
        erased = or_at_the_table(erased, batch.erased_at.get(name, {}), seq)
        key = (name, envelope.game) if envelope is not None else None
        before = None if key is None else batch.games.get(key, batch.before.get(key))
        game = None if envelope is None else _folded(before, envelope, erased)
        if game is None or envelope is None or key is None:
            unread += 1
            continue
        if isinstance(envelope.body, TheGame) and _names_erased(erased, envelope.body, envelope.wall_s):
            anonymous(batch.connection, name, envelope.game, game)
        batch.games[key] = game
        clock_back += wall_s - envelope.wall_s > CLOCK_BACK_S
        wall_s = envelope.wall_s
    return {"table_name": name, "seq": some[-1][0], "wall_s": wall_s, "unread": unread, "clock_back": clock_back}


def _folded(before: FoldedGame | None, envelope: Envelope, erased: Erased) -> FoldedGame | None:
    try:
        return fold(before, envelope, erased)
    except Exception as bug:
        # One bad envelope must not block its own table or others.
        _log.error("bug while folding envelope %d of %s: %s", envelope.seq, envelope.table, way_to(bug))
        return None


def _names_erased(erased: Erased, opened: TheGame, wall_s: float) -> bool:
    return any(erased(name, wall_s) for name in opened.players if name is not None)


def folded_games(database: Database, connection: Connection, keys: Iterable[_Key]) -> dict[_Key, FoldedGame]:
    """Return the folded games of some keys. Games that are not folded yet are left out."""
    rows = database.at_keys(connection, GAMES, sorted(set(keys)), GAMES.c.body)
    return {(row.table_name, row.game): msgspec.json.decode(row.body, type=FoldedGame) for row in rows}


def write_games(
    database: Database,
    connection: Connection,
    before: dict[_Key, FoldedGame],
    after: dict[_Key, FoldedGame],
) -> None:
    """Write changed games, their players and results, and mark the results that the ratings have to count again."""
    rows, players, results, gone, changed = [], [], [], [], []
    for key, game in sorted(after.items()):
        name, number = key
        of = {"table_name": name, "game": number}
        rows.append(
            {
                **of,
                "opened_seq": game.opened_seq,
                "opened_s": game.opened_s,
                "last_s": game.last_s,
                "kind": game.kind,
                "imported": game.imported,
                "is_open": game.is_open,
                "body": msgspec.json.encode(game).decode(),
            }
        )
        if key not in before:
            players += [{"guest": guest, **of} for guest in sorted({name_key(one) for one in game.players if one})]
        was, now = result_of(name, number, before.get(key)), result_of(name, number, game)
        if was == now:
            continue
        if now is None:
            gone.append(key)
        else:
            results.append({**of, **result_row(now)})
        guests = sorted({name_key(one) for result in (was, now) if result for one in result.guests if one is not None})
        changed.append({**of, "kind": game.kind, "played_s": game.opened_s, "guests": guests})
    database.upsert(connection, GAMES, rows)
    database.insert_new(connection, PLAYERS, players)
    database.upsert(connection, RESULTS, results)
    for some in in_parts(gone):
        connection.execute(delete(RESULTS).where(tuple_(RESULTS.c.table_name, RESULTS.c.game).in_(some)))
    _mark_changed(database, connection, changed)


def _mark_changed(database: Database, connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Add results that the ratings have to count again. Guests who are marked already stay marked."""
    columns = (CHANGED.c.kind, CHANGED.c.table_name, CHANGED.c.game)
    merged = {(row["kind"], row["table_name"], row["game"]): row for row in rows}
    keys = sorted(merged)
    for some in in_parts(keys):
        there = select(CHANGED).where(tuple_(*columns).in_(some))
        for row in connection.execute(there.order_by(*columns).with_for_update()):
            now = merged[row.kind, row.table_name, row.game]
            guests = {*msgspec.json.decode(row.guests), *now["guests"]}
            now["guests"] = sorted(guests)
    encoded = ({**merged[key], "guests": msgspec.json.encode(merged[key]["guests"]).decode()} for key in keys)
    database.upsert(connection, CHANGED, list(encoded))


def result_row(result: Result) -> dict[str, Any]:
    """Return the columns of a result without its key."""
    return {
        "kind": result.game,
        "season": season_of(result.played_s),
        "played_s": result.played_s,
        "body": msgspec.json.encode(result).decode(),
    }


def until_folded(database: Database, at_each: Callable[[], object] = lambda: None) -> int:
    """Fold until all stored envelopes are folded, here or by other workers. Return the number folded here."""
    total = 0
    while True:
        while done := fold_new(database):
            total += done
            at_each()
        if not _is_behind(database):
            return total


def _is_behind(database: Database) -> bool:
    """Wait for all running folds. Return whether there are envelopes left to fold."""
    reached = func.coalesce(FOLDED.c.seq, 0)
    behind = select(TABLES.c.name).outerjoin(FOLDED, FOLDED.c.table_name == TABLES.c.name)
    with database.write() as connection:
        database.alone(connection, Work.FOLD)
        return connection.execute(behind.where(reached < TABLES.c.contiguous).limit(1)).first() is not None
