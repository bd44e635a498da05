"""A broker with the hub's own certificate that says what no broker says: without end, of other types, no text."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from appliance.hub.broker.certificates import new_certificates
from appliance.hub.link import connection, nkeys
from appliance.hub.link.connection import FAILURES, Broker, connected, end
from tests.patience import GIVEN_UP_S

GREETING = b'INFO {"server_id":"x","version":"2.10.0","proto":1,"max_payload":1048576,"nonce":"abc"}\r\n'
SENT_BYTES = 16 * 2**20

Says = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@contextlib.asynccontextmanager
async def strange_broker(folder: Path, greeting: bytes, says: Says) -> AsyncIterator[tuple[str, int, str, bytes, str]]:
    """Run a broker that greets, answers the first PING, and then does what it `says`. Yield how to connect to it."""
    authority, certificate, key = new_certificates()
    (folder / "chain.pem").write_bytes(certificate)
    (folder / "key.pem").write_bytes(key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "chain.pem", folder / "key.pem")

    async def talks(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            writer.write(greeting)
            while (line := await reader.readline()) not in (b"", b"PING\r\n"):
                pass
            if line:
                writer.write(b"PONG\r\n")
                await says(reader, writer)
        writer.transport.abort()

    async with await asyncio.start_server(talks, "127.0.0.1", 0, ssl=context) as server:
        yield "127.0.0.1", server.sockets[0].getsockname()[1], nkeys.new_seed(), authority, "_INBOX"


async def ended(broker: Broker, lost: asyncio.Event) -> None:
    try:
        await asyncio.wait_for(lost.wait(), GIVEN_UP_S)
    finally:
        await end(broker)


@pytest.mark.parametrize("begun", [b"", b"MSG smugglers.cellar.stored 1 99999999999\r\n"], ids=["line", "message"])
def test_a_line_or_a_message_without_end_ends_the_connection(tmp_path: Path, begun: bytes) -> None:
    async def says(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(begun)
        for _ in range(SENT_BYTES // 2**16):
            writer.write(b"A" * 2**16)
            await writer.drain()
        await reader.read()  # the rest never comes, and the broker does not end the connection

    async def heard() -> None:
        async with strange_broker(tmp_path, GREETING, says) as to:
            await ended(*await connected(*to))

    asyncio.run(heard())


@pytest.mark.parametrize(
    "greeting",
    [b"INFO []\r\n", b"INFO null\r\n", b'INFO {"nonce":7}\r\n', b'INFO {"connect_urls":7}\r\n', b"INFO \xff\r\n"],
)
def test_a_greeting_of_other_types_is_a_broker_that_fails(tmp_path: Path, greeting: bytes) -> None:
    async def says(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read()

    async def refused() -> BaseException | None:
        async with strange_broker(tmp_path, greeting, says) as to:
            try:
                await end((await connected(*to))[0])
            except BaseException as error:
                return error
        return None

    assert isinstance(asyncio.run(refused()), FAILURES)


@pytest.mark.parametrize("line", [b'INFO {"server_id":"\xff"}', b"INFO []", b"-ERR '\xff'"])
def test_what_cannot_be_read_ends_the_connection_without_a_traceback_in_the_log(
    tmp_path: Path, line: bytes, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(connection, "PING_S", 1)  # which ends a connection that nobody reads any more

    async def says(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(line + b"\r\n")
        await reader.read()

    async def heard() -> None:
        async with strange_broker(tmp_path, GREETING, says) as to:
            await ended(*await connected(*to))

    asyncio.run(heard())
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []
