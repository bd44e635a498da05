"""`answers`, with which the package's guard asks a table whether it serves its page."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.patience import GIVEN_UP_S
from tests.places import ROOT


class Page(BaseHTTPRequestHandler):
    """Serves the wall's page and no other."""

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/wall" else 404)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Log nothing."""


class Server6(ThreadingHTTPServer):
    address_family = socket.AF_INET6


@pytest.fixture(params=["127.0.0.1", "::1"])
def served(request: pytest.FixtureRequest) -> Iterator[tuple[str, int]]:
    """Serve the page on one address of this machine."""
    host = str(request.param)
    server = (Server6 if ":" in host else ThreadingHTTPServer)((host, 0), Page)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield host, server.server_address[1]
    server.shutdown()
    thread.join()
    server.server_close()


def asked(settings: Path) -> subprocess.CompletedProcess[str]:
    script = (ROOT / "systemd/deb/answers").read_text(encoding="utf-8")
    moved = script.replace("/etc/default/smugglers-table", str(settings))
    assert moved != script
    command = [sys.executable, "-c", moved]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=GIVEN_UP_S)


def test_a_table_that_serves_its_page_is_heard_at_every_kind_of_address(
    served: tuple[str, int], tmp_path: Path
) -> None:
    host, port = served
    settings = tmp_path / "settings"
    for written in (host,) if ":" in host else (host, "0.0.0.0", "::"):
        settings.write_text(f'SMUGGLERS_HOST="{written}"\nSMUGGLERS_PORT={port}\n')
        done = asked(settings)
        assert done.returncode == 0, done.stderr


def test_a_table_that_does_not_serve_is_told_with_its_address(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        (tmp_path / "settings").write_text(f"SMUGGLERS_HOST=127.0.0.1\nSMUGGLERS_PORT={port}\n")
        done = asked(tmp_path / "settings")
    assert done.returncode == 1
    assert f"http://127.0.0.1:{port}/wall" in done.stderr
