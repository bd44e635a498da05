"""`smugglers hub revoke`: a table's key taken away."""

from __future__ import annotations

from pathlib import Path

import click

from appliance.commands.settings_option import settings_option


@click.command()
@click.argument("name")
@settings_option
def command(name: str, settings_file: Path | None) -> None:
    """Take the key of the table NAME away: the hub's broker cuts it off at once. What it sent stays.

    `smugglers hub invite NAME` lets it in again, with a new key.
    """
    from appliance.commands.settings_file import read_settings
    from appliance.hub.broker.members import MembersFile
    from appliance.hub.broker.server import reload

    folder = read_settings(settings_file).path("hub")
    MembersFile(folder).revoke(name)
    if reload(folder):
        click.echo(f"{name}: its key is worth nothing any more.")
    else:
        click.echo(
            f"{name}: its key is taken away, but no broker runs on this folder now, so none was told. A broker that "
            "starts here refuses it; one that runs elsewhere needs a copy of members.json and a new start."
        )
