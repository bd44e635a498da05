"""A hub's league is what the results of its tables make it, however they come; and made anew it is the same."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest
from sqlalchemy import select, text

from appliance.games.league.result import Result
from appliance.games.league.seasons import season_of
from appliance.games.league.standings import Standing, standings
from appliance.hub.folds.ratings import fold_ratings
from appliance.hub.folds.rebuild import fingerprint, rebuild
from appliance.hub.folds.standings import standings_of
from appliance.hub.folds.tables import fold_new, until_folded
from appliance.hub.folds.waiting import ENVELOPES_AT_ONCE, OF_A_TABLE, read
from appliance.hub.store.database import Database, Work, sqlite_url
from appliance.hub.store.envelopes_kept import Arrived, store
from appliance.hub.store.migrate import migrate
from appliance.hub.store.schema import ENVELOPES, FOLDED, RESULTS, TABLES
from tests.appliance.hub.chain import EVENING_S, SendingTable, evening
from tests.patience import GIVEN_UP_S

NOW_S = EVENING_S + 1e6


def everything_arrives(database: Database, tables: list[SendingTable], seed: int | None = None) -> None:
    """In the order of the tables; with a seed: in batches of any order, folded after each."""
    every = [one for table in tables for one in table.sent]
    if seed is None:
        store(database, every, NOW_S)
    else:
        chance = random.Random(seed)
        chance.shuffle(every)
        every.sort(key=lambda one: one.seq + chance.uniform(0, 20))
        for start in range(0, len(every), 23):
            store(database, every[start : start + 23], NOW_S)
            until_folded(database)
            if chance.random() < 0.5:
                fold_ratings(database)
    until_folded(database)
    fold_ratings(database)


def expected(tables: list[SendingTable], kind: str, season: str = "") -> tuple[Standing, ...]:
    every = [one for table in tables for one in table.results.values() if one.game == kind]
    return standings(one for one in every if season in ("", season_of(one.played_s)))


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_the_league_is_that_of_the_results(database: Database, seed: int | None) -> None:
    tables = evening(5, 60, seed=3)
    everything_arrives(database, tables, seed)
    for kind in ("smugglers", "customs"):
        assert len(expected(tables, kind)) > 10
        assert standings_of(database, kind, "", most=100) == expected(tables, kind)
        season = season_of(EVENING_S)
        assert standings_of(database, kind, season, most=100) == expected(tables, kind, season)


def test_made_anew_it_is_bit_for_bit_the_same_on_every_database(database: Database, tmp_path: object) -> None:
    tables = evening(4, 40, seed=5)
    everything_arrives(database, tables, seed=6)
    before = fingerprint(database)
    folded = rebuild(database)
    assert folded == sum(len(table.sent) for table in tables)
    assert fingerprint(database) == before
    other = Database(sqlite_url(tmp_path / "other.db"))  # type: ignore[operator]
    migrate(other)
    everything_arrives(other, tables)
    assert fingerprint(other) == before
    other.close()


def test_made_anew_beside_a_worker_all_is_counted(database: Database) -> None:
    tables = evening(3, 30, seed=8)
    everything_arrives(database, tables)
    before = fingerprint(database)
    came: list[SendingTable] = []

    def at_each() -> None:
        """Another worker stores what a new table sends, and folds it."""
        if not came:
            came.append(SendingTable("new"))
            came[0].played(("Ann", "Bob"), 0)
            store(database, came[0].sent, NOW_S)
            assert fold_new(database) == 3

    assert rebuild(database, at_each) == sum(len(table.sent) for table in (*tables, *came))
    assert fingerprint(database) != before


def test_what_another_worker_still_folds_is_waited_for(database: Database) -> None:
    if database.is_sqlite:
        pytest.skip("there a writer is always alone")
    table = SendingTable("ann")
    table.played(("Ann", "Bob"), 0)
    store(database, table.sent, NOW_S)
    assert until_folded(database) == 3
    table.played(("Ann", "Bob"), 1)
    store(database, table.sent, NOW_S)
    with ThreadPoolExecutor(1) as other, database.write() as connection:
        database.beside_others(connection, Work.FOLD)
        connection.execute(select(FOLDED).with_for_update()).all()
        assert fold_new(database) == 0, "somebody else holds it"
        waits = other.submit(until_folded, database)
        connection.rollback()
        assert waits.result(GIVEN_UP_S) == 3


def test_a_busy_table_keeps_no_other_waiting(database: Database) -> None:
    busy, calm = SendingTable("attic"), SendingTable("cellar")
    game = busy.open(("Ann", "Bob"))
    while len(busy.sent) <= ENVELOPES_AT_ONCE:
        busy.goes_on(game)
    calm.open(("Cay", "Dee"))
    store(database, busy.sent, NOW_S)
    store(database, calm.sent, NOW_S)
    fold_new(database)
    with database.read() as connection:
        reached = {row.table_name: row.seq for row in connection.execute(select(FOLDED))}
    assert reached["cellar"] == 1
    assert reached["attic"] == ENVELOPES_AT_ONCE // 2


def test_what_was_folded_before_is_not_read_again(database: Database) -> None:
    if database.is_sqlite:
        pytest.skip("PostgreSQL counts the rows that it reads")
    many, new = 20_000, 10
    envelope = {"table_name": "bay", "digest": b"", "data": b"{}", "arrived_s": None}
    with database.write() as connection:
        database.insert_new(connection, TABLES, [{"name": "bay", "contiguous": many, "newest": many, "heard_s": 0.0}])
        database.insert_new(connection, ENVELOPES, [{**envelope, "seq": seq} for seq in range(1, many + 1)])
    with database.write() as connection:
        connection.execute(text("ANALYZE"))
    read_of = text("SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'envelopes'")
    with database.write() as connection:
        waiting = read(database, connection, {"bay": many - new})
        assert [seq for seq, _, _ in waiting["bay"]] == list(range(many - new + 1, many + 1))
        assert connection.execute(read_of).scalar_one() == 2 * new, "once for their sizes, once for themselves"


def test_many_busy_tables_leave_room_for_another_worker(database: Database) -> None:
    for number in range(2 * ENVELOPES_AT_ONCE // OF_A_TABLE):
        busy = SendingTable(f"busy-{number:02}")
        game = busy.open(("Ann", "Bob"))
        while len(busy.sent) <= OF_A_TABLE:
            busy.goes_on(game)
        store(database, busy.sent, NOW_S)
    assert fold_new(database) == ENVELOPES_AT_ONCE
    with database.read() as connection:
        reached = connection.execute(select(FOLDED.c.seq)).scalars().all()
    assert sorted(set(reached)) == [0, OF_A_TABLE]


def test_a_cafe_that_was_offline_for_a_week_comes_in_where_it_played(database: Database) -> None:
    early, late = SendingTable("early", EVENING_S - 7 * 86400), SendingTable("late")
    late.played(("Ann", "Bob"), 0)
    late.played(("Cay", "Dee"), 0)
    store(database, late.sent, NOW_S)
    until_folded(database)
    fold_ratings(database)
    early.played(("Bob", "Eve"), 0)
    store(database, early.sent, NOW_S)
    until_folded(database)
    assert fold_ratings(database) == 2 * 2, "Cay and Dee met neither Bob nor Eve; all time and the season are counted"
    assert standings_of(database, "smugglers", "", most=9) == expected([early, late], "smugglers")


def test_only_what_is_new_is_folded(database: Database) -> None:
    table = SendingTable("ann")
    table.played(("Ann", "Bob"), 0)
    store(database, table.sent, NOW_S)
    assert until_folded(database) == 3
    assert fold_new(database) == 0
    table.played(("Ann", "Bob"), 1)
    store(database, table.sent, NOW_S)
    assert until_folded(database) == 3


def test_what_cannot_be_read_is_skipped_and_told(database: Database) -> None:
    table = SendingTable("ann")
    game = table.open(("Ann", "Bob"))
    future = msgspec.json.encode({"format": 2, "table": "ann", "seq": 2, "news": {"game": 1}})
    table.sent.append(Arrived("ann", 2, future))
    table.sent.append(Arrived("ann", 3, b"\xff\x00 not JSON"))
    table.sent.append(Arrived("ann", 4, table.sent[0].data))
    table.sent.append(Arrived("ann", 5, b"[" * 100_000))
    table.won(game, 1)
    store(database, table.sent, NOW_S)
    assert until_folded(database) == 6
    with database.read() as connection:
        assert connection.execute(select(FOLDED.c.unread)).scalar() == 4
        (body,) = connection.execute(select(RESULTS.c.body)).scalars()
    assert msgspec.json.decode(body, type=Result).won_by == ("Bob",)


@pytest.mark.parametrize("name", ["", "a\0b", "x" * 65, "line\nbreak"])
def test_names_that_no_table_would_take_are_nobodys(database: Database, name: str) -> None:
    table = SendingTable("ann")
    table.played((name, "Bob", "Cay"), 0)
    store(database, table.sent, NOW_S)
    until_folded(database)
    fold_ratings(database)
    assert [one.name for one in standings_of(database, "smugglers", "", most=9)] == ["Bob", "Cay"]


def test_a_clock_that_was_a_year_off_is_told(database: Database) -> None:
    table = SendingTable("ann", EVENING_S + 365 * 86400)
    table.played(("Ann", "Bob"), 0)
    table.wall_s = EVENING_S
    table.played(("Ann", "Bob"), 0)
    store(database, table.sent, NOW_S)
    until_folded(database)
    with database.read() as connection:
        assert connection.execute(select(FOLDED.c.clock_back)).scalar() == 1
