"""Sends one POST and gives up when the receiver is slow. It follows no redirection and reads no body."""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from typing import NamedTuple
from urllib.parse import urlsplit


class Target(NamedTuple):
    """The receiver of a POST, from `http://host:port/path?query` or `https://…`."""

    secure: bool
    host: str
    port: int
    path: str

    @classmethod
    def of(cls, url: str) -> Target:
        """Return the target that `url` names.

        :raises ValueError: `url` is not such an address.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(url)
        secure = parts.scheme == "https"
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return cls(secure, parts.hostname, parts.port or (443 if secure else 80), path)


class NotDelivered(Exception):
    """The receiver did not accept the POST. The message says why, without quoting the receiver."""


def post(target: Target, body: bytes, headers: Mapping[str, str], within_s: float) -> None:
    """Send `body`, and return once the receiver answered 2xx.

    :param within_s: the limit for connecting to each address of the name, and once for all that follows. The name
        is looked up without a limit of ours.
    :raises NotDelivered: it answered otherwise, or not in time.
    """
    try:
        with _connected(target, within_s) as (connection, expired):
            try:
                connection.request("POST", target.path, body, dict(headers))
                status = connection.getresponse().status
            finally:
                if expired.is_set():
                    raise NotDelivered(f"no answer within {within_s:g} s") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise NotDelivered(f"{type(error).__name__}: {getattr(error, 'strerror', None) or 'no answer'}") from None
    if not 200 <= status < 300:
        raise NotDelivered(f"it answered {status}")


@contextlib.contextmanager
def _connected(target: Target, within_s: float) -> Iterator[tuple[http.client.HTTPConnection, threading.Event]]:
    """Yield a connection that is cut at the limit: a timeout of the socket alone would restart with every byte."""
    wire = socket.create_connection((target.host, target.port), timeout=within_s)
    expired = threading.Event()
    try:
        _check_peer(target.host, wire.getpeername()[0], own=wire.getsockname()[0])
        if target.secure:
            context = ssl.create_default_context()
            wire = context.wrap_socket(wire, server_hostname=target.host, do_handshake_on_connect=False)

        def cut() -> None:
            expired.set()
            with contextlib.suppress(OSError):
                # The shutdown of the plain socket: that of TLS must not be called from a second thread.
                socket.socket.shutdown(wire, socket.SHUT_RDWR)

        limit = threading.Timer(within_s, cut)
        limit.daemon = True
        try:
            limit.start()
        except RuntimeError:  # this process may have no more threads now
            raise OSError(0, "no thread is free for its time limit") from None
        try:
            if isinstance(wire, ssl.SSLSocket):
                wire.do_handshake()
            connection = http.client.HTTPConnection(target.host, target.port)
            connection.sock = wire
            yield connection, expired
        finally:
            limit.cancel()
    finally:
        wire.close()


def _check_peer(host: str, peer: str, *, own: str) -> None:
    """Refuse a name that leads to this machine itself or to its network link's own addresses (DNS rebinding).

    :param own: this machine's end of the connection. If the machine is connected to itself, both ends are the same.

    :raises OSError: the name leads there.
    """
    with contextlib.suppress(ValueError):
        ipaddress.ip_address(host)
        return
    address = ipaddress.ip_address(peer.partition("%")[0])
    address = getattr(address, "ipv4_mapped", None) or address
    if host != "localhost" and (peer == own or address.is_loopback or address.is_link_local or address.is_unspecified):
        raise OSError(0, "the name leads to this machine itself")
