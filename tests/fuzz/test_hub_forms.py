"""No form of a hub's pages, whatever is in its fields and whoever sends it, is answered as a bug or leads elsewhere."""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from appliance.hub.store.database import Database, sqlite_url
from appliance.hub.store.migrate import migrate
from tests.fuzz.test_forms import ODD
from tests.fuzz.test_fuzz import SECONDS, SEED
from tests.web.hub.conftest import CODE, ORIGIN, StandingHub

pytestmark = pytest.mark.slow

FIELDS = (
    "name", "password", "code", "table", "label", "cafe", "game", "size", "after", "call", "missing", "leave", "back",
    "season", "page", "begin", "role", "wrong", "erased", "ends",
)  # fmt: skip
RIGHT = ("bay", "mole", "Anker", "Central", "smugglers", "4", "0", "1", "Ann", "Zed", CODE, "2026-05", "chain")
WHO = (None, "Central", "chain")


class Hub:
    """A hub with two tables and a night, and three who type anything: a guest, a café's host, the chain's."""

    def __init__(self, folder: Path) -> None:
        database = Database(sqlite_url(folder / "hub.db"))
        migrate(database)
        database.close()
        self.hub, self.outcomes = StandingHub(folder), Counter[str]()
        for table, cafe in (("bay", "Anker"), ("mole", "Central")):
            self.hub.table(table, cafe).played(("Ann", "Bob"), 0)
        self.hub.hears()
        self.hub.client("chain").post(
            "/night/begin", data={"cafe": "", "game": "smugglers", "size": "4"}, headers=ORIGIN
        )
        rules = list(self.hub.app.url_map.iter_rules())
        self.doors = sorted((method, str(one)) for one in rules for method in ("GET", "POST") if method in one.methods)  # type: ignore[operator]

    def throw(self, rng: random.Random) -> None:
        """Send one form, or one address with odd parameters, and judge the answer."""
        method, address = rng.choice(self.doors)
        filled = re.sub(
            r"<[^>]+>", lambda _: quote(rng.choice(("0", "1", "de", rng.choice(ODD)[:50])), safe=""), address
        )
        fields = {name: rng.choice(rng.choice((ODD, RIGHT))) for name in rng.sample(FIELDS, rng.randint(0, 7))}
        given: dict[str, Any] = {"data": fields, "headers": ORIGIN}
        if method == "GET":
            given = {"query_string": {name: value[:2000] for name, value in fields.items()}}
        answer = self.hub.client(rng.choice(WHO)).open(filled, method=method, buffered=True, **given)
        case = method, filled[:200], str(fields)[:600]
        assert answer.status_code < 500, (answer.status_code, *case)
        where = answer.headers.get("Location", "")
        assert urlsplit(where).netloc in ("", "localhost"), (where, *case)
        assert not where.startswith(("//", "/\\")), (where, *case)
        assert "a=b" not in answer.headers.get("Set-Cookie", ""), case
        if answer.mimetype == "text/html":
            assert "<script>alert" not in answer.text, case
            assert "Traceback" not in answer.text, case
        self.outcomes[str(answer.status_code)] += 1


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    hub = Hub(tmp_path)
    yield hub
    hub.hub.database.close()


def test_a_few_odd_forms_at_a_hub(hub: Hub) -> None:
    rng = random.Random("hub")
    for _ in range(250):
        hub.throw(rng)
    assert {"200", "302", "401", "422"} <= hub.outcomes.keys(), hub.outcomes


@pytest.mark.fuzz
def test_odd_forms_at_a_hub_for_a_while(hub: Hub, capsys: pytest.CaptureFixture[str]) -> None:
    until_s, number = time.monotonic() + SECONDS, 0
    for number in count(1):
        try:
            hub.throw(random.Random(SEED + number))
        except BaseException:
            with capsys.disabled():
                print(f"\nforms of a hub: FUZZ_SEED={SEED}, case {number}")
            raise
        if time.monotonic() > until_s:
            break
    with capsys.disabled():
        print(f"\nforms of a hub: {number} requests in {SECONDS:.0f} s: {dict(hub.outcomes.most_common())}")
