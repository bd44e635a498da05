"""A radio link between phones and the table that can go silent: connections stay open, and nothing comes through."""

from __future__ import annotations

import contextlib
import socket
import threading

CHUNK = 65_536


class Wire:
    """Passes bytes both ways between a port of its own and that of the table.

    While it is cut, what is sent waits, as a radio's retries do; it arrives when the link is back.
    """

    def __init__(self, port: int) -> None:
        self._to = port
        self._ear = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._ear.getsockname()[1])
        self._through = threading.Event()
        self._through.set()
        self._ends: list[socket.socket] = []
        self._ended = False
        threading.Thread(target=self._serve, daemon=True).start()

    def cut(self) -> None:
        """Let nothing through from now on."""
        self._through.clear()

    def mend(self) -> None:
        """Let everything through again, first of all what waited."""
        self._through.set()

    def close(self) -> None:
        """End every connection."""
        self._ended = True
        self._through.set()
        for end in (self._ear, *self._ends):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._ear.accept()
                far = socket.create_connection(("127.0.0.1", self._to))
                self._ends += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._pass_on, args=(one, other), daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while sent := one.recv(CHUNK):
                self._through.wait()
                if self._ended:
                    return
                other.sendall(sent)
            other.shutdown(socket.SHUT_WR)
