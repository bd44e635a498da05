"""What a chain costs its broker and its hub as it grows: `python -m tests.bench.chain_growth`."""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import func, select, text

from appliance.hub.broker.configuration import MOST_CONNECTIONS
from appliance.hub.broker.members import MembersFile
from appliance.hub.broker.messages import OF_A_TABLE, BrokerMessages, Pulled
from appliance.hub.broker.server import BrokerServer
from appliance.hub.folds.ratings import fold_ratings
from appliance.hub.folds.tables import until_folded
from appliance.hub.link.connection import Broker, connected, end, end_all
from appliance.hub.link.invitation import Invitation
from appliance.hub.outbox.sender import BATCH, REPORT_S
from appliance.hub.report import Report, encoded
from appliance.hub.store.database import Database, sqlite_url
from appliance.hub.store.envelopes_kept import Arrived, keep_status
from appliance.hub.store.migrate import migrate
from appliance.hub.store.schema import ENVELOPES
from appliance.hub.subjects import JOURNALS, inbox, numbered, subject
from appliance.hub.worker import Worker
from tests.appliance.hub import postgres
from tests.appliance.hub.chain import SendingTable
from tests.bench.page import Aim, Section, Table, show
from tests.chain.__main__ import ENTRIES_OF_A_GAME, resident_mb
from tests.patience import GIVEN_UP_S
from tests.ports import free_port
from tests.table_process import cpu_s_of

TABLES = (10, 100, 1000)
ON_PAPER = (1_000, 10_000, 100_000)
SENT = 40_000
GAMES_AN_HOUR, HOURS_A_DAY = 1.0, 5.0
ENTRIES_A_SECOND = GAMES_AN_HOUR * ENTRIES_OF_A_GAME / 3600
"""Of one table that plays."""
CORES_MOST = 0.5


class Cost(NamedTuple):
    """What so many envelopes of so many tables took: elapsed and processor seconds, and megabytes.

    `broker_s` is the broker's processor time for publishing and delivering. `hub_s` is that of receiving, committing,
    folding and rating, without the database's own processes.
    """

    tables: int
    envelopes: int
    published_s: float
    broker_s: float
    taken_s: float
    hub_s: float
    report_s: float
    broker_mb: float
    row_bytes: float


def measure(effort: float = 1.0) -> Section:
    with ExitStack() as stack:
        programs = postgres.programs()
        server = None if programs is None else stack.enter_context(postgres.running(programs))
        costs = []
        for tables in TABLES:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            count = min(max(round(SENT * effort), 2 * tables), round(0.9 * OF_A_TABLE) * tables)
            with closing(Database(server.url() if server else sqlite_url(folder / "hub.db"))) as database:
                costs.append(_cost(folder, database, tables, count))
    kind = "SQLite" if server is None else "PostgreSQL"
    return Section(
        title="A chain that grows",
        method=f"Tables publish {SENT:,} envelopes (fewer for 10 tables: the broker holds {OF_A_TABLE:,} of each) over "
        f"TLS to a broker that syncs each to disk, with {BATCH} of a table in flight. Then a hub's worker takes them "
        f"into {kind}, tells the tables, folds and rates. A game has {ENTRIES_OF_A_GAME} entries, or all that its "
        "table sends, so the more tables, the more results there are to rate. Tables, broker, hub and database share "
        "this machine. The processor time of the database is not counted.",
        tables=[_measured_table(costs), _paper_table(costs)],
        aims=[
            Aim(
                what="1,000 tables that all play: processor of hub and broker",
                wanted=f"≤ {CORES_MOST:g} cores",
                measured=f"{sum(_cores(costs[-1], TABLES[-1])):.2f} cores",
                met=sum(_cores(costs[-1], TABLES[-1])) <= CORES_MOST,
            )
        ],
        notes=[
            f"On paper: each table plays {GAMES_AN_HOUR:g} game of {ENTRIES_OF_A_GAME} entries an hour, all tables at "
            f"the same time, {HOURS_A_DAY:g} hours each day, and reports its status every {REPORT_S:g} s. Processor "
            f"times and memory are those measured at {TABLES[-1]:,} tables, per envelope, report and table. The size "
            f"of an entry in the database is that measured at {TABLES[0]} tables, whose games are whole.",
            f"A broker serves {MOST_CONNECTIONS:,} connections. Above that a chain needs several brokers, each "
            "with workers of its own and all with the same database. Several brokers at once were not tried.",
        ],
    )


def _measured_table(costs: Sequence[Cost]) -> Table:
    return Table(
        title="Measured",
        heads=(
            "tables",
            "envelopes",
            "published a second, without a database",
            "broker's processor time each",
            "taken a second, into the database",
            "hub's processor time each",
            "broker's memory",
        ),
        rows=[
            [
                f"{one.tables:,}",
                f"{one.envelopes:,}",
                f"{one.envelopes / one.published_s:,.0f}",
                f"{1e6 * one.broker_s / one.envelopes:,.0f} µs",
                f"{one.envelopes / one.taken_s:,.0f}",
                f"{1e6 * one.hub_s / one.envelopes:,.0f} µs",
                f"{one.broker_mb:,.0f} MB",
            ]
            for one in costs
        ],
    )


def _paper_table(costs: Sequence[Cost]) -> Table:
    least, most = costs[0], costs[-1]
    table_mb = (most.broker_mb - least.broker_mb) / (most.tables - least.tables)
    rows = []
    for tables in ON_PAPER:
        a_second = tables * ENTRIES_A_SECOND
        hub_cores, broker_cores = _cores(most, tables)
        brokers = -(-tables // MOST_CONNECTIONS)
        a_year_gb = a_second * 3600 * HOURS_A_DAY * 365 * least.row_bytes / 1e9
        rows.append(
            [
                f"{tables:,}",
                f"{a_second:,.0f}",
                f"{hub_cores:.2f}",
                f"{broker_cores:.2f}",
                str(brokers),
                f"{(least.broker_mb * brokers + table_mb * tables) / 1000:.1f} GB",
                f"{a_year_gb:,.0f} GB",
            ]
        )
    heads = ("tables", "entries a second", "cores of hubs", "cores of brokers", "brokers", "their memory")
    return Table(title="On paper", heads=(*heads, "database, growth a year"), rows=rows)


def _cores(cost: Cost, tables: int) -> tuple[float, float]:
    """Return the cores that hubs and brokers need while so many tables play."""
    a_second = tables * ENTRIES_A_SECOND
    reports_s = tables / REPORT_S * cost.report_s
    return a_second * cost.hub_s / cost.envelopes + reports_s, a_second * cost.broker_s / cost.envelopes


def _cost(folder: Path, database: Database, tables: int, count: int) -> Cost:
    migrate(database)
    names = [f"table-{number}" for number in range(tables)]
    sent = [_games(name, count // tables) for name in names]
    members = MembersFile(folder / "hub")
    made = members.made("127.0.0.1", free_port())
    invitations = members.invite_all(names)
    broker = BrokerServer(folder / "hub", "127.0.0.1")
    broker.start()
    try:
        with closing(BrokerMessages("127.0.0.1", made.port, made.seed, made.authority)) as messages:
            messages.pull(1, 0.05)  # makes the streams
            pid = broker.pid
            assert pid is not None
            published_s, before_s = asyncio.run(_published(invitations, sent, pid))
            broker_mb = resident_mb(pid)
            total = sum(map(len, sent))
            size_before = _size(database)
            start, own_s = time.perf_counter(), time.process_time()
            _take(Worker(database, messages), database, total)
            until_folded(database)
            fold_ratings(database)
            taken_s, hub_s = time.perf_counter() - start, time.process_time() - own_s
            broker_s = cpu_s_of(pid) - before_s
    finally:
        broker.stop()
    row_bytes = (_size(database) - size_before) / total
    return Cost(tables, total, published_s, broker_s, taken_s, hub_s, _report_s(database, names), broker_mb, row_bytes)


def _games(name: str, entries: int) -> list[Arrived]:
    """Return the envelopes of a table that plays one game after the other, the last one cut short."""
    table, chance = SendingTable(name), random.Random(name)
    while len(table.sent) < entries:
        game = table.open([f"Guest {number}" for number in chance.sample(range(5 * TABLES[-1]), 3)])
        for _ in range(min(ENTRIES_OF_A_GAME, entries) - 3):
            table.goes_on(game)
        table.won(game, 0)
        table.put_away(game, 0)
    return table.sent[:entries]


async def _published(
    invitations: Sequence[Invitation], sent: Sequence[Sequence[Arrived]], pid: int
) -> tuple[float, float]:
    """Connect the tables, then publish everything at once.

    :returns: the seconds of publishing, and the broker's processor seconds before it.
    """
    links = [(await connected(to.host, to.port, to.seed, to.authority, inbox(to.table)))[0] for to in invitations]
    start, before_s = time.perf_counter(), cpu_s_of(pid)
    tables = zip(links, invitations, sent, strict=True)
    await asyncio.gather(*(_publish(broker, to.table, own) for broker, to, own in tables))
    took_s = time.perf_counter() - start
    await asyncio.gather(*map(end, links))
    await end_all()
    return took_s, before_s


async def _publish(broker: Broker, table: str, sent: Sequence[Arrived]) -> None:
    jetstream = broker.jetstream(timeout=GIVEN_UP_S)
    for start in range(0, len(sent), BATCH):
        acknowledged = [
            await jetstream.publish_async(
                subject(table, "journal"),
                one.data,
                wait_stall=GIVEN_UP_S,
                stream=JOURNALS,
                headers=numbered(one.seq),
            )
            for one in sent[start : start + BATCH]
        ]
        await asyncio.wait_for(asyncio.gather(*acknowledged), GIVEN_UP_S)


def _take(worker: Worker[Pulled], database: Database, total: int) -> None:
    while True:
        worker.round()
        with database.read() as connection:
            if connection.execute(select(func.count()).select_from(ENVELOPES)).scalar_one() >= total:
                return


def _report_s(database: Database, names: Sequence[str]) -> float:
    """Return the processor seconds of one status report in a batch of all tables."""
    said = {
        name: encoded(Report(table=name, wall_s=1.0, release="0", newest=1, stored=1, status=None)) for name in names
    }
    before_s = time.process_time()
    keep_status(database, said, 1.0)
    return (time.process_time() - before_s) / len(names)


def _size(database: Database) -> int:
    with database.read() as connection:
        asked = "PRAGMA page_count" if database.is_sqlite else "SELECT pg_database_size(current_database())"
        pages = int(connection.execute(text(asked)).scalar_one())
        return pages * int(connection.execute(text("PRAGMA page_size")).scalar_one()) if database.is_sqlite else pages


if __name__ == "__main__":
    show(measure)
