"""A machine below the table that keeps what it is asked, and the host at its page."""

from __future__ import annotations

import json
import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.patience import GIVEN_UP_S
from tests.web.stand import PIN, Stand

HERE = {"Origin": "http://localhost"}
SHA256 = "ab" * 32
STATE = {
    "installed": "1.0.0",
    "found": [{"source": "stick", "version": "1.2.0", "sha256": SHA256, "file": "/media/stick/x.deb"}],
}
AT_ONCE = 4
"""`MaxConnections=` of smugglers-machine.socket: further ones are closed unread."""


class Asked:
    """The machine's socket, which answers each connection by itself as systemd does: keeps what is asked.

    `answer` is what it answers, or `lie` as it stands where that is set. While `hangs` it answers nobody, until
    `let_go` ends those that wait without an answer, as the bound on the helper's life does.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder, self.asks = folder, list[dict[str, Any]]()
        self.answer: dict[str, Any] = {"problem": "", "updates": STATE}
        self.lie: bytes | None = None
        self.hangs = False
        self.waiting = threading.Semaphore(0)
        """Released for each ask that hangs."""
        self._free = threading.Semaphore(AT_ONCE)
        self._over = threading.Event()
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
            if self._free.acquire(blocking=False):
                threading.Thread(target=self._help, args=(connection,), daemon=True).start()
            else:
                connection.close()

    def _help(self, connection: socket.socket) -> None:
        # Who asked may have gone.
        with connection, connection.makefile("rb") as told, suppress(OSError):
            self.asks.append(json.loads(told.read()))
            if self.hangs:
                self.waiting.release()
                self._over.wait(GIVEN_UP_S)
            else:
                connection.sendall(json.dumps(self.answer).encode() if self.lie is None else self.lie)
            self._free.release()

    def let_go(self) -> None:
        """End all that hang."""
        self._over.set()

    def close(self) -> None:
        self.let_go()
        self._ear.shutdown(socket.SHUT_RDWR)
        self._ear.close()


def host(stand: Stand) -> Any:
    client = stand.kiosk()
    assert client.post("/host/unlock", data={"pin": PIN}, headers=HERE).status_code == 302
    return client
