"""The running table's outbox: a thread that reads the journal and sends it to the hub."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import msgspec

from appliance.games.catalogue import the_game
from appliance.games.protocol import Remark, Setup
from appliance.hub.link.connection import end_all
from appliance.hub.link.marks import mark_of_guest
from appliance.hub.outbox.codes import remark
from appliance.hub.outbox.game_fold import UnknownName
from appliance.hub.outbox.journal_reader import JournalReader
from appliance.hub.outbox.membership import Membership, join, membership
from appliance.hub.outbox.offers import House, Offers
from appliance.hub.outbox.progress import Progress
from appliance.hub.outbox.sender import Sender
from appliance.hub.outbox.teller import Teller
from appliance.hub.report import Report, Trouble, encoded
from appliance.journal.journal import Journal
from appliance.service.outside.table_status import TableStatus, status_of
from appliance.service.upkeep.support import version
from appliance.snapshot import Snapshot
from appliance.words.errors import TableError
from hardware.clock import ended

JOIN_S = 5.0
_log = logging.getLogger(__name__)


class Shown(Protocol):
    """The table's interface for its outbox."""

    def snapshot(self) -> Snapshot:
        """Return the newest snapshot."""
        ...

    def tell(self, remark: Remark, /) -> None:
        """Show a remark of the appliance itself, or with an empty code remove the one of its topic."""
        ...


Erased = Callable[[], Mapping[str, int]]
"""Returns the keys of the erased guests, each with the newest journal entry at that time."""


def outbox_of(
    folder: Path,
    code: str,
    journal: Journal,
    table: Shown,
    nobody: UnknownName,
    house: House | None = None,
    erased: Erased = dict,
) -> TableOutbox | None:
    """Return the outbox of the table in a data folder; None: it belongs to no hub, or its membership cannot be read.

    :param code: an invitation with which it joins now; "": it uses the one that it has.
    :param house: changes what the owner allows the hub to change here.
    :param erased: whose names were erased here. The hub removes them from this table's data.
    :raises TableError: `hub_code` (not a valid invitation).
    """
    try:
        joined = join(folder, code, journal.last_seq()) if code else membership(folder)
        return None if joined is None else TableOutbox(folder, joined, journal, table, nobody, version(), house, erased)
    except TableError as error:
        if code and error.code == "hub_code":
            raise
        # The table works without its hub.
        _log.error("this table sends nothing to its hub: %s", error.code)
        return None


class TableOutbox:
    """Sends until `stop`. No game waits for it.

    :param folder: stores the cursor.
    :param table: the table that writes the journal.
    :param nobody: which names are not sent.
    :param release: the version of this software.
    """

    def __init__(
        self,
        folder: Path,
        membership: Membership,
        journal: Journal,
        table: Shown,
        nobody: UnknownName,
        release: str,
        house: House | None = None,
        erased: Erased = dict,
    ) -> None:
        self._table, self._nobody, self._release, self._erased = table, nobody, release, erased
        self._counts_from = membership.counts_from
        self._status: TableStatus | None = None
        self._to = membership.invitation
        reader = JournalReader(journal.path, journal.entry)
        newest = journal.last_seq
        teller = Teller(reader, self._to.table, the_game, nobody, membership.counts_from)
        progress = Progress(folder, self._to.table, reader, time.monotonic)
        self._offers = Offers(folder, house, time.monotonic, release)
        self._loop = asyncio.new_event_loop()
        self._sender = Sender(
            self._to, teller, progress, newest, self._report, self._stands, self._in_trouble, self._offers.hear
        )
        self._thread = threading.Thread(target=self._run, name="outbox", daemon=True)

    def start(self) -> None:
        """Begin to send."""
        self._thread.start()
        self._offers.start()

    def stop(self) -> None:
        """Stop sending and store the cursor."""
        self._offers.stop()
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._sender.stop)
        ended(self._thread, JOIN_S)

    def _run(self) -> None:
        self._loop.run_until_complete(self._sender.run())
        self._loop.run_until_complete(end_all())
        self._loop.close()

    def _in_trouble(self, trouble: Trouble | None) -> None:
        self._table.tell(remark("hub", trouble or ""))

    def _report(self, newest: int, stored: int, trouble: Trouble | None) -> bytes:
        report = Report(
            table=self._to.table,
            wall_s=time.time(),
            release=self._release,
            newest=newest,
            stored=stored,
            trouble=trouble,
            status=self._stands_now(),
            takes=self._offers.takes(),
            offered=self._offers.offered(),
            erased={mark_of_guest(guest): newest for guest, newest in self._erased().items()},
            counts_from=self._counts_from,
        )
        return encoded(report)

    def _stands(self) -> Any:
        status = self._stands_now()
        return status.game, status.sensors, self._offers.takes(), self._offers.offered(), dict(self._erased())

    def _stands_now(self) -> TableStatus:
        snapshot = self._table.snapshot()
        if self._status is None or self._status.version != snapshot.version:
            self._status = self._without_names(status_of(snapshot), snapshot.setup)
        return self._status

    def _without_names(self, status: TableStatus, setup: Setup | None) -> TableStatus:
        game = status.game
        if game is None or setup is None:
            return status
        seats = tuple(
            msgspec.structs.replace(seat, name="") if self._nobody(player, game.id) else seat
            for seat, player in zip(game.seats, setup.players, strict=True)
        )
        return msgspec.structs.replace(status, game=msgspec.structs.replace(game, seats=seats))
