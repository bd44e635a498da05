"""`smugglers calibrate sheets`: the markers and the board as PDF."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from appliance.commands.calibrate.terminal import CalibrationTerminal


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("sheets.pdf"), show_default=True)
@click.option("--paper", type=click.Choice(["a4", "letter"]), default="a4", show_default=True)
@click.option("--rig", "rig_file", type=click.Path(path_type=Path), help="Rig file, if its markers differ.")
def command(out: Path, paper: str, rig_file: Path | None) -> None:
    """Write the four table markers and the ChArUco board, true to size, with a ruler to check the print."""
    from appliance.commands.calibrate.terminal import run
    from calibration import store
    from calibration.sheets import sheets_pdf
    from hardware.rig import Rig, load_rig

    def write(terminal: CalibrationTerminal) -> bool:
        rig = load_rig(rig_file) if rig_file is not None else Rig()
        store.put(out, sheets_pdf(rig, "letter" if paper == "letter" else "a4"))
        terminal.say("sheets", path=out)
        return True

    run("sheets", out, write)
