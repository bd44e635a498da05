"""A hub with a chain of tables, an account of the chain and one of a café, behind Flask's client."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from appliance.hub.folds.ratings import fold_ratings
from appliance.hub.folds.tables import until_folded
from appliance.hub.report import Report, encoded
from appliance.hub.store.database import Database, sqlite_url
from appliance.hub.store.envelopes_kept import keep_status, store
from appliance.hub.store.migrate import migrate
from appliance.service.outside.table_status import SensorStatus, TableStatus
from tests.appliance.hub.chain import EVENING_S, SendingTable
from web.hub.app import create_hub_app
from web.hub.context import HubSite, HubWeb

CODE = "the-first-code"
PASSWORD = "correct horse battery"


class StandingHub:
    """The hub at a moment that tests set, with tables that send."""

    def __init__(self, folder: Path) -> None:
        self.database = Database(sqlite_url(folder / "hub.db"))
        migrate(self.database)
        self.now_s = EVENING_S + 3600
        self.web = HubWeb(self.database, HubSite(first_code=CODE, metrics_token="token"), lambda: self.now_s)
        self.app = create_hub_app(self.web)
        self.tables: dict[str, SendingTable] = {}

    def table(self, name: str, cafe: str = "") -> SendingTable:
        self.tables[name] = SendingTable(name, self.now_s - 1800)
        self.hears()
        self.reports(name)
        if cafe:
            self.client("chain").post("/tables", data={"table": name, "label": "", "cafe": cafe}, headers=ORIGIN)
        return self.tables[name]

    def hears(self, *names: str) -> None:
        """Take all that tables have sent, or these alone."""
        for table in (self.tables[name] for name in names or self.tables):
            store(self.database, table.sent, self.now_s)
        until_folded(self.database)
        fold_ratings(self.database)

    def reports(self, name: str, release: str = "0.1.0", off_s: float = 0.0, **sensors: str) -> None:
        states = {device: SensorStatus(state=state, codes=()) for device, state in sensors.items()}  # type: ignore[arg-type]
        status = TableStatus(version=1, game=None, sensors=states)
        said = Report(table=name, wall_s=self.now_s + off_s, release=release, newest=0, stored=0, status=status)
        keep_status(self.database, {name: encoded(said)}, self.now_s)

    def client(self, account: str | None = None) -> FlaskClient:
        client = self.app.test_client()
        if account is not None:
            if self.web.accounts.named(account) is None:
                role = "chain" if account == "chain" else "cafe"
                self.web.accounts.add(account, PASSWORD, role, "" if role == "chain" else account)
            done = client.post("/login", data={"name": account, "password": PASSWORD}, headers=ORIGIN)
            assert done.location == "/"
        return client


ORIGIN = {"Origin": "http://localhost"}


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[StandingHub]:
    hub = StandingHub(tmp_path)
    yield hub
    hub.database.close()
