"""Every thread of a hub has its connection, and an error names nobody."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Table, select, text
from sqlalchemy.exc import ProgrammingError, SQLAlchemyError

from appliance.hub.people.guests import erase, take_name
from appliance.hub.store.database import FILE, Database, sqlite_url
from appliance.hub.store.failures import AWAY
from appliance.hub.store.migrate import migrate
from appliance.hub.store.schema import ERASED
from tests.refused_writes import refused_writes

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


@pytest.mark.parametrize("change", [Database.upsert, Database.update_each])
def test_two_rows_of_one_key_are_refused_and_change_nothing(
    database: Database, change: Callable[[Database, Connection, Table, Sequence[Mapping[str, Any]]], None]
) -> None:
    with database.write() as connection:
        database.upsert(connection, ERASED, [{"guest": "ann", "until_s": 1.0}, {"guest": "bob", "until_s": 1.0}])
    twice = [{"guest": "ann", "until_s": 2.0}, {"guest": "bob", "until_s": 2.0}, {"guest": "ann", "until_s": 3.0}]
    with pytest.raises(ValueError, match="same key") as bug, database.write() as connection:
        change(database, connection, ERASED, twice)
    assert "ann" not in str(bug.value)
    with database.read() as connection:
        assert set(connection.execute(select(ERASED.c.until_s)).scalars()) == {1.0}


def test_a_bug_is_not_a_database_that_is_away() -> None:
    assert not issubclass(ProgrammingError, AWAY)


def test_a_name_is_erased_also_where_the_disk_refuses_the_checkpoint_and_a_later_one_takes_it_out_of_the_log(
    tmp_path: Path,
) -> None:
    database = Database(sqlite_url(tmp_path / FILE))
    migrate(database)
    database.leave_no_trace()
    size = (tmp_path / FILE).stat().st_size
    assert take_name(database, "Deedlededee") is not None
    with database.write() as connection:
        rows = [{"guest": f"{number:040}", "until_s": 1.0} for number in range(1000)]
        database.upsert(connection, ERASED, rows)
    with refused_writes(size):
        erase(database, "Deedlededee", 2.0)
        with pytest.raises(AWAY):
            database.leave_no_trace()
    database.leave_no_trace()
    assert not any(b"deedlededee" in file.read_bytes().lower() for file in tmp_path.iterdir())
    database.close()
