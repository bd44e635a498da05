"""`smugglers hub rebuild`: games, results and ratings calculated again."""

from __future__ import annotations

from pathlib import Path

import click

from appliance.commands.options import database_option, settings_option


@click.command()
@database_option
@settings_option
def command(database: str, settings_file: Path | None) -> None:
    """Rebuild all games, results and ratings from what the tables sent. The hub may run meanwhile.

    The command prints how many envelopes it processed, and a fingerprint that is the same for the same league on any
    machine.
    """
    from appliance.commands.hub.opened import opened

    with opened(settings_file, database) as kept:
        from appliance.commands.settings_file import read_settings
        from appliance.hub.folds.rebuild import fingerprint, rebuild
        from appliance.words.catalogues import words_for

        done = {"envelopes": rebuild(kept), "fingerprint": fingerprint(kept)}
        click.echo(words_for(read_settings(settings_file).language).say("hub.rebuilt", done))
