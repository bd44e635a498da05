"""A table's outbox on its own, with a journal in which one game was played."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from appliance.games.catalogue import the_game
from appliance.hub.link.connection import end_all
from appliance.hub.link.invitation import Invitation
from appliance.hub.outbox.journal_reader import JournalReader
from appliance.hub.outbox.progress import Progress
from appliance.hub.outbox.sender import Sender
from appliance.hub.outbox.teller import Teller
from appliance.hub.report import Report, Trouble, encoded
from appliance.journal.journal import Journal
from tests.appliance.games.contract import play
from tests.appliance.hub.journals import nobody
from tests.patience import GIVEN_UP_S

if TYPE_CHECKING:
    from tests.appliance.hub.conftest import HubStand

PROHIS = the_game("prohis")
PLAYED = play.play(PROHIS, 2)


class SendingTable:
    """A journal and its outbox, as long as the `with` lasts."""

    def __init__(self, journal: Journal, folder: Path, invitation: Invitation) -> None:
        self.journal, self.folder = journal, folder
        reader = JournalReader(journal.path, journal.entry)
        teller = Teller(reader, invitation.table, the_game, nobody)
        self.whole = dict(Teller(reader, invitation.table, the_game, nobody).after(0, 100_000))
        self.progress = Progress(folder, invitation.table, reader, time.monotonic)
        self.sender = Sender(invitation, teller, self.progress, journal.last_seq, self.report, lambda: 0)
        self.table, self.invitation = invitation.table, invitation
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=lambda: self._loop.run_until_complete(self.sender.run()))

    def report(self, newest: int, stored: int, trouble: Trouble | None) -> bytes:
        report = Report(
            table=self.table, wall_s=1.0, release="1", newest=newest, stored=stored, trouble=trouble, status=None
        )
        return encoded(report)

    def __enter__(self) -> SendingTable:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self.sender.stop)
        self._thread.join(GIVEN_UP_S)
        assert not self._thread.is_alive()
        self._loop.run_until_complete(end_all())
        self._loop.close()


def until_stored(hub: HubStand, table: SendingTable, seq: int) -> None:
    by = time.monotonic() + GIVEN_UP_S
    while table.progress.stored < seq:
        assert time.monotonic() < by
        hub.take(0.05)


def until_kept(hub: HubStand, seq: int) -> None:
    by = time.monotonic() + GIVEN_UP_S
    while hub.contiguous("cellar") < seq:
        assert time.monotonic() < by
        hub.take(0.05)
