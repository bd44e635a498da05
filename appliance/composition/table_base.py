"""What every table has, real or simulated: its journal, its game, its checks. Its devices report to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from appliance.devices.whole_self_test import WholeSelfTest
from appliance.games.catalogue import the_game
from appliance.games.protocol import Timing
from appliance.guided_calibration.session import CalibrationSession
from appliance.journal.safekeeping.records import Records
from appliance.sensing.roll_places import RollPlaces
from appliance.sensing.roll_replays import RollReplays
from appliance.service.lifecycle import Part
from appliance.service.outside.feed import Feed
from appliance.service.standing_self_test import StandingSelfTest
from appliance.service.upkeep.upkeep import Upkeep
from appliance.settings import Settings
from appliance.table.draws.dealer import Dealer
from appliance.table.table import Table
from appliance.words.catalogues import words_for
from calibration.store import previous
from hardware.clock import Clock
from hardware.files.regular_file import remove_abandoned_drafts
from hardware.panel import Panel

if TYPE_CHECKING:
    from appliance.composition.demo.demo import Demo


class TableBase(NamedTuple):
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


class TableDevices(NamedTuple):
    """The devices of a table, and the calibration session and the demo that use them."""

    parts: Sequence[Part]
    live_picture: Callable[[], bytes | None]
    panel: Callable[[], Panel | None]
    calibration_session: CalibrationSession
    demo: Demo | None = None


def remove_drafts(settings: Settings, folder: Path) -> None:
    """Remove the drafts that a power cut left of reports, own files and calibrations."""
    remove_abandoned_drafts(folder / "reports")
    remove_abandoned_drafts(settings.files_path)
    for path in (settings.camera_path, settings.rig_path, settings.scale_path):
        remove_abandoned_drafts(path.parent, {path.name, previous(path).name}.__contains__)


def build_base(
    settings: Settings,
    folder: Path,
    hardware: str,
    clock: Clock,
    records: Records,
    test: WholeSelfTest,
    dealer: Dealer,
) -> TableBase:
    """Build what every table has.

    :param hardware: "pi", or "twin": a simulated table.
    """
    timing = Timing(grace_s=settings.grace_s, weighing_shown_s=settings.weighing_shown_s)
    table = Table(journal=records.journal, games=the_game, clock=clock, hardware=hardware, timing=timing, dealer=dealer)
    for remark in records.remarks:
        table.tell(remark)
    remove_drafts(settings, folder)
    upkeep = Upkeep(settings, folder, table, records.journal)

    def tap(fact: object) -> None:
        test.take(fact)
        upkeep.figures.senses.take(fact)

    return TableBase(
        settings=settings,
        folder=folder,
        hardware=hardware,
        clock=clock,
        records=records,
        table=table,
        rolls=RollPlaces(RollReplays(table.replay_scope, table.sense)),
        self_test=StandingSelfTest(test, table.snapshot, words_for(settings.language)),
        upkeep=upkeep,
        feed=Feed(table),
        tap=tap,
    )
