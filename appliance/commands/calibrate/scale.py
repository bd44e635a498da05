"""`smugglers calibrate scale`: from recordings of known masses, or guided at the table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from appliance.commands.calibrate.terminal import open_terminal
from appliance.commands.calibrate.terminal_dialogue import print_coins
from appliance.commands.options import out_option, report_option, settings_option, undo_option
from appliance.guided_calibration.procedures import masses_on_the_pan
from appliance.guided_calibration.results import store_scale
from calibration.messages import CodedError
from calibration.scale.coins import KnownMass, parse_mass
from calibration.scale.count_recording import CountRecording, load_recording

_POINT_HELP = "A mass and its recording: 0=empty.csv, 100=hundred.csv, 4*euro:2=coins.csv. Give at least two."


@click.command()
@click.option("--point", "points", multiple=True, metavar="MASS=FILE", help=_POINT_HELP)
@out_option
@report_option
@click.option("--twin", is_flag=True, help="Use a simulated scale. It puts any mass you type on its pan.")
@undo_option
@click.option(
    "--inverted/--not-inverted",
    default=None,
    help="Whether the cell is wired the other way round, so that its counts fall as the mass grows. Default: as in the "
    "former scale file, or not inverted if there is none. Recordings that contradict it are refused, because they may "
    "have been swapped.",
)
@click.option("--coins", "list_coins", is_flag=True, help="List the coins that can be used as masses.")
@settings_option
def command(
    points: tuple[str, ...],
    out: Path | None,
    report: Path | None,
    twin: bool,
    undo_last: bool,
    inverted: bool | None,
    list_coins: bool,
    settings_file: Path | None,
) -> None:
    """Measure zero, span, noise and drift of the scale, from recordings or guided at the table.

    Without --point the command guides you: first the empty pan, then two or more known masses. Coins can be used as
    masses.
    """
    if list_coins:
        print_coins()
        return

    terminal = open_terminal("scale", out, settings_file, twin=twin)
    if undo_last:
        terminal.undo(points, report, inverted)
        return
    with terminal.calibrating(report, from_files=bool(points)):
        measured: Sequence[tuple[KnownMass, CountRecording]]
        if points:
            measured = [_read_point(text) for text in points]
        else:
            devices = terminal.devices()
            with terminal.dialogue() as dialogue:
                measured = masses_on_the_pan(dialogue, devices)
        terminal.tell(store_scale(measured, terminal.places(report), inverted))


def _read_point(text: str) -> tuple[KnownMass, CountRecording]:
    mass, equals, file = text.partition("=")
    if not equals or not file:
        message = f"--point {text!r}: write it as MASS=FILE, such as 100=hundred.csv"
        raise CodedError("calibration_no_recording", message, text=text)
    return parse_mass(mass), load_recording(Path(file))
