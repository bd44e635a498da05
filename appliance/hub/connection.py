"""Connects to the broker with a key, trusting the hub's own certificate alone. Everything here runs in an asyncio loop.

A connection that is lost stays lost: whoever needs one makes another, and looks at what the broker still has.
"""

from __future__ import annotations

import asyncio
import logging
import ssl

import nats.errors
import nats.js.errors
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509 import load_der_x509_certificate
from nats.aio.client import Client

from appliance.hub import nkeys

CONNECT_S = 10
ANSWER_S = 10.0
"""How long an answer of the broker may take."""
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


async def connected(host: str, port: int, seed: str, authority: bytes, inbox: str) -> tuple[Broker, asyncio.Event]:
    """Return a connection, and what is set when it is lost.

    :param authority: the certificate that signed the broker's, as DER.
    :param inbox: prefix of the subjects that answers come to.
    :raises OSError: one of `FAILURES`: there is no broker, it is another, or it does not let us in.
    """
    broker, lost = Broker(), asyncio.Event()

    async def gone() -> None:
        lost.set()

    async def ignore(error: Exception) -> None:
        """Whoever waits for an answer is told; nats-py would print a traceback."""

    # asyncio warns of every connection that the other end closes, for what nats-py's protocol returns then.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
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
            error_cb=ignore,
        )
    except BaseException:
        await broker.close()
        raise
    return broker, lost


def trusting(authority: bytes) -> ssl.SSLContext:
    """Return a context that trusts what `authority` signed, by whatever name the broker is reached."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.load_verify_locations(cadata=load_der_x509_certificate(authority).public_bytes(Encoding.PEM).decode())
    return context
