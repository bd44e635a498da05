"""Ratings of all guests, folded again from the first changed result on, and only for affected guests.

Each guest's rating after each game is stored. A late result affects its guests, and then everybody who plays with an
affected guest later. All others keep their ratings, so a café that was offline for a week costs only its own games.
A game that is amended after a year affects nearly everybody. Workers count in parts and take messages in between.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, and_, delete, or_, select, tuple_

from appliance.games.league.result import Result, name_key
from appliance.games.league.seasons import season_of
from appliance.games.league.standings import Rated, count, counts
from appliance.hub.store.database import Database, Work, in_parts
from appliance.hub.store.schema import CHANGED, RECOUNTS, RESULTS, STANDINGS, STEPS

ALL_TIME = ""
AT_ONCE = 500
"""Results that are counted in one transaction, shared by all leagues with changes: a second's work."""
LEAST_OF_A_LEAGUE = 50
LOOKED_AT_MOST = 50_000
_READ_AT_ONCE = 1000
_Place = tuple[float, str, int]
"""The time of a result, its table and its game: the order in which a league counts results."""


class Rating(NamedTuple):
    """The number of results that were counted again, and whether more are left."""

    counted: int
    goes_on: bool


class _Todo:
    """The work left in one league: the place to count from and the affected guests. Steps of `games` are invalid."""

    def __init__(self) -> None:
        self.place: _Place | None = None
        self.dirty: set[str] = set()
        self.games: list[tuple[str, int]] = []

    def add(self, row: Any) -> None:
        place = (row.played_s, row.table_name, row.game)
        self.place = place if self.place is None else min(place, self.place)
        self.dirty |= set(msgspec.json.decode(row.guests, type=list[str]))


def fold_ratings(database: Database) -> int:
    """Bring ratings and standings up to date with the folded results. Return the number of counted results."""
    total = 0
    while True:
        counted, goes_on = fold_some_ratings(database, waits=True)
        total += counted
        if not goes_on:
            return total


def fold_some_ratings(database: Database, *, waits: bool = False) -> Rating:
    """Count some results again, in one transaction. All that a game of a year ago changes would take minutes.

    :param waits: wait for another worker that does this at the moment; else leave the work to it.
    """
    with database.write() as connection:
        if waits:
            database.alone(connection, Work.RATE)
        elif not database.is_alone(connection, Work.RATE):
            return Rating(0, goes_on=False)
        todo = _take_todo(connection)
        share, counted, left = max(LEAST_OF_A_LEAGUE, AT_ONCE // max(1, len(todo))), 0, []
        for (kind, season), one in sorted(todo.items()):
            some, place = _League(database, connection, kind, season).refold(one, share)
            counted += some
            if place is not None:
                played_s, table, game = place
                guests = msgspec.json.encode(sorted(one.dirty)).decode()
                of = {"kind": kind, "season": season, "guests": guests}
                left.append({**of, "played_s": played_s, "table_name": table, "game": game})
        database.upsert(connection, RECOUNTS, left)
        return Rating(counted, goes_on=bool(left))


def _take_todo(connection: Connection) -> dict[tuple[str, str], _Todo]:
    """Take the changed results, and the unfinished work of earlier changes, by league."""
    todo: dict[tuple[str, str], _Todo] = defaultdict(_Todo)
    order = (CHANGED.c.kind, CHANGED.c.table_name, CHANGED.c.game)
    changed = connection.execute(select(CHANGED).order_by(*order).with_for_update()).all()
    for row in changed:
        season = season_of(row.played_s)
        for league in (ALL_TIME, season) if season else (ALL_TIME,):
            todo[row.kind, league].add(row)
            todo[row.kind, league].games.append((row.table_name, row.game))
    for some in in_parts(changed):
        done = [(row.kind, row.table_name, row.game) for row in some]
        connection.execute(delete(CHANGED).where(tuple_(*order).in_(done)))
    for row in connection.execute(select(RECOUNTS)).all():
        todo[row.kind, row.season].add(row)
    connection.execute(delete(RECOUNTS))
    return todo


class _League:
    """One kind of game in one season."""

    def __init__(self, database: Database, connection: Connection, kind: str, season: str) -> None:
        self._database, self._connection = database, connection
        self._kind, self._season = kind, season
        self._now: dict[str, Rated] = {}

    def refold(self, todo: _Todo, at_most: int) -> tuple[int, _Place | None]:
        """Count at most `at_most` results. Return their number, and the place of the next one, None when done.

        The standings of affected guests are updated only when all is done: until then the old ones are closer.
        """
        assert todo.place is not None, "something was added"
        counted, steps = 0, list[dict[str, Any]]()
        self._forget(todo.games)
        for looked, result in enumerate(self._from(todo.place)):
            place = (result.played_s, result.table, result.seq)
            if counted == at_most or looked == LOOKED_AT_MOST:
                self._database.upsert(self._connection, STEPS, steps)
                return counted, place
            guests = {name_key(one) for one in result.guests if one is not None}
            if not counts(result) or not guests & todo.dirty:
                continue
            self._recall(sorted(guests - self._now.keys()), place)
            count(self._now, result)
            todo.dirty |= guests
            steps += [self._step(guest, place) for guest in sorted(guests)]
            counted += 1
        self._database.upsert(self._connection, STEPS, steps)
        self._place(todo.dirty)
        return counted, None

    def _from(self, place: _Place) -> Iterator[Result]:
        """Yield the results from a place on, in order."""
        order = (RESULTS.c.played_s, RESULTS.c.table_name, RESULTS.c.game)
        found = select(*order, RESULTS.c.body).where(RESULTS.c.kind == self._kind)
        if self._season != ALL_TIME:
            found = found.where(RESULTS.c.season == self._season)
        found = found.order_by(*order).limit(_READ_AT_ONCE)
        wanted = tuple_(*order) >= tuple_(*place)
        while True:
            rows = self._connection.execute(found.where(RESULTS.c.played_s >= place[0], wanted)).all()
            for row in rows:
                yield msgspec.json.decode(row.body, type=Result)
            if len(rows) < _READ_AT_ONCE:
                return
            place = (rows[-1].played_s, rows[-1].table_name, rows[-1].game)
            wanted = tuple_(*order) > tuple_(*place)

    def _forget(self, games: Sequence[tuple[str, int]]) -> None:
        for some in in_parts(games):
            key = tuple_(STEPS.c.table_name, STEPS.c.game).in_(some)
            self._connection.execute(
                delete(STEPS).where(STEPS.c.kind == self._kind, STEPS.c.season == self._season, key)
            )

    def _recall(self, guests: Sequence[str], place: _Place) -> None:
        """Load the ratings of these guests just before `place`. Guests without an earlier game have none."""
        for guest in guests:
            if (body := self._newest(guest, place)) is not None:
                self._now[guest] = msgspec.json.decode(body, type=Rated)

    def _newest(self, guest: str, before: _Place | None) -> str | None:
        order = (STEPS.c.played_s, STEPS.c.table_name, STEPS.c.game)
        own = select(STEPS.c.body).where(STEPS.c.kind == self._kind, STEPS.c.season == self._season)
        own = own.where(STEPS.c.guest == guest)
        if before is not None:
            played_s, table, game = before
            own = own.where(
                STEPS.c.played_s <= played_s,
                or_(
                    STEPS.c.played_s < played_s,
                    STEPS.c.table_name < table,
                    and_(STEPS.c.table_name == table, STEPS.c.game < game),
                ),
            )
        newest = own.order_by(*(column.desc() for column in order)).limit(1)
        return self._connection.execute(newest).scalar()

    def _step(self, guest: str, place: _Place) -> dict[str, Any]:
        played_s, table, game = place
        body = msgspec.json.encode(self._now[guest]).decode()
        of = {"kind": self._kind, "season": self._season, "guest": guest}
        return {**of, "played_s": played_s, "table_name": table, "game": game, "body": body}

    def _place(self, guests: set[str]) -> None:
        rows, gone = [], []
        for guest in sorted(guests):
            if guest not in self._now and (body := self._newest(guest, None)) is not None:
                self._now[guest] = msgspec.json.decode(body, type=Rated)
            if guest not in self._now:
                gone.append(guest)
                continue
            rated = self._now[guest]
            of = {"kind": self._kind, "season": self._season, "guest": guest}
            rows.append({**of, "rating": rated.rating, "body": msgspec.json.encode(rated).decode()})
        self._database.upsert(self._connection, STANDINGS, rows)
        for some in in_parts(gone):
            here = (STANDINGS.c.kind == self._kind) & (STANDINGS.c.season == self._season)
            self._connection.execute(delete(STANDINGS).where(here, STANDINGS.c.guest.in_(some)))
