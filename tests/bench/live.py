"""From a tap to every screen, with 200 live streams and four real browsers: `python -m tests.bench.live`.

One process serves a table; this one holds the streams and taps; a third drives Chromium. The floors: a bare SQLite
commit on the same disk, and the same bytes sent to as many sockets by a process that does nothing else.
"""

from __future__ import annotations

import os
import socket
import sqlite3
import statistics
import tempfile
import time
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from hardware.clock import MonotonicClock
from tests.bench.browsers import Shown, browse, can_browse
from tests.bench.machine import cpu_of_threads, thread_named
from tests.bench.page import Aim, Section, Table, show
from tests.bench.taps import EVERY_S, Taps, child, echo, tap
from tests.web.stand import Stand
from web.phones import Seat
from web.serve import Server

WALLS, SEATS = 200, 4
TAPS = 150
AIM_FLOORS, AIM_CPU_MS = 5.0, 8.0


class Served(NamedTuple):
    """One run: its taps, what its browsers showed, and the processor time and memory of the serving process."""

    taps: Taps
    shown: list[Shown]
    cpu_s: float
    threads_s: Counter[str]
    resident_mb: float


def measure(effort: float = 1.0) -> Section:
    walls, count = max(round(WALLS * effort), 3), max(round(TAPS * effort), 5)
    with tempfile.TemporaryDirectory() as folder:
        commits = [1e3 * each for each in commit_floor(Path(folder) / "floor.sqlite3", count)]
    alone = _served(walls, count, browsers=False)
    served = _served(walls, count, browsers=True) if can_browse() else alone
    pages = _pages(served.taps, served.shown)
    watchers = walls + len(served.shown)
    fan, pipe = child(fan_out, watchers, served.taps.size)
    echoes = echo(pipe.recv(), watchers, count)
    floor_cpu_ms = 1e3 * pipe.recv() / count
    fan.join(timeout=10)
    floor = [commit + each for commit, of_tap in zip(commits, echoes, strict=True) for each in of_tap]
    sent = [each for of_tap in echoes for each in of_tap]
    seen = max(cut(served.taps.arrivals, 99), cut(pages, 99) if pages else 0.0)
    arrived = cut(alone.taps.arrivals, 99)
    a_tap_ms = 1e3 * served.cpu_s / count
    judged = walls >= WALLS and bool(pages)
    return Section(
        title="From a tap to every screen",
        method=f"{walls} streams of the wall and {len(served.shown)} browsers (Chromium: two walls, kiosk, phone), "
        f"{count} taps at {1 / EVERY_S:.0f} per second, all on the cores of this machine; then without browsers, "
        "whose work takes these cores. A page has shown a tap when its MutationObserver reports the new content. The "
        "times are elapsed times, because three programs and the disk are involved.",
        tables=[
            Table(
                heads=("", "median", "99 %", "largest", "99 % ÷ floor"),
                rows=[
                    _row("tap → committed and answered", served.taps.answers, floor),
                    _row("tap → arrived, on each stream", served.taps.arrivals, floor),
                    *([_row("tap → shown, on each browser's page", pages, floor)] if pages else []),
                    _row("tap → arrived, on the last of all streams", served.taps.last, floor),
                    _row("without browsers: tap → committed and answered", alone.taps.answers, floor),
                    _row("without browsers: tap → arrived, on each stream", alone.taps.arrivals, floor),
                    _row("floor: a bare SQLite commit, WAL, synchronous FULL", commits, floor),
                    _row(f"floor: the same {served.taps.size / 1024:.1f} kB to as many sockets", sent, floor),
                    _row("floor: both", floor, floor),
                ],
            ),
            Table(
                title="The server's processor time per tap",
                heads=("thread", "with browsers", "without"),
                rows=[
                    [thread_named(name), *(f"{1e3 * one.threads_s[name] / count:.2f} ms" for one in (served, alone))]
                    for name, _ in served.threads_s.most_common()
                ],
            ),
        ],
        aims=[
            Aim(
                what=f"an action: tap to committed to seen by {walls} live clients and {len(served.shown)} browsers",
                wanted=f"99 % within {AIM_FLOORS:.0f} × the floor: the same bytes to as many sockets, and the commit",
                measured=f"{cut(served.taps.arrivals, 99):.0f} ms on streams, {seen / cut(floor, 99):.1f} × the floor"
                + (f", {cut(pages, 99):.0f} ms in browsers" if pages else "; there is no browser here"),
                met=seen / cut(floor, 99) <= AIM_FLOORS if judged else None,
                why="measured on loopback; clients and browsers run on the same cores",
            ),
            Aim(
                what=f"the same for {walls} live clients, without browsers on these cores",
                wanted=f"99 % within {AIM_FLOORS:.0f} × the floor",
                measured=f"{arrived:.0f} ms, {arrived / cut(floor, 99):.1f} × the floor",
                met=arrived / cut(floor, 99) <= AIM_FLOORS if judged else None,
            ),
            Aim(
                what="the server's share of it",
                wanted=f"{AIM_CPU_MS:.0f} ms of processor time per tap",
                measured=f"{a_tap_ms:.1f} ms; without browsers {1e3 * alone.cpu_s / count:.1f} ms",
                met=a_tap_ms <= AIM_CPU_MS if judged else None,
                why="touchscreen and phone are two more pages to render",
            ),
        ],
        notes=[
            f"The server took {a_tap_ms:.1f} ms of processor time per tap for all streams together, and held "
            f"{served.resident_mb:.0f} MB at the end. Sending the bytes of the floor took {floor_cpu_ms:.1f} ms.",
            *(
                [f"The pages' clocks are known to within {1e3 * max(page.clock_sd_s for page in served.shown):.1f} ms."]
                if served.shown
                else []
            ),
        ],
    )


def _served(walls: int, count: int, *, browsers: bool) -> Served:
    """Serve a table to so many streams, and to browsers or not; tap `count` times."""
    with tempfile.TemporaryDirectory() as folder:
        server, there = child(serve, folder)
        port, joins = there.recv()
        paths = ["/", "/", "/kiosk", joins[0]] if browsers else []
        opened, pipe = child(browse, port, paths) if paths else (None, None)
        if pipe is not None:
            pipe.recv()
        taps = tap(port, walls, count, lambda: _told(there, "begin"))
        there.send("end")
        resident_mb, cpu_s, threads_s = there.recv()
        shown: list[Shown] = []
        if opened is not None and pipe is not None:
            pipe.send(taps.versions[-1])
            shown = pipe.recv()
            opened.join(timeout=10)
        there.send("stop")
        server.join(timeout=10)
    return Served(taps, shown, cpu_s, threads_s, resident_mb)


def _told(process: Connection, what: str) -> None:
    """Tell the process and wait until it has heard."""
    process.send(what)
    process.recv()


def _pages(taps: Taps, shown: list[Shown]) -> list[float]:
    """Return, in ms, how late each page showed each tap."""
    found = []
    for page in shown:
        for number, (started_s, version) in enumerate(zip(taps.started_s, taps.versions, strict=True)):
            late_s = page.late_s(started_s, version)
            if late_s is None:
                raise RuntimeError(f"the page {page.path} never showed tap {number}")
            found.append(1e3 * late_s)
    return found


def cut(values: list[float], percent: int) -> float:
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def _row(what: str, values: list[float], floor: list[float]) -> list[str]:
    p99 = cut(values, 99)
    return [what, f"{cut(values, 50):.1f} ms", f"{p99:.1f} ms", f"{max(values):.1f} ms", f"{p99 / cut(floor, 99):.1f}"]


def commit_floor(path: Path, count: int) -> list[float]:
    """Return how long each of so many bare commits of one row took, in seconds."""
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("CREATE TABLE entries (seq INTEGER PRIMARY KEY, body BLOB)")
    lasted = []
    for _ in range(count):
        start = time.monotonic()
        db.execute("INSERT INTO entries (body) VALUES (?)", (b"x" * 120,))
        lasted.append(time.monotonic() - start)
    db.close()
    return lasted


# -- the serving process -----------------------------------------------------------------------------------------


def serve(pipe: Connection, folder: str) -> None:
    """Serve one table; between "begin" and "end" measure processor time. Answer resident megabytes, the processor
    seconds, and those of each kind of thread."""
    stand = Stand(Path(folder), clock=MonotonicClock(), port=0)
    stand.table.start()
    server = Server(stand.app, stand.site, host="127.0.0.1")
    server.start()
    stand.open(SEATS)
    game_id = str(stand.table.snapshot().game_id)
    paths = ["/join/" + stand.keys.join_url(Seat(game_id, seat)).rsplit("/", 1)[1] for seat in range(SEATS)]
    pipe.send((server.port, paths))
    pipe.recv()
    server.warmed_up.wait()
    before_s, threads_s = time.process_time(), cpu_of_threads()
    pipe.send("begun")
    pipe.recv()
    cpu_s, threads_s = time.process_time() - before_s, cpu_of_threads() - threads_s
    resident_pages = int(Path("/proc/self/statm").read_text().split()[1])
    pipe.send((resident_pages * os.sysconf("SC_PAGESIZE") / 2**20, cpu_s, threads_s))
    pipe.recv()
    server.stop()
    stand.close()


def fan_out(pipe: Connection, clients: int, size: int) -> None:
    """Send `size` bytes to every client whenever the first one sends a byte, until it hangs up. Answer the port, and in
    the end the processor seconds that this took."""
    with socket.create_server(("127.0.0.1", 0), backlog=clients) as listener:
        pipe.send(listener.getsockname()[1])
        connections = [listener.accept()[0] for _ in range(clients)]
        before_s = time.process_time()
        while connections[0].recv(1):
            for connection in connections:
                connection.sendall(b"x" * size)
        for connection in connections:
            connection.close()
    pipe.send(time.process_time() - before_s)


if __name__ == "__main__":
    show(measure)
