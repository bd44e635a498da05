"""`smugglers run`: referee a real table."""

from __future__ import annotations

import logging
import os
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import click

from appliance.commands.options import settings_option
from appliance.words.catalogues import words_for
from appliance.words.errors import TableError, way_to

if TYPE_CHECKING:
    from appliance.service.failed_starts import FailedStarts
    from appliance.service.lifecycle import Appliance
    from appliance.settings import Settings

_log = logging.getLogger(__name__)
NO_WAY_BACK = "no-way-back"
"""The guard's mark: no other release is left to try."""


@click.command()
@settings_option
def command(settings_file: Path | None) -> None:
    """Referee a real table with this machine's camera, scale and beams.

    A tap replaces a sensor that is missing, so the game can always go on. `smugglers check` says what is missing and
    why.
    """
    from appliance.commands.settings_file import read_settings
    from appliance.service.failed_starts import FailedStarts

    settings = read_settings(settings_file)
    starts = FailedStarts(os.environ)
    if starts.too_many and not _may_go_back(settings):
        _serve_safe_mode(settings, starts)
        return
    starts.begin(time.time())
    try:
        appliance = _started(settings)
    except TableError as error:
        starts.explain(words_for(settings.language).say(f"error.{error.code}", error.values))
        raise
    except Exception as error:
        # Its message may quote a secret: neither the page nor the log says more than where it was raised.
        where = traceback.extract_tb(error.__traceback__)[-1]
        values = {"kind": type(error).__name__, "file": Path(where.filename).name, "line": where.lineno}
        starts.explain(words_for(settings.language).say("error.start_failed", values))
        _log.error("the start ended: %s", way_to(error))
        raise TableError("start_failed", **values) from None
    starts.forget()
    words = words_for(settings.language)
    appliance.serve(lambda: click.echo(appliance.greeting(words, simulated=False)))


def _may_go_back(settings: Settings) -> bool:
    """Say whether the package's guard (systemd/deb/guard) will try a former release if the table goes on failing."""
    return bool(settings.machine_dir) and not (Path(settings.machine_dir) / NO_WAY_BACK).exists()


def _started(settings: Settings) -> Appliance:
    from appliance.composition.table import build_real
    from appliance.service.upkeep.log_file import begin_log

    begin_log(settings.table_folder(demo=False))
    appliance = build_real(settings)
    appliance.install_signal_handlers()
    appliance.start()
    return appliance


def _serve_safe_mode(settings: Settings, starts: FailedStarts) -> None:
    """Serve the safe mode, which counts as running for the service manager, until somebody wants another try."""
    from appliance.journal.media.removable_media import Sticks
    from appliance.service.lifecycle import StopSignal
    from appliance.service.safe_mode import SafeMode
    from appliance.service.service_manager import ServiceManager

    stop = StopSignal()
    stop.install()
    mode = SafeMode(settings, starts.all(), Sticks(settings.stick_paths))
    manager = ServiceManager(os.environ, lambda: True)
    manager.start()
    values = {"times": len(starts.all()), "address": f"http://localhost:{mode.port}/"}
    click.echo(words_for(settings.language).say("start.safe_mode", values))
    mode.serve(stop.given)
    starts.forget()
    manager.stop()
