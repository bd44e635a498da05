"""Migrates a hub's database to the schema of this release, with Alembic. Several processes may start at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from appliance.hub.store.database import Database, Work

_FOLDER = Path(__file__).resolve().parent / "migrations"


class NewerDatabaseError(Exception):
    """The database has a revision of a newer release. It was not changed."""


def migrate(database: Database, to: str = "head") -> None:
    """Apply the missing migrations up to a revision, in one transaction.

    :raises NewerDatabaseError: the database has a revision of a newer release.
    :raises sqlalchemy.exc.OperationalError: the database cannot be reached.
    """
    scripts = ScriptDirectory(str(_FOLDER), version_locations=[str(_FOLDER)])

    def missing(revision: Any, _: object) -> Any:
        return scripts._upgrade_revs(to, revision)

    with database.write() as connection:
        database.let_take_long(connection)
        database.alone(connection, Work.MIGRATE)
        present = MigrationContext.configure(connection).get_current_revision()
        known = {script.revision for script in scripts.walk_revisions()}
        if present is not None and present not in known:
            raise NewerDatabaseError
        with EnvironmentContext(Config(), scripts, fn=missing) as environment:
            environment.configure(connection=connection, transactional_ddl=False)
            environment.run_migrations()
