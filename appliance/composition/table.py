"""A table from its settings: real or simulated.

Importing this does nothing; its functions open files, pins, cameras and a port. What only a demo needs is imported when
one is built.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from appliance.composition.senses import simulated_senses
from appliance.composition.table_base import TableBase, TableDevices, build_base
from appliance.composition.table_pages import build_pages, outbox_to_hub
from appliance.devices.calibration_files import read_calibration, twin_calibration
from appliance.devices.real_table import RealTable
from appliance.devices.restartable_table import RestartableTable
from appliance.devices.table_wiring import table_wires
from appliance.devices.whole_self_test import WholeSelfTest
from appliance.games.catalogue import the_game
from appliance.guided_calibration.devices import RealDevices, SimulatedDevices
from appliance.guided_calibration.session import CalibrationPaths, CalibrationSession
from appliance.journal.journal import Journal
from appliance.journal.media.removable_media import Sticks
from appliance.journal.safekeeping.keeper import Keeper
from appliance.journal.safekeeping.records import open_records
from appliance.service.lifecycle import Appliance, Part
from appliance.service.machine.lan_address import reached_at
from appliance.service.machine.web_address import web_address
from appliance.service.outside.tellers import tellers
from appliance.service.service_manager import ServiceManager
from appliance.settings import Settings
from appliance.table.draws.dealer import Dealer
from appliance.table.panel_player import PanelPlayer
from hardware.clock import MonotonicClock, WarpedClock

if TYPE_CHECKING:
    from hardware.twin.faults import FaultInterval


def build_demo(
    settings: Settings,
    *,
    speed: float = 1.0,
    seed: int | None = None,
    game: str = "smugglers",
    players: int = 4,
    faults: Sequence[FaultInterval] = (),
) -> Appliance:
    """Build the appliance on a simulated table with robot players; it keeps a data folder of its own.

    :param faults: the faults that it simulates, and when.
    :raises TableError: its files or its port cannot be opened; the code says which.
    """
    from appliance.composition.demo.demo import Demo
    from hardware.twin.drawing.viewpoint import twin_camera

    folder = settings.table_folder(demo=True)
    clock = WarpedClock(speed)
    seed = secrets.randbits(32) if seed is None else seed
    test = WholeSelfTest(settings, twin_calibration, twin=True, serving=True)
    base = build_base(settings, folder, "twin", clock, open_records(folder), test, Dealer(seed))
    twin, scale = simulated_senses(base.table, clock, seed, faults, base.tap, rolls=base.rolls)
    demo = Demo(
        base.table,
        twin.simulation,
        the_game,
        clock=clock,
        seed=seed,
        opens=game,
        players=players,
        people_file=folder / "people.json",
    )
    paths = CalibrationPaths(folder / "camera.toml", folder / "rig.toml", folder / "scale.toml", folder / "reports")
    session = CalibrationSession(
        SimulatedDevices(),
        paths,
        nullcontext,
        partial(_game_open, base.records.journal),
        twin_camera(),
        table_wires(settings),
        touched=demo.keep_lobby,
    )
    parts = [Part(twin.start, twin.stop), Part(scale.start, scale.close), Part(demo.start, demo.stop)]
    return _appliance(base, TableDevices(parts, twin.live.newest, lambda: twin.panel, session, demo))


def build_real(settings: Settings) -> Appliance:
    """Build the appliance on this machine's own pins and camera; a missing device is reported as health, not raised.

    :raises TableError: its files or its port cannot be opened; the code says which.
    """
    folder = settings.table_folder(demo=False)
    clock = MonotonicClock()
    records = open_records(folder, Path(settings.copy_dir) if settings.copy_dir else None)
    test = WholeSelfTest(settings, partial(read_calibration, settings), twin=False, serving=True)
    base = build_base(settings, folder, "pi", clock, records, test, Dealer())
    real = RestartableTable(lambda: RealTable(base.table, clock, settings, tap=base.tap, rolls=base.rolls))
    paths = CalibrationPaths(settings.camera_path, settings.rig_path, settings.scale_path, settings.path("reports"))
    session = CalibrationSession(
        RealDevices(settings), paths, real.released, partial(_game_open, records.journal), wires=table_wires(settings)
    )
    parts = [Part(real.start, real.stop)]
    return _appliance(base, TableDevices(parts, real.live_picture, lambda: real.panel, session))


def _game_open(journal: Journal) -> bool:
    return journal.newest_game() is not None


def _appliance(base: TableBase, devices: TableDevices) -> Appliance:
    """Put the parts in the order in which they start. They stop in reverse order, the journal last."""
    settings, records, table = base.settings, base.records, base.table
    keeper = Keeper(records.journal, records.copies, table.tell, records.evenings, Sticks(settings.stick_paths))
    player = PanelPlayer(table, the_game, devices.panel, base.clock)
    # The last part, so that "ready" is true.
    manager = ServiceManager(os.environ, table.alive)
    server, web = build_pages(base, devices)
    parts = [
        Part(lambda: None, records.journal.close),
        Part(keeper.start, keeper.stop),
        Part(base.upkeep.story.start, base.upkeep.story.stop),
        Part(table.start, table.stop),
        *devices.parts,
        Part(lambda: None, devices.calibration_session.close),
        Part(player.start, player.stop),
        server,
        *tellers(settings, table, base.feed, records.web_key, lambda: _addresses(settings)[1]),
        *outbox_to_hub(base, web),
        Part(base.self_test.start, base.self_test.stop),
        Part(manager.start, manager.stop),
    ]
    return Appliance(table, *_addresses(settings), parts)


def _addresses(settings: Settings) -> tuple[str, str]:
    """Return the address on this machine, and the one that phones use."""
    return web_address("localhost", settings.port), web_address(reached_at(settings.host), settings.port)
