"""A hub with a chain of tables, an account of the chain and one of a café, behind Flask's client."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from http.cookies import SimpleCookie
from pathlib import Path

import pytest
from flask import Response
from flask.testing import FlaskClient
from werkzeug.security import generate_password_hash

from appliance.games.league.result import name_key
from appliance.hub.chain.night_calls import close_calls
from appliance.hub.chain.table_marks import place_table
from appliance.hub.folds.ratings import fold_ratings
from appliance.hub.folds.tables import until_folded
from appliance.hub.report import Report, encoded
from appliance.hub.store.database import Database, sqlite_url
from appliance.hub.store.envelopes_kept import keep_status, store
from appliance.hub.store.migrate import migrate
from appliance.hub.store.schema import ACCOUNTS
from appliance.service.outside.table_status import SensorStatus, TableStatus
from tests.appliance.hub.chain import EVENING_S, SendingTable
from web.hub.app import create_hub_app
from web.hub.context import HubSite, HubWeb

CODE = "the-first-code"
PASSWORD = "correct horse battery"
_HASHED = generate_password_hash(PASSWORD)


class StandingHub:
    """The hub at a moment that tests set, with tables that send."""

    def __init__(self, folder: Path, url: str = "") -> None:
        self.database = Database(url or sqlite_url(folder / "hub.db"))
        self.now_s = EVENING_S + 3600
        self.without_key: dict[str, str] = {}
        site = HubSite(first_code=CODE, metrics_token="token")
        self.web = HubWeb(self.database, site, lambda: self.now_s, lambda: self.without_key)
        self.app = create_hub_app(self.web)
        self.tables: dict[str, SendingTable] = {}

    def table(self, name: str, cafe: str = "") -> SendingTable:
        self.tables[name] = SendingTable(name, self.now_s - 1800)
        self.hears()
        self.reports(name)
        if cafe:
            place_table(self.database, name, "", cafe)
        return self.tables[name]

    def hears(self, *names: str) -> None:
        """Take all that tables have sent, or these alone."""
        for table in (self.tables[name] for name in names or self.tables):
            store(self.database, table.sent, self.now_s)
        until_folded(self.database)
        close_calls(self.database, self.now_s)
        fold_ratings(self.database)

    def reports(self, name: str, release: str = "0.1.0", off_s: float = 0.0, newest: int = 0, **sensors: str) -> None:
        states = {device: SensorStatus(state=state, codes=()) for device, state in sensors.items()}  # type: ignore[arg-type]
        status = TableStatus(version=1, game=None, sensors=states)
        said = Report(table=name, wall_s=self.now_s + off_s, release=release, newest=newest, stored=0, status=status)
        keep_status(self.database, {name: encoded(said)}, self.now_s)
        close_calls(self.database, self.now_s)

    def client(self, account: str | None = None) -> FlaskClient:
        """Return a browser: a guest's, or one that is signed in."""
        client = self.app.test_client()
        if account is not None:
            row = {"name": name_key(account), "password": _HASHED}
            row |= {"role": "chain", "cafe": ""} if account == "chain" else {"role": "cafe", "cafe": account}
            with self.database.write() as connection:
                self.database.insert_new(connection, ACCOUNTS, [row])
            found, response = self.web.accounts.named(name_key(account)), Response()
            assert found is not None
            with self.app.test_request_context():
                self.web.sign_in(response, found)
            client.set_cookie("hub", SimpleCookie(response.headers["Set-Cookie"])["hub"].value)
        return client


ORIGIN = {"Origin": "http://localhost"}


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database in the newest form, with nothing in it."""
    file = tmp_path_factory.mktemp("hub") / "hub.db"
    database = Database(sqlite_url(file))
    migrate(database)
    database.close()
    return file


@pytest.fixture
def hub(tmp_path: Path, migrated: Path) -> Iterator[StandingHub]:
    shutil.copy(migrated, tmp_path)
    hub = StandingHub(tmp_path)
    yield hub
    hub.database.close()


@pytest.fixture
def evening(hub: StandingHub) -> StandingHub:
    """Two cafés: one table plays, one rests, one is silent, one is not well."""
    for name, cafe in (("bay", "Anker"), ("pier", "Anker"), ("mole", "Central"), ("quay", "Central")):
        hub.table(name, cafe)
    hub.tables["bay"].goes_on(hub.tables["bay"].open(("Ann", "Bob", None)))
    hub.tables["mole"].played(("Cay", "Dee"), 1)
    hub.client("chain").post("/night/begin", data={"cafe": "", "game": "smugglers", "size": "4"}, headers=ORIGIN)
    hub.now_s += 600
    hub.hears("bay", "mole", "quay")
    hub.reports("bay")
    hub.reports("mole", scale="faulty", release="0.0.9", off_s=-86400 * 365)
    hub.reports("quay")
    return hub
