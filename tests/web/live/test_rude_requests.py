"""Requests that no browser sends: each is answered, none is logged as a bug, and the table serves on."""

from __future__ import annotations

import logging
import socket
from collections.abc import Iterator
from urllib.request import urlopen

import pytest

from tests.patience import GIVEN_UP_S
from tests.web.stand import Stand
from web.live.serve import Server

pytestmark = pytest.mark.slow

HEAD = b"Host: 127.0.0.1\r\nConnection: close\r\n"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    stand = Stand(tmp_path_factory.mktemp("rude"), port=0)
    server = Server(stand.app, stand.site, host="127.0.0.1")
    server.start()
    yield server
    server.stop()
    stand.close()


def answered(server: Server, request: bytes) -> bytes:
    """Return all that the server says to `request` until it ends the connection."""
    said = b""
    with socket.create_connection(("127.0.0.1", server.port), timeout=GIVEN_UP_S) as client:
        client.sendall(request)
        while part := client.recv(1 << 16):
            said += part
    return said


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET http://[::1/ HTTP/1.1\r\n" + HEAD + b"\r\n", b"400"),
        (b"GET http://a]b/ HTTP/1.1\r\n" + HEAD + b"\r\n", b"400"),
        (b"POST /undo HTTP/1.1\r\n" + HEAD + b"Content-Length: " + b"9" * 5000 + b"\r\n\r\nabc", b"400"),
        (b"POST /undo HTTP/1.1\r\n" + HEAD + b"Content-Length: -5\r\n\r\n", b"400"),
        (b"POST /undo HTTP/1.1\r\n" + HEAD + b"Transfer-Encoding: chunked\r\n\r\nZZ\r\nabc\r\n0\r\n\r\n", b"400"),
        (b"\x16\x03\x01\x00\xc8\x01" + b"\x11" * 190 + b"\r\n\r\n", b"400"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x11" * 506, b"400"),
        (b"\x00\xff\xfe\x01" * 200 + b"\r\n\r\n", b"400"),
        (b"GET //[ HTTP/1.1\r\n" + HEAD + b"\r\n", b"404"),
        (b"GET /static/%00%ff%zz HTTP/1.1\r\n" + HEAD + b"\r\n", b"404"),
        (b"GET /static/" + b"a" * 5000 + b" HTTP/1.1\r\n" + HEAD + b"\r\n", b"404"),
    ],
    ids=lambda given: repr(given[:40]),
)
def test_a_request_that_no_browser_sends_is_answered_and_is_no_bug(
    served: Server, caplog: pytest.LogCaptureFixture, request_: bytes, status: bytes
) -> None:
    said = answered(served, request_)
    assert said.split(b" ", 2)[1] == status
    assert b"Traceback" not in said
    assert b".py" not in said
    assert [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING] == []
    with urlopen(f"http://127.0.0.1:{served.port}/wall") as page:  # the table serves on
        assert page.status == 200
