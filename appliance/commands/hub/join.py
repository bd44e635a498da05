"""`smugglers hub join`: a table belongs to a hub from now on."""

from __future__ import annotations

from pathlib import Path

import click

from appliance.commands.options import settings_option
from appliance.words.errors import TableError


@click.command()
@click.argument("code")
@click.option("--demo", is_flag=True, help="Join the demo's table instead of the real one.")
@settings_option
def command(code: str, demo: bool, settings_file: Path | None) -> None:
    """Join this table to the hub of the invitation CODE. It takes effect at the table's next start.

    CODE is the line that `smugglers hub invite` printed. The table sends all games of its journal, also those played
    before. It sends no secret of a game. docs/hub.md lists what it sends.
    """
    from importlib.util import find_spec

    from appliance.commands.settings_file import read_settings
    from appliance.hub.link.invitation import read_code
    from appliance.hub.outbox.journal_reader import newest_entry
    from appliance.hub.outbox.membership import join
    from appliance.journal.journal_file import JOURNAL
    from appliance.service.machine.web_address import in_url
    from appliance.words.catalogues import words_for

    settings = read_settings(settings_file)
    if find_spec("nats") is None:
        raise TableError("hub_library_missing")
    if settings.hub and not demo and read_code(settings.hub) != read_code(code):
        raise TableError("hub_setting")
    folder = settings.table_folder(demo=demo)
    joined = join(folder, code, newest_entry(folder / JOURNAL)).invitation
    values = {"table": joined.table, "hub": f"{in_url(joined.host)}:{joined.port}"}
    click.echo(words_for(settings.language).say("hub.joined", values))
