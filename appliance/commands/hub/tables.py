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

    tables = sorted(MembersFile(read_settings(settings_file).path("hub")).there().tables.items())
    if not tables:
        click.echo("No table was invited yet. To invite one: smugglers hub invite NAME")
        return
    for name, member in tables:
        click.echo(f"{name:31}  {'revoked' if member.key is None else f'as {member.table}'}")
