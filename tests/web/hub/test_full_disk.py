"""A hub whose database finds no room: its pages name the disk."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from appliance.hub.store.database import Database, sqlite_url
from tests.web.hub.conftest import ORIGIN, StandingHub


def on_a_full_disk(folder: Path) -> OperationalError:
    """Return what SQLite says of a disk without room."""
    tiny = Database(sqlite_url(folder / "tiny.db"))
    with tiny.write() as connection:
        connection.execute(text("CREATE TABLE filled (content)"))
        connection.execute(text("PRAGMA max_page_count = 1"))
        with pytest.raises(OperationalError) as full:
            connection.execute(text("INSERT INTO filled VALUES (zeroblob(100000))"))
    tiny.close()
    return full.value


@pytest.mark.parametrize(("language", "says"), [("en", "disk of the hub’s database is full"), ("de", "Platte")])
def test_a_tap_that_finds_no_room_names_the_disk(
    hub: StandingHub, language: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain, full = hub.client("chain"), on_a_full_disk(tmp_path)

    def refuse(self: Database) -> NoReturn:
        raise full

    chain.set_cookie("language", language)
    monkeypatch.setattr(Database, "write", refuse)
    told = chain.post("/night/begin", data={"cafe": "", "game": "smugglers", "size": "4"}, headers=ORIGIN)
    assert told.status_code == 503
    assert says in told.text
    monkeypatch.undo()
    told = chain.post("/night/begin", data={"cafe": "", "game": "smugglers", "size": "4"}, headers=ORIGIN)
    assert told.status_code == 302
