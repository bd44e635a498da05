"""`smugglers files example`: a file to start from."""

from __future__ import annotations

import click

from appliance.games.table_data_files import games_with_files


@click.command()
@click.argument("game", type=click.Choice(tuple(games_with_files())))
def command(game: str) -> None:
    """Print an example file of GAME to start from: `smugglers files example haulers > mine.toml`."""
    click.echo(games_with_files()[game].EXAMPLE.read_bytes(), nl=False)
