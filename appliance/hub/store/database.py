"""The hub's database: PostgreSQL for a chain, or an embedded SQLite file for one café, with the same code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from enum import IntEnum
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Table,
    TableValuedAlias,
    and_,
    any_,
    bindparam,
    create_engine,
    event,
    func,
    literal,
    select,
    text,
    tuple_,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

FILE = "hub.db"
"""Name of the embedded SQLite file in the hub's folder."""

_BUSY_MS = 30_000
"""Longest wait for another writer of the SQLite file."""
TAP_MS = 10_000
"""The same where a person waits for the answer, and one of the few threads that serve pages with them."""
_STATEMENT_MS = 60_000
"""Timeout of a PostgreSQL statement. It also ends the wait for a lock that is never released."""
_KEPT_OPEN = 5
_KEYS_MOST = 400
"""Most keys in one statement of SQLite."""
_LOCKS = 0x536D7567 << 8
"""The first number of the hub's advisory locks."""
_Key = TypeVar("_Key")


def in_parts(keys: Sequence[_Key]) -> Iterator[Sequence[_Key]]:
    """Yield `keys` in order, in parts that one statement can name."""
    for start in range(0, len(keys), _KEYS_MOST):
        yield keys[start : start + _KEYS_MOST]


class Work(IntEnum):
    """Kinds of work that a transaction may have to do exclusively. Each has an advisory lock."""

    MIGRATE = 1
    RATE = 2
    ADD_ACCOUNT = 3
    TELL_A_NIGHT = 4
    FOLD = 5
    ROLL_OUT = 6


class Database:
    """Reads and writes in transactions.

    :param url: `postgresql://user:password@host/name` or `sqlite:////path/hub.db`.
    :param threads: most simultaneous connections, at least 5.
    :raises sqlalchemy.exc.ArgumentError: `url` is invalid. Nothing is opened before the first use.
    """

    def __init__(self, url: str, threads: int = 15) -> None:
        try:
            address = make_url(url)
        except ValueError:
            raise ArgumentError("the port is no number") from None
        if address.drivername in ("postgresql", "postgres"):
            address = address.set(drivername="postgresql+psycopg")
        self.is_sqlite = address.get_backend_name() == "sqlite"
        # Error messages are logged, so they must not contain parameters, which may be names.
        pool: Any = {"pool_size": _KEPT_OPEN, "max_overflow": threads - _KEPT_OPEN, "hide_parameters": True}
        if self.is_sqlite:
            self._engine = create_engine(address, **pool)
            event.listen(self._engine, "connect", _careful)
            event.listen(self._engine, "begin", _begin)
        else:
            self._engine = create_engine(
                address,
                pool_pre_ping=True,
                **pool,
                connect_args={"connect_timeout": 10, "options": f"-c statement_timeout={_STATEMENT_MS}"},
            )
        self._writing = self._engine.execution_options(writes=True)

    def for_taps(self) -> Database:
        """Return the same database, with the same connections, for writes that a person waits for."""
        hurried = copy(self)
        hurried._writing = self._writing.execution_options(for_a_tap=True)
        return hurried

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Yield a connection whose transaction reads one snapshot of the database."""
        with self._engine.connect() as connection:
            if not self.is_sqlite:
                connection.execute(text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"))
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Yield a connection whose transaction is committed at the end, or rolled back by an exception."""
        with self._writing.begin() as connection:
            yield connection

    def let_take_long(self, connection: Connection) -> None:
        """Remove the statement timeout in this transaction, for example for an index over a million rows."""
        if not self.is_sqlite:
            connection.execute(text("SET LOCAL statement_timeout = 0"))

    def alone(self, connection: Connection, work: Work) -> None:
        """Lock a kind of work exclusively until the end of the transaction. Wait while another holds the lock."""
        self._lock(connection, "pg_advisory_xact_lock", work)

    def is_alone(self, connection: Connection, work: Work) -> bool:
        """Lock a kind of work exclusively if it is free, without waiting. Return whether it is locked."""
        if self.is_sqlite:
            return True
        taken = text("SELECT pg_try_advisory_xact_lock(:work)")
        return bool(connection.execute(taken, {"work": _LOCKS + work}).scalar_one())

    def beside_others(self, connection: Connection, work: Work) -> None:
        """Lock a kind of work as shared until the end of the transaction. Wait while another one is `alone`."""
        self._lock(connection, "pg_advisory_xact_lock_shared", work)

    def _lock(self, connection: Connection, function: str, work: Work) -> None:
        if not self.is_sqlite:  # SQLite never has two writers
            connection.execute(text(f"SELECT {function}(:work)"), {"work": _LOCKS + work})

    def one_of(self, column: Column[Any], values: Sequence[Any]) -> ColumnElement[bool]:
        """Return the condition that `column` has one of `values`, of which there may be some thousand."""
        if self.is_sqlite:
            return column.in_(values)
        return column == any_(literal(list(values), postgresql.ARRAY(column.type)))

    def at_keys(
        self, connection: Connection, table: Table, keys: Sequence[tuple[Any, ...]], *columns: ColumnElement[Any]
    ) -> list[Any]:
        """Return the primary key and `columns` of each row of `table` that has one of `keys`, in any order."""
        own = list(table.primary_key)
        wanted, rows = select(*own, *columns), list[Any]()
        if self.is_sqlite:
            for some in in_parts(keys):
                rows += connection.execute(wanted.where(tuple_(*own).in_(some))).all()
        elif keys:
            given = _given(table, [column.name for column in own])
            here = and_(*(column == given.c[column.name] for column in own))
            by_column = {f"of_{column.name}": [key[n] for key in keys] for n, column in enumerate(own)}
            rows += connection.execute(wanted.join(given, here), by_column).all()
        return rows

    def update_each(self, connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
        """Update the rows of `table` that have the primary keys of `rows`. They must exist.

        :raises ValueError: two of `rows` have the same key.
        """
        if not rows:
            return
        keys = _keys_of(table, rows)
        others = [name for name in rows[0] if name not in keys]
        if self.is_sqlite:
            here = (table.c[name] == bindparam(f"of_{name}") for name in keys)
            changed = update(table).where(*here).values({name: bindparam(name) for name in others})
            connection.execute(changed, [{f"of_{n}" if n in keys else n: row[n] for n in row} for row in rows])
            return
        given = _given(table, tuple(rows[0]))
        here = (table.c[name] == given.c[name] for name in keys)
        changed = update(table).where(*here).values({name: given.c[name] for name in others})
        connection.execute(changed, _by_column(rows))

    def upsert(self, connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert `rows`. Each replaces an existing one with the same primary key.

        :raises ValueError: two of `rows` have the same key.
        """
        _keys_of(table, rows)
        self._insert(connection, table, rows, replace=True)

    def insert_new(self, connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert those of `rows` whose primary key does not exist yet."""
        self._insert(connection, table, rows, replace=False)

    def _insert(self, connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]], replace: bool) -> None:
        if not rows:
            return
        statement: Any = (sqlite.insert if self.is_sqlite else postgresql.insert)(table)
        keys = [column.name for column in table.primary_key]
        others = {name: statement.excluded[name] for name in rows[0] if name not in keys}
        if replace and others:
            statement = statement.on_conflict_do_update(index_elements=keys, set_=others)
        else:
            statement = statement.on_conflict_do_nothing(index_elements=keys)
        if self.is_sqlite:
            connection.execute(statement, [dict(row) for row in rows])
            return
        columns = tuple(rows[0])
        # One statement for all rows, because in PostgreSQL a statement costs several times as much as a row.
        connection.execute(statement.from_select(columns, select(_given(table, columns))), _by_column(rows))

    def leave_no_trace(self) -> None:
        """Remove deleted data from SQLite's write-ahead log by a checkpoint. PostgreSQL has its own vacuum.

        :raises sqlalchemy.exc.OperationalError: the disk is full or fails. The data can be found in the log until the
            next checkpoint.
        """
        if self.is_sqlite:
            with self._engine.connect() as connection:
                statement = "PRAGMA wal_checkpoint(TRUNCATE)"
                with driver_for(connection, statement) as driver:
                    driver.execute(statement).close()

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()


@contextmanager
def driver_for(connection: Connection, statement: str) -> Iterator[Any]:
    """Yield the driver's own connection, for a statement that SQLAlchemy cannot execute as quickly.

    :raises sqlalchemy.exc.DBAPIError: in place of the driver's own error, as if SQLAlchemy had executed it.
    """
    known = connection.dialect.loaded_dbapi.Error
    try:
        yield connection.connection.driver_connection
    except known as error:
        raise DBAPIError.instance(
            statement, None, error, known, hide_parameters=True, dialect=connection.dialect
        ) from None


def _keys_of(table: Table, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the names of the columns of the primary key.

    :raises ValueError: two of `rows` have the same key: SQLite would use the last, PostgreSQL would fail or use any.
    """
    keys = [column.name for column in table.primary_key]
    if len({tuple(row[name] for name in keys) for row in rows}) != len(rows):
        raise ValueError(f"two rows for {table.name} have the same key")
    return keys


def _given(table: Table, columns: Sequence[str]) -> TableValuedAlias:
    """Return a table expression for rows that are passed to PostgreSQL as one typed array per column."""
    # The parameters have a prefix, because a statement uses the columns' own names for the values that it sets.
    arrays = (bindparam(f"of_{name}", type_=postgresql.ARRAY(table.c[name].type)) for name in columns)
    return func.unnest(*arrays).table_valued(*columns, name="given").render_derived()


def _by_column(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    return {f"of_{name}": [row[name] for row in rows] for name in rows[0]}


def sqlite_url(file: Path) -> str:
    """Return the address of a database in a file."""
    return f"sqlite:///{file.absolute()}"


def _careful(connection: Any, _: object) -> None:
    """Set up a connection: commits survive a power cut (FULL), deleted data are overwritten, `_begin` begins."""
    connection.isolation_level = None
    for line in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON", f"busy_timeout={_BUSY_MS}"):
        connection.execute(f"PRAGMA {line}").close()


def _begin(connection: Connection) -> None:
    options = connection.get_execution_options()
    if options.get("writes", False):
        # Each time, because both kinds of writers use the same connections.
        longest_ms = TAP_MS if options.get("for_a_tap", False) else _BUSY_MS
        connection.exec_driver_sql(f"PRAGMA busy_timeout={longest_ms}").close()
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.exec_driver_sql("BEGIN")
