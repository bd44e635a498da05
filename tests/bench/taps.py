"""Taps at a served table, and what its live streams hear of them. This process holds the streams."""

from __future__ import annotations

import json
import multiprocessing
import selectors
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from multiprocessing.connection import Connection
from typing import NamedTuple

import msgspec

from tests.bench.games import endless_game
from tests.narrowed import of_kind

EVERY_S = 0.1
PATIENCE_S = 10.0
SETTLED_S = 0.02
FIRST_TAPS = 2
"""Taps that bring the game to where it can go on for ever. They do not count."""


class Taps(NamedTuple):
    """When each tap was sent and which version of the table it made; then, in ms, each answer, every arrival of each
    tap on every stream, and each tap's last; the bytes of one update; and what each page's stream said first and of
    each tap, those before the first that counts included."""

    started_s: list[float]
    versions: list[int]
    answers: list[float]
    arrivals: list[float]
    last: list[float]
    size: int
    said: list[list[bytes]]


def child(
    work: Callable[..., object], *arguments: object, daemon: bool = True
) -> tuple[multiprocessing.process.BaseProcess, Connection]:
    """Run `work` with a pipe and `arguments` in a process of its own; only one that is no daemon may have children."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=work, args=(there, *arguments), daemon=daemon)
    process.start()
    return process, here


def request(port: int, text: str) -> socket.socket:
    stream = socket.create_connection(("127.0.0.1", port))
    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    stream.sendall(text.encode())
    return stream


def tap(port: int, walls: int, count: int, begin: Callable[[], None], pages: Sequence[str] = ()) -> Taps:
    """Open the streams, tap, and listen to what arrives. `begin` is called before the first tap that counts.

    :param pages: the requests of the streams of pages, which are opened first and whose bytes are kept.
    """
    of_pages = {request(port, head): [b""] for head in pages}
    streams = [request(port, "GET /live?kind=wall HTTP/1.1\r\nHost: localhost\r\n\r\n") for _ in range(walls)]
    ready = selectors.DefaultSelector()
    for stream in [*of_pages, *streams]:
        ready.register(stream, selectors.EVENT_READ)
    quiet(ready, 0.5, of_pages)
    kiosk = socket.create_connection(("127.0.0.1", port))
    kiosk.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    ready.register(kiosk, selectors.EVENT_READ)
    taps = Taps([], [], [], [], [], 0, list(of_pages.values()))
    size = 0
    begun = time.monotonic()
    _, actions = endless_game(count + FIRST_TAPS)
    for number, action in enumerate(actions):
        if number == FIRST_TAPS:
            begin()
            begun = time.monotonic() - number * EVERY_S
        time.sleep(max(begun + number * EVERY_S - time.monotonic(), 0))
        quiet(ready, 0.0, of_pages)
        for said_to_page in of_pages.values():
            said_to_page.append(b"")
        started, version = time.monotonic(), 0
        kiosk.sendall(_post(number, action))
        waiting = {kiosk, *streams, *of_pages}
        while waiting:
            events = ready.select(PATIENCE_S)
            if not events:
                raise RuntimeError(f"{len(waiting)} streams heard nothing of tap {number} for {PATIENCE_S:g} s")
            for key, _ in events:
                stream = of_kind(socket.socket, key.fileobj)
                said = stream.recv(1 << 20)
                late_ms = 1e3 * (time.monotonic() - started)
                if stream is kiosk:
                    if not said.startswith(b"HTTP/"):
                        continue  # the body, sent apart
                    assert b" 200 " in said.split(b"\r\n", 1)[0], said
                    if number >= FIRST_TAPS:
                        taps.answers.append(late_ms)
                    waiting.discard(kiosk)
                elif stream in of_pages:
                    of_pages[stream][-1] += said
                    if b"event: page" in said:
                        waiting.discard(stream)
                elif b"event: page" in said:
                    if number >= FIRST_TAPS:
                        taps.arrivals.append(late_ms)
                    if stream is streams[0]:
                        size, version = len(said), _version(said)
                    waiting.discard(stream)
        if number >= FIRST_TAPS:
            assert version > taps.versions[-1] if taps.versions else version, "each tap makes a new version"
            taps.started_s.append(started)
            taps.versions.append(version)
            taps.last.append(1e3 * (time.monotonic() - started))
        quiet(ready, SETTLED_S, of_pages)
    for stream in [*of_pages, *streams, kiosk]:
        stream.close()
    return taps._replace(size=size)


def _version(said: bytes) -> int:
    """Return the table's version in the id of an event: the process, the version, the refreshes (see `Live`)."""
    return int(said.split(b"\nevent: page")[0].rsplit(b"id: ", 1)[1].split(b".")[1])


def _post(number: int, action: object) -> bytes:
    body = json.dumps({"id": f"bench-{number}", "action": msgspec.to_builtins(action)}).encode()
    head = "POST /api/v1/actions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def quiet(ready: selectors.BaseSelector, for_s: float, kept: Mapping[socket.socket, list[bytes]] | None = None) -> None:
    """Read on until nothing has come for `for_s`. What sockets of `kept` say joins the last of their texts."""
    while events := ready.select(for_s):
        for key, _ in events:
            stream = of_kind(socket.socket, key.fileobj)
            said = stream.recv(1 << 20)
            if kept and stream in kept:
                kept[stream][-1] += said


def echo(port: int, clients: int, taps: int) -> list[list[float]]:
    """Return, in ms, every arrival of the floor's bytes, tap by tap."""
    streams = [socket.create_connection(("127.0.0.1", port)) for _ in range(clients)]
    ready = selectors.DefaultSelector()
    for stream in streams:
        ready.register(stream, selectors.EVENT_READ)
    arrivals = []
    for _ in range(taps):
        started = time.monotonic()
        streams[0].sendall(b"!")
        arrivals.append(heard(ready, streams, started))
    for stream in streams:
        stream.close()
    return arrivals


def heard(ready: selectors.BaseSelector, streams: Sequence[socket.socket], started: float) -> list[float]:
    """Wait until each stream has heard something, and then until all are quiet.

    :returns: when each first heard something, in ms after `started`.
    :raises RuntimeError: some hear nothing for `PATIENCE_S`.
    """
    arrivals: list[float] = []
    waiting = set(streams)
    while waiting:
        events = ready.select(PATIENCE_S)
        if not events:
            raise RuntimeError(f"{len(waiting)} streams heard nothing for {PATIENCE_S:g} s")
        for key, _ in events:
            stream = of_kind(socket.socket, key.fileobj)
            stream.recv(1 << 20)
            if stream in waiting:
                arrivals.append(1e3 * (time.monotonic() - started))
                waiting.discard(stream)
    quiet(ready, SETTLED_S)
    return arrivals
