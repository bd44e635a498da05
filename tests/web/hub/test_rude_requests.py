"""Requests that no page of a hub makes, at a hub on PostgreSQL: refused in a sentence, never answered as a bug."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.hub.store.database import Database
from appliance.hub.store.migrate import migrate
from tests.appliance.hub import postgres
from tests.web.hub.conftest import ORIGIN, StandingHub
from tests.web.hub.test_every_door import FORM

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

RUBBISH = ("\x00", "Zed\x00", "9" * 5000, str(2**63), "-1")
"""PostgreSQL keeps no NUL in a text, and no number above 2**63 - 1."""
ASKED = ("game", "season", "page", "cafe", "back")


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[StandingHub]:
    programs = postgres.programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed: apt install postgresql")
    with postgres.running(programs) as server:
        url = server.url()
        database = Database(url)
        migrate(database)
        database.close()
        hub = StandingHub(tmp_path, url)
        yield hub
        hub.database.close()


def test_no_rubbish_is_answered_as_a_bug(hub: StandingHub) -> None:
    hub.table("bay", "Anker")
    chain = hub.client("chain")
    chain.post("/night/begin", data={"cafe": "", "game": "smugglers", "size": "4"}, headers=ORIGIN)
    rules = [(re.sub("<int:[^>]+>", "1", str(rule)), rule.methods or ()) for rule in hub.app.url_map.iter_rules()]
    bugs = []
    for path, methods in ((path, methods) for path, methods in rules if "<" not in path and path != "/logout"):
        for rubbish in RUBBISH:
            for name in FORM if "POST" in methods else ASKED:
                if "POST" in methods:
                    answer = chain.post(path, data=FORM | {name: rubbish}, headers=ORIGIN)
                else:
                    answer = chain.get(path, query_string={name: rubbish})
                if answer.status_code >= 500:
                    bugs.append((path, name, rubbish[:9]))
    assert bugs == []
