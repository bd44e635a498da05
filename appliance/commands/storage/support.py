"""`smugglers support`: a file for a person who helps."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from appliance.commands.options import settings_option
from appliance.commands.screen.told import tell
from appliance.words.errors import TableError, unusable


@click.command()
@click.argument("out", metavar="[OUT]", required=False, type=click.Path(path_type=Path))
@click.option("--demo", is_flag=True, help="Describe the demo instead of the real table.")
@settings_option
def command(out: Path | None, demo: bool, settings_file: Path | None) -> None:
    """Write the support file OUT, a zip: versions, settings, calibration, counts of the journal, the last log lines.

    OUT is a new file. It contains no secret of a game, no name of a player, no PIN and no key. The table may run
    meanwhile. The host's page offers the same file, with the health of the table's devices.
    """
    from appliance.commands.settings_file import read_settings
    from appliance.devices.calibration_drift_check import stale_files, told_once
    from appliance.devices.calibration_files import read_calibration
    from appliance.devices.machine_check import check_machine
    from appliance.devices.self_test import check_ground
    from appliance.service.stop_signals import too_late_to_stop
    from appliance.service.upkeep.support import file_name, support_file
    from appliance.words.catalogues import words_for
    from hardware.files.regular_file import is_missing, write_private

    settings = read_settings(settings_file)
    words = words_for(settings.language)
    folder = settings.table_folder(demo=demo)
    found = [*check_ground(settings, words, serving=True), *check_machine(words)]
    found = told_once([*found, *stale_files(read_calibration(settings), words)])
    now = datetime.now(UTC)
    path = out if out is not None else Path(file_name(now))
    if not is_missing(path):
        raise TableError("support_exists", path=str(path))
    content = support_file(settings, folder, found, now=now)
    too_late_to_stop()
    try:
        write_private(path, content)
    except OSError as error:
        raise unusable(path, error, "support_unwritable") from None
    tell(words.say("support.done", {"path": path, "kib": len(content) // 1024 + 1}))
