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
    from appliance.words.catalogues import words_for

    settings = read_settings(settings_file)
    folder = settings.path("hub")
    MembersFile(folder).revoke(name)
    told = "hub.revoked" if reload(folder) else "hub.revoked.no_broker"
    click.echo(words_for(settings.language).say(told, {"table": name}))
