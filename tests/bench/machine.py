"""The machine a benchmark ran on, how busy it was, and how time is taken."""

from __future__ import annotations

import importlib.metadata
import multiprocessing
import os
import platform
import re
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import cv2

Item = TypeVar("Item")
Result = TypeVar("Result")

TASKS = {
    "sensing": "tracking spheres, weighing, judging",
    "camera": "taking frames from the camera",
    "scale": "taking samples from the scale's process",
    "panel": "lights and sounds",
    "table": "the game and its journal",
    "live": "rendering and sending pages",
    "web": "the web server's sockets",
    "waitress": "answering requests",
    "heartbeat": "reporting to the pages that the table runs",
}
"""What each kind of the appliance's threads does."""
VERSIONS = ("numpy", "opencv-python", "scikit-image", "msgspec", "flask", "waitress", "cryptography", "hx711")


def yardstick_ms() -> float:
    """Return the processor time of a million additions in Python, ms: how fast a core is now, whatever its name."""
    start_s, total = time.process_time(), 0
    for number in range(1_000_000):
        total += number
    return 1e3 * (time.process_time() - start_s)


class Load:
    """How busy the machine was while a benchmark ran, this program's own work included, and how fast its cores are."""

    def __init__(self) -> None:
        self.yardstick_ms = yardstick_ms()
        self.before = self.after = 0.0
        self.busy_share = self.own_share = 0.0

    def __enter__(self) -> Load:
        self.before = os.getloadavg()[0]
        self._ticks, self._own_s, self._wall_s = _busy_ticks(), _own_cpu_s(), time.monotonic()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.after = os.getloadavg()[0]
        busy, total = (now - then for now, then in zip(_busy_ticks(), self._ticks, strict=True))
        lasted_s = max(time.monotonic() - self._wall_s, 1e-9)
        self.busy_share = busy / max(total, 1)
        self.own_share = (_own_cpu_s() - self._own_s) / lasted_s / (os.cpu_count() or 1)

    @property
    def others(self) -> float:
        """The share of all cores that was busy with the work of others, 0–1."""
        return max(self.busy_share - self.own_share, 0.0)

    def told(self) -> str:
        """Return how busy the machine was, in a sentence."""
        quiet = "elapsed times can be trusted"
        return (
            f"a million additions in Python took {self.yardstick_ms:.0f} ms; load average {self.before:.1f} before and "
            f"{self.after:.1f} after; all cores together were {self.busy_share:.0%} busy, {self.others:.0%} with other "
            "programs: " + ("**elapsed times are too long**, processor times slightly" if self.others > BUSY else quiet)
        )


def _busy_ticks() -> tuple[int, int]:
    """Return the busy and all ticks of all cores since boot."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return sum(ticks) - ticks[3] - ticks[4], sum(ticks)


def _own_cpu_s() -> float:
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def machine_lines() -> list[str]:
    """Return the machine and the versions, as a markdown list."""
    versions = [f"{name} {_version(name)}" for name in VERSIONS]
    return [
        f"- {_processor()}, {os.cpu_count()} cores, {_memory_gib():.0f} GiB, {platform.system()} {platform.machine()}",
        f"- Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {', '.join(versions)}",
    ]


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown processor"


def _memory_gib() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep OpenCV to one thread, as costs are told per core."""
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(threads)


BUSY = 0.2
"""Elapsed times are not to be trusted where others keep a larger share of the cores busy."""
ALONE = 20
"""So few items take less time than starting processes."""


def on_all_cores(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """Return `work` of each item in order, by a process of one thread on every core: for figures that are no times."""
    if len(items) <= ALONE:
        return [work(item) for item in items]
    with multiprocessing.get_context("spawn").Pool(os.cpu_count(), cv2.setNumThreads, (1,)) as pool:
        return pool.map(work, items, chunksize=4)


def cpu_s(work: Callable[[], object], *, rounds: int = 3) -> float:
    """Return the least processor time of one call in `rounds` calls, in seconds, all threads of this process."""
    return min(_one(work) for _ in range(rounds))


def cpu_side_by_side(works: dict[str, Callable[[], object]], *, rounds: int = 3) -> dict[str, float]:
    """Return each work's least processor time in seconds; they take turns, so that all meet the same machine."""
    spent: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            spent[name].append(_one(work))
    return {name: min(each) for name, each in spent.items()}


def _one(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def cpu_of_threads() -> Counter[str]:
    """Return the processor seconds of each kind of this process's threads, its main thread left out."""
    spent: Counter[str] = Counter()
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and thread.ident is not None:
            kind = re.sub(r"-.*", "", thread.name)
            spent[kind] += time.clock_gettime(time.pthread_getcpuclockid(thread.ident))  # type: ignore[assignment]  # not whole numbers
    return spent


def thread_named(kind: str) -> str:
    """Return the kind of a thread as a table names it: with what it does, where that is known."""
    return f"{kind}: {TASKS[kind]}" if kind in TASKS else kind
