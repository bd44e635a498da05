"""A table's journal reaches its hub whole, once and in order, whatever fails between; against a real nats-server."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.games.catalogue import the_game
from appliance.hub.invitation import Invitation, read_code
from appliance.hub.outbox.journal_reader import JournalReader
from appliance.hub.outbox.membership import read_cursor
from appliance.hub.outbox.progress import Progress
from appliance.hub.outbox.sender import Sender
from appliance.hub.outbox.teller import Teller
from appliance.hub.report import Report, Trouble, encoded
from appliance.journal.journal import Journal
from tests.appliance.games.contract import play
from tests.appliance.hub.conftest import HubStand
from tests.appliance.hub.journals import nobody, open_journal, write_game
from tests.patience import GIVEN_UP_S

pytestmark = pytest.mark.slow
PROHIS = the_game("prohis")
PLAYED = play.play(PROHIS, 2)


class SendingTable:
    """A journal and its outbox, as long as the `with` lasts."""

    def __init__(self, journal: Journal, folder: Path, invitation: Invitation) -> None:
        self.journal, self.folder = journal, folder
        reader = JournalReader(journal.path, journal.entry)
        teller = Teller(reader, invitation.table, the_game, nobody)
        self.whole = dict(Teller(reader, invitation.table, the_game, nobody).after(0, 100_000))
        self.progress = Progress(folder, invitation.table, reader, journal.last_seq, time.monotonic)
        self.sender = Sender(invitation, teller, self.progress, journal.last_seq, self.report, lambda: 0)
        self.table = invitation.table
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
        self._loop.close()


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    journal = open_journal(tmp_path / "table")
    write_game(journal, PROHIS, PLAYED.setup, PLAYED.actions)
    yield journal
    journal.close()


@pytest.fixture
def table(hub: HubStand, journal: Journal) -> SendingTable:
    invitation = hub.invite("cellar")
    assert read_code(invitation.code) == invitation
    return SendingTable(journal, journal.path.parent, invitation)


def until_stored(hub: HubStand, table: SendingTable, seq: int) -> None:
    by = time.monotonic() + GIVEN_UP_S
    while table.progress.stored < seq:
        assert time.monotonic() < by
        hub.take(0.05)


def test_the_hub_gets_every_entry_once_and_in_order_and_the_table_forgets_only_what_is_stored(
    hub: HubStand, table: SendingTable
) -> None:
    newest = table.journal.last_seq()
    with table:
        hub.take(5)
        until_stored(hub, table, newest)
    assert hub.kept == {"cellar": table.whole}
    assert hub.repeated == 0
    assert read_cursor(table.folder, "cellar").seq == newest
    assert hub.take() == 0
