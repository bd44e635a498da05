"""Guests whose names were erased, in stored envelopes, in folded games, and in envelopes that arrive late."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median_low
from typing import NamedTuple

from msgspec import structs
from sqlalchemy import Connection, select, update

from appliance.hub.envelopes import Envelope, TheGame, decoded, encoded
from appliance.hub.folds.folded_game import Erased, FoldedGame
from appliance.hub.link.marks import mark_of
from appliance.hub.report import report_of
from appliance.hub.store.database import Database
from appliance.hub.store.schema import ENVELOPES, ERASED, ERASED_AT, TABLES

DAY_S = 86_400.0
WEEK_S = 7 * DAY_S
YEAR_S = 366 * DAY_S
SENT_S = 300.0
"""A time that is later than the arrival by at most this much does not prove a wrong clock."""
JUST_NOW_S = 300.0
"""Age of a report whose clock still counts. A table reports every minute."""


class Clock(NamedTuple):
    """The seconds by which a table's clock was ahead of the hub's, and when it reported that, by the hub's clock."""

    ahead_s: float
    said_s: float


def erased_names(connection: Connection) -> Erased:
    """Return the predicate of erased guests, as of this transaction."""
    until = {row.guest: row.until_s for row in connection.execute(select(ERASED))}
    if not until:
        return lambda name, opened_s: False
    return lambda name, opened_s: opened_s < until.get(mark_of(name), float("-inf"))


def erased_at(database: Database, connection: Connection, tables: Sequence[str]) -> Mapping[str, Mapping[str, int]]:
    """Return the names erased at these tables: by table and mark, the envelope up to which they are erased."""
    found: dict[str, dict[str, int]] = {}
    for row in connection.execute(select(ERASED_AT).where(database.one_of(ERASED_AT.c.table_name, tables))):
        found.setdefault(row.table_name, {})[row.guest] = row.until_seq
    return found


def or_at_the_table(erased: Erased, until: Mapping[str, int], seq: int) -> Erased:
    """Return the predicate of guests erased at the hub, or at the table `until` the envelope `seq` of the opening."""
    return lambda name, opened_s: until.get(mark_of(name), 0) >= seq or erased(name, opened_s)


def clocks_of(database: Database, connection: Connection, tables: Sequence[str]) -> Mapping[str, Clock]:
    """Return the clocks of these tables, from their last reports. If no name is erased, none are needed or returned."""
    clocks: dict[str, Clock] = {}
    if connection.execute(select(ERASED.c.guest).limit(1)).first() is None:
        return clocks
    said = select(TABLES.c.name, TABLES.c.status, TABLES.c.status_s).where(TABLES.c.status.is_not(None))
    for row in connection.execute(said.where(database.one_of(TABLES.c.name, tables))):
        if (report := report_of(row.status)) is not None:
            clocks[row.name] = Clock(max(0.0, report.wall_s - row.status_s), row.status_s)
    return clocks


def by_most_clocks(connection: Connection, now_s: float) -> float:
    """Return the time now: the hub's clock, or the tables' if at least two tables, and most of all, agree on another.

    Only tables count that reported just now: an older report was stamped by a clock that may have been set since.
    """
    said = select(TABLES.c.status, TABLES.c.status_s).where(TABLES.c.status_s.between(now_s - JUST_NOW_S, now_s))
    reports = ((report_of(row.status), row.status_s) for row in connection.execute(said))
    ahead_s = [report.wall_s - status_s for report, status_s in reports if report is not None]
    middle_s = median_low(ahead_s) if ahead_s else 0.0
    agreed = sum(abs(one - middle_s) <= SENT_S for one in ahead_s)
    is_wrong = abs(middle_s) > SENT_S and agreed >= 2 and 2 * agreed > len(ahead_s)
    return now_s + middle_s if is_wrong else now_s


def by_the_hubs_clock(erased: Erased, arrived_s: float | None, clock: Clock | None) -> Erased:
    """Return the predicate `erased`, with times corrected to the hub's clock (`opened_s`)."""
    return lambda name, wall_s: erased(name, opened_s(wall_s, arrived_s, clock))


def opened_s(wall_s: float, arrived_s: float | None, clock: Clock | None) -> float:
    """Return when a game was opened, by the hub's clock. If this is uncertain, too early is better than too late.

    The clock error of a report is used only for envelopes that arrived within a day of it, so folding again later
    loses no name because of it. A time before the arrival is possible: at most a day of clock error is subtracted. A
    time after the arrival is wrong: the whole clock error is subtracted, if that gives a time in the year before the
    arrival. Otherwise the time is unknown, and a week before the arrival is used.

    :param wall_s: the table's clock in the envelope.
    :param arrived_s: the hub's clock. None: unknown; then `wall_s` is used.
    :param clock: None: the table has no readable report.
    """
    if arrived_s is None:
        return wall_s
    if clock is not None and clock.said_s > arrived_s + DAY_S:
        return min(wall_s, arrived_s)
    ahead_s = clock.ahead_s if clock is not None and clock.said_s >= arrived_s - DAY_S else 0.0
    if wall_s <= arrived_s + SENT_S:
        return min(wall_s - min(ahead_s, DAY_S), arrived_s)
    put_right_s = wall_s - ahead_s
    if arrived_s - YEAR_S <= put_right_s <= arrived_s + SENT_S:
        return min(put_right_s, arrived_s)
    return arrived_s - WEEK_S


def anonymous(connection: Connection, table: str, number: int, game: FoldedGame) -> None:
    """Remove the names that game `number` no longer has from the stored envelope that opened it."""
    here = (ENVELOPES.c.table_name == table) & (ENVELOPES.c.seq == game.opened_seq)
    data = bytes(connection.execute(select(ENVELOPES.c.data).where(here)).scalar_one())
    connection.execute(update(ENVELOPES).where(here).values(data=_without_names(data, table, number, game)))


def _without_names(data: bytes, table: str, number: int, game: FoldedGame) -> bytes:
    try:
        envelope = decoded(data)
        assert isinstance(envelope.body, TheGame)
        return encoded(structs.replace(envelope, body=structs.replace(envelope.body, players=game.players)))
    except RecursionError:
        # No genuine table nests values so deeply. The other content is dropped, so that the names go.
        body = TheGame(kind=game.kind, players=game.players, imported=game.imported, seating=game.seating)
        opened = Envelope(table=table, seq=game.opened_seq, game=number, wall_s=game.opened_s, body=body)
        return encoded(opened)
