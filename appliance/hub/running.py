"""The hub of one machine: broker, database and workers together."""

from __future__ import annotations

import threading
from pathlib import Path

from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from appliance.hub.broker.members import Members, MembersFile
from appliance.hub.broker.messages import BrokerAwayError, BrokerMessages
from appliance.hub.broker.server import BrokerServer
from appliance.hub.store.database import Database, sqlite_url
from appliance.hub.store.migrate import NewerDatabaseError, migrate
from appliance.hub.worker import Worker
from appliance.journal.table_error import TableError

DATABASE = "hub.sqlite3"
JOIN_S = 30.0


def open_database(url: str, folder: Path) -> Database:
    """Return the database at `url`, in the form that this release needs; "": the one in the hub's folder.

    :raises TableError: `hub_database` (it cannot be reached), `hub_database_newer`.
    """
    try:
        database = Database(url or sqlite_url(folder / DATABASE))
        migrate(database)
    except NewerDatabaseError:
        raise TableError("hub_database_newer") from None
    except (ArgumentError, SQLAlchemyError, ImportError) as error:
        # What the error says may hold the password.
        raise TableError("hub_database", reason=type(error).__name__) from None
    return database


class Working:
    """Workers in threads of this process, each with a connection of its own.

    :param host: where the broker is, seen from this machine.
    """

    def __init__(self, database: Database, members: Members, host: str, workers: int = 1) -> None:
        self._messages = [BrokerMessages(host, members.port, members.seed, members.authority) for _ in range(workers)]
        self._workers = [Worker(database, messages, away=(BrokerAwayError,)) for messages in self._messages]
        self._threads = [threading.Thread(target=one.run, name="hub worker", daemon=True) for one in self._workers]

    def start(self) -> None:
        """Begin to work."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End after the rounds that they are in."""
        for worker in self._workers:
            worker.stop()
        for thread in self._threads:
            thread.join(JOIN_S)
        for messages in self._messages:
            messages.close()


class HubHere:
    """Broker, database and a worker.

    :param url: of the database; "": SQLite in `folder`.
    :param listen: the address that the broker listens on.
    """

    def __init__(self, folder: Path, url: str, listen: str) -> None:
        self._folder, self._url, self._listen = folder, url, listen
        self._server: BrokerServer | None = None
        self._working: Working | None = None
        self.database: Database | None = None

    def start(self, host: str, port: int, default_host: str) -> Members:
        """Make the hub where there is none, and start it.

        :param host: where tables reach the broker from now on; "": as before, and `default_host` at first.
        :param port: likewise; 0: as before.
        :raises TableError: the code says what cannot be started.
        """
        file = MembersFile(self._folder)
        members = file.made(host or ("" if file.read() else default_host), port)
        self.database = open_database(self._url, self._folder)
        self._server = BrokerServer(self._folder, self._listen)
        self._server.start()
        self._working = Working(self.database, members, self._server.near)
        self._working.start()
        return members

    def stop(self) -> None:
        """End what was started."""
        if self._working is not None:
            self._working.stop()
        if self._server is not None:
            self._server.stop()
        if self.database is not None:
            self.database.close()
