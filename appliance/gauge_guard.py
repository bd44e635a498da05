"""While a game is open nothing may serve as a gauge: no weighing, no raw samples, no recording (DESIGN §5, SM-26)."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import click

from appliance.journal import NEWEST_GAME
from appliance.settings import Settings


def refuse_if_game_open(settings: Settings) -> None:
    """Refuse to be a gauge.

    :raises click.ClickException: a game is open at the table of these settings.
    """
    if game_is_open(settings):
        raise click.ClickException(
            "a game is open at this table, and this would be a gauge (SM-26); finish it or put it away first"
        )


def game_is_open(settings: Settings) -> bool:
    """Whether the journal's newest game was not put away; reads beside a running table, writes nothing."""
    journal: Path = settings.path("journal.sqlite3")
    if not journal.exists():
        return False
    with sqlite3.connect(f"file:{journal}?mode=ro", uri=True) as db:
        (game,) = db.execute(NEWEST_GAME).fetchone()
        newest = db.execute(
            "SELECT json_extract(CAST(body AS TEXT), '$.kind') FROM entries WHERE game = ? ORDER BY seq DESC LIMIT 1",
            (game,),
        ).fetchone()
    return newest is not None and newest[0] != "closed"
