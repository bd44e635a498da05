"""Refuses measurements while a game is open: no weighing, no raw samples, no recording (DESIGN §5, SM-26)."""

from __future__ import annotations

import sqlite3

from appliance.journal.journal import open_game
from appliance.journal.journal_file import JOURNAL, read_only
from appliance.settings import Settings
from appliance.words.errors import TableError
from hardware.files.regular_file import UNDECODABLE


class GameOpenError(TableError):
    """A game is open at this table."""

    def __init__(self) -> None:
        super().__init__("game_open")


def refuse_if_game_open(settings: Settings) -> None:
    """Raise when a game is open.

    :raises GameOpenError: a game is open at the table of these settings.
    :raises TableError: as `game_is_open`.
    """
    if game_is_open(settings):
        raise GameOpenError


def game_is_open(settings: Settings) -> bool:
    """Return whether a game is open at the table of these settings. It only reads; the table may be running.

    :raises TableError: `journal_unreadable`: it cannot be known whether a game is open.
    """
    journal = settings.table_folder(demo=False) / JOURNAL
    try:
        if not journal.exists():
            return False
        with read_only(journal) as db:
            return open_game(db) is not None
    except (OSError, sqlite3.Error, *UNDECODABLE) as error:
        raise TableError("journal_unreadable", path=str(journal), reason=str(error)) from None
