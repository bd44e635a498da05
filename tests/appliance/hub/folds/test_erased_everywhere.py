"""Who is erased is in nothing that a hub keeps: not in how tables stand, not in ratings, not from the table itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from sqlalchemy import select, text

from appliance.hub.broker.members import MembersFile
from appliance.hub.folds.erased import DAY_S, Clock, opened_s
from appliance.hub.folds.ratings import fold_ratings
from appliance.hub.folds.rebuild import fingerprint, rebuild
from appliance.hub.folds.standings import standings_of
from appliance.hub.folds.tables import until_folded
from appliance.hub.folds.taken_out import FormerNames, take_out_at_tables
from appliance.hub.link.marks import mark_of
from appliance.hub.people.guests import erase
from appliance.hub.report import Report, decoded, encoded
from appliance.hub.store.database import Database, sqlite_url
from appliance.hub.store.envelopes_kept import keep_status, store
from appliance.hub.store.migrate import migrate
from appliance.hub.store.schema import METADATA, TABLES
from appliance.hub.worker import Worker
from appliance.service.outside.table_status import GameStatus, SeatStatus, TableStatus
from tests.appliance.hub.chain import EVENING_S, SendingTable
from tests.appliance.hub.test_worker import Broker

NOW_S = EVENING_S + 7200


def everything(database: Database) -> bytes:
    """All that the database holds, as text."""
    with database.read() as connection:
        rows = [connection.execute(select(table)).all() for table in METADATA.sorted_tables]
    return repr([[tuple(map(bytes_of, row)) for row in of] for of in rows]).encode()


def bytes_of(value: object) -> object:
    return bytes(value) if isinstance(value, memoryview) else value


def arrives(database: Database, *tables: SendingTable) -> None:
    store(database, [one for table in tables for one in table.sent], NOW_S)
    until_folded(database)
    fold_ratings(database)


def in_the_league(database: Database) -> set[str]:
    return {one.name for one in standings_of(database, "smugglers", "", most=9)}


def report(table: str, erased: dict[str, int], counts_from: int = 0) -> bytes:
    marks = {mark_of(name): until for name, until in erased.items()}
    said = Report(table=table, wall_s=NOW_S, release="0.1.0", newest=9, stored=9, status=None)
    return encoded(replace(said, erased=marks, counts_from=counts_from))


def says(database: Database, table: str, erased: dict[str, int], former: FormerNames = lambda table: ()) -> None:
    take_out_at_tables(database, {table: report(table, erased)}, former)
    fold_ratings(database)


def game_of(*names: str) -> GameStatus:
    seats = tuple(SeatStatus(seat=seat, name=name, asked=True) for seat, name in enumerate(names))
    return GameStatus(id=1, name="smugglers", seats=seats, outcome=None)


def test_how_a_table_stands_names_nobody(database: Database) -> None:
    status = TableStatus(version=1, game=game_of("Ann", "Bob"), sensors={})
    said = Report(table="bay", wall_s=NOW_S, release="0.1.0", newest=1, stored=1, status=status)
    keep_status(database, {"bay": encoded(said), "cellar": b'{"format":2,"who":"Ann"}'}, NOW_S)
    assert b"Ann" not in everything(database)
    with database.read() as connection:
        assert b'"seat":1' in connection.execute(select(TABLES.c.status).where(TABLES.c.name == "bay")).scalar_one()


def test_who_is_erased_stands_in_no_league_from_then_on(database: Database) -> None:
    bay = SendingTable("bay")
    bay.played(("Ann", "Bob", "Cay"), 0)
    arrives(database, bay)
    erase(database, "Ann", NOW_S)
    # Before anybody folds the ratings anew.
    assert in_the_league(database) == {"Bob", "Cay"}
    fold_ratings(database)
    held = everything(database)
    assert b"Ann" not in held
    assert b"'ann'" not in held


def test_who_is_erased_at_a_table_is_out_of_what_the_hub_has_of_it(database: Database) -> None:
    bay, cellar = SendingTable("bay"), SendingTable("cellar")
    bay.played(("Ann", "Bob", "Cay"), 0)
    erased_at = len(bay.sent)
    cellar.played(("Dee", "Eve"), 0)
    arrives(database, bay, cellar)
    says(database, "bay", {"ANN": erased_at})
    assert in_the_league(database) == {"Bob", "Cay", "Dee", "Eve"}
    assert b"Ann" not in everything(database)
    assert b"Dee" in everything(database)
    # What they play afterwards is theirs, and what was sent before and comes again late is nobody's.
    bay.played(("Ann", "Bob"), 0)
    arrives(database, bay, cellar)
    assert "Ann" in in_the_league(database)
    before = fingerprint(database)
    rebuild(database)
    assert fingerprint(database) == before


@pytest.mark.parametrize("late_s", [0.0, 120.0, 299.0])
@pytest.mark.parametrize("ahead_s", [0.0, 90 * DAY_S])
def test_no_game_counts_as_opened_after_it_arrived(ahead_s: float, late_s: float) -> None:
    """Else a name that is erased between the two would stay in it."""
    arrived_s = 1_000 * DAY_S
    assert opened_s(arrived_s + ahead_s + late_s, arrived_s, Clock(ahead_s, arrived_s)) <= arrived_s


@pytest.mark.parametrize("at_the_table", [False, True])
def test_who_is_erased_is_in_no_file_of_the_database(tmp_path: Path, at_the_table: bool) -> None:
    database = Database(sqlite_url(tmp_path / "hub.db"))
    migrate(database)
    bay = SendingTable("bay")
    for _ in range(3):
        bay.played(("Annabella", "Bob", "Cay"), 0)
    arrives(database, bay)
    broker = Broker(())
    if at_the_table:
        broker.said = {"bay": report("bay", {"Annabella": len(bay.sent)})}
    else:
        erase(database, "Annabella", NOW_S)
    Worker(database, broker).round()
    # The hub runs on: nothing is written when a last connection closes.
    held = {file.name: file.read_bytes().lower() for file in tmp_path.iterdir()}
    assert {name: content.count(b"annabella") for name, content in held.items()} == dict.fromkeys(held, 0)
    assert any(b"cay" in content for content in held.values())
    database.close()


def test_a_table_takes_nobody_out_of_what_others_sent(database: Database) -> None:
    bay, cellar = SendingTable("bay"), SendingTable("cellar")
    bay.played(("Ann", "Bob"), 0)
    cellar.played(("Ann", "Cay"), 0)
    arrives(database, bay, cellar)
    says(database, "bay", {"Ann": 9})
    assert in_the_league(database) == {"Ann", "Cay"}


def test_what_waited_at_the_broker_when_a_table_erased_a_name_is_nobodys(database: Database) -> None:
    bay = SendingTable("bay")
    bay.played(("Ann", "Bob", "Cay"), 0)
    says(database, "bay", {"Ann": 3})
    arrives(database, bay)
    assert in_the_league(database) == {"Bob", "Cay"}
    assert b"Ann" not in everything(database)


def test_a_table_that_was_invited_anew_erases_what_it_sent_under_its_former_name(
    database: Database, tmp_path: Path
) -> None:
    members = MembersFile(tmp_path / "hub")
    members.made("127.0.0.1", 0)
    for name in ("cellar", "cellar", "attic", "attic-9"):
        members.invite(name)
    cellar, attic = SendingTable("cellar"), SendingTable("attic")
    cellar.played(("Ann", "Bob", "Cay"), 0)
    attic.played(("Ann", "Dee"), 0)
    arrives(database, cellar, attic)
    says(database, "cellar-2", {"Ann": 1}, members.former_names)
    says(database, "attic-9", {"Ann": 1}, members.former_names)
    assert in_the_league(database) == {"Ann", "Bob", "Cay", "Dee"}
    with database.read() as connection:
        held = [bytes(data) for (data,) in connection.execute(text("SELECT data FROM envelopes WHERE seq = 1"))]
    assert sum(b"Ann" in data for data in held) == 1


@pytest.mark.parametrize(
    "marks", [{"ann": 3}, {"0" * 32: -1}, {"0" * 32: 2**60}, {f"{n:032x}": 9 for n in range(20_000)}]
)
def test_a_stolen_key_fills_no_database_with_erased_names(database: Database, marks: dict[str, int]) -> None:
    said = Report(table="bay", wall_s=NOW_S, release="0.1.0", newest=9, stored=9, erased=marks, status=None)
    for _ in range(2):
        take_out_at_tables(database, {"bay": encoded(said)}, lambda table: ())
    with database.read() as connection:
        assert connection.execute(text("SELECT count(*) FROM erased_at")).scalar_one() <= 10_000


def test_names_in_what_an_older_release_kept_of_how_tables_stand_are_gone(url: str) -> None:
    database = Database(url)
    migrate(database, "0005")
    status = TableStatus(version=1, game=game_of("Ann", "Bob"), sensors={})
    said = encoded(Report(table="bay", wall_s=NOW_S, release="0.1.0", newest=1, stored=1, status=status))
    with database.write() as connection:
        for name, kept in (("bay", said), ("cellar", b"\xff"), ("quiet", None)):
            row = {"name": name, "contiguous": 1, "newest": 1, "heard_s": NOW_S, "status": kept}
            connection.execute(TABLES.insert(), [row])
    migrate(database)
    assert b"Ann" not in everything(database)
    with database.read() as connection:
        stored = connection.execute(select(TABLES.c.status).order_by(TABLES.c.name)).scalars().all()
    assert decoded(bytes(stored[0])).status is not None
    assert [None if one is None else bytes(one) for one in stored[1:]] == [b"\xff", None]
    database.close()
