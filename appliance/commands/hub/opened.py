"""The hub's database, opened for a command that works on it while the hub runs, or while it does not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from appliance.words.errors import TableError

if TYPE_CHECKING:
    from appliance.hub.store.database import Database


@contextmanager
def opened(settings_file: Path | None, url: str) -> Iterator[Database]:
    """Give the database at `url`, or the SQLite file of the hub on this machine.

    What fails while it is used is told as well.

    :raises TableError: `broker_missing`, `hub_missing`, `hub_database_missing`, `hub_database`, `hub_database_damaged`,
        `hub_database_newer`, `disk_full`, `folder_unusable`.
    """
    from appliance.commands.settings_file import read_settings

    try:
        from sqlalchemy.exc import SQLAlchemyError

        from appliance.composition.hub import HubSettings, database_url
        from appliance.hub.broker.members import MembersFile
        from appliance.hub.store.database import FILE, Database
        from appliance.hub.store.failures import unusable_database
        from appliance.hub.store.migrate import NewerDatabaseError, migrate
    except ImportError:
        raise TableError("broker_missing") from None
    folder = read_settings(settings_file).path("hub")
    if not url and not (folder / FILE).exists():
        MembersFile(folder).there()
        raise TableError("hub_database_missing", path=str(folder))
    try:
        database = Database(database_url(HubSettings(folder=folder, database=url)))
        try:
            migrate(database)
            yield database
        finally:
            database.close()
    except NewerDatabaseError:
        raise TableError("hub_database_newer") from None
    except (SQLAlchemyError, ImportError) as error:
        raise unusable_database(error, folder) from None
