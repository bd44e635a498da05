"""A broker with the hub's own certificate that never ends what it says: whoever hears it does not keep all of it."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from pathlib import Path

import pytest

from appliance.hub.broker.certificates import new_certificates
from appliance.hub.link import nkeys
from appliance.hub.link.connection import connected, end
from tests.patience import GIVEN_UP_S

GREETING = b'INFO {"server_id":"x","version":"2.10.0","proto":1,"max_payload":1048576,"nonce":"abc"}\r\n'
SENT_BYTES = 16 * 2**20


@pytest.mark.parametrize("begun", [b"", b"MSG smugglers.cellar.stored 1 99999999999\r\n"], ids=["line", "message"])
def test_a_line_or_a_message_without_end_ends_the_connection(tmp_path: Path, begun: bytes) -> None:
    authority, certificate, key = new_certificates()
    (tmp_path / "chain.pem").write_bytes(certificate)
    (tmp_path / "key.pem").write_bytes(key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "chain.pem", tmp_path / "key.pem")

    async def heard() -> None:
        async def talks(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(GREETING)
            while await reader.readline() != b"PING\r\n":
                pass
            writer.write(b"PONG\r\n" + begun)
            with contextlib.suppress(OSError):
                for _ in range(SENT_BYTES // 2**16):
                    writer.write(b"A" * 2**16)
                    await writer.drain()
                await reader.read()  # the rest never comes, and the broker does not end the connection
            writer.transport.abort()

        async with await asyncio.start_server(talks, "127.0.0.1", 0, ssl=context) as server:
            port = server.sockets[0].getsockname()[1]
            broker, lost = await connected("127.0.0.1", port, nkeys.new_seed(), authority, "_INBOX")
            try:
                await asyncio.wait_for(lost.wait(), GIVEN_UP_S)
            finally:
                await end(broker)

    asyncio.run(heard())
