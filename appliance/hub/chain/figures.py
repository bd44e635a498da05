"""Figures of a hub for monitoring: each table's health by name, and the hub's own progress."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select

from appliance.hub.chain.tables_now import TableNow
from appliance.hub.store.database import Database
from appliance.hub.store.schema import CHANGED, FOLDED, RESULTS, TABLES
from appliance.service.upkeep.figures import Figure, by, one


def figures(database: Database, tables: Sequence[TableNow], now_s: float) -> tuple[Figure, ...]:
    """Return the figures; `tables` are those that were not retired."""
    with database.read() as connection:
        folded = connection.execute(select(func.coalesce(func.sum(FOLDED.c.seq), 0))).scalar_one()
        reached, newest = connection.execute(
            select(func.coalesce(func.sum(TABLES.c.contiguous), 0), func.coalesce(func.sum(TABLES.c.newest), 0))
        ).one()
        results = connection.execute(select(func.count()).select_from(RESULTS)).scalar_one()
        waiting = connection.execute(select(func.count()).select_from(CHANGED)).scalar_one()
    stored = int(reached)
    problems = tuple(
        ("", (*_whose(table), ("problem", code)), 1.0)
        for table in tables
        for code in sorted({problem.code for problem in table.problems})
    )
    states = {state: float(sum(table.state == state for table in tables)) for state in ("playing", "resting", "silent")}
    return (
        by("hub_tables", "gauge", "Tables, by how they are.", "state", states),
        Figure("hub_table_problem", "gauge", "1 for each thing that is wrong with a table.", problems),
        Figure(
            "hub_table_heard_seconds",
            "gauge",
            "Seconds since a table was heard.",
            tuple(("", _whose(table), max(0.0, now_s - table.heard_s)) for table in tables),
        ),
        one("hub_envelopes_stored_total", "counter", "Envelopes that are committed without a gap.", stored),
        one("hub_envelopes_unfolded", "gauge", "Envelopes that are stored and not folded yet.", stored - float(folded)),
        one(
            "hub_envelopes_behind_gaps",
            "gauge",
            "Highest numbers that wait for earlier ones, over all tables.",
            int(newest) - stored,
        ),
        one("hub_results", "gauge", "Results in the league.", results),
        one("hub_ratings_waiting", "gauge", "Results that the ratings have not counted yet.", waiting),
    )


def _whose(table: TableNow) -> tuple[tuple[str, str], ...]:
    return ("cafe", table.cafe), ("id", table.name), ("table", table.called)
