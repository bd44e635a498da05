"""A worker tells a table only what is committed, and dies, waits and goes on without losing anything."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError, ProgrammingError

from appliance.games.league.chain_night import Called, CalledOff, TableJoined
from appliance.games.league.night import Came
from appliance.hub.chain.night_calls import close_calls
from appliance.hub.folds.standings import standings_of
from appliance.hub.people import nights
from appliance.hub.report import Report, encoded
from appliance.hub.store.database import Database, sqlite_url
from appliance.hub.store.envelopes_kept import Arrived, Stored, store
from appliance.hub.store.migrate import migrate
from appliance.hub.worker import Worker
from tests.appliance.hub.chain import SendingTable, evening
from tests.patience import GIVEN_UP_S


class AwayError(Exception):
    pass


class Broker:
    """Gives each message again until it is done with, as a work queue does; fails at its n-th call of a kind."""

    def __init__(self, waiting: Sequence[Arrived], fails: str = "", at: int = 0) -> None:
        self.waiting, self.told = list(waiting), dict[str, int]()
        self._fails, self._at = fails, at
        self.empty = threading.Event()
        self.said: Mapping[str, bytes] = {}
        self.offered = 0

    def _may(self, what: str) -> None:
        if what == self._fails:
            self._at -= 1
            if self._at == 0:
                raise AwayError

    def pull(self, at_most: int, wait_s: float) -> Sequence[Arrived]:
        self._may("pull")
        if not self.waiting:
            self.empty.set()
        return self.waiting[:50]

    def statuses(self) -> Mapping[str, bytes]:
        said, self.said = self.said, {}
        return said

    def stored(self, newest: Mapping[str, int], written_s: Mapping[str, float]) -> None:
        self._may("stored")
        self.told |= newest

    def wanted(self, offers: Mapping[str, bytes]) -> None:
        self._may("wanted")
        self.offered += 1

    def done(self, pulled: Sequence[Arrived]) -> None:
        self._may("done")
        self.waiting = [one for one in self.waiting if one not in pulled]


@pytest.fixture
def database(tmp_path: Path) -> Database:
    database = Database(sqlite_url(tmp_path / "hub.db"))
    migrate(database)
    return database


def run_until_empty(database: Database, broker: Broker) -> None:
    worker = Worker(database, broker, (AwayError,), lambda: 1.0)
    thread = threading.Thread(target=worker.run)
    thread.start()
    assert broker.empty.wait(GIVEN_UP_S)
    worker.stop()
    thread.join(GIVEN_UP_S)
    database.close()


@pytest.mark.slow
@pytest.mark.parametrize("fails", ["pull", "stored", "done"])
def test_a_broker_that_goes_away_is_waited_for(database: Database, fails: str) -> None:
    tables = evening(3, 20, seed=2)
    broker = Broker([one for table in tables for one in table.sent], fails, at=2)
    run_until_empty(database, broker)
    assert broker.told == {table.name: len(table.sent) for table in tables}
    with database.read() as connection:
        kept = connection.exec_driver_sql("SELECT count(*) FROM envelopes").scalar_one()
    assert kept == sum(len(table.sent) for table in tables)
    database.close()


def test_nothing_is_told_or_forgotten_before_it_is_committed(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise OperationalError("COMMIT", {}, Exception("disk full"))

    table = SendingTable("ann")
    table.played(("Ann", "Bob"), 0)
    broker = Broker(table.sent)
    worker = Worker(database, broker, (AwayError,), lambda: 1.0)
    with monkeypatch.context() as patch:
        patch.setattr("appliance.hub.worker.store", broken)
        with pytest.raises(OperationalError):
            worker.round()
    assert (broker.told, len(broker.waiting)) == ({}, 3)
    worker.round()
    assert (broker.told, broker.waiting) == ({"ann": 3}, [])
    assert [one.name for one in standings_of(database, "smugglers", "", most=9)] == ["Ann", "Bob"]
    database.close()


def test_a_bug_in_a_statement_is_logged_as_one(
    database: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    worker = Worker(database, Broker(()), (AwayError,), lambda: 1.0)

    def wrong(*_: object) -> None:
        worker.stop()
        raise ProgrammingError("SELECT", {}, Exception("no such column in the row of a " + "guest".upper()))

    monkeypatch.setattr("appliance.hub.worker.fold_new", wrong)
    worker.run()
    assert [(one.levelname, "bug while working" in one.message) for one in caplog.records] == [("ERROR", True)]
    assert "ProgrammingError" in caplog.text
    assert "GUEST" not in caplog.text
    database.close()


def test_what_another_worker_kept_before_it_died_is_told_again(database: Database) -> None:
    table = SendingTable("ann")
    table.played(("Ann", "Bob"), 0)
    store(database, table.sent, 1.0)
    broker = Broker(table.sent)
    Worker(database, broker, (AwayError,), lambda: 2.0).round()
    assert (broker.told, broker.waiting) == ({"ann": 3}, [])
    database.close()


def test_a_bug_in_a_fold_holds_up_nothing_else(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*_: object) -> None:
        raise ZeroDivisionError

    table = SendingTable("ann")
    table.played(("Ann", "Bob"), 0)
    broker = Broker(table.sent)
    worker = Worker(database, broker, (AwayError,), lambda: 1.0)
    monkeypatch.setattr("appliance.hub.worker.fold_new", wrong)
    with pytest.raises(ZeroDivisionError):
        worker.round()
    assert (broker.told, broker.waiting, broker.offered) == ({"ann": 3}, [], 1)
    database.close()


def test_what_cannot_be_kept_of_one_table_holds_up_no_other(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def with_a_bug(database: Database, batch: Sequence[Arrived], now_s: float) -> Stored:
        if any(one.table == "mallory" for one in batch):
            raise OverflowError
        return store(database, batch, now_s)

    ann, mallory = SendingTable("ann"), SendingTable("mallory")
    for table in (ann, mallory):
        table.played(("Ann", "Bob"), 0)
    broker = Broker([*mallory.sent, *ann.sent])
    worker = Worker(database, broker, (AwayError,), lambda: 1.0)
    monkeypatch.setattr("appliance.hub.worker.store", with_a_bug)
    worker.round()
    assert (broker.told, broker.waiting) == ({"ann": 3}, mallory.sent)
    monkeypatch.undo()
    worker.round()
    assert (broker.told, broker.waiting) == ({"ann": 3, "mallory": 3}, [])
    database.close()


def test_a_table_that_rests_is_told_that_the_database_was_put_back(database: Database) -> None:
    table = SendingTable("ann")
    table.played(("Ann", "Bob"), 0)
    store(database, table.sent[:2], 1.0)
    broker = Broker(())
    worker = Worker(database, broker, (AwayError,), lambda: 1.0)
    for stored, told in ((1, {}), (2, {}), (3, {"ann": 2})):
        broker.said = {"ann": encoded(report("ann", stored)), "new": b"\xff"}
        worker.round()
        assert broker.told == told
    database.close()


def test_a_call_of_an_ended_night_is_off_once_its_table_has_told_all(database: Database) -> None:
    number = nights.begin(database, "", "haulers", 2, 0.2)
    assert number is not None
    events = (TableJoined("bay"), Came("Ann"), Came("Bob"), Called("bay", ("Ann", "Bob"), 0))
    assert nights.happened(database, number, events, ())
    nights.end(database, number, 0.5)
    run_until_empty(database, Broker([]))
    assert [on.night for on in nights.unclosed(database)] == [number], "nothing was heard of the table"
    bay = SendingTable("bay")
    bay.played(("Cay", "Dee"), 0)
    broker = Broker(bay.sent)
    broker.said = {"bay": encoded(report("bay", 0))}
    run_until_empty(database, broker)
    assert nights.unclosed(database) == ()
    on = nights.night_of(database, number)
    assert on is not None
    assert on.events == (*events, CalledOff(3))


def test_while_a_call_waits_for_its_table_nothing_is_written(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = nights.begin(database, "", "haulers", 2, 0.2)
    assert number is not None
    events = (TableJoined("bay"), Came("Ann"), Came("Bob"), Called("bay", ("Ann", "Bob"), 0))
    assert nights.happened(database, number, events, ())
    nights.end(database, number, 0.5)
    written = list[int]()
    monkeypatch.setattr(nights, "close", lambda *asked: written.append(number))
    close_calls(database, 1.0)
    assert [on.night for on in nights.unclosed(database)] == [number]
    assert written == []


def report(table: str, stored: int) -> Report:
    return Report(table=table, wall_s=1.0, release="1", newest=3, stored=stored, status=None)
