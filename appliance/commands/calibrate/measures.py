"""`smugglers calibrate measures`: the measures of a table that was built another way."""

from __future__ import annotations

from pathlib import Path

import click

from appliance.commands.options import first_rig_option, out_option, settings_option


@click.command()
@click.argument("changes", nargs=-1, metavar="[NAME=MM...]")
@first_rig_option
@out_option
@click.option("--undo", "undo_last", is_flag=True, help="Restore the dimensions as they were before the last change.")
@settings_option
def command(
    changes: tuple[str, ...],
    rig_file: Path | None,
    out: Path | None,
    undo_last: bool,
    settings_file: Path | None,
) -> None:
    """Show the table's dimensions in mm, or change some: hole.3=36.2 marker.0=-200,-60 lane_pitch_mm=44.

    Change them before you print the sheets. Later `smugglers calibrate track` measures the table as it was built.
    """
    from appliance.commands.calibrate.terminal import open_terminal
    from appliance.service.stop_signals import too_late_to_stop
    from calibration import store
    from calibration.measures import changed, measures
    from calibration.track.fit import to_toml

    terminal = open_terminal("measures", out, settings_file)
    if undo_last:
        terminal.undo(changes)
    elif changes:
        with terminal.calibrating():
            made = to_toml(changed(terminal.rig(rig_file), changes), "measures")
            store.write(terminal.out, made, too_late_to_stop)
            terminal.say("written", path=terminal.out)
    else:
        with terminal.telling_failures():
            for name, numbers in measures(terminal.rig(rig_file)):
                click.echo(f"{name:<20} {'; '.join(terminal.words.number(number, 'g') for number in numbers)}")
