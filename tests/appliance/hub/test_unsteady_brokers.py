"""A broker that is full, ends every session, is away or is not trusted: what a table's log says, how often it tries."""

from __future__ import annotations

import asyncio
import logging
import threading
import time

import msgspec
import pytest

from appliance.hub.broker.certificates import new_certificates
from appliance.hub.outbox import sender
from appliance.hub.outbox.sender import Sender
from appliance.hub.report import Trouble, decoded
from appliance.journal.journal import Journal
from tests.appliance.hub.conftest import HubStand
from tests.appliance.hub.journals import write_game
from tests.appliance.hub.sending import PLAYED, PROHIS, SendingTable, until_stored
from tests.end_to_end.wire import Wire
from tests.patience import GIVEN_UP_S

pytestmark = pytest.mark.slow


class Pauses:
    """The pauses between a sender's tries, in s, noted as they begin."""

    def __init__(self) -> None:
        self.begun_s: list[float] = []
        self._more = threading.Condition()

    def note(self, seconds: float) -> None:
        with self._more:
            self.begun_s.append(seconds)
            self._more.notify_all()

    def until(self, many: int) -> None:
        with self._more:
            assert self._more.wait_for(lambda: len(self.begun_s) >= many, GIVEN_UP_S)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> Pauses:
    found, wait = Pauses(), Sender._wait

    async def noted(self: Sender, seconds: float, lost: asyncio.Event | None = None) -> None:
        if lost is None:
            found.note(seconds)
        await wait(self, seconds, lost)

    monkeypatch.setattr(Sender, "_wait", noted)
    return found


def test_a_broker_that_is_full_is_tried_ever_more_seldom_and_hears_how_the_table_stands(
    hub: HubStand, table: SendingTable, pauses: Pauses, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.let_wait(3)
    for name, value in {"ANSWER_S": 0.2, "AGAIN_S": 0.01, "AGAIN_MOST_S": 1.0, "BATCH": 5}.items():
        monkeypatch.setattr(sender, name, value)
    said: dict[str, bytes] = {}
    with table:
        by = time.monotonic() + GIVEN_UP_S
        while len(pauses.begun_s) < 5:
            assert time.monotonic() < by
            said |= hub.messages.statuses()
    assert [0.005 * 2**tries <= pause <= 0.01 * 2**tries for tries, pause in enumerate(pauses.begun_s[:5])] == [
        True
    ] * 5
    assert decoded(said["cellar"]).newest == table.journal.last_seq()


def test_a_broker_that_ends_every_session_is_told_of_once_and_tried_ever_more_seldom(
    hub: HubStand,
    journal: Journal,
    pauses: Pauses,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(sender, "AGAIN_S", 0.01)
    invitation = hub.invite("cellar")
    wire = Wire(invitation.port)
    past_the_wire = msgspec.structs.replace(invitation, port=wire.port)
    table = SendingTable(journal, journal.path.parent, past_the_wire)
    hub.take()
    report = table.report

    def ended(newest: int, stored: int, trouble: Trouble | None) -> bytes:
        """The broker has answered both questions."""
        wire.sever()
        wire.mend()
        return report(newest, stored, trouble)

    table.sender._report = ended
    with table:
        pauses.until(5)
    wire.close()
    assert [0.005 * 2**tries <= pause <= 0.01 * 2**tries for tries, pause in enumerate(pauses.begun_s[:5])] == [
        True
    ] * 5
    reached, lost = [one.getMessage() for one in caplog.records if one.name == sender.__name__]
    assert reached.endswith("is reached")
    assert "cannot be reached" in lost


def test_a_broker_that_is_back_for_good_is_told_of_and_tried_soon_the_next_time(
    hub: HubStand, table: SendingTable, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(sender, "BRIEF_S", 0.0)
    newest = table.journal.last_seq()
    hub.take()
    with table:
        until_stored(hub, table, newest)
        hub.kill()
        write_game(table.journal, PROHIS, PLAYED.setup, PLAYED.actions)
        until_stored(hub, table, table.journal.last_seq())
    told = [one.getMessage() for one in caplog.records if one.name == sender.__name__]
    assert [one.endswith("is reached") for one in told] == [True, False, True]


def test_a_hub_whose_certificate_is_not_trusted_is_told_as_that_once(
    hub: HubStand, journal: Journal, pauses: Pauses, caplog: pytest.LogCaptureFixture
) -> None:
    anothers = msgspec.structs.replace(hub.invite("cellar"), authority=new_certificates()[0])
    with SendingTable(journal, journal.path.parent, anothers):
        pauses.until(3)
    (said,) = [one.getMessage() for one in caplog.records if one.name == sender.__name__]
    assert "certificate" in said
    assert "it is tried again" in said
