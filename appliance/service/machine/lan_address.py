"""The address by which others on the same network reach this machine."""

from __future__ import annotations

import fcntl
import ipaddress
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

from hardware.listening import EVERY, EVERY_IPV4

NOWHERE = "127.0.0.1"
"""The address of a machine that nobody else reaches."""
_SIOCGIFADDR = 0x8915
"""Linux' request for an interface's IPv4 address (netdevice(7))."""
_IPV6_ADDRESSES = Path("/proc/self/net/if_inet6")
"""Linux' list of IPv6 addresses: address, interface, length of the prefix, scope, flags (all hex), interface's name."""
_GLOBAL_SCOPE = "00"
"""The scope of global and unique local addresses (RFC 4193). Link-local ones hold on one link of the sender alone."""
_UNUSABLE = 0x01 | 0x08 | 0x20 | 0x40
"""Flags of if_addr.h: temporary (RFC 8981), in use by another machine, deprecated, not yet checked for that."""
_UNIQUE_LOCAL = ipaddress.ip_network("fc00::/7")


def lan_address(listen: str = EVERY) -> str:
    """Return the address of the interface with a route to the Internet, else of any; `NOWHERE` without a network.

    A table that has only its own Wi-Fi has no such route. IPv4 comes first: people can type it.

    :param listen: the server's address, `EVERY` or `EVERY_IPV4`.
    """
    found = [*_ipv4(), *(_ipv6() if listen != EVERY_IPV4 else ())]
    # A link-local IPv4 address is what a machine takes where nothing gives it one.
    return min(found, key=lambda one: ipaddress.ip_address(one).is_link_local, default=NOWHERE)


def reached_at(listen: str) -> str:
    """Return the host by which others reach a server that listens on the address `listen`."""
    return lan_address(listen or EVERY_IPV4) if listen in (EVERY, EVERY_IPV4, "") else listen


def _ipv4() -> Iterator[str]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        # TEST-NET-1, RFC 5737.
        if routed := _routed_from(probe, "192.0.2.1"):
            yield routed
            return
        for _, name in socket.if_nameindex():
            address = _address_of(probe, name)
            if address and not address.startswith("127."):
                yield address


def _address_of(probe: socket.socket, interface: str) -> str:
    try:
        told = fcntl.ioctl(probe, _SIOCGIFADDR, struct.pack("256s", interface.encode()[:15]))
    except OSError:
        return ""
    return socket.inet_ntoa(told[20:24])


def _ipv6() -> list[str]:
    """Return the lasting addresses, those of the interface with a route first. Before others stand unique local ones:
    phones that have one, too, reach the table from it, and the package's unit lets private networks in alone."""
    try:
        lines = [line.split() for line in _IPV6_ADDRESSES.read_text(encoding="ascii").splitlines()]
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
            routed = _routed_from(probe, "2001:db8::1")  # RFC 3849
    except OSError:  # the kernel has no IPv6
        return []
    known = {ipaddress.IPv6Address(bytes.fromhex(digits)): line for digits, *line in lines}
    way_out = known.get(ipaddress.IPv6Address(routed.partition("%")[0])) if routed else None
    usable = [
        address
        for address, (_, _, scope, flags, _) in known.items()
        if scope == _GLOBAL_SCOPE and not int(flags, 16) & _UNUSABLE
    ]

    def order(address: ipaddress.IPv6Address) -> tuple[bool, bool]:
        return way_out is None or known[address][0] != way_out[0], address not in _UNIQUE_LOCAL

    return [str(address) for address in sorted(usable, key=order)]


def _routed_from(probe: socket.socket, address: str) -> str:
    """Return this machine's address on the route to `address`, or "". A datagram socket asks the routing table alone:
    connecting it sends nothing."""
    try:
        probe.connect((address, 9))
    except OSError:
        return ""
    return str(probe.getsockname()[0])
