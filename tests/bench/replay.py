"""The floor of a tap beside real browsers: a process that sends what a table sent, and does nothing else.

A table is recorded: four pages, what their streams said first, and what they said of each tap. The replay commits a row
and sends the same bytes to as many sockets, four of which are those of the same pages in real browsers. What a page
takes to show them is then part of the floor, as it is part of a tap.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import sqlite3
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from tests.bench.taps import heard, quiet, request

HEAD_MOST = 1 << 16
RAW, TAP = "RAW / HTTP/1.1\r\n\r\n", "TAP / HTTP/1.1\r\n\r\n"
"""The requests of a stream that no page shows, and of the connection whose bytes are taps."""
BEAT, BEAT_S = b"15\r\nevent: beat\ndata: 1\n\n\r\n", 1.5
"""What pages hear until the first tap, as they do from a table, and how often; else they open their streams again."""


class FloorJournal:
    """A database that syncs each row to disk, as the journal does, and does nothing else."""

    def __init__(self, folder: Path) -> None:
        self._db = sqlite3.connect(folder / "floor.sqlite3", isolation_level=None)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.execute("CREATE TABLE entries (seq INTEGER PRIMARY KEY, body BLOB)")

    def commit(self) -> None:
        """Commit one row."""
        self._db.execute("INSERT INTO entries (body) VALUES (?)", (b"x" * 120,))

    def close(self) -> None:
        """Close the database."""
        self._db.close()


class Watched(NamedTuple):
    """One page to record: its address, the address of its stream, its language, and its cookies."""

    path: str
    live: str
    language: str
    cookies: str = ""

    def head(self, path: str) -> str:
        """Return the request for `path` that the page's browser would send."""
        cookies = f"Cookie: {self.cookies}\r\n" if self.cookies else ""
        return f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept-Language: {self.language}\r\n{cookies}\r\n"


class Recording(NamedTuple):
    """What a table sent: each page's HTML by (path, language); by (stream, language) its answer up to its first page
    and the bytes of each tap; and the version of the table that each tap made."""

    pages: dict[tuple[str, str], bytes]
    streams: dict[tuple[str, str], list[bytes]]
    versions: list[int]


def watched(port: int, join: str) -> list[Watched]:
    """Return two walls, the kiosk, and the phone that `join` seats, in the languages in which `browse` opens them."""
    seated = _answer(port, f"GET {join} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").decode("latin-1")
    lines = [line.split(": ", 1) for line in seated.split("\r\n\r\n", 1)[0].split("\r\n")[1:]]
    cookies = "; ".join(value.split(";", 1)[0] for name, value in lines if name.lower() == "set-cookie")
    seat = next(value for name, value in lines if name.lower() == "location").rsplit("/", 1)[1]
    return [
        Watched("/", "/live?kind=wall", "en"),
        Watched("/", "/live?kind=wall", "de"),
        Watched("/kiosk", "/live?kind=kiosk", "en"),
        Watched(f"/seat/{seat}", f"/live?kind=seat&seat={seat}", "de", cookies),
    ]


def html_of(port: int, page: Watched) -> bytes:
    """Return the answer to a request for the page, its head included."""
    return _answer(port, page.head(page.path).replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"))


def _answer(port: int, head: str) -> bytes:
    with request(port, head) as connection:
        return b"".join(iter(lambda: connection.recv(1 << 16), b""))


def replay(pipe: Connection, folder: str, told: Recording, upstream: int, raw_streams: int) -> None:
    """Answer the port; then serve what was recorded, and everything else from the table at port `upstream`.

    At each tap commit one row and send every stream its bytes, until the taps' connection ends. Pages come first, as
    they do at the table.
    """
    journal = FloorJournal(Path(folder))
    pages: list[tuple[socket.socket, list[bytes]]] = []
    raw: list[socket.socket] = []
    tapped: list[socket.socket] = []
    complete = threading.Event()

    def take(connection: socket.socket) -> None:
        head = connection.recv(HEAD_MOST)
        path = head.split(b" ", 2)[1].decode() if head.count(b" ") > 1 else ""
        language = "de" if b"accept-language: de" in head.lower() else "en"
        if head in (RAW.encode(), TAP.encode()):
            (raw if head == RAW.encode() else tapped).append(connection)
            if len(raw) == raw_streams and tapped:
                complete.set()
        elif (path, language) in told.streams:
            first, *taps = told.streams[path, language]
            connection.sendall(first)
            pages.append((connection, taps))
        elif (path, language) in told.pages:
            with connection:
                connection.sendall(told.pages[path, language])
        elif path:
            with connection, contextlib.suppress(OSError):
                once = head.replace(b"Connection: keep-alive", b"Connection: close")
                connection.sendall(_answer(upstream, once.decode("latin-1")))

    def listen() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection = listener.accept()[0]
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=take, args=(connection,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0), backlog=raw_streams + 64) as listener:
        threading.Thread(target=listen, daemon=True).start()
        pipe.send(listener.getsockname()[1])
        while not complete.wait(BEAT_S):
            for connection, _ in pages:
                with contextlib.suppress(OSError):  # it was opened again
                    connection.sendall(BEAT)
        tapped[0].sendall(b"!")
        wall = told.streams["/live?kind=wall", "en"][1:]
        number = 0
        while tapped[0].recv(1):
            journal.commit()
            for connection, taps in pages:
                with contextlib.suppress(OSError):  # as above
                    connection.sendall(taps[number])
            for connection in raw:
                connection.sendall(wall[number])
            number += 1
        journal.close()


class Replayed(NamedTuple):
    """When each tap of the replay was sent, and, in ms, the arrivals of each tap on every raw stream."""

    started_s: list[float]
    arrivals: list[list[float]]


def replayed(port: int, raw_streams: int, taps: int, every_s: float) -> Replayed:
    """Open the raw streams, trigger each tap, and listen to what arrives."""
    streams = [request(port, RAW) for _ in range(raw_streams)]
    ready = selectors.DefaultSelector()
    for stream in streams:
        ready.register(stream, selectors.EVENT_READ)
    quiet(ready, 0.5)
    done = Replayed([], [])
    taps_on = request(port, TAP)
    taps_on.recv(1)  # it is ready
    begun = time.monotonic()
    for number in range(taps):
        time.sleep(max(begun + number * every_s - time.monotonic(), 0))
        started = time.monotonic()
        done.started_s.append(started)
        taps_on.sendall(b"!")
        done.arrivals.append(heard(ready, streams, started))
    for stream in [*streams, taps_on]:
        stream.close()
    return done
