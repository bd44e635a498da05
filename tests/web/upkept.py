"""A stand as a whole table is put together: with its upkeep and its check of itself."""

from __future__ import annotations

from pathlib import Path

from flask import Flask

from appliance.devices.calibration_files import twin_calibration
from appliance.devices.whole_self_test import WholeSelfTest
from appliance.service.standing_self_test import StandingSelfTest
from appliance.service.upkeep.upkeep import Upkeep
from appliance.settings import Settings
from appliance.words.catalogues import words_for
from tests.web.stand import Stand
from web.app import create_app


def upkept(stand: Stand, settings: Settings) -> tuple[Upkeep, Flask]:
    """Return the upkeep of a stand's table, and an application that has it; `settings` name the table's folder."""
    upkeep = Upkeep(settings, Path(settings.data_dir), stand.table, stand.journal)
    test = WholeSelfTest(settings, twin_calibration, twin=True, serving=True)
    app = create_app(
        stand.table,
        settings=stand.site,
        clock=stand.clock,
        self_test=StandingSelfTest(test, stand.table.snapshot, words_for("en"), listens_s=0.0),
        upkeep=upkeep,
    )
    return upkeep, app
