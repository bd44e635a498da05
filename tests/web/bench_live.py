"""How fast a tap reaches everybody: `python -m tests.web.bench_live [--phones 200] [--taps 100]`.

One process serves; another holds the event streams. A tap is posted, and each stream's arrival of the update it caused
is timed on the shared CLOCK_MONOTONIC. Prints median, 95th and 99th percentile in milliseconds over all arrivals, and
the server's resident memory.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import os
import selectors
import socket
import statistics
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

from hardware.clock import MonotonicClock
from tests.web.stand import Stand
from web.serve import Server


def serve(pipe: Connection) -> None:
    """Serve one table until the pipe closes; answer every message with the resident memory in kB."""
    with tempfile.TemporaryDirectory() as folder:
        stand = Stand(Path(folder), clock=MonotonicClock(), port=0)
        stand.table.start()
        server = Server(stand.app, stand.site, host="127.0.0.1")
        server.start()
        stand.open(4)
        pipe.send(server.port)
        while pipe.recv():
            pipe.send(int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024)
        server.stop()
        stand.close()


def listen(port: int, count: int) -> list[socket.socket]:
    """Open `count` event streams of the wall."""
    streams = []
    for _ in range(count):
        stream = socket.create_connection(("127.0.0.1", port))
        stream.sendall(b"GET /live?kind=wall HTTP/1.1\r\nHost: localhost\r\n\r\n")
        streams.append(stream)
    return streams


def actions(taps: int) -> list[dict[str, object]]:
    """A course of a game that can go on for ever: rolls that were disturbed."""
    course: list[dict[str, object]] = [{"do": "roll", "seat": 0, "value": 3}, {"do": "time_up"}]
    course += [{"do": "attempt", "seat": 0, "outcome": "disturbed"}] * taps
    return course[:taps]


def measure(port: int, count: int, taps: int) -> list[float]:
    """Return every arrival's delay after its tap, in milliseconds."""
    streams = listen(port, count)
    ready = selectors.DefaultSelector()
    for stream in streams:
        ready.register(stream, selectors.EVENT_READ)
    quiet(ready)
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.connect()
    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    delays: list[float] = []
    for number, action in enumerate(actions(taps)):
        started = time.monotonic()
        body = json.dumps({"id": f"bench-{number}", "action": action}).encode()
        connection.request("POST", "/api/v1/actions", body, {"Content-Type": "application/json"})
        waiting = set(streams)
        while waiting:
            for key, _ in ready.select(timeout=10):
                if b"event: page" in key.fileobj.recv(1 << 20):  # type: ignore[union-attr]  # a socket was registered
                    delays.append((time.monotonic() - started) * 1000)
                    waiting.discard(key.fileobj)  # type: ignore[arg-type]  # as above
        connection.getresponse().read()
        quiet(ready)
    for stream in streams:
        stream.close()
    return delays


def quiet(ready: selectors.BaseSelector) -> None:
    """Read on until nothing more comes for a twentieth of a second."""
    while events := ready.select(timeout=0.05):
        for key, _ in events:
            key.fileobj.recv(1 << 20)  # type: ignore[union-attr]  # a socket was registered


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--phones", type=int, default=200)
    parser.add_argument("--taps", type=int, default=100)
    wanted = parser.parse_args()
    here, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
    server.start()
    port = here.recv()
    delays = measure(port, wanted.phones, wanted.taps)
    here.send(True)
    resident_kb = here.recv()
    here.send(False)
    cuts = statistics.quantiles(delays, n=100)
    print(f"{wanted.phones} streams, {wanted.taps} taps: median {cuts[49]:.1f} ms, p95 {cuts[94]:.1f} ms,")
    print(f"p99 {cuts[98]:.1f} ms from tap to arrival; server {resident_kb / 1024:.0f} MB resident")
    server.join(timeout=5)


if __name__ == "__main__":
    main()
