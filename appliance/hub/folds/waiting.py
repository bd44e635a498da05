"""Chooses the envelopes to fold next: some of each table in turn, so that no table waits for a busy one."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, func, select

from appliance.hub.envelopes import NUMBER_MOST, Envelope, decoded
from appliance.hub.store.database import Database
from appliance.hub.store.schema import ENVELOPES, FOLDED, TABLES
from hardware.files.regular_file import UNDECODABLE

TABLES_AT_ONCE = 1000
ENVELOPES_AT_ONCE = 4000
OF_A_TABLE = 400
"""Envelopes of one table that are folded before it is another table's turn."""
BYTES_AT_ONCE = 8 * 2**20
"""One transaction stops reading at this size. The limit is low, because a hostile envelope takes many times its bytes
when it is decoded."""
_SECONDS_MOST = 1e12
Waiting = tuple[int, Envelope | None, float | None]
"""An envelope's number, the envelope (None if this release cannot read it), and when it arrived."""


def drawn(connection: Connection) -> list[str]:
    """Return some of the tables with waiting envelopes, as many as fit into one transaction with a fair share each.

    They are drawn at random, so that no table starves beside busy ones and workers seldom choose the same.
    """
    waits = TABLES.c.contiguous - FOLDED.c.seq
    behind = select(TABLES.c.name, waits.label("waits")).join(FOLDED, FOLDED.c.table_name == TABLES.c.name)
    behind = behind.where(waits > 0).order_by(func.random()).limit(TABLES_AT_ONCE)
    names, room = [], ENVELOPES_AT_ONCE
    for row in connection.execute(behind):
        if room <= 0:
            break
        names.append(row.name)
        room -= min(row.waits, OF_A_TABLE)
    return names


def read(database: Database, connection: Connection, folded: Mapping[str, int]) -> dict[str, list[Waiting]]:
    """Return the waiting envelopes of these tables, each table's in order; only a part for busy tables.

    :param folded: the envelope up to which each table is folded. The caller holds their locks.
    """
    of_each = max(OF_A_TABLE, ENVELOPES_AT_ONCE // len(folded))
    reached = select(TABLES.c.name, TABLES.c.contiguous).where(database.one_of(TABLES.c.name, sorted(folded)))
    # None is missing up to `contiguous`, so the keys are known. A range query would scan all envelopes of a table.
    keys = [
        (row.name, folded[row.name] + nth)
        for row in connection.execute(reached)
        for nth in range(1, 1 + min(of_each, row.contiguous - folded[row.name]))
    ]
    # One envelope of each table, then the next of each: a table with large envelopes does not delay the others.
    in_turn = sorted(keys, key=lambda key: (key[1] - folded[key[0]], key[0]))[:ENVELOPES_AT_ONCE]
    # The sizes are read first, because a driver may fetch all rows of a statement before it returns the first.
    length = func.length(ENVELOPES.c.data).label("length")
    sizes = {tuple(row[:2]): row.length for row in database.at_keys(connection, ENVELOPES, in_turn, length)}
    most = size = 0
    while most < len(in_turn) and size < BYTES_AT_ONCE:
        size += sizes[in_turn[most]]
        most += 1
    found: dict[str, list[Waiting]] = {}
    rows = database.at_keys(connection, ENVELOPES, in_turn[:most], ENVELOPES.c.data, ENVELOPES.c.arrived_s)
    for name, seq, data, arrived_s in sorted(rows, key=lambda row: (row[0], row[1])):
        found.setdefault(name, []).append((seq, _decoded(name, seq, data), arrived_s))
    return found


def _decoded(table: str, seq: int, data: bytes) -> Envelope | None:
    """Return the envelope; None if this release cannot read it, or it names another table or number."""
    try:
        envelope = decoded(data)
    except UNDECODABLE:
        return None
    fits = (envelope.table, envelope.seq) == (table, seq) and 0 <= envelope.game < NUMBER_MOST
    return envelope if fits and abs(envelope.wall_s) < _SECONDS_MOST else None
