"""`smugglers hub rebuild`: games, results and ratings made anew."""

from __future__ import annotations

from pathlib import Path

import click

from appliance.commands.settings_option import settings_option


@click.command()
@click.option("--database", default="", help="postgresql://user:password@host/name instead of the embedded SQLite.")
@settings_option
def command(database: str, settings_file: Path | None) -> None:
    """Drop everything that was folded from what tables sent, and fold it again. The hub may run meanwhile.

    Prints how many envelopes were folded, and a number that is the same for the same league on any machine.
    """
    from appliance.commands.hub.opened import opened

    with opened(settings_file, database) as kept:
        from appliance.hub.folds.rebuild import fingerprint, rebuild

        click.echo(f"{rebuild(kept)} envelopes folded")
        click.echo(f"fingerprint {fingerprint(kept)}")
