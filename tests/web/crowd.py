"""Many clients of a real server, each from an address of its own: on Linux all of 127.0.0.0/8 is this machine."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from hardware.clock import MonotonicClock
from tests.patience import GIVEN_UP_S
from tests.web.stand import Stand
from web.live.serve import Server

_opened: list[socket.socket | http.client.HTTPConnection] = []
"""What is closed when the server ends."""
OWN, STRANGER, OTHER = "127.0.0.1", "127.0.9.9", "127.0.9.10"


@contextmanager
def served(folder: Path, monkeypatch: pytest.MonkeyPatch, **site: Any) -> Iterator[tuple[Stand, int]]:
    """Serve a table on which only 127.0.0.1 counts as this machine itself. Yield it and its port."""
    for module in ("web.doors.shares", "web.doors.security"):
        monkeypatch.setattr(f"{module}.is_own", lambda address: address in (OWN, "localhost"))
    stand = Stand(folder, clock=MonotonicClock(), port=0, address=OWN, **site)
    stand.table.start()
    server = Server(stand.app, stand.site, host=OWN)
    server.start()
    try:
        yield stand, server.port
    finally:
        server.stop()
        leave()
        stand.close()


def leave() -> None:
    """Close every connection of this crowd, and forget it."""
    for one in _opened:
        one.close()
    _opened.clear()


def connected(port: int, source: str = OWN) -> socket.socket:
    _opened.append(there := socket.create_connection((OWN, port), timeout=GIVEN_UP_S, source_address=(source, 0)))
    return there


def get(port: int, path: str, source: str = OWN, **headers: str) -> http.client.HTTPResponse:
    """Return the answer, whose connection stays open until it is read to its end."""
    connection = http.client.HTTPConnection(OWN, port, timeout=GIVEN_UP_S, source_address=(source, 0))
    _opened.append(connection)
    connection.request("GET", path, headers=headers)
    return connection.getresponse()


def status(port: int, path: str, source: str = OWN, **headers: str) -> int:
    with get(port, path, source, Connection="close", **headers) as answer:
        answer.read()
    return answer.status


def stream(port: int, source: str, what: str = "kind=wall", **headers: str) -> socket.socket:
    """Open a stream, read its first bytes, and return its connection."""
    lines = [f"GET /live?{what} HTTP/1.1", f"Host: {OWN}", *(f"{name}: {value}" for name, value in headers.items())]
    there = connected(port, source)
    there.sendall("\r\n".join([*lines, "", ""]).encode())
    assert there.recv(15) == b"HTTP/1.1 200 OK"
    return there
