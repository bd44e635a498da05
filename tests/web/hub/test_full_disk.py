"""A hub whose database finds no room, is busy or does not answer: its pages say so, and lead back."""

from __future__ import annotations

import re
import sqlite3
from html import unescape
from pathlib import Path
from typing import NoReturn

import pytest
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from appliance.hub.store.database import Database, sqlite_url
from tests.places import ROOT
from tests.web.hub.conftest import ORIGIN, PASSWORD, StandingHub


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


@pytest.mark.parametrize(("language", "says"), [("en", "what you sent was not kept"), ("de", "was du gesendet hast")])
def test_a_tap_that_waited_for_long_work_in_vain_is_told_so(
    hub: StandingHub, language: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rebuild while the hub runs. Pages are shown meanwhile."""
    chain = hub.client("chain")
    chain.set_cookie("language", language)
    fields = {"cafe": "", "game": "smugglers", "size": "4"}
    monkeypatch.setattr("appliance.hub.store.database.TAP_MS", 50)
    worker = sqlite3.connect(tmp_path / "hub.db", isolation_level=None)
    worker.execute("BEGIN IMMEDIATE")
    told = chain.post("/night/begin", data=fields, headers=ORIGIN)
    assert (told.status_code, says in told.text) == (503, True)
    assert chain.get("/league").status_code == 200
    worker.execute("ROLLBACK")
    worker.close()
    assert chain.post("/night/begin", data=fields, headers=ORIGIN).status_code == 302


def test_a_tap_is_answered_before_its_button_can_be_tapped_again(hub: StandingHub) -> None:
    """A second tap would wait beside the first one, and both would count. Workers have the patience of a machine."""
    script = (ROOT / "web" / "static" / "taps.js").read_text(encoding="utf-8")
    (unanswered_ms,) = re.findall(r"UNANSWERED_MS = (\d+);", script)

    def longest_wait_ms(database: Database) -> int:
        with database.write() as connection:
            return int(connection.exec_driver_sql("PRAGMA busy_timeout").scalar_one())

    assert longest_wait_ms(hub.web.database) < int(unanswered_ms)
    assert longest_wait_ms(hub.database) == 30_000
    assert longest_wait_ms(hub.web.database) < int(unanswered_ms), "the same connection"


@pytest.mark.parametrize("form", ["/night/1/come", "/night/begin", "/offers/house", "/accounts"])
def test_the_way_back_from_a_tap_that_was_not_kept_leads_to_its_page(
    hub: StandingHub, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain, full = hub.client("chain"), on_a_full_disk(tmp_path)
    fields = {"cafe": "", "game": "smugglers", "size": "4", "name": "Ann", "password": PASSWORD, "nothing": "1"}
    page = "/night?begin=1" if form == "/night/begin" else form.removesuffix("/come").removesuffix("/house")
    if form == "/night/1/come":
        chain.post("/night/begin", data=fields, headers=ORIGIN)

    def refuse(self: Database) -> NoReturn:
        raise full

    with monkeypatch.context() as patch:
        patch.setattr(Database, "write", refuse)
        told = chain.post(form, data=fields, headers={**ORIGIN, "Referer": f"http://localhost{page}"})
    assert (told.status_code, "Refresh" in told.headers) == (503, False), "what was sent is not sent again by itself"
    (back,) = re.findall(r'<a class="tap confirm" href="([^"]+)"', told.text)
    assert (unescape(back), chain.get(unescape(back)).status_code) == (page, 200)


def test_a_wall_that_was_opened_while_the_database_was_away_comes_by_itself(
    hub: StandingHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.table("bay", "Zum Anker")
    wall, full = "/wall?cafe=Zum%20Anker", on_a_full_disk(tmp_path)

    def refuse(self: Database) -> NoReturn:
        raise full

    with monkeypatch.context() as patch:
        patch.setattr(Database, "read", refuse)
        told = hub.client().get(wall)
    assert told.status_code == 503
    assert int(told.headers["Refresh"]) <= 60
    assert f'href="{wall}"' in told.text, "the café is kept"
    assert "Refresh" not in hub.client().get(wall).headers
