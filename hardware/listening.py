"""The address on which a server listens: one, or all of this machine."""

from __future__ import annotations

import errno
import socket

EVERY = "::"
"""All addresses, of IPv6 and of IPv4."""
EVERY_IPV4 = "0.0.0.0"  # noqa: S104  # compared with, and listened on where the owner or the kernel wants no IPv6


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a TCP socket that is bound and does not listen yet. On a kernel without IPv6, `EVERY` is `EVERY_IPV4`.

    :param port: 0: a free one.
    :raises OSError: the port is taken, or this process may not open it.
    :raises ValueError: `host` is no address of this machine, nor the name of one.
    """
    try:
        return _bound(host, port)
    except OSError as error:
        if error.errno not in (errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL):
            raise
        if host != EVERY:
            raise ValueError(host) from None
        return _bound(EVERY_IPV4, port)


def _bound(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except socket.gaierror:
        raise ValueError(host) from None
    family, kind, protocol, _, address = found[0]
    made = socket.socket(family, kind, protocol)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            # Whatever `net.ipv6.bindv6only` says. IPv4 clients come from IPv4-mapped addresses.
            made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, host != EVERY)
        made.bind(address)
    except OSError:
        made.close()
        raise
    return made
