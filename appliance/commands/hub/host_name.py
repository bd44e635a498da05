"""Hosts on the command line."""

from __future__ import annotations

import ipaddress
import re

from appliance.words.errors import TableError

_NAME = re.compile(r"(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*")
"""Of a host (RFC 1123, 2.1)."""


def host_name(given: str) -> str:
    """Return what an option was given if it is a host's name or an IPv4 or IPv6 address, or "".

    :raises TableError: `host_malformed`; a scheme or a port is too much.
    """
    try:
        ipaddress.ip_address(given)
    except ValueError:
        if given and not _NAME.fullmatch(given):
            raise TableError("host_malformed", host=given) from None
    return given


def address(given: str) -> str:
    """Return what an option was given if it is an IPv4 or IPv6 address, or "".

    :raises TableError: `address_malformed`. A name would be compared with addresses and never match.
    """
    try:
        return str(ipaddress.ip_address(given)) if given else ""
    except ValueError:
        raise TableError("address_malformed", address=given) from None
