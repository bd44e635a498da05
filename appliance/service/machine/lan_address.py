"""The address by which others on the same network reach this machine."""

from __future__ import annotations

import fcntl
import socket
import struct


def lan_address() -> str:
    """Return the address of the interface with a route to the Internet, else of any; 127.0.0.1 without a network.

    A table that has only its own Wi-Fi has no such route.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Connecting a datagram socket sends nothing: it only asks the routing table. TEST-NET-1, RFC 5737.
            probe.connect(("192.0.2.1", 9))
        except OSError:
            addresses = (_address_of(probe, name) for _, name in socket.if_nameindex())
            return next((one for one in addresses if one and not one.startswith("127.")), "127.0.0.1")
        return str(probe.getsockname()[0])


def reached_at(listen: str) -> str:
    """Return the host by which others reach a server that listens on the address `listen`."""
    return lan_address() if listen in ("0.0.0.0", "::", "") else listen  # noqa: S104  # compared with


_SIOCGIFADDR = 0x8915
"""Linux' request for an interface's IPv4 address (netdevice(7))."""


def _address_of(probe: socket.socket, interface: str) -> str:
    try:
        told = fcntl.ioctl(probe, _SIOCGIFADDR, struct.pack("256s", interface.encode()[:15]))
    except OSError:
        return ""
    return socket.inet_ntoa(told[20:24])
