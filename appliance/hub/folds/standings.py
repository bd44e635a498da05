"""Reads the folded standings of the league, the best first."""

from __future__ import annotations

import msgspec
from sqlalchemy import func, select, tuple_

from appliance.games.league.standings import Rated, Standing
from appliance.hub.store.database import Database
from appliance.hub.store.schema import STANDINGS

_PAIRS_MOST = 1000
"""Most pairs of kind and season that are read: a stolen key may create any number."""


def standings_of(database: Database, kind: str, season: str, *, most: int, after: int = 0) -> tuple[Standing, ...]:
    """Return at most `most` standings of one kind of game in a season ("": all time), skipping the first `after`."""
    here = (STANDINGS.c.kind == kind) & (STANDINGS.c.season == season)
    order = (STANDINGS.c.rating.desc(), STANDINGS.c.guest)
    with database.read() as connection:
        rows = connection.execute(select(STANDINGS).where(here).order_by(*order).limit(most).offset(after)).all()
        if not rows:
            return ()
        above = select(func.count()).select_from(STANDINGS).where(here, STANDINGS.c.rating > rows[0].rating)
        place, shown = 1 + connection.execute(above).scalar_one(), []
        for number, row in enumerate(rows):
            if number and row.rating != rows[number - 1].rating:
                place = 1 + after + number
            rated = msgspec.json.decode(row.body, type=Rated)
            standing = Standing(
                place=place,
                name=rated.name,
                rating=rated.rating,
                mean=rated.mean,
                sd=rated.sd,
                played=rated.played,
                won=rated.won,
            )
            shown.append(standing)
    return tuple(shown)


def kinds_and_seasons(database: Database) -> dict[str, tuple[str, ...]]:
    """Return the seasons with standings by kind of game, the newest first. At most `_PAIRS_MOST` pairs are read."""
    of, pairs = (STANDINGS.c.kind, STANDINGS.c.season), list[tuple[str, str]]()
    # Jump from one pair to the next by the index: there are some dozen pairs, each with one row per guest.
    following = select(*of).order_by(*of).limit(1)
    with database.read() as connection:
        row = connection.execute(following).one_or_none()
        while row is not None and len(pairs) < _PAIRS_MOST:
            pairs.append((row.kind, row.season))
            row = connection.execute(following.where(tuple_(*of) > tuple_(*pairs[-1]))).one_or_none()
    kinds = sorted({kind for kind, _ in pairs})
    return {kind: tuple(sorted((s for k, s in pairs if k == kind and s), reverse=True)) for kind in kinds}
