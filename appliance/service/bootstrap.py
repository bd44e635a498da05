"""Composition root. Importing it does nothing; its functions open files, pins, cameras and a port.

Modules that only some functions need are imported in them (simulated table, recordings, pages): a start loads only what
it uses.
"""

from __future__ import annotations

import logging
import os
import secrets
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

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
from appliance.table.draws.dealer import Dealer
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


class _Founded(NamedTuple):
    """The parts of every table that do not depend on its devices. They are built first: the devices report to them."""

    settings: Settings
    folder: Path
    hardware: str
    clock: Clock
    records: Records
    table: Table
    rolls: RollPlaces
    self_test: StandingSelfTest
    upkeep: Upkeep
    feed: Feed
    tap: Callable[[object], None]
    """The drivers' tap, which feeds the self-test and the metrics."""


class _Equipped(NamedTuple):
    """The devices of a table, and the calibration session and the demo that use them."""

    parts: Sequence[Part]
    live_picture: Callable[[], bytes | None]
    panel: Callable[[], Panel | None]
    calibration_session: CalibrationSession
    demo: Demo | None = None


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
    test = WholeSelfTest(settings, twin_calibration, twin=True, serving=True)
    base = _founded(settings, folder, "twin", clock, open_records(folder), test, Dealer(seed))
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
    return _appliance(base, _Equipped(parts, twin.live.newest, lambda: twin.panel, session, demo))


def build_real(settings: Settings) -> Appliance:
    """Build the appliance on this machine's own pins and camera; a missing device is reported as health, not raised.

    :raises TableError: its files or its port cannot be opened; the code says which.
    """
    folder = Path(settings.data_dir)
    clock = MonotonicClock()
    records = open_records(folder, Path(settings.copy_dir) if settings.copy_dir else None)
    test = WholeSelfTest(settings, partial(read_calibration, settings), twin=False, serving=True)
    base = _founded(settings, folder, "pi", clock, records, test, Dealer())
    real = RestartableTable(lambda: RealTable(base.table, clock, settings, tap=base.tap, rolls=base.rolls))
    paths = CalibrationPaths(settings.camera_path, settings.rig_path, settings.scale_path, settings.path("reports"))
    session = CalibrationSession(
        RealDevices(settings), paths, real.released, partial(_game_open, records.journal), wires=table_wires(settings)
    )
    parts = [Part(real.start, real.stop)]
    return _appliance(base, _Equipped(parts, real.live_picture, lambda: real.panel, session))


def _founded(
    settings: Settings,
    folder: Path,
    hardware: str,
    clock: Clock,
    records: Records,
    test: WholeSelfTest,
    dealer: Dealer,
) -> _Founded:
    timing = Timing(grace_s=settings.grace_s, weighing_shown_s=settings.weighing_shown_s)
    table = Table(journal=records.journal, games=the_game, clock=clock, hardware=hardware, timing=timing, dealer=dealer)
    for remark in records.remarks:
        table.tell(remark)
    upkeep = Upkeep(settings, folder, table, records.journal)

    def tap(fact: object) -> None:
        test.take(fact)
        upkeep.figures.senses.take(fact)

    return _Founded(
        settings=settings,
        folder=folder,
        hardware=hardware,
        clock=clock,
        records=records,
        table=table,
        rolls=RollPlaces(RollReplays(table.replay_scope, table.sense)),
        self_test=StandingSelfTest(test, table.snapshot, words(negotiate([settings.language]))),
        upkeep=upkeep,
        feed=Feed(table),
        tap=tap,
    )


def _appliance(base: _Founded, equipped: _Equipped) -> Appliance:
    """Put the parts in the order in which they start. They stop in reverse order, the journal last."""
    settings, records, table = base.settings, base.records, base.table
    keeper = Keeper(records.journal, records.copies, table.tell, records.evenings)
    player = PanelPlayer(table, the_game, equipped.panel, base.clock)
    # The last part, so that "ready" is true.
    manager = ServiceManager(os.environ, table.alive)
    server, web = _web(base, equipped)
    parts = [
        Part(lambda: None, records.journal.close),
        Part(keeper.start, keeper.stop),
        Part(base.upkeep.story.start, base.upkeep.story.stop),
        Part(table.start, table.stop),
        *equipped.parts,
        Part(lambda: None, equipped.calibration_session.close),
        Part(player.start, player.stop),
        server,
        *tellers(settings, table, base.feed, records.web_key, lambda: _addresses(settings)[1]),
        *_outbox(base, web),
        Part(base.self_test.start, base.self_test.stop),
        Part(manager.start, manager.stop),
    ]
    return Appliance(table, *_addresses(settings), parts)


def _addresses(settings: Settings) -> tuple[str, str]:
    """Return the address on this machine, and the one that phones use."""
    return f"http://localhost:{settings.port}", f"http://{_one_address(settings) or lan_address()}:{settings.port}"


def _one_address(settings: Settings) -> str:
    """Return the only name or address that the scoreboard listens on; "" when it listens on all: those may change."""
    return "" if settings.host in _EVERY_ADDRESS else settings.host


def _game_open(journal: Journal) -> bool:
    try:
        return journal.newest_game() is not None
    except JournalError as error:
        raise TableError(error.code, path=str(journal.path)) from None


def _web(base: _Founded, equipped: _Equipped) -> tuple[Part, Web]:
    """Build the web server, and what its routes share.

    Pages are imported here, because commands without them need none of it.
    """
    from web.app import create_app
    from web.context import SeatControl
    from web.serve import Server
    from web.site import Site

    settings, folder, demo = base.settings, base.folder, equipped.demo
    control = None
    if demo is not None:
        from appliance.demo.demo import NAMES

        control = SeatControl(demo.who_plays, demo.hand_over, demo.keep_lobby, demo.lend_hands, NAMES)
    try:
        site = Site(
            secret_key=base.records.web_key,
            pin=settings.host_pin,
            port=settings.port,
            address=_one_address(settings),
            host_file=folder / "host.json",
            phones_file=folder / "phones.json",
            evening_file=folder / EVENING,
            language=settings.language,
            owner_file=folder / "owner.json" if base.hardware == "pi" else None,
            machine=Machine(Path(settings.machine_dir)) if settings.machine_dir else None,
            files_folder=settings.files_path,
            sticks=Sticks(settings.stick_paths),
            metrics_token=settings.metrics_token,
            embed_origins=tuple(settings.embed_origins.split()),
            tells_programs=bool(settings.webhooks or settings.mqtt),
            tells_hub=_has_hub(_code(base), folder),
        )
        app = create_app(
            base.table,
            settings=site,
            clock=base.clock,
            hardware_name=base.hardware,
            live_picture=equipped.live_picture,
            seat_control=control,
            calibration_session=equipped.calibration_session,
            rolls=base.rolls,
            self_test=base.self_test,
            upkeep=base.upkeep,
            feed=base.feed,
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


def _code(base: _Founded) -> str:
    """Return the hub invitation of the settings; "" for a demo, whose games do not belong to the table."""
    return base.settings.hub if base.hardware == "pi" else ""


def _has_hub(code: str, folder: Path) -> bool:
    return bool(code) or (folder / "hub.json").exists()


def _outbox(base: _Founded, web: Web) -> list[Part]:
    """Build the outbox that sends the journal to the table's hub; a table without a hub does not import it."""
    code = _code(base)
    if not _has_hub(code, base.folder):
        return []
    try:
        from appliance.hub.outbox.table_outbox import outbox_of
    except ImportError:
        # A table plays on without its hub.
        _log.error("this table sends nothing to its hub: the library nats-py is missing")
        return []
    from web.hubs_house import HubsHouse

    outbox = outbox_of(
        base.folder,
        code,
        base.records.journal,
        base.table,
        web.played_here.nobody,
        HubsHouse(web),
        lambda: web.evening.kept.erased,
    )
    return [] if outbox is None else [Part(outbox.start, outbox.stop)]
