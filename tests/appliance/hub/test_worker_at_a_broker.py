"""A worker at a real nats-server that dies under it."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import nats.errors
import pytest
from nats.js.client import JetStreamContext

from appliance.hub.broker import messages
from appliance.hub.broker.messages import BrokerAwayError, Pulled
from appliance.hub.envelopes import MOST_BYTES
from appliance.hub.link.connection import connected, end
from appliance.hub.link.invitation import Invitation
from appliance.hub.store.database import Database, sqlite_url
from appliance.hub.store.migrate import migrate
from appliance.hub.subjects import inbox, numbered, subject
from appliance.hub.worker import Worker
from tests.appliance.hub.chain import SendingTable
from tests.appliance.hub.conftest import HubStand
from tests.patience import GIVEN_UP_S

pytestmark = pytest.mark.slow


class DyingBroker:
    """The hub's end of a broker that is killed once, when a worker has committed its first batch."""

    def __init__(self, hub: HubStand) -> None:
        self._hub, self._has_died = hub, False
        self.told: dict[str, int] = {}

    def pull(self, at_most: int, wait_s: float) -> list[Pulled]:
        return self._hub.messages.pull(at_most, min(wait_s, 0.1))

    def statuses(self) -> Mapping[str, bytes]:
        return self._hub.messages.statuses()

    def stored(self, newest: Mapping[str, int], written_s: Mapping[str, float]) -> None:
        if not self._has_died:
            self._has_died = True
            self._hub.kill()
        self._hub.messages.stored(newest, written_s)
        self.told |= newest

    def wanted(self, offers: Mapping[str, bytes]) -> None:
        self._hub.messages.wanted(offers)

    def done(self, pulled: Sequence[Pulled]) -> None:
        self._hub.messages.done(pulled)


async def send(invitation: Invitation, sent: Mapping[int, bytes]) -> None:
    to = invitation
    broker, _ = await connected(to.host, to.port, to.seed, to.authority, inbox(to.table))
    for seq, data in sent.items():
        headers = numbered(seq)
        await broker.jetstream().publish(subject(to.table, "journal"), data, headers=headers)
    await end(broker)


def test_the_largest_messages_of_a_table_take_no_workers_memory(hub: HubStand) -> None:
    large, small = 80, 5
    hub.take()
    asyncio.run(send(hub.invite("mallory"), {seq: bytes(MOST_BYTES) for seq in range(1, large + 1)}))
    asyncio.run(send(hub.invite("cellar"), dict.fromkeys(range(1, small + 1), b"x")))
    batches: list[list[Pulled]] = []
    while sum(len(batch) for batch in batches) < large + small:
        batches.append(hub.messages.pull(2000, GIVEN_UP_S))
        hub.messages.done(batches[-1])
    assert max(sum(len(one.data) for one in batch) for batch in batches) < 40 * 2**20
    assert [(one.table, one.seq) for batch in batches for one in batch] == [
        *(("mallory", seq) for seq in range(1, large + 1)),
        *(("cellar", seq) for seq in range(1, small + 1)),
    ]


def test_a_broker_that_dies_under_a_committed_batch_is_worked_with_again(
    hub: HubStand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messages, "WORKED_ON_S", 1)
    database = Database(sqlite_url(tmp_path / "hub.db"))
    migrate(database)
    hub.take()
    table = SendingTable("cellar")
    table.played(("Ann", "Bob"), 0)
    asyncio.run(send(hub.invite("cellar"), {one.seq: one.data for one in table.sent}))
    broker = DyingBroker(hub)
    worker = Worker(database, broker, (BrokerAwayError,), lambda: 1.0)
    thread = threading.Thread(target=worker.run)
    thread.start()
    by, waiting = time.monotonic() + GIVEN_UP_S, 1
    while waiting and time.monotonic() < by:
        with contextlib.suppress(BrokerAwayError):
            waiting = hub.messages.waiting()
    worker.stop()
    thread.join(GIVEN_UP_S)
    database.close()
    assert (waiting, broker.told) == (0, {"cellar": len(table.sent)})


@pytest.mark.parametrize("raised", [TimeoutError, nats.errors.TimeoutError])
def test_a_wait_in_which_nothing_came_loses_no_connection(
    hub: HubStand, monkeypatch: pytest.MonkeyPatch, raised: type[Exception]
) -> None:
    # nats-py's `fetch` raises its own where time runs out within a wait, and Python's where it ran out before the next.
    async def fetch(*_: object, **__: object) -> None:
        raise raised

    hub.messages.pull(1, 0.05)
    link = hub.messages._link
    with monkeypatch.context() as patch:
        patch.setattr(JetStreamContext.PullSubscription, "fetch", fetch)
        assert hub.messages.pull(10, 0.05) == []
    assert hub.messages._link is link
