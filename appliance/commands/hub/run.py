"""`smugglers hub run`: the hub of many tables."""

from __future__ import annotations

from pathlib import Path

import click

from appliance.commands.hub.host_name import address, host_name
from appliance.commands.options import database_option, settings_option
from appliance.words.errors import TableError


@click.command()
@click.option("--host", default="", help="Name or address at which tables reach the broker. It is remembered.")
@click.option(
    "--port", type=click.IntRange(1, 65535), default=None, help="Port of the broker (4222). It is remembered."
)
@click.option("--listen", default="0.0.0.0", show_default=True, help="Address on which broker and pages listen.")  # noqa: S104  # tables come
@click.option("--pages", type=click.IntRange(1, 65535), default=8090, show_default=True, help="Port of the pages.")
@click.option("--name", "names", multiple=True, help="Another host name under which browsers request the pages.")
@click.option("--behind-proxy", default="", help="Address of a reverse proxy with TLS in front of the pages.")
@database_option
@click.option("--broker", default="", help="Host of a broker that already runs. Default: the hub starts its own.")
@click.option(
    "--workers",
    type=click.IntRange(1, 32),
    default=1,
    show_default=True,
    help="Number of workers that process messages in parallel.",
)
@settings_option
def command(
    host: str,
    port: int | None,
    listen: str,
    pages: int,
    names: tuple[str, ...],
    behind_proxy: str,
    database: str,
    broker: str,
    workers: int,
    settings_file: Path | None,
) -> None:
    """Run the hub of many tables on this machine: its broker, its database and its pages.

    The first run creates the hub. `smugglers hub invite NAME` invites a table, also while the hub runs.
    """
    from appliance.commands.settings_file import read_settings
    from appliance.service.lifecycle import StopSignal
    from appliance.service.machine.lan_address import reached_at
    from appliance.service.machine.web_address import in_url, web_address
    from appliance.service.upkeep.log_file import begin_log
    from appliance.words.catalogues import words_for

    try:
        from appliance.composition.hub import HubSettings
        from appliance.composition.hub_and_broker import BrokerSettings, HubHere
    except ImportError:
        raise TableError("broker_missing") from None
    settings = read_settings(settings_file)
    host, listen, behind_proxy = host_name(host), host_name(listen), address(behind_proxy)
    names = tuple(map(host_name, names))
    stop = StopSignal()
    stop.install()
    folder = settings.path("hub")
    begin_log(folder)
    here = HubHere(
        HubSettings(
            folder=folder,
            database=database,
            host=listen,
            port=pages,
            host_names=names,
            behind_proxy=behind_proxy,
            language=settings.language,
            metrics_token=settings.metrics_token,
        ),
        BrokerSettings(host=host, port=port or 0, default_host=reached_at(listen), listen=listen, elsewhere=broker),
        workers,
    )
    try:
        members = here.start()
        words = words_for(settings.language)
        broker_at = f"{in_url(members.host)}:{members.port}"
        greeting = {"pages": f"{web_address(members.host, pages)}/", "tables": broker_at}
        click.echo(words.say("hub.run.greeting", greeting))
        if here.hub is not None and here.hub.first is not None:
            click.echo(words.say("hub.run.first", {"path": here.hub.first}))
        click.echo(words.say("hub.run.end"))
        while not stop.given():
            pass
    finally:
        here.stop()
