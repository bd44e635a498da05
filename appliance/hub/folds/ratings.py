"""Ratings of all guests, folded anew from the first result that changed, and for those alone whom that concerns.

Each guest's rating after each game is kept. A result that comes late changes its guests; from there on whoever meets
one of them later. All others keep what they have, so a café that was offline for a week costs what it played itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, and_, delete, or_, select, tuple_

from appliance.games.league.result import Result, name_key
from appliance.games.league.seasons import season_of
from appliance.games.league.standings import Rated, count, counts
from appliance.hub.store.database import Database, Work
from appliance.hub.store.schema import CHANGED, RESULTS, STANDINGS, STEPS

ALL_TIME = ""
_LOOKED_UP = 400
_AT_ONCE = 2000
_Place = tuple[float, str, int]
"""When a result was played, its table and its game: the order in which a league counts."""


def fold_ratings(database: Database) -> int:
    """Bring ratings and standings up to what is folded; return how many results had to be counted anew."""
    with database.write() as connection:
        database.alone(connection, Work.RATE)
        order = (CHANGED.c.kind, CHANGED.c.table_name, CHANGED.c.game)
        changed = connection.execute(select(CHANGED).order_by(*order).with_for_update()).all()
        todo: dict[tuple[str, str], list[Any]] = {}
        for row in changed:
            todo.setdefault((row.kind, ALL_TIME), []).append(row)
            if season := season_of(row.played_s):
                todo.setdefault((row.kind, season), []).append(row)
        counted = sum(_League(database, connection, *key).refold(rows) for key, rows in sorted(todo.items()))
        for start in range(0, len(changed), _LOOKED_UP):
            done = [(row.kind, row.table_name, row.game) for row in changed[start : start + _LOOKED_UP]]
            connection.execute(delete(CHANGED).where(tuple_(*order).in_(done)))
        return counted


class _League:
    """One kind of game in one season."""

    def __init__(self, database: Database, connection: Connection, kind: str, season: str) -> None:
        self._database, self._connection = database, connection
        self._kind, self._season = kind, season
        self._now: dict[str, Rated] = {}

    def refold(self, rows: Sequence[Any]) -> int:
        dirty = {guest for row in rows for guest in msgspec.json.decode(row.guests, type=list[str])}
        self._forget([(row.table_name, row.game) for row in rows])
        counted, steps = 0, []
        for result in self._from(min((row.played_s, row.table_name, row.game) for row in rows)):
            guests = {name_key(one) for one in result.guests if one is not None}
            if not counts(result) or not guests & dirty:
                continue
            place = (result.played_s, result.table, result.seq)
            self._recall(sorted(guests - self._now.keys()), place)
            count(self._now, result)
            dirty |= guests
            steps += [self._step(guest, place) for guest in sorted(guests)]
            counted += 1
            if len(steps) >= _AT_ONCE:
                self._database.upsert(self._connection, STEPS, steps)
                steps = []
        self._database.upsert(self._connection, STEPS, steps)
        self._place(dirty)
        return counted

    def _from(self, place: _Place) -> list[Result]:
        after = tuple_(RESULTS.c.played_s, RESULTS.c.table_name, RESULTS.c.game) >= tuple_(*place)
        found = select(RESULTS.c.body).where(RESULTS.c.kind == self._kind, RESULTS.c.played_s >= place[0], after)
        if self._season != ALL_TIME:
            found = found.where(RESULTS.c.season == self._season)
        found = found.order_by(RESULTS.c.played_s, RESULTS.c.table_name, RESULTS.c.game)
        return [msgspec.json.decode(body, type=Result) for body in self._connection.execute(found).scalars()]

    def _forget(self, games: Sequence[tuple[str, int]]) -> None:
        for start in range(0, len(games), _LOOKED_UP):
            key = tuple_(STEPS.c.table_name, STEPS.c.game).in_(games[start : start + _LOOKED_UP])
            self._connection.execute(
                delete(STEPS).where(STEPS.c.kind == self._kind, STEPS.c.season == self._season, key)
            )

    def _recall(self, guests: Sequence[str], place: _Place) -> None:
        """Take up what these guests were just before `place`; who played nothing before is new."""
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
        for start in range(0, len(gone), _LOOKED_UP):
            some = STANDINGS.c.guest.in_(gone[start : start + _LOOKED_UP])
            here = (STANDINGS.c.kind == self._kind) & (STANDINGS.c.season == self._season)
            self._connection.execute(delete(STANDINGS).where(here, some))
