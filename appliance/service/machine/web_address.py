"""Web addresses of hosts and ports. An IPv6 address stands in brackets there (RFC 3986, 3.2.2), and nowhere else."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

HTTP_PORT = 80


def in_url(host: str) -> str:
    """Return a host name or IP address as it is written before a port."""
    return f"[{host}]" if ":" in host else host


def web_address(host: str, port: int) -> str:
    """Return the address of a server's pages, without a slash at the end: `http://192.168.1.7:8080`."""
    return f"http://{in_url(host)}" + ("" if port == HTTP_PORT else f":{port}")


def is_this_machine_alone(address: str) -> bool:
    """Return whether a web address leads every machine to itself: no phone reaches the table there."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
