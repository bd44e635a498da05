"""What a hub takes in, folds and rates, beside a plain COPY of the same rows: `python -m tests.bench.hub`."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import text

from appliance.hub.chain.tables_now import tables_now
from appliance.hub.folds.ratings import fold_ratings
from appliance.hub.folds.rebuild import fingerprint, rebuild
from appliance.hub.folds.tables import until_folded
from appliance.hub.store.database import Database, sqlite_url
from appliance.hub.store.envelopes_kept import Arrived, digest_of, store
from appliance.hub.store.migrate import migrate
from tests.appliance.hub import postgres
from tests.appliance.hub.chain import evening
from tests.bench.page import Aim, Section, Table, show

ENVELOPES = 40_000
BATCH = 2000
TABLES = (10, 100, 1000)
COLUMNS = "(table_name, seq, digest, data)"


def measure(effort: float = 1.0) -> Section:
    count = max(round(ENVELOPES * effort), 400)
    with ExitStack() as stack:
        databases = dict(_databases(stack))
        rows, ratios = [], {}
        for kind, made in databases.items():
            for tables in TABLES:
                row, ratio = _taken_in(kind, made(), tables, count)
                rows.append(row)
                ratios[kind] = ratio
        folds = [_folded(kind, made(), count // 4) for kind, made in databases.items()]
    missing = [] if "PostgreSQL" in databases else ["PostgreSQL is not installed: its rows are missing."]
    worst = ratios.get("PostgreSQL")
    return Section(
        title="A hub's database",
        method=f"{count:,} envelopes of games of up to five players, in batches of {BATCH:,} that are each committed "
        "to disk by one worker. Their order is that of tables that play at the same time. The floor writes the same "
        "rows in the same batches into a table with the same columns and the same key: with COPY on PostgreSQL, with "
        "one INSERT statement for many rows on SQLite. It does not check for repetitions and gaps, and locks no "
        "table's row.",
        tables=[
            Table(
                title="Receiving",
                heads=(
                    "database",
                    "tables",
                    "envelopes a second",
                    "processor time each",
                    "plain rows a second",
                    "elapsed ÷ floor",
                ),
                rows=rows,
            ),
            Table(
                title="Folding a quarter of them, from 1,000 tables",
                heads=(
                    "database",
                    "games and results, envelopes a second",
                    "ratings, results a second",
                    "rebuilding everything",
                    "all tables for a page",
                ),
                rows=folds,
            ),
        ],
        aims=[
            Aim(
                what="a hub's worker receives envelopes of 1,000 tables",
                wanted="within 3 times the time of a plain COPY",
                measured="PostgreSQL is not installed" if worst is None else f"{worst:.1f} times as long",
                met=None if worst is None else worst <= 3,
            )
        ],
        notes=[*missing, "Each result is rated twice: for its season and for all time."],
    )


def _databases(stack: ExitStack) -> Iterator[tuple[str, Any]]:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    numbers = iter(range(1000))
    yield "SQLite", lambda: Database(sqlite_url(folder / f"{next(numbers)}.db"))
    if (programs := postgres.programs()) is not None:
        server = stack.enter_context(postgres.running(programs))
        yield "PostgreSQL", lambda: Database(server.url())


@contextmanager
def _timed() -> Iterator[list[float]]:
    """Give a list that holds the elapsed seconds and this process's processor seconds afterwards."""
    found: list[float] = []
    start, cpu = time.perf_counter(), time.process_time()
    yield found
    found += [time.perf_counter() - start, time.process_time() - cpu]


def _sent(tables: int, count: int) -> list[Arrived]:
    """Return `count` envelopes of so many tables, as they come in when all play at once."""
    games = count // 3 + tables
    every = [one for table in evening(tables, games, seed=1) for one in table.sent]
    chance = random.Random(2)
    every.sort(key=lambda one: one.seq + chance.random())
    return every[:count]


def _batches(every: Sequence[Arrived]) -> list[Sequence[Arrived]]:
    return [every[start : start + BATCH] for start in range(0, len(every), BATCH)]


def _taken_in(kind: str, database: Database, tables: int, count: int) -> tuple[list[str], float]:
    migrate(database)
    batches = _batches(_sent(tables, count))
    with _timed() as taken:
        for batch in batches:
            store(database, batch, 1.0)
    with database.write() as connection:
        blob = "BLOB" if database.is_sqlite else "BYTEA"
        connection.execute(
            text(
                f"CREATE TABLE plain (table_name TEXT, seq BIGINT, digest {blob}, data {blob}, "
                "PRIMARY KEY (table_name, seq))"
            )
        )
    # What both have to do is not counted: the digest.
    rows = [[(one.table, one.seq, digest_of(one.data), one.data) for one in batch] for batch in batches]
    with _timed() as floor:
        for plain in rows:
            _copy(database, plain)
    database.close()
    row = [
        kind,
        f"{tables:,}",
        f"{count / taken[0]:,.0f}",
        f"{1e6 * taken[1] / count:.0f} µs",
        f"{count / floor[0]:,.0f}",
        f"{taken[0] / floor[0]:.1f}",
    ]
    return row, taken[0] / floor[0]


def _copy(database: Database, rows: Sequence[tuple[str, int, bytes, bytes]]) -> None:
    with database.write() as connection:
        driver: Any = connection.connection.driver_connection
        if database.is_sqlite:
            driver.executemany("INSERT INTO plain VALUES (?, ?, ?, ?)", rows)
            return
        with driver.cursor() as cursor, cursor.copy(f"COPY plain {COLUMNS} FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(["text", "int8", "bytea", "bytea"])
            for row in rows:
                copy.write_row(row)


def _folded(kind: str, database: Database, count: int) -> list[str]:
    migrate(database)
    for batch in _batches(_sent(1000, count)):
        store(database, batch, 1.0)
    with _timed() as games:
        folded = until_folded(database)
    with _timed() as ratings:
        rated = fold_ratings(database)
    before = fingerprint(database)
    with _timed() as anew:
        rebuild(database)
    assert fingerprint(database) == before
    with _timed() as page:
        tables_now(database, 1.0)
    database.close()
    return [
        kind,
        f"{folded / games[0]:,.0f}",
        f"{rated / ratings[0]:,.0f}",
        f"{anew[0]:.1f} s, the same bit for bit",
        f"{1000 * page[0]:.0f} ms",
    ]


if __name__ == "__main__":
    show(measure)
