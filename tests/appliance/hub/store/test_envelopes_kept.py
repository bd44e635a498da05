"""Envelopes are kept once, in order, as they came, on both databases; whatever is sent twice, late or by several."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select, text

from appliance.hub.store.database import Database
from appliance.hub.store.envelopes_kept import AHEAD_MOST, Arrived, store
from appliance.hub.store.failures import AWAY, is_full
from appliance.hub.store.migrate import NewerDatabaseError, migrate
from appliance.hub.store.schema import ENVELOPES, METADATA, REFUSED
from tests.appliance.hub.postgres import Postgres
from tests.patience import GIVEN_UP_S

NOW_S = 1_700_000_000.0


def sent(table: str, *seqs: int) -> list[Arrived]:
    return [Arrived(table, seq, f"{table} {seq}".encode()) for seq in seqs]


def kept(database: Database) -> list[tuple[str, int, bytes]]:
    with database.read() as connection:
        rows = connection.execute(select(ENVELOPES).order_by(ENVELOPES.c.table_name, ENVELOPES.c.seq))
        return [(row.table_name, row.seq, bytes(row.data)) for row in rows]


def test_the_newest_contiguous_number_of_each_table_is_told(database: Database) -> None:
    first = store(database, [*sent("ann", 1, 2, 3), *sent("bob", 2), *sent("cay", 2, 1)], NOW_S)
    assert first.contiguous == {"ann": 3, "bob": 0, "cay": 2}
    assert store(database, sent("bob", 5, 4), NOW_S).contiguous == {"bob": 0}
    assert store(database, sent("bob", 1), NOW_S).contiguous == {"bob": 2}
    assert store(database, sent("bob", 3, 6), NOW_S).contiguous == {"bob": 6}


def test_what_comes_again_is_kept_once(database: Database) -> None:
    batch = [*sent("ann", 1, 2), *sent("ann", 2, 3)]
    assert store(database, batch, NOW_S).contiguous == {"ann": 3}
    again = store(database, sent("ann", 3, 1, 2, 4), NOW_S)
    assert again.contiguous == {"ann": 4}
    assert again.conflicts == ()
    assert kept(database) == [("ann", seq, f"ann {seq}".encode()) for seq in (1, 2, 3, 4)]


def test_other_bytes_under_a_kept_number_are_refused_and_told(database: Database) -> None:
    store(database, sent("ann", 1, 2), NOW_S)
    stored = store(database, [Arrived("ann", 2, b"other"), *sent("ann", 3), Arrived("ann", 3, b"x")], NOW_S)
    assert sorted(stored.conflicts) == [("ann", 2), ("ann", 3)]
    assert stored.contiguous == {"ann": 3}
    assert [data for _, _, data in kept(database)] == [b"ann 1", b"ann 2", b"ann 3"]
    store(database, [Arrived("ann", 1, b"other")], NOW_S + 1)
    with database.read() as connection:
        row = connection.execute(select(REFUSED)).one()
    assert (row.table_name, row.why, row.seq, row.times, row.last_s) == ("ann", "conflict", 1, 3, NOW_S + 1)


def test_bytes_that_nobody_can_read_are_kept(database: Database) -> None:
    data = bytes(range(256)) + b"\0" * 100_000
    assert store(database, [Arrived("ann", 1, data), Arrived("ann", 2, b"")], NOW_S).contiguous == {"ann": 2}
    assert kept(database)[0][2] == data


@pytest.mark.parametrize(
    "one", [Arrived("a.b", 1, b""), Arrived("", 1, b""), Arrived("ann", 0, b""), Arrived("ann", 2**63, b"")]
)
def test_what_names_no_table_or_number_is_refused(database: Database, one: Arrived) -> None:
    stored = store(database, [one, *sent("bob", 1)], NOW_S)
    assert (stored.malformed, stored.contiguous) == (1, {"bob": 1})


def test_what_is_far_ahead_of_a_table_is_not_kept_and_the_table_is_told_what_lacks(database: Database) -> None:
    store(database, sent("ann", 1, 2), NOW_S)
    stored = store(database, sent("ann", 2 + AHEAD_MOST, 3 + AHEAD_MOST, 2**50), NOW_S)
    assert (stored.malformed, stored.contiguous) == (2, {"ann": 2})
    assert [seq for _, seq, _ in kept(database)] == [1, 2, 2 + AHEAD_MOST]
    assert store(database, sent("ann", 3, 3 + AHEAD_MOST), NOW_S).contiguous == {"ann": 3}


def test_workers_at_once_keep_everything_once(database: Database) -> None:
    every = [one for table in ("ann", "bob", "cay", "dee") for one in sent(table, *range(1, 101))]
    chance = random.Random(1)
    batches = [chance.sample(every, 40) for _ in range(20)] + [every[i : i + 25] for i in range(0, 400, 25)]
    with ThreadPoolExecutor(4) as workers:
        list(workers.map(lambda batch: store(database, batch, NOW_S), batches))
    assert store(database, sent("ann", 1), NOW_S).contiguous == {"ann": 100}
    assert kept(database) == sorted((one.table, one.seq, one.data) for one in every)


def test_the_migrations_make_what_the_code_uses(database: Database) -> None:
    with database.write() as connection:
        for table in METADATA.tables.values():
            assert connection.execute(select(table)).all() == []
    migrate(database)


def test_hubs_that_start_at_once_bring_one_database_to_its_form(url: str) -> None:
    def start(_: int) -> None:
        database = Database(url)
        migrate(database)
        assert store(database, sent("ann", 1), NOW_S).contiguous == {"ann": 1}
        database.close()

    with ThreadPoolExecutor(4) as hubs:
        list(hubs.map(start, range(4)))


def test_the_database_of_a_newer_release_is_left_alone(database: Database) -> None:
    with database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(NewerDatabaseError):
        migrate(database)


WORKER = """
import sys
from appliance.hub.store.database import Database
from appliance.hub.store.failures import AWAY, is_full
from appliance.hub.store.envelopes_kept import Arrived, store
database = Database(sys.argv[1])
for line in sys.stdin:
    first, last = map(int, line.split())
    batch = [Arrived(table, seq, f"{table} {seq}".encode()) for seq in range(first, last) for table in ("ann", "bob")]
    reached = store(database, batch, 1.0).contiguous
    print(min(reached.values()), flush=True)
"""


@pytest.mark.slow
def test_workers_and_database_killed_at_any_moment_lose_nothing(a_postgres: Postgres) -> None:
    """A worker dies at a random moment of each life, in the end the server itself: what was told is kept, once."""
    url, chance, reached = a_postgres.url(), random.Random(2), 0
    database = Database(url)
    migrate(database)
    for life in range(4):
        worker = subprocess.Popen(
            [sys.executable, "-c", WORKER, url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert worker.stdin is not None
        assert worker.stdout is not None
        worker.stdin.write("".join(f"{max(1, reached - 20 + n)} {reached + 20 + n}\n" for n in range(0, 2000, 10)))
        worker.stdin.flush()
        for _ in range(chance.randrange(1, 12)):
            reached = max(reached, int(worker.stdout.readline()))
        if life == 3:
            a_postgres.kill()
        os.kill(worker.pid, signal.SIGKILL)
        worker.communicate(timeout=GIVEN_UP_S)
        if life == 3:
            a_postgres.start()
        told = store(database, [*sent("ann", 1), *sent("bob", 1)], 1.0).contiguous if life < 3 else None
        if told is not None:
            assert min(told.values()) >= reached
            reached = min(told.values())
    database.close()
    rows = kept(database)
    assert [row for row in rows if row[2] != f"{row[0]} {row[1]}".encode()] == []
    for table in ("ann", "bob"):
        seqs = [seq for name, seq, _ in rows if name == table]
        assert seqs == list(range(1, len(seqs) + 1))
        assert len(seqs) >= reached
    database.close()


def let_it_be_full(database: Database) -> None:
    """Let the database refuse every further envelope as it does on a full disk, after it began to write."""
    with database.write() as connection:
        if database.is_sqlite:
            connection.execute(text("PRAGMA max_page_count = 1"))
        else:
            connection.execute(
                text(
                    "CREATE FUNCTION full_disk() RETURNS trigger AS "
                    "$$ BEGIN RAISE EXCEPTION 'no space' USING ERRCODE = 'disk_full'; END $$ LANGUAGE plpgsql"
                )
            )
            connection.execute(text("CREATE TRIGGER no_room BEFORE INSERT ON envelopes EXECUTE FUNCTION full_disk()"))


def let_it_have_room(database: Database) -> None:
    with database.write() as connection:
        room = "PRAGMA max_page_count = 1000000" if database.is_sqlite else "DROP TRIGGER no_room ON envelopes"
        connection.execute(text(room))


def test_a_full_disk_is_a_database_that_is_away_and_all_is_kept_when_there_is_room(database: Database) -> None:
    store(database, sent("ann", 1), NOW_S)
    batch = [Arrived("ann", seq, b"x" * 1000) for seq in range(2, 40)]
    let_it_be_full(database)
    with pytest.raises(AWAY) as refused:
        store(database, batch, NOW_S)
    assert is_full(refused.value)
    assert len(kept(database)) == 1
    let_it_have_room(database)
    assert store(database, batch, NOW_S).contiguous == {"ann": 39}
