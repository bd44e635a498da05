"""Connects to the broker with a key, trusting the hub's own certificate alone. Everything here runs in an asyncio loop.

A connection that is lost stays lost: whoever needs one makes another, and looks at what the broker still has.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from contextlib import suppress
from typing import Any

import nats.errors
import nats.js.errors
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import load_der_x509_certificate
from nats.aio.client import Client

from appliance.hub.link import nkeys

CONNECT_S = 10
ANSWER_S = 10.0
"""How long an answer of the broker may take."""
CLOSE_S = 1.0
PING_S = 20
"""A broker that answers two pings in a row not has gone."""
FAILURES = (OSError, asyncio.TimeoutError, nats.errors.Error, nats.js.errors.Error, EOFError)
"""What connecting, publishing and asking raise where broker or network fail."""


class Broker(Client):
    """A client of the broker with an NKey. nats-py would take one more library for that."""

    def _setup_nkeys_connect(self) -> None:
        seed = str(self._nkeys_seed_str)
        self._public_nkey = nkeys.public_key(seed)
        self._signature_cb = lambda nonce: nkeys.sign(seed, nonce)

    def abort(self) -> None:
        """Let go of the connection without a word to the broker."""
        wire: Any = self._transport
        for writer in (wire._io_writer, wire._bare_io_writer) if wire else ():
            # asyncio gives no transport of a TLS connection that was lost at the end of its handshake.
            if writer.transport is not None:
                writer.transport.abort()


async def connected(host: str, port: int, seed: str, authority: bytes, inbox: str) -> tuple[Broker, asyncio.Event]:
    """Return a connection, and what is set when it is lost.

    :param authority: the certificate that signed the broker's, as DER.
    :param inbox: prefix of the subjects that answers come to.
    :raises OSError: one of `FAILURES`: there is no broker, it is another, or it does not let us in.
    """
    broker, lost, is_up = Broker(), asyncio.Event(), False

    async def gone() -> None:
        lost.set()

    async def failed(error: Exception) -> None:
        """End a first try that fails: nats-py would try on for minutes. Later, whoever waits for an answer is told."""
        if not is_up:
            raise error

    # asyncio complains of every connection that is lost, for what nats-py's protocol and its tasks leave behind.
    # Nothing else here runs on asyncio, and what matters of a lost connection its user logs.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    address = f"[{host}]" if ":" in host else host
    try:
        await broker.connect(
            f"tls://{address}:{port}",
            nkeys_seed_str=seed,
            tls=trusting(authority),
            tls_hostname="broker",
            tls_handshake_first=True,
            inbox_prefix=inbox,
            allow_reconnect=False,
            connect_timeout=CONNECT_S,
            ping_interval=PING_S,
            disconnected_cb=gone,
            closed_cb=gone,
            error_cb=failed,
        )
    except BaseException:
        await end(broker)
        raise
    is_up = True
    return broker, lost


async def end(broker: Broker) -> None:
    """Close a connection, whatever it hangs in: after a handshake that failed, asyncio never says that it is closed."""
    try:
        with suppress(*FAILURES):
            await asyncio.wait_for(broker.close(), CLOSE_S)
    finally:
        broker.abort()
        await asyncio.sleep(0)  # asyncio closes the socket at its next turn


async def end_all() -> None:
    """End what is under way in this loop before it is closed: a lost connection leaves tasks of nats-py waiting."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for one in others:
        one.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def trusting(authority: bytes) -> ssl.SSLContext:
    """Return a context that trusts what `authority` signed, by whatever name the broker is reached."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.load_verify_locations(cadata=load_der_x509_certificate(authority).public_bytes(Encoding.PEM).decode())
    return context
