"""From a tap to every screen, with 200 live streams and four real browsers: `python -m tests.bench.live`.

One process serves a table; this one holds the streams and taps; a third drives Chromium. The floors are an SQLite
commit on the same disk, and the same bytes sent to as many sockets by a process that does nothing else, without
browsers and beside them (`tests.bench.replay`).
"""

from __future__ import annotations

import os
import socket
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

from hardware.clock import MonotonicClock
from tests.bench.browsers import Shown, browse, can_browse
from tests.bench.machine import cpu_of_threads, thread_named
from tests.bench.page import Aim, Section, Table, show
from tests.bench.replay import FloorJournal, Recording, html_of, replay, replayed, watched
from tests.bench.taps import EVERY_S, FIRST_TAPS, Taps, child, echo, tap
from tests.web.stand import Stand
from web.doors.phones import Seat
from web.live.serve import Server

WALLS, PAGES, SEATS = 200, 4, 4
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
        commits = [1e3 * each for each in commit_floor(Path(folder), count)]
    alone, beside = _alone(walls, count)
    served = _beside_browsers(walls, count) if can_browse() else alone
    pages = _pages(served.taps.started_s, served.taps.versions, served.shown)
    fan, pipe = child(fan_out, walls + PAGES, served.taps.size)
    echoes = echo(pipe.recv(), walls + PAGES, count)
    floor_cpu_ms = 1e3 * pipe.recv() / count
    fan.join(timeout=10)
    floor = [commit + each for commit, of_tap in zip(commits, echoes, strict=True) for each in of_tap]
    sent = [each for of_tap in echoes for each in of_tap]
    a_tap_ms, alone_ms = (1e3 * one.cpu_s / count for one in (served, alone))
    arrived, alone_arrived = (cut(one.taps.arrivals, 99) for one in (served, alone))
    judged = walls >= WALLS and bool(pages)
    seen, seen_floor = (max(cut(one, 99) for one in both if one) for both in ((served.taps.arrivals, pages), beside))
    return Section(
        title="From a tap to every screen",
        method=f"{walls} streams of the wall and {PAGES} pages (two walls, kiosk, phone), {count} taps at "
        f"{1 / EVERY_S:.0f} per second, all on the cores of this machine: once with the pages in Chromium, once with "
        "their streams alone, because Chromium's work takes these cores. A page has shown a tap when its "
        "MutationObserver reports the new content. The times are elapsed times, because three programs and the disk "
        "are involved. There are two floors. The bare one commits a row and sends as many bytes to as many sockets. "
        "The other commits a row and sends the bytes of each page and of the walls, as they were recorded, to as many "
        "sockets; four of these are those of the same pages in Chromium, which show them.",
        tables=[
            Table(
                heads=("", "median", "99 %", "largest", "÷ bare floor"),
                rows=[
                    _row("tap → committed and answered", served.taps.answers, floor),
                    _row("tap → arrived, on each stream", served.taps.arrivals, floor),
                    *([_row("tap → shown, on each browser's page", pages, floor)] if pages else []),
                    _row("tap → arrived, on the last of all streams", served.taps.last, floor),
                    _row("without browsers: tap → committed and answered", alone.taps.answers, floor),
                    _row("without browsers: tap → arrived, on each stream", alone.taps.arrivals, floor),
                    *(
                        _row(f"floor beside browsers: {what}", values, floor)
                        for what, values in zip(("arrived, on each stream", "shown, on each page"), beside, strict=True)
                        if values
                    ),
                    _row("bare floor: an SQLite commit, WAL, synchronous FULL", commits, floor),
                    _row(f"bare floor: {served.taps.size / 1024:.1f} kB to as many sockets", sent, floor),
                    _row("bare floor: both", floor, floor),
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
                what=f"an action: tap to committed to seen by {walls} live clients and {PAGES} browsers",
                wanted=f"99 % within {AIM_FLOORS:.0f} × the floor: the commit, and the same bytes to as many sockets, "
                "of which four are the browsers'",
                measured=f"{arrived:.0f} ms on streams, {cut(pages, 99):.0f} ms in browsers: "
                f"{seen / seen_floor:.1f} × the floor, {seen / cut(floor, 99):.1f} × the bare floor"
                if pages
                else "there is no browser here",
                met=seen / seen_floor <= AIM_FLOORS if judged else None,
                why="measured on loopback; clients and browsers run on the same cores",
            ),
            Aim(
                what=f"the same for {walls} live clients and the streams of {PAGES} pages, without browsers",
                wanted=f"99 % within {AIM_FLOORS:.0f} × the bare floor",
                measured=f"{alone_arrived:.0f} ms, {alone_arrived / cut(floor, 99):.1f} × the bare floor",
                met=alone_arrived / cut(floor, 99) <= AIM_FLOORS if judged else None,
            ),
            Aim(
                what="the server's share of it",
                wanted=f"{AIM_CPU_MS:.0f} ms of processor time per tap",
                measured=f"{a_tap_ms:.1f} ms beside browsers; the same without browsers {alone_ms:.1f} ms",
                met=a_tap_ms <= AIM_CPU_MS if judged else None,
                why="the same work takes more processor time while browsers use the machine's other core and caches",
            ),
        ],
        notes=[
            f"The server took {a_tap_ms:.1f} ms of processor time per tap for all streams together, and held "
            f"{served.resident_mb:.0f} MB at the end. Sending the bytes of the bare floor took {floor_cpu_ms:.1f} ms.",
            *(
                [f"The pages' clocks are known to within {1e3 * max(page.clock_sd_s for page in served.shown):.1f} ms."]
                if served.shown
                else []
            ),
        ],
    )


class _Serving(NamedTuple):
    """A process that serves a table: its folder, its pipe, its port, and the addresses that seat phones."""

    folder: Path
    pipe: Connection
    port: int
    joins: list[str]

    def tapped(self, walls: int, count: int, pages: Sequence[str] = ()) -> Served:
        """Tap `count` times; no browser shows it yet."""
        taps = tap(self.port, walls, count, lambda: _told(self.pipe, "begin"), pages)
        self.pipe.send("end")
        resident_mb, cpu_s, threads_s = self.pipe.recv()
        return Served(taps, [], cpu_s, threads_s, resident_mb)


@contextmanager
def _serving() -> Iterator[_Serving]:
    with tempfile.TemporaryDirectory() as folder:
        server, pipe = child(serve, folder)
        yield _Serving(Path(folder), pipe, *pipe.recv())
        pipe.send("stop")
        server.join(timeout=10)


def _beside_browsers(walls: int, count: int) -> Served:
    """Serve a table to so many streams and to browsers; tap `count` times."""
    with _serving() as table:
        opened, pipe = child(browse, table.port, ["/", "/", "/kiosk", table.joins[0]])
        pipe.recv()
        served = table.tapped(walls, count)
        pipe.send(served.taps.versions[-1])
        shown: list[Shown] = pipe.recv()
        opened.join(timeout=10)
    return served._replace(shown=shown)


def _alone(walls: int, count: int) -> tuple[Served, tuple[list[float], list[float]]]:
    """Serve a table to so many streams and to those of the pages. Then replay to browsers what it sent.

    :returns: the run, and in ms the replay's arrivals on streams and when its pages showed each tap.
    """
    with _serving() as table:
        pages = watched(table.port, table.joins[0])
        html = {(page.path, page.language): html_of(table.port, page) for page in pages}
        served = table.tapped(walls, count, [page.head(page.live) for page in pages])
        beside: tuple[list[float], list[float]] = [], []
        if can_browse():
            said = {(page.live, page.language): each for page, each in zip(pages, served.taps.said, strict=True)}
            beside = _replay(table.folder, Recording(html, said, served.taps.versions), table.port, walls)
    return served, beside


def _replay(folder: Path, recording: Recording, port: int, walls: int) -> tuple[list[float], list[float]]:
    """Replay a recording to so many streams and to browsers; return in ms every arrival, and when pages showed it."""
    replaying, here = child(replay, str(folder), recording, port, walls)
    replay_port = here.recv()
    opened, pipe = child(browse, replay_port, [path for path, _ in recording.pages])
    pipe.recv()
    done = replayed(replay_port, walls, len(recording.versions) + FIRST_TAPS, EVERY_S)
    pipe.send(recording.versions[-1])
    shown = pipe.recv()
    opened.join(timeout=10)
    replaying.join(timeout=10)
    arrivals = [each for of_tap in done.arrivals[FIRST_TAPS:] for each in of_tap]
    return arrivals, _pages(done.started_s[FIRST_TAPS:], recording.versions, shown)


def _told(process: Connection, what: str) -> None:
    """Tell the process and wait until it has heard."""
    process.send(what)
    process.recv()


def _pages(tapped_s: list[float], versions: list[int], shown: list[Shown]) -> list[float]:
    """Return, in ms, how late each page showed each tap."""
    found = []
    for page in shown:
        for number, (started_s, version) in enumerate(zip(tapped_s, versions, strict=True)):
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


def commit_floor(folder: Path, count: int) -> list[float]:
    """Return how long each of so many bare commits of one row took, in seconds."""
    journal = FloorJournal(folder)
    lasted = []
    for _ in range(count):
        start = time.monotonic()
        journal.commit()
        lasted.append(time.monotonic() - start)
    journal.close()
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
