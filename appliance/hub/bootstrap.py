"""The composition root of a hub: database, workers, pages."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from appliance.hub.folds.taken_out import FormerNames
from appliance.hub.store.database import Database, sqlite_url
from appliance.hub.store.migrate import migrate
from appliance.hub.worker import Messages, Worker
from hardware.clock import ended
from hardware.regular_file import write_private
from web.connections import FairDispatcher
from web.hub.app import create_hub_app
from web.hub.context import HubSite, HubWeb
from web.serve import PageServer

FIRST_CODE = "first-code"
THREADS = 12
CONNECTIONS_MOST = 500
SPARE = 3
"""Connections to the database that are left when every thread has one."""


class HubSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How a hub runs on this machine.

    :param folder: where its files are.
    :param database: `postgresql://…`; "": an SQLite file in the folder.
    :param port: of the pages; 0: a free one. `host`: the address they listen at.
    :param behind_proxy: the address of a server in front of the pages that speaks TLS; "": none.
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
    """A hub that was built: `start` it, `stop` it.

    :param first: the file with the code for the first account; None where there is an account.
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
        """Stop serving and working; what a worker has begun is finished or undone as a whole."""
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
) -> Hub:
    """Bring the database to its form and build everything around it.

    :param messages: one connection to the broker for each worker.
    :param away: what they raise while the broker is away.
    :param former: which names tables had before they were invited anew.
    :raises NewerDatabaseError: a newer release made the database.
    :raises sqlalchemy.exc.SQLAlchemyError: the database cannot be reached.
    :raises OSError: the folder cannot be written, or the port is taken.
    """
    database = Database(database_url(settings), threads=THREADS + len(messages) + SPARE)
    migrate(database)
    web = HubWeb(
        database,
        HubSite(
            host_names=settings.host_names,
            language=settings.language,
            metrics_token=settings.metrics_token,
            first_code=_first_code(settings.folder),
            is_proxied=bool(settings.behind_proxy),
        ),
    )
    server = PageServer(
        create_hub_app(web),
        FairDispatcher(0, THREADS),
        settings.host,
        settings.port,
        CONNECTIONS_MOST,
        settings.behind_proxy,
    )
    first = None if web.accounts.any() else settings.folder / FIRST_CODE
    return Hub(database, [Worker(database, one, away, former=former) for one in messages], server, first)


def database_url(settings: HubSettings) -> str:
    """Return the address of the hub's database."""
    return settings.database or sqlite_url(settings.folder / "hub.db")


def _first_code(folder: Path) -> str:
    """Return the code in the folder that lets whoever can read it make the first account; made the first time."""
    path = folder / FIRST_CODE
    if not path.exists():
        write_private(path, f"{secrets.token_urlsafe(9)}\n".encode())
    return path.read_text(encoding="ascii").strip()
