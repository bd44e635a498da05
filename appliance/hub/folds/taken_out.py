"""Removes names from games that are folded already: at all tables, or at the tables that report them as erased."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection, delete, select, tuple_

from appliance.games.league.result import name_key
from appliance.hub.envelopes import NUMBER_MOST
from appliance.hub.folds.erased import anonymous
from appliance.hub.folds.folded_game import FoldedGame
from appliance.hub.folds.tables import folded_games, write_games
from appliance.hub.link.marks import is_mark, mark_of_guest
from appliance.hub.report import report_of
from appliance.hub.store.database import Database, Work, in_parts
from appliance.hub.store.schema import ERASED_AT, GAMES, PLAYERS

MARKS_MOST = 10_000
"""Most names that one table can have removed. It is more than any table erases in its life."""
_Key = tuple[str, int]
_Mark = tuple[str, str]
"""A table and the mark of a name."""
FormerNames = Callable[[str], Sequence[str]]
"""Returns the names that a table had at the hub before it was invited again under its current one."""


def take_out(database: Database, connection: Connection, guest: str, keys: Sequence[_Key]) -> int:
    """Remove the guest of a key from these games and the envelopes that opened them. Return the number of games.

    The caller holds the lock `Work.FOLD`.
    """
    before = folded_games(database, connection, keys)
    for some in in_parts(keys):
        plays = tuple_(PLAYERS.c.table_name, PLAYERS.c.game).in_(some)
        connection.execute(delete(PLAYERS).where(PLAYERS.c.guest == guest, plays))
    after = {key: _without(game, guest) for key, game in before.items()}
    for (table, number), game in after.items():
        anonymous(connection, table, number, game)
    write_games(database, connection, before, after)
    return len(after)


def _without(game: FoldedGame, guest: str) -> FoldedGame:
    names = tuple(None if name is not None and name_key(name) == guest else name for name in game.players)
    return replace(game, players=names)


def take_out_at_tables(database: Database, said: Mapping[str, bytes], former: FormerNames) -> None:
    """Remove the names that tables' newest reports list as erased, from games folded already and from later ones.

    Every report lists them. So a lost report, or a restored older database, delays this only by a minute.

    :param said: the undecoded reports by table.
    """
    told = {name: erased for name, report in said.items() if (erased := _erased(name, report, former))}
    names = sorted({table for erased in told.values() for table, _ in erased})
    if not names or not _news(database, names, told):
        return
    with database.write() as connection:
        # A concurrent fold would not see the new marks.
        database.alone(connection, Work.FOLD)
        known = _known(database, connection, names)
        held = Counter(name for name, _ in known)
        wanted: dict[_Mark, int] = {}
        for mark, until in (pair for erased in told.values() for pair in erased.items()):
            is_new = mark not in known and mark not in wanted
            if until > max(known.get(mark, 0), wanted.get(mark, 0)) and (not is_new or held[mark[0]] < MARKS_MOST):
                wanted[mark] = until
                held[mark[0]] += is_new
        rows = [{"table_name": name, "guest": mark, "until_seq": until} for (name, mark), until in wanted.items()]
        database.upsert(connection, ERASED_AT, rows)
        for guest, keys in _games_of(database, connection, wanted).items():
            take_out(database, connection, guest, keys)
    database.leave_no_trace()


def _erased(name: str, said: bytes, former: FormerNames) -> dict[_Mark, int]:
    """Return the marks that a report erases, by table, with the last envelope concerned; {} if it cannot be read."""
    report = report_of(said)
    if report is None:
        return {}
    found: dict[_Mark, int] = {}
    names = former(name) if report.erased else ()
    for mark, until in list(report.erased.items())[:MARKS_MOST]:
        if is_mark(mark) and 0 < until < NUMBER_MOST:
            found[name, mark] = until
            # All games under a former name were played before the table got its current name.
            found |= {(one, mark): until if until <= report.counts_from else NUMBER_MOST for one in names}
    return found


def _news(database: Database, names: Sequence[str], told: Mapping[str, Mapping[_Mark, int]]) -> bool:
    with database.read() as connection:
        known = _known(database, connection, names)
    return any(until > known.get(mark, 0) for erased in told.values() for mark, until in erased.items())


def _known(database: Database, connection: Connection, names: Sequence[str]) -> dict[_Mark, int]:
    rows = connection.execute(select(ERASED_AT).where(database.one_of(ERASED_AT.c.table_name, names)))
    return {(row.table_name, row.guest): row.until_seq for row in rows}


def _games_of(database: Database, connection: Connection, wanted: Mapping[_Mark, int]) -> dict[str, list[_Key]]:
    """Return the folded games from which each guest has to be removed, by guest."""
    names = sorted({name for name, _ in wanted})
    played: Any = select(PLAYERS, GAMES.c.opened_seq).join(
        GAMES, (GAMES.c.table_name == PLAYERS.c.table_name) & (GAMES.c.game == PLAYERS.c.game)
    )
    found: dict[str, list[_Key]] = {}
    for row in connection.execute(played.where(database.one_of(PLAYERS.c.table_name, names))):
        if row.opened_seq <= wanted.get((row.table_name, mark_of_guest(row.guest)), 0):
            found.setdefault(row.guest, []).append((row.table_name, row.game))
    return found
