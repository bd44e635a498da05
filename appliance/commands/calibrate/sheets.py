"""`smugglers calibrate sheets`: everything that is cut or laid, at 1:1, as PDF."""

from __future__ import annotations

from pathlib import Path

import click

from appliance.commands.options import settings_option
from appliance.words.catalogues import LANGUAGES


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("sheets.pdf"), show_default=True, help="PDF file.")
@click.option("--paper", type=click.Choice(["a4", "letter"]), default="a4", show_default=True, help="Paper size.")
@click.option(
    "--language", type=click.Choice(LANGUAGES), help="Language of the sheets. Default: the language in the settings."
)
@click.option(
    "--rig",
    "rig_file",
    type=click.Path(path_type=Path),
    help="Rig file. Default: the table's own, or the standard rig if the table has none.",
)
@settings_option
def command(out: Path, paper: str, language: str | None, rig_file: Path | None, settings_file: Path | None) -> None:
    """Write the sheets to cut out or lay on the table, as one PDF at 1:1.

    They are: fence, lane circles, supports, markers, board and plan. Every page has a ruler that shows whether the
    printer kept the size. The last page shows the wiring, with the pins from the settings. A file that is no PDF is not
    replaced.
    """
    from appliance.commands.calibrate.terminal import open_terminal
    from appliance.devices.table_wiring import table_wires
    from appliance.service.stop_signals import too_late_to_stop
    from appliance.words.catalogues import words_for
    from calibration import store
    from calibration.sheets.sheet_set import sheets_pdf

    terminal = open_terminal("sheets", out, settings_file)
    with terminal.telling_failures():
        store.check_places(out, None)
        store.must_replace_pdf_alone(out)
        speaker = terminal.words if language is None else words_for(language)
        rig = terminal.rig(rig_file)
        pdf = sheets_pdf(rig, "letter" if paper == "letter" else "a4", speaker, table_wires(terminal.settings))
        store.put(out, pdf, too_late_to_stop)
        terminal.say("sheets", path=out)
