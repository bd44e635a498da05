"""A machine below the table that keeps what it is asked, and the host at its page."""

from __future__ import annotations

import json
import socket
import threading
from pathlib import Path
from typing import Any

from tests.web.stand import PIN, Stand

HERE = {"Origin": "http://localhost"}
SHA256 = "ab" * 32
STATE = {
    "installed": "1.0.0",
    "found": [{"source": "stick", "version": "1.2.0", "sha256": SHA256, "file": "/media/stick/x.deb"}],
}


class Asked:
    """The machine's socket: keeps what is asked and answers what it is told to."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder, self.asks = folder, list[dict[str, Any]]()
        self.answer: dict[str, Any] = {"problem": "", "updates": STATE}
        self._ear = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._ear.bind(str(folder / "socket"))
        self._ear.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._ear.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as told:
                self.asks.append(json.loads(told.read()))
                connection.sendall(json.dumps(self.answer).encode())

    def close(self) -> None:
        self._ear.shutdown(socket.SHUT_RDWR)
        self._ear.close()


def host(stand: Stand) -> Any:
    client = stand.kiosk()
    assert client.post("/host/unlock", data={"pin": PIN}, headers=HERE).status_code == 302
    return client
