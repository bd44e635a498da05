"""`smugglers demo`: the simulated table, robot players, and the scoreboard."""

from __future__ import annotations

import logging
from pathlib import Path

import click

from appliance.commands.options import NumberRange, faults_of, settings_option
from appliance.games.catalogue import GAMES
from appliance.words.errors import TableError


@click.command()
@click.option(
    "--speed", type=NumberRange(0.1, 60.0), default=1.0, show_default=True, help="Speed as a multiple of real time."
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=None,
    help="Seed of dice, hands and noise; the same seed gives the same game.",
)
@click.option(
    "--game",
    type=click.Choice(list(GAMES)),
    default=next(iter(GAMES)),
    show_default=True,
    help="Game that the robots play.",
)
@click.option("--players", type=click.IntRange(2, 6), default=4, show_default=True, help="Number of robots.")
@click.option(
    "--fault",
    "faults",
    multiple=True,
    help="Simulate this fault, all the time or for some seconds ('beam dead@20-40'). `--fault list` lists all faults.",
)
@settings_option
def command(
    speed: float, seed: int | None, game: str, players: int, faults: tuple[str, ...], settings_file: Path | None
) -> None:
    """Play on a simulated table, with robots, the real drivers and the scoreboard.

    Open the address that it prints. You can take over any seat with a phone or on the kiosk page, and replace any
    sensor with a tap. The demo keeps a journal of its own. After a restart the same game goes on,
    unless robots alone played it and another is asked for.
    """
    from appliance.commands.settings_file import read_settings
    from appliance.composition.table import build_demo
    from appliance.games.catalogue import the_game
    from appliance.service.upkeep.log_file import begin_log
    from appliance.words.catalogues import words_for
    from appliance.words.wrapping import wrapped
    from hardware.twin.faults import FAULTS

    settings = read_settings(settings_file)
    words = words_for(settings.language)
    if "list" in faults:
        for name in FAULTS:
            what = words.say(f"demo.fault.{name.replace(' ', '_')}")
            click.echo(wrapped(what, f"{name:18} ", " " * 19))
        return
    simulated = faults_of(faults)
    seats = the_game(game).rules.seats
    if players not in seats:
        raise TableError("demo_players", game=game, least=seats[0], most=seats[-1])
    # A terminal shows what is wrong; the whole story is in the file.
    begin_log(settings.table_folder(demo=True), streams_from=logging.WARNING)
    appliance = build_demo(settings, speed=speed, seed=seed, game=game, players=players, faults=simulated)
    appliance.install_signal_handlers()
    appliance.start()
    appliance.serve(lambda: click.echo(appliance.greeting(words, simulated=True)))
