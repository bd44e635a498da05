"""`smugglers hub revoke`: a table's key becomes invalid."""

from __future__ import annotations

from pathlib import Path

import click

from appliance.commands.options import settings_option


@click.command()
@click.argument("name")
@settings_option
def command(name: str, settings_file: Path | None) -> None:
    """Revoke the key of the table NAME. The hub's broker disconnects it at once. The hub keeps what it has sent.

    `smugglers hub invite NAME` invites it again, with a new key.
    """
    from appliance.commands.settings_file import read_settings
    from appliance.hub.broker.members import MembersFile
    from appliance.hub.broker.server import reload

    folder = read_settings(settings_file).path("hub")
    MembersFile(folder).revoke(name)
    if reload(folder):
        click.echo(f"{name}: its key is revoked.")
    else:
        click.echo(
            f"{name}: its key is revoked, but no broker with this folder is running. A broker that starts here refuses "
            "the key. A broker elsewhere needs a copy of members.json and a restart."
        )
