"""`smugglers run`: referee a real table."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option("--settings", "settings_file", type=click.Path(path_type=Path), default=None, help="A settings file.")
def command(settings_file: Path | None) -> None:
    """Referee a real table with this machine's camera, scale and beams.

    A sensor that is missing becomes a tap: the game can always go on. `smugglers check` says what is missing and why.
    """
    from appliance.commands.settings_file import read_settings
    from appliance.devices.calibration_drift_check import stale_files
    from appliance.service import bootstrap

    settings = read_settings(settings_file)
    appliance = bootstrap.build_real(settings)
    appliance.install_signal_handlers()
    appliance.start()
    click.echo("Smugglers' Table, hardware: this machine's own pins and camera")
    click.echo(f"  wall screen   {appliance.address}/")
    click.echo(f"  kiosk         {appliance.address}/kiosk")
    click.echo(f"  phones        {appliance.phones}, or scan the code on the kiosk")
    for stale in stale_files(settings):
        click.echo(f"  {stale.what}: {stale.sentence}")
    click.echo("Press Ctrl-C to end.")
    appliance.wait()
