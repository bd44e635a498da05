"""Folds everything again, and computes a fingerprint that shows whether two databases have the same folds."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b

from sqlalchemy import delete, func, select

from appliance.hub.folds.ratings import fold_ratings
from appliance.hub.folds.tables import until_folded
from appliance.hub.store.database import Database, Work
from appliance.hub.store.schema import DERIVED, FOLDED


def rebuild(database: Database, at_each: Callable[[], object] = lambda: None) -> int:
    """Drop all folded data and fold all envelopes again. Return the number of folded envelopes, by any worker.

    Workers may run meanwhile. Pages show what is folded so far.

    :param at_each: called after each part, for showing progress.
    """
    with database.write() as connection:
        database.alone(connection, Work.FOLD)
        database.alone(connection, Work.RATE)
        for table in DERIVED:
            connection.execute(delete(table))
    until_folded(database, at_each)
    fold_ratings(database)
    with database.read() as connection:
        return int(connection.execute(select(func.coalesce(func.sum(FOLDED.c.seq), 0))).scalar_one())


def fingerprint(database: Database) -> str:
    """Return a hash of all folded rows. Equal content gives the same hash on PostgreSQL and SQLite."""
    sums = blake2b(digest_size=16)
    with database.read() as connection:
        for table in DERIVED:
            rows = connection.execute(select(table)).all()
            sums.update(table.name.encode())
            for line in sorted(repr(tuple(row)) for row in rows):
                sums.update(line.encode())
    return sums.hexdigest()
