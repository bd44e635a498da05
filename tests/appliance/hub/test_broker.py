"""Who may do what at the broker; against a real nats-server."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import signal
import socket
import ssl
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import msgspec
import nats
import pytest

from appliance.hub.broker import configuration, messages, server
from appliance.hub.broker.certificates import new_certificates
from appliance.hub.broker.configuration import CONNECTIONS_OF_A_TABLE, DISK_BYTES, LOG, MOST_PAYLOAD_BYTES
from appliance.hub.broker.members import LOCK, MembersFile
from appliance.hub.broker.server import CONFIGURATION, BrokerServer
from appliance.hub.envelopes import MOST_BYTES
from appliance.hub.link import connection, nkeys
from appliance.hub.link.connection import FAILURES, Broker, connected, end
from appliance.hub.link.invitation import Invitation
from appliance.hub.subjects import JOURNALS, inbox, last_of, numbered, subject
from hardware.files.regular_file import write_private
from tests.appliance.hub.conftest import HubStand, sockets
from tests.patience import GIVEN_UP_S

pytestmark = pytest.mark.slow


def at_the_broker(invitation: Invitation, do: Callable[[Broker, asyncio.Event], Coroutine[Any, Any, Any]]) -> Any:
    """Return what `do` returns, which may use a connection with the key of `invitation`."""

    async def work() -> Any:
        broker, lost = await connected(
            invitation.host, invitation.port, invitation.seed, invitation.authority, inbox(invitation.table)
        )
        try:
            return await asyncio.wait_for(do(broker, lost), 60)
        finally:
            await end(broker)

    return asyncio.run(work())


@pytest.fixture
def cellar(hub: HubStand) -> Invitation:
    hub.take()
    return hub.invite("cellar")


def test_the_key_of_nkeys_own_documentation_is_read() -> None:
    # docs.nats.io, "NKeys", "Generating NKeys and configuring the server".
    assert (
        nkeys.public_key("SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY")
        == "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4"
    )
    assert nkeys.public_key(nkeys.new_seed())[0] == "U"
    for wrong in ("", "SU", nkeys.new_seed()[:-1], nkeys.new_seed() + "A", nkeys.new_seed().lower()):
        with pytest.raises(ValueError, match="no seed"):
            nkeys.public_key(wrong)


def test_a_stranger_is_not_let_in(hub: HubStand, cellar: Invitation) -> None:
    async def nothing(broker: Broker, lost: asyncio.Event) -> None:
        await broker.flush()

    at_the_broker(cellar, nothing)
    for stranger in (nkeys.new_seed(), hub.members.invite("not-yet-known").seed):
        with pytest.raises(FAILURES):
            at_the_broker(msgspec.structs.replace(cellar, seed=stranger), nothing)

    async def without_a_key() -> None:
        context = ssl.create_default_context(cadata=ssl.DER_cert_to_PEM_cert(cellar.authority))
        address, broker = f"tls://127.0.0.1:{cellar.port}", Broker()
        try:
            await broker.connect(
                address, tls=context, tls_hostname="broker", tls_handshake_first=True, allow_reconnect=False
            )
        finally:
            await end(broker)

    with pytest.raises(FAILURES):
        asyncio.run(without_a_key())


def test_strangers_who_try_all_night_do_not_fill_the_disk_with_the_broker_s_log(
    hub: HubStand, cellar: Invitation, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 4096
    monkeypatch.setattr(configuration, "LOG_MOST_BYTES", most)
    hub.server.stop()
    hub.server = BrokerServer(hub.folder, "127.0.0.1")
    hub.server.start()
    for _ in range(100):
        with pytest.raises(FAILURES):
            at_the_broker(msgspec.structs.replace(cellar, seed=nkeys.new_seed()), lambda broker, lost: broker.flush())
    logs = list(hub.folder.glob(f"{LOG}*"))
    assert sum(log.stat().st_size for log in logs) < 3 * most
    at_the_broker(hub.invite("attic"), lambda broker, lost: broker.flush())


def test_nothing_is_said_in_the_open_and_another_broker_is_not_trusted(cellar: Invitation) -> None:
    with socket.create_connection(("127.0.0.1", cellar.port)) as wire:
        wire.sendall(b"CONNECT {}\r\nPING\r\n")
        assert b"INFO" not in wire.recv(1000)
    another = msgspec.structs.replace(cellar, authority=new_certificates()[0])
    with pytest.raises(FAILURES):
        at_the_broker(another, lambda broker, lost: broker.flush())


def test_a_revoked_table_is_cut_off_at_once_and_stays_out(hub: HubStand, cellar: Invitation) -> None:
    async def revoked(broker: Broker, lost: asyncio.Event) -> None:
        hub.members.revoke("cellar")
        hub.reload()
        await lost.wait()

    at_the_broker(cellar, revoked)
    with pytest.raises(FAILURES):
        at_the_broker(cellar, lambda broker, lost: broker.flush())
    anew = hub.invite("cellar")
    assert anew.table == "cellar-2"
    at_the_broker(anew, lambda broker, lost: broker.flush())


def refused(broker: Broker) -> list[str]:
    """Gather what the broker refuses this connection."""
    said: list[str] = []

    async def take(error: Exception) -> None:
        said.append(str(error).lower())

    broker._error_cb = take
    return said


def test_a_table_speaks_and_hears_for_itself_alone(hub: HubStand, cellar: Invitation) -> None:
    attic = hub.invite("attic")
    last = hub.messages.waiting()

    async def tries(broker: Broker, lost: asyncio.Event) -> tuple[list[str], int]:
        said = refused(broker)
        forbidden: list[Awaitable[Any]] = [
            broker.publish(subject(attic.table, "journal"), b"{}"),
            broker.publish(subject(attic.table, "status"), b"{}"),
            broker.publish(subject(attic.table, "stored"), b"9"),
            broker.publish(subject(cellar.table, "stored"), b"9"),
            broker.publish(f"$JS.API.STREAM.DELETE.{JOURNALS}", b""),
            broker.publish(f"$JS.API.STREAM.PURGE.{JOURNALS}", b""),
            broker.publish(last_of(attic.table, "journal"), b""),
            broker.subscribe("smugglers.>"),
            broker.subscribe(subject(attic.table, "stored")),
            broker.subscribe(f"{inbox(attic.table)}.>"),
            broker.subscribe("_INBOX_hub.>"),
            broker.subscribe(">"),
        ]
        for one in forbidden:
            await one
            await broker.flush()
        while len(said) < len(forbidden):
            await broker.flush()
        return said, len(forbidden)

    said, forbidden = at_the_broker(cellar, tries)
    assert len(said) == forbidden
    assert all("permissions violation" in one for one in said), "\n".join(said)
    assert hub.messages.waiting() == last
    assert hub.messages.statuses() == {}


ANSWERS = ("smugglers.attic.stored", "smugglers.attic.status", "smugglers.attic.journal")


@pytest.mark.parametrize(
    "asked", [last_of("cellar", "stored"), last_of("cellar", "journal"), "smugglers.cellar.journal"]
)
def test_no_answer_of_the_broker_speaks_for_another_table(hub: HubStand, cellar: Invitation, asked: str) -> None:
    attic = hub.invite("attic")
    hub.messages.stored({"cellar": 999}, {})

    async def both(broker: Broker, lost: asyncio.Event) -> list[bytes]:
        heard: list[bytes] = []

        async def hears(message: Any) -> None:
            heard.append(message.data)

        victim, _ = await connected(attic.host, attic.port, attic.seed, attic.authority, inbox(attic.table))
        await victim.subscribe(subject("attic", "stored"), cb=hears)
        await victim.flush()
        number = numbered(1)
        await broker.jetstream().publish(subject("cellar", "journal"), b"{}", headers=number)
        for reply in (*ANSWERS, f"$JS.API.STREAM.DELETE.{JOURNALS}"):
            await broker.publish(asked, b"{}", reply=reply)
            await broker.request(last_of("cellar", "stored"), b"", timeout=GIVEN_UP_S)
        # What the hub says after all of that comes after it.
        await asyncio.to_thread(hub.messages.stored, {"attic": 1}, {})
        while b"1" not in heard:
            await asyncio.sleep(0)
        await end(victim)
        return heard

    assert at_the_broker(cellar, both) == [b"1"]
    assert {one.table for one in hub.messages.pull(100, 5.0)} == {"cellar"}
    assert "attic" not in hub.messages.statuses()


def test_a_table_that_is_connected_goes_on_while_another_is_invited(hub: HubStand, cellar: Invitation) -> None:
    async def both(broker: Broker, lost: asyncio.Event) -> bytes:
        stored = await broker.subscribe(subject("cellar", "stored"))
        await asyncio.to_thread(hub.invite, "attic")
        await broker.jetstream().publish(subject("cellar", "journal"), b"{}")
        await asyncio.to_thread(hub.messages.stored, {"cellar": 7}, {})
        assert not lost.is_set()
        return (await stored.next_msg(GIVEN_UP_S)).data

    assert at_the_broker(cellar, both) == b"7"


def test_ten_megabytes_are_refused_and_the_broker_serves_on(hub: HubStand, cellar: Invitation) -> None:
    with hub.speaking_plainly(cellar) as wire:
        wire.sendall(b"PUB smugglers.cellar.journal %d\r\n" % 10_000_000)
        said = b""
        while b"-ERR" not in said and (more := wire.recv(4096)):
            said += more
    assert b"maximum payload" in said.lower()

    async def publishes(broker: Broker, lost: asyncio.Event) -> None:
        jetstream = broker.jetstream()
        for size in (MOST_BYTES + 2**14, MOST_PAYLOAD_BYTES - 1000):
            with pytest.raises(nats.js.errors.APIError):
                await jetstream.publish(subject("cellar", "journal"), bytes(size))
        headers = numbered(1)
        await jetstream.publish(subject("cellar", "journal"), b"x" * MOST_BYTES, headers=headers)

    at_the_broker(cellar, publishes)
    assert [(one.table, one.seq, len(one.data)) for one in hub.messages.pull(10, 5.0)] == [("cellar", 1, MOST_BYTES)]


def test_the_largest_messages_of_one_table_fit_with_those_of_others() -> None:
    assert messages.OF_A_TABLE * (MOST_BYTES + messages.HEADERS_BYTES) <= messages.JOURNALS_BYTES / 5
    assert messages.JOURNALS_BYTES < DISK_BYTES


def test_one_table_cannot_fill_the_broker(hub: HubStand, cellar: Invitation) -> None:
    hub.let_wait(3)
    attic = hub.invite("attic")

    async def fills(broker: Broker, lost: asyncio.Event) -> int:
        taken = 0
        for number in range(1, 6):
            headers = numbered(number)
            try:
                await broker.jetstream().publish(subject("cellar", "journal"), b"{}", headers=headers)
            except nats.js.errors.APIError:
                return taken
            taken += 1
        return taken

    assert at_the_broker(cellar, fills) == 3

    async def another(broker: Broker, lost: asyncio.Event) -> None:
        await broker.jetstream().publish(subject("attic", "journal"), b"{}", headers=numbered(1))

    at_the_broker(attic, another)
    assert hub.messages.waiting() == 4


def test_one_table_cannot_take_the_connections_or_the_memory_of_others(hub: HubStand, cellar: Invitation) -> None:
    attic = hub.invite("attic")

    async def hoards(broker: Broker, lost: asyncio.Event) -> int:
        async with contextlib.AsyncExitStack() as kept:
            for number in range(2, CONNECTIONS_OF_A_TABLE + 5):
                try:
                    another, gone = await connected(
                        cellar.host, cellar.port, cellar.seed, cellar.authority, inbox(cellar.table)
                    )
                    kept.push_async_callback(end, another)
                    await another.flush()
                except FAILURES:
                    return number - 1
                if gone.is_set():
                    return number - 1
            return number

    assert at_the_broker(cellar, hoards) == CONNECTIONS_OF_A_TABLE
    at_the_broker(attic, lambda broker, lost: broker.flush())

    async def listens(broker: Broker, lost: asyncio.Event) -> None:
        for number in range(100):
            await broker.subscribe(f"{inbox(cellar.table)}.{number}")
        await lost.wait()

    at_the_broker(cellar, listens)
    assert b"maximum subscriptions exceeded" in (hub.folder / LOG).read_bytes()


def test_a_connection_to_a_broker_that_hangs_is_let_go_of(
    hub: HubStand, cellar: Invitation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says no last word, so its TLS is never closed in order; a table would keep one more socket at each try."""
    monkeypatch.setattr(connection, "CLOSE_S", 0.05)

    async def left_open() -> int:
        broker, _ = await connected(cellar.host, cellar.port, cellar.seed, cellar.authority, inbox(cellar.table))
        assert hub.server.pid is not None
        os.kill(hub.server.pid, signal.SIGSTOP)
        before = len(sockets())
        try:
            await end(broker)
            return len(sockets()) - before
        finally:
            os.kill(hub.server.pid, signal.SIGCONT)

    assert asyncio.run(left_open()) == -1


def test_a_member_that_is_revoked_while_the_broker_is_configured_stays_revoked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = MembersFile(tmp_path)
    members.made("127.0.0.1", 0)
    key = nkeys.public_key(members.invite("cellar").seed)

    def interrupted(path: Path, content: bytes) -> None:
        with contextlib.suppress(BlockingIOError), (tmp_path / LOCK).open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.flock(lock, fcntl.LOCK_UN)
            members.revoke("cellar")
        write_private(path, content)

    monkeypatch.setattr(server, "write_private", interrupted)
    server.configure(tmp_path, "::")
    now = members.read()
    assert now is not None
    assert (key in (tmp_path / CONFIGURATION).read_text()) == (now.tables["cellar"].key == key)


def test_an_invitation_names_the_address_of_now_until_somebody_says_one(tmp_path: Path) -> None:
    MembersFile(tmp_path).made("", 0)
    assert MembersFile(tmp_path).invite("cellar").host == "127.0.0.1"
    assert MembersFile(tmp_path, "192.168.7.3").invite("cellar").host == "192.168.7.3"
    MembersFile(tmp_path).made("hub.local", 0)
    assert MembersFile(tmp_path, "192.168.7.4").invite("cellar").host == "hub.local"
