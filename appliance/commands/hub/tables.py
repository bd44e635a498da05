"""`smugglers hub tables`: who was invited."""

from __future__ import annotations

from pathlib import Path

import click

from appliance.commands.options import settings_option


@click.command()
@settings_option
def command(settings_file: Path | None) -> None:
    """List the tables that were invited, and whether their keys were revoked."""
    from appliance.commands.settings_file import read_settings
    from appliance.hub.broker.members import MembersFile
    from appliance.words.catalogues import words_for

    settings = read_settings(settings_file)
    words = words_for(settings.language)
    tables = sorted(MembersFile(settings.path("hub")).there().tables.items())
    if not tables:
        click.echo(words.say("hub.tables.none_invited"))
        return
    for name, member in tables:
        state = "hub.tables.revoked" if member.key is None else "hub.tables.as"
        click.echo(f"{name:31}  {words.say(state, {'table': member.table})}")
