"""`smugglers calibrate sheets`: the markers and the board as PDF."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("sheets.pdf"), show_default=True)
@click.option("--paper", type=click.Choice(["a4", "letter"]), default="a4", show_default=True)
@click.option("--rig", "rig_file", type=click.Path(path_type=Path), help="Rig file, if its markers differ.")
def command(out: Path, paper: str, rig_file: Path | None) -> None:
    """Write the four table markers and the ChArUco board, true to size, with a ruler to check the print."""
    from calibration import store
    from calibration.sheets import sheets_pdf
    from hardware.rig import Rig, RigError, load_rig

    try:
        rig = load_rig(rig_file) if rig_file is not None else Rig()
        content = sheets_pdf(rig, "letter" if paper == "letter" else "a4")
        store.put(out, content)
    except RigError as error:
        click.echo(f"smugglers calibrate sheets: {error}", err=True)
        sys.exit(2)
    except store.StoreError as error:
        click.echo(f"smugglers calibrate sheets: {error}", err=True)
        sys.exit(2)
    click.echo(f"{out}: print at 100 % and measure the ruler; then glue the markers and take pictures of the board")
