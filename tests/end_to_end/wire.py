"""A radio link between a phone and the table, with what radio links do: silence, loss, lag, one way alone.

A real TCP connection runs on each side of it, so that browser and server see what they would see of a bad link.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable

CHUNK = 65_536
_RESET = struct.pack("ii", 1, 0)
"""SO_LINGER of no time: a close that tells the other side of a loss instead of an end (`socket(7)`)."""


class Wire:
    """Passes bytes both ways between a port of its own and that of the table.

    While it is cut, what is sent waits, as a radio's retries do; it arrives when the link is back.
    """

    def __init__(self, port: int) -> None:
        self._to = port
        self._ear = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._ear.getsockname()[1])
        self.lag_s = 0.0
        """How long every piece takes, each way."""
        self._there, self._back = _Way(), _Way()
        self._cuts_next: Callable[[], None] = lambda: None
        self._refuses = False
        self._ends: set[socket.socket] = set()
        self._lost: set[socket.socket] = set()
        self._ended = threading.Event()
        threading.Thread(target=self._serve, daemon=True).start()

    def cut(self) -> None:
        """Let nothing through from now on."""
        self.cut_back()
        self._there.close()

    def cut_back(self) -> None:
        """Let nothing of what the table says through from now on."""
        self._back.close()

    def cut_with_the_next(self, *, back_alone: bool = False) -> None:
        """Let nothing through from the next piece on that is sent to the table. What the table says comes until then.

        A page that hears nothing for a while sends nothing any more: a busy machine may take longer for a tap.

        :param back_alone: what is sent to the table arrives, and nothing comes back.
        """
        self._cuts_next = self.cut_back if back_alone else self.cut

    def sever(self) -> None:
        """End every connection with what waits in it, and refuse new ones, as a phone without Wi-Fi sees it."""
        self._refuses = True
        self._end_all()

    def forget(self) -> None:
        """Drop for ever what open connections carry, and tell nobody; new ones work, as after a Wi-Fi restart."""
        self._lost |= self._ends
        self.mend()

    def mend(self) -> None:
        """Let everything through again, first of all what waited."""
        self._refuses = False
        self._cuts_next = lambda: None
        self._there.open()
        self._back.open()

    def await_sent(self) -> None:
        """Wait until something waits on its way to the table."""
        self._there.held.wait()

    def close(self) -> None:
        """End every connection."""
        self._ended.set()
        self.mend()
        with contextlib.suppress(OSError):
            self._ear.shutdown(socket.SHUT_RDWR)
        self._ear.close()
        self._end_all()

    def _end_all(self) -> None:
        for end in list(self._ends):
            self._end(end)

    def _end(self, end: socket.socket) -> None:
        self._ends.discard(end)
        with contextlib.suppress(OSError):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            end.shutdown(socket.SHUT_RD)
        end.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._ear.accept()
                if self._refuses:
                    self._end(near)
                    continue
                far = socket.create_connection(("127.0.0.1", self._to))
                self._ends |= {near, far}
                for one, other, way in ((near, far, self._there), (far, near, self._back)):
                    threading.Thread(target=self._pass_on, args=(one, other, way), daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket, way: _Way) -> None:
        with contextlib.suppress(OSError):
            while sent := one.recv(CHUNK):
                self._ended.wait(self.lag_s)
                if way is self._there:
                    self._cuts_next()
                way.pass_through()
                if one not in self._lost:
                    other.sendall(sent)
            if one not in self._lost:
                other.shutdown(socket.SHUT_WR)


class _Way:
    """One direction: open, or holding what comes. `held` is set while something waits."""

    def __init__(self) -> None:
        self._open = threading.Event()
        self._open.set()
        self.held = threading.Event()

    def open(self) -> None:
        self.held.clear()
        self._open.set()

    def close(self) -> None:
        self._open.clear()

    def pass_through(self) -> None:
        if not self._open.is_set():
            self.held.set()
            self._open.wait()
