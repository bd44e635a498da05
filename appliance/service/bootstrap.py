"""Composition root. Importing it does nothing; its functions open files, pins, cameras and a port.

What only some of them need is imported by them: the simulated table, recordings, pages. A start loads what it uses.
"""

from __future__ import annotations

import logging
import os
import secrets
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from appliance.devices.calibration_files import read_calibration, twin_calibration
from appliance.devices.real_table import RealTable
from appliance.devices.restartable_table import RestartableTable
from appliance.devices.table_wiring import table_wires
from appliance.devices.whole_self_test import WholeSelfTest
from appliance.games.catalogue import the_game
from appliance.games.protocol import Timing
from appliance.guided_calibration.devices import RealDevices, SimulatedDevices
from appliance.guided_calibration.session import CalibrationPaths, CalibrationSession
from appliance.journal.journal import Journal
from appliance.journal.journal_file import JournalError
from appliance.journal.removable_media import Sticks
from appliance.journal.safekeeping.evening import EVENING
from appliance.journal.safekeeping.keeper import Keeper
from appliance.journal.safekeeping.records import Records, open_records
from appliance.journal.table_error import TableError
from appliance.sensing.roll_places import RollPlaces
from appliance.sensing.roll_replays import RollReplays
from appliance.service.lifecycle import Appliance, Part
from appliance.service.machine.lan_address import lan_address
from appliance.service.machine.machine import Machine
from appliance.service.outside.feed import Feed
from appliance.service.outside.tellers import tellers
from appliance.service.senses import simulated_senses
from appliance.service.service_manager import ServiceManager
from appliance.service.standing_self_test import StandingSelfTest
from appliance.service.upkeep.upkeep import Upkeep
from appliance.settings import Settings
from appliance.table.panel_player import PanelPlayer
from appliance.table.table import Table
from appliance.words import negotiate, words
from hardware.clock import Clock, MonotonicClock, WarpedClock
from hardware.panel import Panel

if TYPE_CHECKING:
    from appliance.demo.demo import Demo
    from web.context import Web

_log = logging.getLogger(__name__)
_EVERY_ADDRESS = ("0.0.0.0", "::")  # noqa: S104  # compared with, not listened on


def build_demo(
    settings: Settings,
    *,
    speed: float = 1.0,
    seed: int | None = None,
    game: str = "smugglers",
    players: int = 4,
    faults: Sequence[str] = (),
) -> Appliance:
    """Build the appliance on a simulated table with robot players; it keeps a data folder of its own.

    :param faults: names of faults, with the seconds at which they come and go, if any (`hardware.twin.faults`).
    :raises FaultError: there is no fault of that name, or those seconds cannot be read.
    :raises TableError: its files or its port cannot be opened; the code says which.
    """
    from appliance.demo.demo import Demo
    from hardware.twin.drawing.viewpoint import twin_camera

    folder = settings.path("demo")
    clock = WarpedClock(speed)
    seed = secrets.randbits(32) if seed is None else seed
    records = open_records(folder)
    journal = records.journal
    table = Table(journal=journal, games=the_game, clock=clock, hardware="twin", timing=_timing(settings))
    _tell(table, records)
    rolls = RollPlaces(RollReplays(table.replay_scope, table.sense))
    test = WholeSelfTest(settings, twin_calibration, twin=True, serving=True)
    self_test = _self_test(table, test, settings)
    upkeep = Upkeep(settings, folder, table, journal)
    feed = Feed(table)
    twin, scale = simulated_senses(table, clock, seed, faults, _both(test, upkeep), rolls=rolls)
    demo = Demo(
        table,
        twin.simulation,
        the_game,
        clock=clock,
        seed=seed,
        opens=game,
        players=players,
        people_file=folder / "people.json",
    )
    paths = CalibrationPaths(folder / "camera.toml", folder / "rig.toml", folder / "scale.toml", folder / "reports")
    calibration_session = CalibrationSession(
        SimulatedDevices(),
        paths,
        nullcontext,
        partial(_game_open, journal),
        twin_camera(),
        table_wires(settings),
        touched=demo.keep_lobby,
    )
    live = twin.live.newest
    server, web = _web(
        settings,
        folder,
        records.web_key,
        table,
        clock,
        "twin",
        live,
        demo,
        calibration_session,
        rolls,
        self_test,
        upkeep,
        feed,
    )
    parts = [
        Part(lambda: None, journal.close),
        _keeper(records, table),
        Part(upkeep.story.start, upkeep.story.stop),
        Part(table.start, table.stop),
        Part(twin.start, twin.stop),
        Part(scale.start, scale.close),
        Part(demo.start, demo.stop),
        Part(lambda: None, calibration_session.close),
        _panel_player(table, lambda: twin.panel, clock),
        server,
        *tellers(settings, table, feed, records.web_key, _addresses(settings)[1]),
        *_outbox(_code(settings, "twin"), folder, table, journal, web),
        Part(self_test.start, self_test.stop),
        _service(table),
    ]
    return Appliance(table, *_addresses(settings), parts)


def _both(test: WholeSelfTest, upkeep: Upkeep) -> Callable[[object], None]:
    """Return the drivers' tap: the self-test listens there, and the figures count."""

    def take(fact: object) -> None:
        test.take(fact)
        upkeep.figures.senses.take(fact)

    return take


def _self_test(table: Table, test: WholeSelfTest, settings: Settings) -> StandingSelfTest:
    return StandingSelfTest(test, table.snapshot, words(negotiate([settings.language])))


def build_real(settings: Settings) -> Appliance:
    """Build the appliance on this machine's own pins and camera; a missing device is reported as health, not raised.

    :raises TableError: its files or its port cannot be opened; the code says which.
    """
    folder = Path(settings.data_dir)
    clock = MonotonicClock()
    records = open_records(folder, Path(settings.copy_dir) if settings.copy_dir else None)
    journal = records.journal
    table = Table(journal=journal, games=the_game, clock=clock, hardware="pi", timing=_timing(settings))
    _tell(table, records)
    rolls = RollPlaces(RollReplays(table.replay_scope, table.sense))
    test = WholeSelfTest(settings, partial(read_calibration, settings), twin=False, serving=True)
    self_test = _self_test(table, test, settings)
    upkeep = Upkeep(settings, folder, table, journal)
    feed = Feed(table)
    real = RestartableTable(lambda: RealTable(table, clock, settings, tap=_both(test, upkeep), rolls=rolls))
    paths = CalibrationPaths(settings.camera_path, settings.rig_path, settings.scale_path, settings.path("reports"))
    calibration_session = CalibrationSession(
        RealDevices(settings), paths, real.released, partial(_game_open, journal), wires=table_wires(settings)
    )
    live = real.live_picture
    server, web = _web(
        settings,
        folder,
        records.web_key,
        table,
        clock,
        "pi",
        live,
        None,
        calibration_session,
        rolls,
        self_test,
        upkeep,
        feed,
    )
    parts = [
        Part(lambda: None, journal.close),
        _keeper(records, table),
        Part(upkeep.story.start, upkeep.story.stop),
        Part(table.start, table.stop),
        Part(real.start, real.stop),
        Part(lambda: None, calibration_session.close),
        _panel_player(table, lambda: real.panel, clock),
        server,
        *tellers(settings, table, feed, records.web_key, _addresses(settings)[1]),
        *_outbox(_code(settings, "pi"), folder, table, journal, web),
        Part(self_test.start, self_test.stop),
        _service(table),
    ]
    return Appliance(table, *_addresses(settings), parts)


def _addresses(settings: Settings) -> tuple[str, str]:
    """Return the address on this machine, and the one that phones use."""
    return f"http://localhost:{settings.port}", f"http://{_one_address(settings) or lan_address()}:{settings.port}"


def _one_address(settings: Settings) -> str:
    """Return the only name or address that the scoreboard listens on; "" when it listens on all: those may change."""
    return "" if settings.host in _EVERY_ADDRESS else settings.host


def _tell(table: Table, records: Records) -> None:
    for remark in records.remarks:
        table.tell(remark)


def _keeper(records: Records, table: Table) -> Part:
    keeper = Keeper(records.journal, records.copies, table.tell, records.evenings)
    return Part(keeper.start, keeper.stop)


def _game_open(journal: Journal) -> bool:
    try:
        return journal.newest_game() is not None
    except JournalError as error:
        raise TableError(error.code, path=str(journal.path)) from None


def _panel_player(table: Table, panel: Callable[[], Panel | None], clock: Clock) -> Part:
    player = PanelPlayer(table, the_game, panel, clock)
    return Part(player.start, player.stop)


def _service(table: Table) -> Part:
    """Notify systemd when all parts run. It is the last part, so that "ready" is true."""
    manager = ServiceManager(os.environ, table.alive)
    return Part(manager.start, manager.stop)


def _timing(settings: Settings) -> Timing:
    return Timing(grace_s=settings.grace_s, weighing_shown_s=settings.weighing_shown_s)


def _web(
    settings: Settings,
    folder: Path,
    web_key: bytes,
    table: Table,
    clock: Clock,
    hardware: str,
    live_picture: Callable[[], bytes | None],
    demo: Demo | None,
    calibration_session: CalibrationSession,
    rolls: RollPlaces,
    self_test: StandingSelfTest,
    upkeep: Upkeep,
    feed: Feed,
) -> tuple[Part, Web]:
    """Build the web server, and what its routes share.

    Pages are imported here, because commands without them need none of it.
    """
    from web.app import create_app
    from web.context import SeatControl
    from web.serve import Server
    from web.site import Site

    control = None
    if demo is not None:
        from appliance.demo.demo import NAMES

        control = SeatControl(demo.who_plays, demo.hand_over, demo.keep_lobby, demo.lend_hands, NAMES)
    try:
        site = Site(
            secret_key=web_key,
            pin=settings.host_pin,
            port=settings.port,
            address=_one_address(settings),
            host_file=folder / "host.json",
            phones_file=folder / "phones.json",
            evening_file=folder / EVENING,
            language=settings.language,
            owner_file=folder / "owner.json" if hardware == "pi" else None,
            machine=Machine(Path(settings.machine_dir)) if settings.machine_dir else None,
            files_folder=settings.files_path,
            sticks=Sticks(settings.stick_paths),
            metrics_token=settings.metrics_token,
            embed_origins=tuple(settings.embed_origins.split()),
            tells_programs=bool(settings.webhooks or settings.mqtt),
            tells_hub=_has_hub(_code(settings, hardware), folder),
        )
        app = create_app(
            table,
            settings=site,
            clock=clock,
            hardware_name=hardware,
            live_picture=live_picture,
            seat_control=control,
            calibration_session=calibration_session,
            rolls=rolls,
            self_test=self_test,
            upkeep=upkeep,
            feed=feed,
        )
    except OSError as error:
        raise TableError("file_unusable", path=str(error.filename), reason=error.strerror) from None
    try:
        server = Server(app, site, host=settings.host)
    except OSError as error:
        raise TableError("port_taken", port=str(settings.port), reason=error.strerror) from None
    except ValueError:
        raise TableError("host_unknown", host=settings.host) from None
    return Part(server.start, server.stop), app.extensions["smugglers"]


def _code(settings: Settings, hardware: str) -> str:
    """Return the invitation of the settings; it is the real table's, and a demo's games are none of its games."""
    return settings.hub if hardware == "pi" else ""


def _has_hub(code: str, folder: Path) -> bool:
    return bool(code) or (folder / "hub.json").exists()


def _outbox(code: str, folder: Path, table: Table, journal: Journal, web: Web) -> list[Part]:
    """Build what sends the journal to the hub that this table belongs to; a table of its own loads none of it."""
    if not _has_hub(code, folder):
        return []
    try:
        from appliance.hub.outbox.table_outbox import outbox_of
    except ImportError:
        # A table plays on without its hub.
        _log.error("this table sends nothing to its hub: the library nats-py is missing")
        return []
    from web.hubs_house import HubsHouse

    outbox = outbox_of(
        folder, code, journal, table, web.played_here.nobody, HubsHouse(web), lambda: web.evening.kept.erased
    )
    return [] if outbox is None else [Part(outbox.start, outbox.stop)]
