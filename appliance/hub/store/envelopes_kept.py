"""Stores each envelope once, as received, and returns the number up to which a table need not send again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b

import msgspec
from sqlalchemy import Connection, select, text

from appliance.hub.envelopes import NUMBER_MOST, written_s
from appliance.hub.report import without_names
from appliance.hub.store.database import Database, driver_for
from appliance.hub.store.schema import ENVELOPES, REFUSED, TABLES

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
AHEAD_MOST = 20_000
"""Largest distance of an entry above its table's `contiguous`. It is many times what can wait of one table anywhere."""
_DIGEST_BYTES = 16
_HELD = 4000
"""Most tables in one statement: SQLite allows some thousand values."""


class Arrived(msgspec.Struct, frozen=True):
    """One envelope as a table sent it: the table's id at the broker, the entry's number, the undecoded bytes."""

    table: str
    seq: int
    data: bytes


class Stored(msgspec.Struct, frozen=True, kw_only=True):
    """The result of storing a batch.

    `contiguous`: by table, the number up to which everything is committed. `written_s`: by table, its clock in the
    envelope of that number, if this release can read it. `conflicts`: envelopes that differ from the one that is stored
    under their number; `malformed`: the number of those without a valid table or number, including those too far ahead
    of their table's others. None of these is stored. A table that is told `contiguous` sends again what is missing.
    """

    contiguous: Mapping[str, int]
    written_s: Mapping[str, float] = {}
    conflicts: tuple[tuple[str, int], ...] = ()
    malformed: int = 0


def is_table(name: str) -> bool:
    """Return whether `name` is a valid table id: letters, digits, `-` and `_`, at most 64."""
    return bool(_NAME.fullmatch(name))


def digest_of(data: bytes) -> bytes:
    """Return the 16-byte digest of an envelope."""
    return blake2b(data, digest_size=_DIGEST_BYTES).digest()


def store(database: Database, batch: Sequence[Arrived], now_s: float) -> Stored:
    """Store the new envelopes of `batch`, in one transaction.

    A batch may be in any order and contain repeats, and any number of workers may call this at once.

    :param now_s: the hub's clock, seconds since 1970.
    :raises sqlalchemy.exc.OperationalError: the database cannot be reached or ended the transaction; try again.
    """
    found: dict[str, dict[int, bytes]] = {}
    names = set(filter(is_table, {one.table for one in batch}))
    good = [one for one in batch if one.table in names and 1 <= one.seq < NUMBER_MOST]
    conflicts = [
        (one.table, one.seq)
        for one in good
        if found.setdefault(one.table, {}).setdefault(one.seq, one.data) != one.data
    ]
    malformed = len(batch) - len(good)
    if not found:
        return Stored(contiguous={}, malformed=malformed)
    with database.write() as connection:
        rows = _hold(database, connection, sorted(found), now_s)
        malformed += sum(_drop_far_ahead(envelopes, rows[name][0]) for name, envelopes in found.items())
        kept = _already(database, connection, found, rows)
        new: dict[str, dict[int, bytes]] = {}
        for name, envelopes in found.items():
            for seq, data in envelopes.items():
                before = kept.get((name, seq))
                if before is None:
                    new.setdefault(name, {})[seq] = data
                elif before != digest_of(data):
                    conflicts.append((name, seq))
        _insert(database, connection, new, now_s)
        contiguous = {name: _walk(connection, name, row, new.get(name, {})) for name, row in rows.items()}
        changes = [
            {
                "name": name,
                "contiguous": contiguous[name],
                "newest": max(row[1], *new.get(name, {0: b""})),
                "heard_s": now_s,
            }
            for name, row in rows.items()
        ]
        database.update_each(connection, TABLES, changes)
        _tell(connection, conflicts, now_s)
        times = _written(database, connection, contiguous, new)
    return Stored(contiguous=contiguous, written_s=times, conflicts=tuple(conflicts), malformed=malformed)


def _drop_far_ahead(envelopes: dict[int, bytes], contiguous: int) -> int:
    """Drop envelopes too far ahead: they might be stored and never folded. Return how many were dropped."""
    far = [seq for seq in envelopes if seq > contiguous + AHEAD_MOST]
    for seq in far:
        del envelopes[seq]
    return len(far)


def keep_status(database: Database, newest: Mapping[str, bytes], now_s: float) -> Mapping[str, int]:
    """Store the newest status message of each table without names; an unreadable one becomes empty.

    :returns: by table, the number up to which all its envelopes are stored.
    """
    names = sorted(filter(is_table, newest))
    if not names:
        return {}
    with database.write() as connection:
        rows = _hold(database, connection, names, now_s)
        said = [
            {"name": name, "status": without_names(newest[name]), "status_s": now_s, "heard_s": now_s} for name in names
        ]
        database.update_each(connection, TABLES, said)
    return {name: contiguous for name, (contiguous, _) in rows.items()}


def _hold(database: Database, connection: Connection, names: Sequence[str], now_s: float) -> dict[str, tuple[int, int]]:
    """Lock the rows of these tables, in the same order in all workers. Return (contiguous, newest) of each."""
    rows: dict[str, tuple[int, int]] = {}
    for start in range(0, len(names), _HELD):
        some = names[start : start + _HELD]
        wanted = select(TABLES.c.name, TABLES.c.contiguous, TABLES.c.newest).where(database.one_of(TABLES.c.name, some))
        held = wanted.order_by(TABLES.c.name).with_for_update()
        here = {name: (contiguous, newest) for name, contiguous, newest in connection.execute(held).all()}
        if fresh := [name for name in some if name not in here]:
            empty = {"contiguous": 0, "newest": 0, "heard_s": now_s}
            database.insert_new(connection, TABLES, [{"name": name, **empty} for name in fresh])
            here |= {name: (contiguous, newest) for name, contiguous, newest in connection.execute(held).all()}
        rows |= here
    return rows


def _already(
    database: Database,
    connection: Connection,
    found: Mapping[str, Mapping[int, bytes]],
    rows: Mapping[str, tuple[int, int]],
) -> dict[tuple[str, int], bytes]:
    """Return the digests of the envelopes in `found` that are stored. None above a table's newest can be."""
    asked = [(name, seq) for name, envelopes in found.items() for seq in envelopes if seq <= rows[name][1]]
    there = database.at_keys(connection, ENVELOPES, asked, ENVELOPES.c.digest)
    return {(name, seq): bytes(digest) for name, seq, digest in there}


def _insert(database: Database, connection: Connection, new: Mapping[str, Mapping[int, bytes]], now_s: float) -> None:
    """Insert the new envelopes. No other worker can insert them, because the tables' rows are locked."""
    rows = [
        (name, seq, digest_of(data), data, now_s) for name in sorted(new) for seq, data in sorted(new[name].items())
    ]
    if not rows:
        return
    if database.is_sqlite:
        into = "INSERT INTO envelopes (table_name, seq, digest, data, arrived_s) VALUES (?, ?, ?, ?, ?)"
        with driver_for(connection, into) as driver:
            driver.executemany(into, rows)
        return
    into = "COPY envelopes (table_name, seq, digest, data, arrived_s) FROM STDIN (FORMAT BINARY)"
    with driver_for(connection, into) as driver, driver.cursor() as cursor, cursor.copy(into) as copy:
        copy.set_types(["varchar", "int8", "bytea", "bytea", "float8"])
        for row in rows:
            copy.write_row(row)


def _walk(connection: Connection, name: str, row: tuple[int, int], new: Mapping[int, bytes]) -> int:
    """Return the number up to which all envelopes of the table are stored now."""
    reached, newest = row
    while reached + 1 in new:
        reached += 1
    if reached >= newest or reached == row[0]:
        # No envelope is stored above it, or the gap is still open.
        return reached
    above = select(ENVELOPES.c.seq).where(ENVELOPES.c.table_name == name, ENVELOPES.c.seq > reached)
    for (seq,) in connection.execute(above.order_by(ENVELOPES.c.seq)):
        if seq != reached + 1:
            break
        reached = seq
    return reached


def _written(
    database: Database, connection: Connection, reached: Mapping[str, int], new: Mapping[str, Mapping[int, bytes]]
) -> dict[str, float]:
    data = {name: new[name][seq] for name, seq in reached.items() if seq in new.get(name, {})}
    others = [(name, seq) for name, seq in reached.items() if seq and name not in data]
    kept = database.at_keys(connection, ENVELOPES, others, ENVELOPES.c.data)
    data |= {name: bytes(there) for name, _, there in kept}
    times = ((name, written_s(kept)) for name, kept in data.items())
    return {name: wall_s for name, wall_s in times if wall_s is not None}


def _tell(connection: Connection, conflicts: Sequence[tuple[str, int]], now_s: float) -> None:
    of: dict[str, list[int]] = {}
    for name, seq in conflicts:
        of.setdefault(name, []).append(seq)
    for name, seqs in sorted(of.items()):
        connection.execute(_TOLD, {"table": name, "seq": seqs[-1], "times": len(seqs), "now": now_s})


_TOLD = text(
    f"INSERT INTO {REFUSED.name} (table_name, why, seq, times, last_s) VALUES (:table, 'conflict', :seq, :times, :now) "  # noqa: S608  # a constant
    "ON CONFLICT (table_name, why) DO UPDATE SET seq = :seq, times = refused.times + :times, last_s = :now"
)
