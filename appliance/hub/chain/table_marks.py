"""What people set for a table of the chain: its label and café, that they saw its problems, that it is retired."""

from __future__ import annotations

from sqlalchemy import delete, select, update

from appliance.hub.store.cafes import as_known
from appliance.hub.store.database import Database
from appliance.hub.store.schema import FOLDED, REFUSED, TABLES


def place_table(database: Database, name: str, label: str | None, cafe: str | None) -> bool:
    """Set a table's label and café (`as_known`); None leaves it. Return False if there is no such table."""
    with database.write() as connection:
        known = None if cafe is None else as_known(connection, cafe, besides=name)
        placed = {
            "label": TABLES.c.label if label is None else label,
            "cafe": TABLES.c.cafe if known is None else known,
        }
        done = connection.execute(update(TABLES).where(TABLES.c.name == name).values(placed))
        return done.rowcount > 0


def retire_table(database: Database, name: str) -> bool:
    """Hide a table until the hub hears from it again. Return False if there is no such table. Its data still count."""
    with database.write() as connection:
        here = update(TABLES).where(TABLES.c.name == name)
        return connection.execute(here.values(retired_s=TABLES.c.heard_s)).rowcount > 0


def see_table(database: Database, name: str) -> bool:
    """Acknowledge a table's refused and skipped messages so far. Return False if there is no such table."""
    with database.write() as connection:
        folded = connection.execute(select(FOLDED).where(FOLDED.c.table_name == name)).one_or_none()
        unread, clock_back = (folded.unread, folded.clock_back) if folded is not None else (0, 0)
        connection.execute(delete(REFUSED).where(REFUSED.c.table_name == name))
        here = update(TABLES).where(TABLES.c.name == name)
        return connection.execute(here.values(seen_unread=unread, seen_clock_back=clock_back)).rowcount > 0
