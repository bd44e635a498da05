"""`smugglers hub run`: the hub of many tables."""

from __future__ import annotations

from pathlib import Path

import click

from appliance.journal.table_error import TableError


@click.command()
@click.option("--host", default="", help="Name or address at which tables reach this machine; remembered.")
@click.option("--port", type=click.IntRange(1, 65535), default=None, help="Port of the broker (4222); remembered.")
@click.option("--listen", default="0.0.0.0", help="Address that the broker listens on.")  # noqa: S104  # tables come
@click.option("--database", default="", help="postgresql://user:password@host/name instead of the embedded SQLite.")
@click.option("--settings", "settings_file", type=click.Path(path_type=Path), default=None, help="A settings file.")
def command(host: str, port: int | None, listen: str, database: str, settings_file: Path | None) -> None:
    """Run the hub of many tables on this machine: its broker, its database and its pages.

    The first run makes the hub. `smugglers hub invite NAME` invites a table, also while it runs.
    """
    from appliance.commands.settings_file import read_settings
    from appliance.service.lifecycle import StopSignal
    from appliance.service.machine.lan_address import lan_address

    try:
        from appliance.hub.running import HubHere
    except ImportError:
        raise TableError("broker_missing") from None
    settings = read_settings(settings_file)
    stop = StopSignal()
    stop.install()
    hub = HubHere(settings.path("hub"), database, listen)
    try:
        made = hub.start(host, port or 0, lan_address())
        click.echo(f"Smugglers' Table hub: tables reach it at {made.host}:{made.port}")
        click.echo("Invite a table with `smugglers hub invite NAME`. Press Ctrl-C to end.")
        while not stop.given():
            pass
    finally:
        hub.stop()
