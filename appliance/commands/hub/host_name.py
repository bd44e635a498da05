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


def host_names(context: click.Context, option: click.Parameter, hosts: tuple[str, ...]) -> tuple[str, ...]:
    """Return what an option was given several times if each is a host, as `host_name` does.

    :raises BadParameter: one is none.
    """
    return tuple(host_name(context, option, host) for host in hosts)


def address(_: click.Context, option: click.Parameter, given: str) -> str:
    """Return what an option was given if it is an IPv4 or IPv6 address, or "".

    :raises BadParameter: it is none. A name would be compared with addresses and never match.
    """
    try:
        return str(ipaddress.ip_address(given)) if given else ""
    except ValueError:
        raise click.BadParameter(f"{given} is no address: give one as 127.0.0.1.", param=option) from None
