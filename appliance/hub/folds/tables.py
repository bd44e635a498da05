"""Folds each table's new envelopes into its games and their results. Several workers share the tables."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, func, select, tuple_

from appliance.games.league.result import Result, name_key
from appliance.games.league.seasons import season_of
from appliance.hub.bugs import described
from appliance.hub.envelopes import Envelope, TheGame, decoded
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
from appliance.hub.store.database import Database, Work
from appliance.hub.store.schema import CHANGED, ENVELOPES, FOLDED, GAMES, PLAYERS, RESULTS, TABLES

_log = logging.getLogger(__name__)
TABLES_AT_ONCE = 1000
ENVELOPES_AT_ONCE = 4000
OF_A_TABLE = 400
"""As many envelopes of one table are folded before others have their turn."""
BYTES_AT_ONCE = 8 * 2**20
"""What one transaction reads, and perhaps one envelope more: decoded, a hostile one takes many times its bytes."""
CLOCK_BACK_S = 3600.0
"""A table's clock that goes back so far between two envelopes was wrong before or after."""
_NUMBER_MOST = 2**53
_SECONDS_MOST = 1e12
_LOOKED_UP = 400
_Key = tuple[str, int]
_Waiting = tuple[int, Envelope | None, float | None]
"""A number, its envelope, None where this release cannot read it, and when it arrived."""


class _Batch:
    """What one transaction changes."""

    def __init__(self, database: Database, connection: Connection) -> None:
        self.database, self.connection = database, connection
        self.erased = erased_names(connection)
        self.clocks: Mapping[str, Clock] = {}
        self.erased_at: Mapping[str, Mapping[str, int]] = {}
        self.before: dict[_Key, FoldedGame] = {}
        self.games: dict[_Key, FoldedGame] = {}


def fold_new(database: Database) -> int:
    """Fold some of what is stored and not folded yet; return how many envelopes that was.

    0: nothing is left, or other workers fold it.

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
            select(FOLDED).where(database.one_of(FOLDED.c.table_name, _drawn(connection))).order_by(FOLDED.c.table_name)
        )
        rows = connection.execute(held.with_for_update(skip_locked=True)).all()
        if not rows:
            return 0
        batch = _Batch(database, connection)
        waiting = _read(database, connection, [row.table_name for row in rows])
        batch.clocks = clocks_of(database, connection, list(waiting))
        batch.erased_at = erased_at(database, connection, list(waiting))
        keys = [(name, one.game) for name, read in waiting.items() for _, one, _ in read if one is not None]
        batch.before = _games(connection, keys)
        done = [_fold_table(batch, row, waiting[row.table_name]) for row in rows if row.table_name in waiting]
        write_games(database, connection, batch.before, batch.games)
        database.upsert(connection, FOLDED, done)
        return sum(map(len, waiting.values()))


def _drawn(connection: Connection) -> list[str]:
    """Return some of the tables of which something waits, as many as one transaction folds a fair part of.

    They are drawn by lot: no table starves beside busy ones, and workers seldom want the same.
    """
    waits = TABLES.c.contiguous - FOLDED.c.seq
    behind = select(TABLES.c.name, waits.label("waits")).join(FOLDED, FOLDED.c.table_name == TABLES.c.name)
    behind = behind.where(waits > 0).order_by(func.random()).limit(TABLES_AT_ONCE)
    names, room = [], ENVELOPES_AT_ONCE
    for row in connection.execute(behind):
        if room <= 0:
            break
        names.append(row.name)
        room -= min(row.waits, OF_A_TABLE)
    return names


def _read(database: Database, connection: Connection, names: Sequence[str]) -> dict[str, list[_Waiting]]:
    """Return what waits of these tables, each in order; of busy ones a part."""
    of_each = max(OF_A_TABLE, ENVELOPES_AT_ONCE // len(names))
    some = select(ENVELOPES.c.table_name, ENVELOPES.c.seq, ENVELOPES.c.data, ENVELOPES.c.arrived_s)
    some = some.join(FOLDED, FOLDED.c.table_name == ENVELOPES.c.table_name)
    some = some.join(TABLES, TABLES.c.name == ENVELOPES.c.table_name)
    some = some.where(database.one_of(ENVELOPES.c.table_name, names))
    some = some.where(ENVELOPES.c.seq > FOLDED.c.seq, ENVELOPES.c.seq <= TABLES.c.contiguous)
    # None is missing below `contiguous`, so the numbers count them.
    some = some.where(ENVELOPES.c.seq <= FOLDED.c.seq + of_each)
    found: dict[str, list[_Waiting]] = {}
    # One of each table, then the next of each: a table whose envelopes are large holds up nobody else.
    in_turn = (ENVELOPES.c.seq - FOLDED.c.seq, ENVELOPES.c.table_name)
    # A driver may fetch all rows of a statement before it gives the first.
    sizes = some.with_only_columns(func.length(ENVELOPES.c.data)).order_by(*in_turn).limit(ENVELOPES_AT_ONCE)
    most = read = 0
    for size in connection.execute(sizes).scalars():
        most += 1
        read += size
        if read >= BYTES_AT_ONCE:
            break
    for name, seq, data, arrived_s in connection.execute(some.order_by(*in_turn).limit(most)):
        found.setdefault(name, []).append((seq, _decoded(name, seq, data), arrived_s))
    return found


def _fold_table(batch: _Batch, row: Any, read: Sequence[_Waiting]) -> dict[str, Any]:
    name, wall_s, unread, clock_back = row.table_name, row.wall_s, row.unread, row.clock_back
    for seq, envelope, arrived_s in read:
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
    return {"table_name": name, "seq": read[-1][0], "wall_s": wall_s, "unread": unread, "clock_back": clock_back}


def _folded(before: FoldedGame | None, envelope: Envelope, erased: Erased) -> FoldedGame | None:
    try:
        return fold(before, envelope, erased)
    except Exception as bug:
        # One envelope stops neither its own table nor others.
        _log.error("bug while folding envelope %d of %s: %s", envelope.seq, envelope.table, described(bug))
        return None


def _names_erased(erased: Erased, opened: TheGame, wall_s: float) -> bool:
    return any(erased(name, wall_s) for name in opened.players if name is not None)


def _decoded(table: str, seq: int, data: bytes) -> Envelope | None:
    """Return the envelope; None where this release cannot read it, or where it says that it is another one."""
    try:
        envelope = decoded(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    fits = (envelope.table, envelope.seq) == (table, seq) and 0 <= envelope.game < _NUMBER_MOST
    return envelope if fits and abs(envelope.wall_s) < _SECONDS_MOST else None


def _games(connection: Connection, keys: Sequence[_Key]) -> dict[_Key, FoldedGame]:
    found: dict[_Key, FoldedGame] = {}
    wanted = sorted(set(keys))
    for start in range(0, len(wanted), _LOOKED_UP):
        of = tuple_(GAMES.c.table_name, GAMES.c.game).in_(wanted[start : start + _LOOKED_UP])
        for row in connection.execute(select(GAMES.c.table_name, GAMES.c.game, GAMES.c.body).where(of)):
            found[row.table_name, row.game] = msgspec.json.decode(row.body, type=FoldedGame)
    return found


def write_games(
    database: Database,
    connection: Connection,
    before: dict[_Key, FoldedGame],
    after: dict[_Key, FoldedGame],
) -> None:
    """Write games that changed, who plays them, and which results a league has to count anew."""
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
    for start in range(0, len(gone), _LOOKED_UP):
        key_of = tuple_(RESULTS.c.table_name, RESULTS.c.game)
        connection.execute(delete(RESULTS).where(key_of.in_(gone[start : start + _LOOKED_UP])))
    _mark_changed(database, connection, changed)


def _mark_changed(database: Database, connection: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Add to what the ratings have to count anew; who was concerned before still is."""
    columns = (CHANGED.c.kind, CHANGED.c.table_name, CHANGED.c.game)
    merged = {(row["kind"], row["table_name"], row["game"]): row for row in rows}
    keys = sorted(merged)
    for start in range(0, len(keys), _LOOKED_UP):
        there = select(CHANGED).where(tuple_(*columns).in_(keys[start : start + _LOOKED_UP]))
        for row in connection.execute(there.order_by(*columns).with_for_update()):
            now = merged[row.kind, row.table_name, row.game]
            guests = {*msgspec.json.decode(row.guests), *now["guests"]}
            now["guests"] = sorted(guests)
    encoded = ({**merged[key], "guests": msgspec.json.encode(merged[key]["guests"]).decode()} for key in keys)
    database.upsert(connection, CHANGED, list(encoded))


def result_row(result: Result) -> dict[str, Any]:
    """Return the columns of a result beside its key."""
    return {
        "kind": result.game,
        "season": season_of(result.played_s),
        "played_s": result.played_s,
        "body": msgspec.json.encode(result).decode(),
    }


def until_folded(database: Database, at_each: Callable[[], object] = lambda: None) -> int:
    """Fold what is stored, until it is all folded, by this worker or by others; return how many envelopes it folded."""
    total = 0
    while True:
        while done := fold_new(database):
            total += done
            at_each()
        if not _is_behind(database):
            return total


def _is_behind(database: Database) -> bool:
    """Wait for everybody who folds; return whether they left something."""
    reached = func.coalesce(FOLDED.c.seq, 0)
    behind = select(TABLES.c.name).outerjoin(FOLDED, FOLDED.c.table_name == TABLES.c.name)
    with database.write() as connection:
        database.alone(connection, Work.FOLD)
        return connection.execute(behind.where(reached < TABLES.c.contiguous).limit(1)).first() is not None
