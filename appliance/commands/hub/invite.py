"""`smugglers hub invite`: a table's invitation."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import msgspec

from appliance.commands.hub.host_name import host_name
from appliance.commands.options import settings_option


@click.command()
@click.argument("name")
@click.option("--host", default="", help="Name or address at which tables reach this machine. It is remembered.")
@click.option("--relay", default="", help="Name or address of a café's relay, by which this table reaches the hub.")
@settings_option
def command(name: str, host: str, relay: str, settings_file: Path | None) -> None:
    """Create an invitation for the table NAME, and print it as a line and as a QR code.

    Anybody who has the line can write to the hub as this table, so give it to nobody else. If NAME was invited before,
    its former key becomes invalid and the table gets a new name (NAME-2). Invite it again when its card was lost, or
    when an older journal was restored there. What it played before is not counted twice.
    """
    import segno

    from appliance.commands.settings_file import read_settings
    from appliance.hub.broker.members import MembersFile
    from appliance.hub.broker.server import listens_on, reload
    from appliance.service.machine.lan_address import reached_at
    from appliance.service.machine.web_address import in_url
    from appliance.words.catalogues import words_for

    settings = read_settings(settings_file)
    folder, words = settings.path("hub"), words_for(settings.language)
    host, relay = host_name(host), host_name(relay)
    members = MembersFile(folder, reached_at(listens_on(folder)))
    if host and members.read() is not None:
        members.made(host, 0)
    invitation = members.invite(name)
    if relay:
        invitation = msgspec.structs.replace(invitation, host=relay)
    running = reload(folder)
    at = f"{in_url(invitation.host)}:{invitation.port}"
    click.echo(words.say("hub.invite.run", {"table": invitation.table, "hub": at}))
    click.echo(f"\n    smugglers hub join '{invitation.code}'\n")
    segno.make(invitation.code, error="l").terminal(out=sys.stdout, compact=True)
    if not running:
        click.echo(words.say("hub.invite.not_running"))
