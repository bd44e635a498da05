"""Connects to the broker with a key, trusting only the hub's own certificate. Everything here runs in an asyncio loop.

A lost connection is not restored. Its user makes a new one and asks the broker which messages it still has.
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
from nats.protocol.parser import Parser

from appliance.hub.link import nkeys
from appliance.hub.subjects import ours
from appliance.service.machine.web_address import in_url

CONNECT_S = 10
ANSWER_S = 10.0
"""Timeout of a reply from the broker."""
CLOSE_S = 1.0
PING_S = 20
"""Interval of pings. After two pings without an answer the connection counts as lost."""
MOST_UNREAD_BYTES = 2 * 2**20
"""Most bytes of one message or line that are kept until it is whole: twice the broker's largest message."""
FAILURES = (OSError, asyncio.TimeoutError, nats.errors.Error, nats.js.errors.Error, EOFError)
"""The exceptions of connecting, publishing and requesting if broker or network fail."""
_OTHER_VALUES = (AttributeError, TypeError, ValueError)
"""What nats-py raises at values of another type than the protocol's, and at bytes that are no text."""


class _BoundedParser(Parser):
    """Fails at a message or line that does not end, which nats-py would keep, and at values that it cannot read."""

    async def parse(self, data: bytes = b"") -> None:
        try:
            await super().parse(data)
        except _OTHER_VALUES:
            raise nats.errors.ProtocolError from None
        if len(self.buf) > MOST_UNREAD_BYTES:
            raise nats.errors.ProtocolError


class Broker(Client):
    """A client of the broker with an NKey. nats-py itself would need another library for NKeys.

    A broker that says something longer than `MOST_UNREAD_BYTES`, or what the protocol does not know, is let go of. Of
    the headers that tables write, nothing but the entry's number and time is read.
    """

    def __init__(self) -> None:
        super().__init__()
        self._ps = _BoundedParser(self)

    def _setup_nkeys_connect(self) -> None:
        seed = str(self._nkeys_seed_str)
        self._public_nkey = nkeys.public_key(seed)
        self._signature_cb = lambda nonce: nkeys.sign(seed, nonce)

    async def _process_msg(self, sid: int, subject: bytes, reply: bytes, data: bytes, headers: bytes) -> None:
        await super()._process_msg(sid, subject, reply, data, ours(subject, headers))

    def abort(self) -> None:
        """Drop the connection without telling the broker."""
        wire: Any = self._transport
        for writer in (wire._io_writer, wire._bare_io_writer) if wire else ():
            # The transport is None if the TLS connection was lost at the end of its handshake.
            if writer.transport is not None:
                writer.transport.abort()


async def connected(host: str, port: int, seed: str, authority: bytes, inbox: str) -> tuple[Broker, asyncio.Event]:
    """Return a connection, and an event that is set when it is lost.

    :param authority: the certificate that signed the broker's, as DER.
    :param inbox: prefix of the subjects for replies.
    :raises OSError: one of `FAILURES`: there is no broker, it has another certificate, or it refuses the key.
    """
    broker, lost, is_up = Broker(), asyncio.Event(), False

    async def gone() -> None:
        lost.set()

    async def failed(error: Exception) -> None:
        """Fail on the first connection error: nats-py would retry for minutes. Later errors are raised by requests."""
        if not is_up:
            raise error

    # asyncio logs errors for every lost connection, because of what nats-py's protocol and tasks leave behind.
    # Nothing else in this process uses asyncio, and the user of a connection logs its loss.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    try:
        await broker.connect(
            f"tls://{in_url(host)}:{port}",
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
    except BaseException as error:
        await end(broker)
        if isinstance(error, _OTHER_VALUES) and not isinstance(error, FAILURES):  # a wrong certificate is both
            raise nats.errors.ProtocolError from None
        raise
    is_up = True
    return broker, lost


async def end(broker: Broker) -> None:
    """Close a connection in any state. The timeout is for failed handshakes, after which asyncio reports no close."""
    try:
        with suppress(*FAILURES):
            await asyncio.wait_for(broker.close(), CLOSE_S)
    finally:
        broker.abort()
        await asyncio.sleep(0)  # asyncio closes the socket in the next loop iteration


async def end_all() -> None:
    """Cancel all tasks of this loop before it is closed: a lost connection leaves tasks of nats-py waiting."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for one in others:
        one.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def trusting(authority: bytes) -> ssl.SSLContext:
    """Return a TLS context that trusts only certificates signed by `authority`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.load_verify_locations(cadata=load_der_x509_certificate(authority).public_bytes(Encoding.PEM).decode())
    return context
