"""A server on all addresses of both IP versions: who counts as this machine, and whom a proxy is believed about."""

from __future__ import annotations

import errno
import http.client
import json
import socket
from typing import Any

import pytest
from flask import Flask, request

from hardware.listening import EVERY, bound_socket
from tests.own_network import needs_own_network, printed
from tests.patience import GIVEN_UP_S
from web.live.connections import FairDispatcher
from web.live.serve import PageServer

CLIENTS = """
import json, http.client, pathlib, tempfile
from tests.web.stand import Stand
from web.live.serve import Server
from web.doors.phones import Seat
folder = tempfile.TemporaryDirectory()
stand = Stand(pathlib.Path(folder.name), port=0, address="::")
stand.open(2)
server = Server(stand.app, stand.site)
server.start()
found = {}
for source, to in SOURCES:
    client = http.client.HTTPConnection(to, server.port, timeout=60, source_address=(source, 0))
    client.request("GET", "/kiosk", headers={"Host": "localhost"})
    answer = client.getresponse()
    found[source] = answer.status, [one.whose for one in server._server.active_channels.values()]
    client.close()
    while server._server.active_channels: pass
link = stand.keys.join_url(Seat(str(stand.table.snapshot().seating), 0))
print(json.dumps([found, link.rpartition("/join/")[0]]))
server.stop()
stand.close()
folder.cleanup()
"""


@needs_own_network
def test_the_touchscreen_and_guests_of_both_ip_versions_are_told_apart() -> None:
    sources = [
        ("127.0.0.1", "127.0.0.1"),
        ("::1", "::1"),
        ("10.42.0.9", "10.42.0.7"),
        ("fd00::9", "fd00::7"),
        ("fd00:0:0:1::9", "fd00::7"),
    ]
    lan = ("10.42.0.7/24", "10.42.0.9/24", "fd00::7/64", "fd00::9/64", "fd00:0:0:1::9/64")
    found, _ = json.loads(printed(f"SOURCES = {sources!r}\n{CLIENTS}", *lan))
    assert found == {
        "127.0.0.1": [200, ["own"]],
        "::1": [200, ["own"]],
        "10.42.0.9": [302, ["10.42.0.9"]],
        "fd00::9": [302, ["fd00::/64"]],
        "fd00:0:0:1::9": [302, ["fd00:0:0:1::/64"]],
    }


@needs_own_network
def test_on_a_network_with_ipv6_alone_codes_lead_to_the_table() -> None:
    _, link = json.loads(printed(f"SOURCES = []\n{CLIENTS}", "fd00::7/64"))
    assert link == "http://[fd00::7]:0"


def sender_told(behind: str, forwarded: str) -> str:
    """Return whose request a page takes it for if 127.0.0.1 sends it to a server behind the proxy `behind`."""
    app = Flask("told")
    app.add_url_rule("/", view_func=lambda: str(request.remote_addr))
    server = PageServer(app, FairDispatcher(0, 4), EVERY, 0, 100, behind)
    server.start()
    client = http.client.HTTPConnection("127.0.0.1", server.port, timeout=GIVEN_UP_S)
    client.request("GET", "/", headers={"X-Forwarded-For": forwarded})
    told = client.getresponse().read().decode()
    client.close()
    server.stop()
    return told


def test_a_proxy_is_known_by_its_ipv4_address_and_nobody_else_is_believed() -> None:
    assert sender_told("127.0.0.1", "203.0.113.5") == "203.0.113.5"
    assert sender_told("127.0.0.1", "2001:db8::5") == "2001:db8::5"
    assert sender_told("192.0.2.1", "203.0.113.5") == "127.0.0.1"


def test_a_kernel_without_ipv6_still_serves_ipv4(monkeypatch: pytest.MonkeyPatch) -> None:
    class Ipv4Alone(socket.socket):
        def __init__(self, family: int = -1, *more: Any, **named: Any) -> None:
            if family == socket.AF_INET6:
                raise OSError(errno.EAFNOSUPPORT, "Address family not supported by protocol")
            super().__init__(family, *more, **named)

    monkeypatch.setattr("hardware.listening.socket.socket", Ipv4Alone)
    with bound_socket(EVERY, 0) as listening:
        assert listening.getsockname()[0] == "0.0.0.0"  # compared with


def test_a_port_that_another_server_has_is_taken_on_both_ip_versions() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(OSError, match="in use"):
        bound_socket(EVERY, other.getsockname()[1])
