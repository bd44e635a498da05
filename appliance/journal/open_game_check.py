"""While a game is open nothing may serve as a gauge: no weighing, no raw samples, no recording (DESIGN §5, SM-26)."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import click

from appliance.journal.journal import NEWEST_GAME
from appliance.settings import Settings


def refuse_if_game_open(settings: Settings) -> None:
    """Refuse to be a gauge.

    :raises click.ClickException: a game is open at the table of these settings.
    """
    if game_is_open(settings):
        raise click.ClickException(
            "a game is open at this table, and this would be a gauge (SM-26); finish it or put it away first "
            "[game_open]"
        )


def game_is_open(settings: Settings) -> bool:
    """Whether the journal's newest game was not put away; reads beside a running table, writes nothing.

    :raises click.ClickException: the journal is there and cannot be read: nobody knows whether a game is open.
    """
    journal: Path = settings.path("journal.sqlite3")
    try:
        if not journal.exists():
            return False
        with closing(sqlite3.connect(f"{journal.absolute().as_uri()}?mode=ro", uri=True)) as db:
            (game,) = db.execute(NEWEST_GAME).fetchone()
            newest = db.execute(
                "SELECT json_extract(CAST(body AS TEXT), '$.kind') FROM entries WHERE game = ? "
                "ORDER BY seq DESC LIMIT 1",
                (game,),
            ).fetchone()
    except (OSError, sqlite3.Error) as error:
        raise click.ClickException(
            f"{journal}: cannot be read ({error}), so nobody knows whether a game is open; check its rights, restore a "
            "backup, or move it away [journal_unreadable]"
        ) from None
    return newest is not None and newest[0] != "closed"
