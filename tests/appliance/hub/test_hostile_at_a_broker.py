"""What a stolen key can send through a real broker to a hub that works: other tables notice nothing of it."""

from __future__ import annotations

import contextlib
import json
import random
import socket
import threading
import time
from pathlib import Path

import pytest

from appliance.hub.broker.messages import BrokerAwayError
from appliance.hub.envelopes import MOST_BYTES
from appliance.hub.link.invitation import Invitation
from appliance.hub.store.database import Database, sqlite_url
from appliance.hub.store.migrate import migrate
from appliance.hub.store.schema import ENVELOPES
from appliance.hub.subjects import subject
from appliance.hub.worker import Worker
from tests.appliance.hub.chain import SendingTable
from tests.appliance.hub.conftest import HubStand
from tests.patience import GIVEN_UP_S

pytestmark = pytest.mark.slow


class WorkingHub:
    """A hub's worker at the broker of a stand, and what its database has."""

    def __init__(self, stand: HubStand, folder: Path) -> None:
        self.stand = stand
        self.database = Database(sqlite_url(folder / "hub.db"))
        migrate(self.database)
        self._worker = Worker(self.database, stand.messages, (BrokerAwayError,), lambda: 1.0)
        self._thread = threading.Thread(target=self._worker.run)

    def __enter__(self) -> WorkingHub:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._worker.stop()
        self._thread.join(GIVEN_UP_S)
        self.database.close()
        assert not self._thread.is_alive()

    def kept(self, table: str) -> dict[int, bytes]:
        with self.database.read() as connection:
            rows = connection.execute(ENVELOPES.select().where(ENVELOPES.c.table_name == table))
            return {row.seq: bytes(row.data) for row in rows}

    def until_kept(self, table: SendingTable) -> None:
        """Wait until the database has every envelope of a table, and nothing waits at the broker."""
        sent, by = {one.seq: one.data for one in table.sent}, time.monotonic() + GIVEN_UP_S
        while self.kept(table.name) != sent or self._waiting():
            assert time.monotonic() < by

    def _waiting(self) -> int:
        with contextlib.suppress(BrokerAwayError):
            return self.stand.messages.waiting()
        return -1


def said(wire: socket.socket, *messages: tuple[str, bytes | None, bytes]) -> bytes:
    """Send messages as they are (subject, header block, payload); return what the broker said until then."""
    for where, headers, data in messages:
        if headers is None:
            wire.sendall(b"PUB %s %d\r\n%s\r\n" % (where.encode(), len(data), data))
        else:
            whole = headers + data
            wire.sendall(b"HPUB %s %d %d\r\n%s\r\n" % (where.encode(), len(headers), len(whole), whole))
    wire.sendall(b"PING\r\n")
    heard = b""
    while b"PONG\r\n" not in heard and (more := wire.recv(65536)):
        heard += more
    return heard


def numbered_block(seq: int, more: str = "") -> bytes:
    return f"NATS/1.0\r\nSmugglers-Entry: {seq}\r\n{more}\r\n".encode()


@pytest.fixture
def mallory(hub: HubStand) -> Invitation:
    hub.take()
    return hub.invite("mallory")


@pytest.fixture
def cellar(hub: HubStand) -> SendingTable:
    table = SendingTable("cellar")
    for _ in range(3):
        table.played(("Ann", "Bob"), 0)
    return table


HEADERS = {
    "no messages, as a header": numbered_block(1, "Status: 404\r\n"),
    "a line without an end": b"NATS/1.0",
    "another protocol": b"HTTP/1.1 200 OK\r\n\r\n",
    "an end alone": b"\r\n\r\n",
    "bytes that are no text": b"NATS/1.0 \xff\xfe\xfd \xff\r\n\xff: \xff\r\n\r\n",
    "a description that is no text": b"NATS/1.0 200 \xff\xff\r\n\r\n",
    "no messages": b"NATS/1.0 404 No Messages\r\n\r\n",
    "a heartbeat": b"NATS/1.0 100 Idle Heartbeat\r\n\r\n",
    "a server that fails": b"NATS/1.0 500 Server Error\r\n\r\n",
    "nobody answers": b"NATS/1.0 503\r\n\r\n",
    "nothing": b"N",
    "a consumer that is gone, as a header": numbered_block(1, "Status: 409\r\nDescription: Consumer Deleted\r\n"),
    "a number of many digits": b"NATS/1.0\r\nSmugglers-Entry: " + b"9" * 4000 + b"\r\n\r\n",
    "a failure without a reason": numbered_block(1, "Status: x\r\n"),
}


@pytest.mark.parametrize("headers", HEADERS.values(), ids=HEADERS)
def test_headers_that_no_table_writes_stop_no_other_table(
    hub: HubStand, tmp_path: Path, mallory: Invitation, cellar: SendingTable, headers: bytes
) -> None:
    invitation = hub.invite("cellar")
    with WorkingHub(hub, tmp_path) as working, hub.speaking_plainly(mallory) as wire:
        said(wire, (subject("mallory", "journal"), headers, b"{}"), (subject("mallory", "status"), headers, b"{}"))
        with hub.speaking_plainly(invitation) as honest:
            of = subject("cellar", "journal")
            said(honest, *((of, numbered_block(one.seq), one.data) for one in cellar.sent))
        working.until_kept(cellar)


def test_entries_late_repeated_and_forged_are_kept_once_although_the_broker_is_killed_between(
    hub: HubStand, tmp_path: Path, cellar: SendingTable
) -> None:
    hub.take()
    invitation, chance = hub.invite("cellar"), random.Random(7)
    true = [(subject("cellar", "journal"), numbered_block(one.seq), one.data) for one in cellar.sent]
    with WorkingHub(hub, tmp_path) as working:
        for _ in range(3):
            with hub.speaking_plainly(invitation) as wire:
                said(wire, *chance.sample(true, len(true)))
            hub.kill()
        with hub.speaking_plainly(invitation) as wire:
            said(wire, *reversed(true))
        working.until_kept(cellar)
        with hub.speaking_plainly(invitation) as wire:
            said(wire, *((where, headers, json.dumps({"forged": True}).encode()) for where, headers, _ in true))
        working.until_kept(cellar)


def test_what_no_table_writes_takes_no_other_table_s_place(
    hub: HubStand, tmp_path: Path, mallory: Invitation, cellar: SendingTable
) -> None:
    invitation, chance = hub.invite("cellar"), random.Random(7)
    to_itself, to_others = subject("mallory", "journal"), subject("cellar", "journal")
    rubbish = [chance.randbytes(chance.choice((0, 1, 1000, MOST_BYTES))) for _ in range(40)]
    with WorkingHub(hub, tmp_path) as working, hub.speaking_plainly(mallory) as wire:
        for seq, data in enumerate(rubbish, 1):
            reports = (subject("mallory", "status"), None, data)
            theirs = (to_others, numbered_block(seq), data)
            said(wire, (to_itself, numbered_block(10 ** chance.randint(0, 14)), data), reports, theirs)
        with hub.speaking_plainly(invitation) as honest:
            said(honest, *((to_others, numbered_block(one.seq), one.data) for one in cellar.sent))
        working.until_kept(cellar)


def test_connections_that_never_speak_keep_no_table_out(
    hub: HubStand, tmp_path: Path, mallory: Invitation, cellar: SendingTable
) -> None:
    invitation = hub.invite("cellar")
    with contextlib.ExitStack() as silent, WorkingHub(hub, tmp_path) as working:
        for _ in range(200):
            silent.enter_context(socket.create_connection(("127.0.0.1", mallory.port), GIVEN_UP_S))
        with hub.speaking_plainly(mallory) as wire:
            wire.sendall(b"HPUB smugglers.mallory.journal 10 500000\r\nNATS/1.0")
            with hub.speaking_plainly(invitation) as honest:
                of = subject("cellar", "journal")
                said(honest, *((of, numbered_block(one.seq), one.data) for one in cellar.sent))
            working.until_kept(cellar)
