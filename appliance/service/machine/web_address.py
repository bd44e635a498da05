"""Web addresses of hosts and ports. An IPv6 address stands in brackets there (RFC 3986, 3.2.2), and nowhere else."""

from __future__ import annotations

HTTP_PORT = 80


def in_url(host: str) -> str:
    """Return a host name or IP address as it is written before a port."""
    return f"[{host}]" if ":" in host else host


def web_address(host: str, port: int) -> str:
    """Return the address of a server's pages, without a slash at the end: `http://192.168.1.7:8080`."""
    return f"http://{in_url(host)}" + ("" if port == HTTP_PORT else f":{port}")
