"""`smugglers fleet`: many tables at once, for trying out a hub."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import click

from appliance.commands.options import NumberRange, settings_option
from appliance.words.errors import TableError

TOLD_EVERY_S = 5.0


@click.command()
@click.option("--tables", type=click.IntRange(1, 5000), default=20, show_default=True, help="Number of tables.")
@click.option(
    "--games", type=click.IntRange(1), default=2, show_default=True, help="Number of games that each table plays."
)
@click.option(
    "--pause",
    type=NumberRange(0.0),
    default=0.0,
    show_default=True,
    help="Seconds between two entries of the whole fleet.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed; the same seed gives the same games.")
@settings_option
def command(tables: int, games: int, pause: float, seed: int, settings_file: Path | None) -> None:
    """Let robots play at many tables at once, and send their games to the hub of this machine (`smugglers hub run`).

    The robots play by the real rules, with real journals and outboxes, but without cameras, sensors and waiting times.
    Each run invites the tables robot-1, robot-2 … again and empties their journals. Their games stay in the league, so
    run a hub for tests alone.
    """
    from appliance.commands.settings_file import read_settings
    from appliance.service.machine.lan_address import reached_at
    from appliance.service.upkeep.support import version
    from appliance.words.catalogues import words_for

    try:
        from appliance.hub.broker.members import MembersFile
        from appliance.hub.broker.server import listens_on, reload
        from appliance.hub.fleet.fleet import Fleet
    except ImportError:
        raise TableError("broker_missing") from None

    settings = read_settings(settings_file)
    words = words_for(settings.language)
    hub, folder = settings.path("hub"), settings.path("fleet")
    shutil.rmtree(folder, ignore_errors=True)
    members = MembersFile(hub, reached_at(listens_on(hub)))
    invitations = members.invite_all([f"robot-{number}" for number in range(1, tables + 1)])
    reload(hub)
    fleet = Fleet(folder, invitations, games, seed=seed, pause_s=pause, release=version())
    began_s, told_s = time.monotonic(), 0.0
    fleet.start()
    try:
        while fleet.failed is None:
            # In this order: what is counted after the last game was played is all there is.
            has_played, counts = fleet.has_played, fleet.counts()
            if has_played and counts.stored == counts.written:
                break
            if time.monotonic() - told_s > TOLD_EVERY_S:
                told_s = time.monotonic()
                click.echo(words.say("fleet.so_far", {"seconds": told_s - began_s, **counts._asdict()}))
            time.sleep(0.2)
    except KeyboardInterrupt:
        click.echo(words.say("fleet.ended"))
    ended = {"seconds": time.monotonic() - began_s, **fleet.counts()._asdict()}
    click.echo(words.say("fleet.so_far", ended))
    fleet.stop()
    if fleet.failed is not None:
        raise TableError("fleet_failed", reason=type(fleet.failed).__name__, path=str(folder))
