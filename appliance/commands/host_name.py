"""Hosts on the command line."""

from __future__ import annotations

import ipaddress
import re
from typing import Any

import click

_NAME = re.compile(r"(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*")
"""Of a host (RFC 1123, 2.1)."""


class HostName(click.ParamType):
    """A host's name or its IPv4 or IPv6 address, without scheme and port."""

    name = "host"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the host, "" if none was given."""
        host = str(value)
        try:
            ipaddress.ip_address(host)
        except ValueError:
            if host and not _NAME.fullmatch(host):
                self.fail(f"{host} is no host: give a name or an address, as hub.example or 192.168.1.9.", param, ctx)
        return host
