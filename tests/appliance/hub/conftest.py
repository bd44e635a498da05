from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.hub.store.database import Database, sqlite_url
from appliance.hub.store.migrate import migrate
from tests.appliance.hub import postgres


@pytest.fixture(scope="session")
def a_postgres() -> Iterator[postgres.Postgres]:
    programs = postgres.programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: apt install postgresql")
    with postgres.running(programs) as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return sqlite_url(tmp_path / "hub.db")
    server: postgres.Postgres = request.getfixturevalue("a_postgres")
    return server.url()


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    database = Database(url)
    migrate(database)
    yield database
    database.close()
