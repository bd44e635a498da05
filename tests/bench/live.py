"""From a tap to every screen, with 200 live streams and four real browsers: `python -m tests.bench.live`.

One process serves a table; this one holds the streams and taps; a third drives Chromium. The floors: a bare SQLite
commit on the same disk, and the same bytes sent to as many sockets by a process that does nothing else.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import selectors
import socket
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

import msgspec

from hardware.clock import MonotonicClock
from tests.bench.browsers import Shown, browse, can_browse
from tests.bench.games import endless_game
from tests.bench.machine import cpu_of_threads, thread_named
from tests.bench.page import Aim, Section, Table, show
from tests.web.stand import Stand
from web.phones import Seat
from web.serve import Server

WALLS, SEATS = 200, 4
TAPS, EVERY_S = 150, 0.1
PATIENCE_S = 10.0
SETTLED_S = 0.02
AIM_FLOORS, AIM_CPU_MS = 5.0, 8.0


class Taps(NamedTuple):
    """When each tap was sent and which version of the table it made; then, in ms, each answer, every arrival of each
    tap on every stream, and each tap's last; and the bytes of one update."""

    started_s: list[float]
    versions: list[int]
    answers: list[float]
    arrivals: list[float]
    last: list[float]
    size: int


def measure(effort: float = 1.0) -> Section:
    walls, count = max(round(WALLS * effort), 3), max(round(TAPS * effort), 5)
    with tempfile.TemporaryDirectory() as folder:
        commits = [1e3 * each for each in commit_floor(Path(folder) / "floor.sqlite3", count)]
        server, there = child(serve, folder)
        port, joins = there.recv()
        paths = ["/", "/", "/kiosk", joins[0]] if can_browse() else []
        browsers, pipe = child(browse, port, paths) if paths else (None, None)
        if pipe is not None:
            pipe.recv()
        taps = _tap(port, walls, count, lambda: _told(there, "begin"))
        there.send("end")
        resident_mb, cpu_s, threads_s = there.recv()
        shown: list[Shown] = []
        if browsers is not None and pipe is not None:
            pipe.send(taps.versions[-1])
            shown = pipe.recv()
            browsers.join(timeout=10)
        there.send("stop")
        server.join(timeout=10)
        fan, pipe = child(fan_out, walls + len(paths), taps.size)
        echoes = _echo(pipe.recv(), walls + len(paths), count)
        floor_cpu_ms = 1e3 * pipe.recv() / count
        fan.join(timeout=10)
    pages = _pages(taps, shown)
    seen = taps.arrivals + pages
    floor = [commit + each for commit, of_tap in zip(commits, echoes, strict=True) for each in of_tap]
    rows = [
        _row("tap → committed and answered", taps.answers, floor),
        _row("tap → arrived, on each stream", taps.arrivals, floor),
        *([_row("tap → shown, on each browser's page", pages, floor)] if pages else []),
        _row("tap → seen, streams and pages together", seen, floor),
        _row("tap → arrived, on the last of all streams", taps.last, floor),
        _row("floor: a bare SQLite commit, WAL, synchronous FULL", commits, floor),
        _row(
            f"floor: the same {taps.size / 1024:.1f} kB to as many sockets",
            [each for of_tap in echoes for each in of_tap],
            floor,
        ),
        _row("floor: both", floor, floor),
    ]
    floors = max(cut(taps.arrivals, 99), cut(pages, 99) if pages else 0.0) / cut(floor, 99)
    a_tap_ms = 1e3 * cpu_s / count
    judged = walls >= WALLS and bool(pages)
    in_pages = f", {cut(pages, 99):.0f} ms in browsers" if pages else "; there is no browser here"
    return Section(
        title="From a tap to every screen",
        method=f"{walls} streams of the wall and {len(paths)} browsers (Chromium: two walls, kiosk, phone), {count} "
        f"taps at {1 / EVERY_S:.0f} per second, all on the cores of this machine. A page has shown a tap when its "
        "MutationObserver reports the new content. The times are elapsed times, because three programs and the disk "
        "are involved.",
        tables=[
            Table(heads=("", "median", "99 %", "largest", "99 % ÷ floor"), rows=rows),
            Table(
                title="The server's processor time per tap",
                heads=("thread", "processor time"),
                rows=[
                    [thread_named(name), f"{1e3 * spent_s / count:.2f} ms"] for name, spent_s in threads_s.most_common()
                ],
            ),
        ],
        aims=[
            Aim(
                what=f"an action: tap to committed to seen by {walls} live clients and {len(paths)} browsers",
                wanted=f"99 % within {AIM_FLOORS:.0f} × the floor: the same bytes to as many sockets, and the commit",
                measured=f"{cut(taps.arrivals, 99):.0f} ms on streams, {cut(taps.arrivals, 99) / cut(floor, 99):.1f} × "
                f"the floor{in_pages}",
                met=floors <= AIM_FLOORS if judged else None,
                why="measured on loopback; clients and browsers run on the same cores",
            ),
            Aim(
                what="the server's share of it",
                wanted=f"{AIM_CPU_MS:.0f} ms of processor time per tap",
                measured=f"{a_tap_ms:.1f} ms",
                met=a_tap_ms <= AIM_CPU_MS if judged else None,
            ),
        ],
        notes=[
            f"The server took {a_tap_ms:.1f} ms of processor time per tap for all streams together, and held "
            f"{resident_mb:.0f} MB at the end. Sending the bytes of the floor took {floor_cpu_ms:.1f} ms.",
            *(
                [f"The pages' clocks are known to within {1e3 * max(page.clock_sd_s for page in shown):.1f} ms."]
                if shown
                else []
            ),
        ],
    )


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


def child(
    work: object, *arguments: object, daemon: bool = True
) -> tuple[multiprocessing.process.BaseProcess, Connection]:
    """Run `work` with a pipe and `arguments` in a process of its own; only one that is no daemon may have children."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=work, args=(there, *arguments), daemon=daemon)
    process.start()
    return process, here


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


# -- the listening process ---------------------------------------------------------------------------------------


def request(port: int, text: str) -> socket.socket:
    stream = socket.create_connection(("127.0.0.1", port))
    stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    stream.sendall(text.encode())
    return stream


def _tap(port: int, walls: int, count: int, begin: Callable[[], None]) -> Taps:
    """Open the streams, tap, and listen to what arrives. `begin` is called before the first tap that counts."""
    streams = [request(port, "GET /live?kind=wall HTTP/1.1\r\nHost: localhost\r\n\r\n") for _ in range(walls)]
    ready = selectors.DefaultSelector()
    for stream in streams:
        ready.register(stream, selectors.EVENT_READ)
    quiet(ready, 0.5)
    kiosk = socket.create_connection(("127.0.0.1", port))
    kiosk.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    ready.register(kiosk, selectors.EVENT_READ)
    taps = Taps([], [], [], [], [], 0)
    size = 0
    begun = time.monotonic()
    _, actions = endless_game(count + 2)
    for number, action in enumerate(actions):
        if number == 2:  # the first two bring the game to where it can go on for ever
            begin()
            begun = time.monotonic() - number * EVERY_S
        time.sleep(max(begun + number * EVERY_S - time.monotonic(), 0))
        quiet(ready, 0.0)
        started, version = time.monotonic(), 0
        kiosk.sendall(_post(number, action))
        waiting = {kiosk, *streams}
        while waiting:
            events = ready.select(PATIENCE_S)
            if not events:
                raise RuntimeError(f"{len(waiting)} streams heard nothing of tap {number} for {PATIENCE_S:g} s")
            for key, _ in events:
                said = key.fileobj.recv(1 << 20)  # type: ignore[union-attr]  # a socket was registered
                late_ms = 1e3 * (time.monotonic() - started)
                if key.fileobj is kiosk:
                    if not said.startswith(b"HTTP/"):
                        continue  # the body, sent apart
                    assert b" 200 " in said.split(b"\r\n", 1)[0], said
                    if number > 1:
                        taps.answers.append(late_ms)
                    waiting.discard(kiosk)
                elif b"event: page" in said:
                    if number > 1:
                        taps.arrivals.append(late_ms)
                    if key.fileobj is streams[0]:
                        size, version = len(said), _version(said)
                    waiting.discard(key.fileobj)  # type: ignore[arg-type]  # as above
        if number > 1:
            assert version > taps.versions[-1] if taps.versions else version, "each tap makes a new version"
            taps.started_s.append(started)
            taps.versions.append(version)
            taps.last.append(1e3 * (time.monotonic() - started))
        quiet(ready, SETTLED_S)
    for stream in [*streams, kiosk]:
        stream.close()
    return taps._replace(size=size)


def _version(said: bytes) -> int:
    """Return the table's version in the id of an event: the process, the version, the refreshes (`web.live`)."""
    return int(said.split(b"\nevent: page")[0].rsplit(b"id: ", 1)[1].split(b".")[1])


def _post(number: int, action: object) -> bytes:
    body = json.dumps({"id": f"bench-{number}", "action": msgspec.to_builtins(action)}).encode()
    head = "POST /api/v1/actions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def quiet(ready: selectors.BaseSelector, for_s: float) -> None:
    """Read on until nothing has come for `for_s`."""
    while events := ready.select(for_s):
        for key, _ in events:
            key.fileobj.recv(1 << 20)  # type: ignore[union-attr]  # a socket was registered


def _echo(port: int, clients: int, taps: int) -> list[list[float]]:
    """Return, in ms, every arrival of the floor's bytes, tap by tap."""
    streams = [socket.create_connection(("127.0.0.1", port)) for _ in range(clients)]
    ready = selectors.DefaultSelector()
    for stream in streams:
        ready.register(stream, selectors.EVENT_READ)
    arrivals: list[list[float]] = []
    for _ in range(taps):
        arrivals.append([])
        started = time.monotonic()
        streams[0].sendall(b"!")
        waiting = set(streams)
        while waiting:
            for key, _ in ready.select(PATIENCE_S):
                key.fileobj.recv(1 << 20)  # type: ignore[union-attr]  # a socket was registered
                if key.fileobj in waiting:
                    arrivals[-1].append(1e3 * (time.monotonic() - started))
                    waiting.discard(key.fileobj)  # type: ignore[arg-type]  # as above
        quiet(ready, SETTLED_S)
    for stream in streams:
        stream.close()
    return arrivals


if __name__ == "__main__":
    show(measure)
