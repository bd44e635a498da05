"""What goes wrong with the hub's database, by names that may be logged and shown."""

from __future__ import annotations

import os
from pathlib import Path

from sqlalchemy.exc import InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoneLeftError

from appliance.hub.store.database import FILE
from appliance.words.errors import TableError
from hardware.files.refusal import refusal

_NO_ROOM = ("SQLITE_FULL", "SQLITE_IOERR_SHMSIZE")
_NO_ROOM_AT_SERVER = "53100"
_BUSY = ("SQLITE_BUSY", "57014")
"""Another one wrote for longer than a writer waits; a statement took too long, or waited too long for a lock."""
_CLOSED = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")
"""The file or its folder cannot be written."""
_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
AWAY = (OperationalError, InterfaceError, NoneLeftError)
"""The exceptions while the database cannot be reached, is too busy or ended a transaction. Callers may try again."""


def failure_name(error: Exception) -> str:
    """Return what went wrong, as a name alone: the message of an error may contain the password.

    It is SQLite's own name (`SQLITE_FULL`), PostgreSQL's code of five characters, or the type of the exception.
    """
    driver = getattr(error, "orig", None)
    own = getattr(driver, "sqlite_errorname", None) or getattr(driver, "sqlstate", None)
    return str(own or type(error).__name__)


def is_full(error: Exception) -> bool:
    """Return whether the disk of the database is full."""
    return failure_name(error) in (*_NO_ROOM, _NO_ROOM_AT_SERVER)


def is_busy(error: Exception) -> bool:
    """Return whether others kept the database busy for longer than a statement waits."""
    return failure_name(error).startswith(_BUSY)


def unusable_database(error: Exception, folder: Path) -> TableError:
    """Return the error of a database that cannot be used: `hub_database` or `hub_database_full`; for the file in
    `folder` also `disk_full`, `folder_unusable` or `hub_database_damaged`."""
    reason = failure_name(error)
    if reason.startswith(_CLOSED):
        return TableError("folder_unusable", path=str(folder), reason=os.strerror(refusal(folder)))
    if reason.startswith(_DAMAGED):
        return TableError("hub_database_damaged", path=str(folder / FILE))
    if reason in _NO_ROOM:
        return TableError("disk_full", path=str(folder / FILE))
    if reason == _NO_ROOM_AT_SERVER:
        return TableError("hub_database_full")
    return TableError("hub_database", reason=reason)
