"""Who sends a request, and to which host: tells the table's own screen from others, and DNS rebinding from names."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import urlsplit

_PASSED_ON = frozenset({"forwarded", "via", "x-real-ip"})
"""Headers of a request that a proxy passed on, besides all of `X-Forwarded-`."""


def unmapped(address: str) -> str:
    """Return the IPv4 address for which an IPv4-mapped one stands (RFC 4291, 2.5.5.2), and any other as it is.

    A socket that listens on all addresses gives each IPv4 client such an address.
    """
    try:
        return str(getattr(ipaddress.ip_address(address), "ipv4_mapped", None) or address)
    except ValueError:
        return address


@lru_cache(maxsize=256)
def is_own(address: str) -> bool:
    """Return whether `address` is this machine itself."""
    try:
        return ipaddress.ip_address(unmapped(address)).is_loopback
    except ValueError:
        return False


def is_passed_on(headers: Iterable[str]) -> bool:
    """Return whether a proxy passed a request on, by the names of its headers in lower case: it names its sender."""
    return any(name in _PASSED_ON or name.startswith("x-forwarded-") for name in headers)


def host_name(host: str) -> str:
    """Return the name or address in a Host header, in lower case and without the port; "" where it is malformed."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def own_names(given: Iterable[str]) -> frozenset[str]:
    """Return the names by which this machine may be asked: its own, and those of the settings."""
    own_name = socket.gethostname().lower()
    return frozenset({"localhost", own_name, f"{own_name}.local", *map(str.lower, given)})


def may_be_asked_as(name: str, known: frozenset[str]) -> bool:
    """Return whether a `host_name` is an address or a known name. DNS rebinding needs another name."""
    if not name:
        return False
    if name in known:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
