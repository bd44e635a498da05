"""Hosts on the command line."""

from __future__ import annotations

import ipaddress
import re

import click

_NAME = re.compile(r"(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*")
"""Of a host (RFC 1123, 2.1)."""


def host_name(_: click.Context, option: click.Parameter, host: str) -> str:
    """Return what an option was given if it is a host's name or an IPv4 or IPv6 address, or "".

    :raises BadParameter: it is none, or has a scheme or port.
    """
    try:
        ipaddress.ip_address(host)
    except ValueError:
        if host and not _NAME.fullmatch(host):
            told = f"{host} is no host: give a name or an address, as hub.example or 192.168.1.9."
            raise click.BadParameter(told, param=option) from None
    return host
