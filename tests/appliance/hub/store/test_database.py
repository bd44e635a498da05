"""Every thread of a hub has its connection, and an error names nobody."""

from __future__ import annotations

import contextlib

import pytest
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError, SQLAlchemyError

from appliance.hub.store.database import AWAY, Database

THREADS = 20


def test_as_many_threads_as_were_said_read_at_once(url: str) -> None:
    database = Database(url, THREADS)
    with contextlib.ExitStack() as at_once:
        for _ in range(THREADS):
            connection = at_once.enter_context(database.read())
            assert connection.execute(text("SELECT 1")).scalar_one() == 1
    database.close()


def test_an_error_of_a_statement_tells_no_values_of_it(database: Database) -> None:
    with pytest.raises(SQLAlchemyError) as bug, database.write() as connection:
        connection.execute(text("SELECT * FROM nowhere WHERE name = :name"), {"name": "Ann"})
    assert "Ann" not in str(bug.value)


def test_a_bug_is_not_a_database_that_is_away() -> None:
    assert not issubclass(ProgrammingError, AWAY)
