"""A hub from its settings: database, workers, pages."""

from __future__ import annotations

import re
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from appliance.hub.folds.taken_out import FormerNames
from appliance.hub.store.database import FILE, Database, sqlite_url
from appliance.hub.store.migrate import migrate
from appliance.hub.worker import Messages, Worker
from appliance.words.errors import TableError
from hardware.clock import ended
from hardware.files.regular_file import (
    MOST_TEXT_BYTES,
    is_missing,
    read_ordinary,
    remove_abandoned_drafts,
    write_private,
)
from web.hub.app import create_hub_app
from web.hub.context import HubSite, HubWeb
from web.live.connections import FairDispatcher
from web.live.serve import PageServer

FIRST_CODE = "first-code"
_CODE_BYTES = 9
_CODE = re.compile(r"[A-Za-z0-9_-]{12}")
THREADS = 12
CONNECTIONS_MOST = 500
SPARE = 3
"""Spare database connections, in addition to one per thread."""


class HubSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a hub on this machine.

    :param folder: the folder of its files.
    :param database: `postgresql://…`; "": an SQLite file in the folder.
    :param port: of the pages; 0: a free one. `host`: the address on which they listen.
    :param behind_proxy: the address of a reverse proxy that terminates TLS for the pages; "": none.
    """

    folder: Path
    database: str = ""
    host: str = "0.0.0.0"  # noqa: S104  # phones on the café's network are what it is for
    port: int = 8090
    host_names: tuple[str, ...] = ()
    language: str = "auto"
    metrics_token: str = ""
    behind_proxy: str = ""


class Hub:
    """A hub: `start` it, `stop` it.

    :param first: the file with the code for the first account; None if there is an account.
    """

    def __init__(
        self, database: Database, workers: Sequence[Worker[Any]], server: PageServer, first: Path | None
    ) -> None:
        self.database, self.first = database, first
        self._workers, self._server = workers, server
        self._threads = [threading.Thread(target=worker.run, name="hub worker", daemon=True) for worker in workers]

    @property
    def port(self) -> int:
        """The port of the pages."""
        return self._server.port

    def start(self) -> None:
        """Take messages and serve pages, in threads."""
        for thread in self._threads:
            thread.start()
        self._server.start()

    def stop(self) -> None:
        """Stop the pages and the workers. A transaction that a worker has begun is committed or rolled back."""
        for worker in self._workers:
            worker.stop()
        try:
            self._server.stop()
        finally:
            for thread in self._threads:
                ended(thread)
            self.database.close()


def build_hub(
    settings: HubSettings,
    messages: Sequence[Messages[Any]] = (),
    away: tuple[type[Exception], ...] = (OSError,),
    former: FormerNames = lambda table: (),
    without_key: Callable[[], Mapping[str, str]] = dict,
) -> Hub:
    """Migrate the database and build the hub around it.

    :param messages: one connection to the broker for each worker.
    :param away: the exceptions of `messages` while the broker is unreachable.
    :param former: returns the names that a table had before it was invited again.
    :param without_key: returns the names of tables that no key has any more.
    :raises NewerDatabaseError: a newer release created the database.
    :raises sqlalchemy.exc.SQLAlchemyError: the database cannot be reached.
    :raises OSError: the folder cannot be written, or the port is taken.
    :raises TableError: `hub_host_unknown`.
    """
    database = Database(database_url(settings), threads=THREADS + len(messages) + SPARE)
    migrate(database)
    remove_abandoned_drafts(settings.folder)
    web = HubWeb(
        database,
        HubSite(
            host_names=settings.host_names,
            language=settings.language,
            metrics_token=settings.metrics_token,
            first_code=_first_code(settings.folder),
            is_proxied=bool(settings.behind_proxy),
        ),
        without_key=without_key,
    )
    app, dispatcher = create_hub_app(web), FairDispatcher(0, THREADS)
    try:
        server = PageServer(app, dispatcher, settings.host, settings.port, CONNECTIONS_MOST, settings.behind_proxy)
    except ValueError:
        raise TableError("hub_host_unknown", host=settings.host) from None
    first = None if web.accounts.any() else settings.folder / FIRST_CODE
    return Hub(database, [Worker(database, one, away, former=former) for one in messages], server, first)


def database_url(settings: HubSettings) -> str:
    """Return the address of the hub's database."""
    return settings.database or sqlite_url(settings.folder / FILE)


def _first_code(folder: Path) -> str:
    """Return the code that allows creating the first account, from its file. Create the file if it holds none."""
    path = folder / FIRST_CODE
    kept = "" if is_missing(path) else read_ordinary(path, MOST_TEXT_BYTES).strip().decode("ascii", "ignore")
    if not _CODE.fullmatch(kept):
        kept = secrets.token_urlsafe(_CODE_BYTES)
        write_private(path, f"{kept}\n".encode())
    return kept
