"""Metrics for monitoring, in the text format of Prometheus (exposition format 0.0.4). None reveals a game's secret."""

from __future__ import annotations

import os
import shutil
import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from appliance.devices.machine_check import power_flags, supply_alarms, temperature_c
from appliance.journal.journal import Journal
from appliance.service.upkeep.story import Story
from appliance.service.upkeep.support import version
from appliance.snapshot import Snapshot
from hardware.cameras.camera import Frame
from hardware.readings import SENSES
from hardware.scale.load_cell import ReadCounters, ReadFailure, Sample

MIME = "text/plain; version=0.0.4; charset=utf-8"
TAP_BOUNDS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
"""Upper bounds of the histogram of answer times of taps; a tap should be answered within 0.1 s."""
CLOCK_SET_S = 2.0
"""Seconds by which the wall clock must have been set for the start to be told anew: it must not flicker."""
_Labels = tuple[tuple[str, str], ...]


class Figure(msgspec.Struct, frozen=True):
    """One metric: its name without the prefix, its kind, its help text, and its samples (ending, labels, value)."""

    name: str
    kind: Literal["gauge", "counter", "histogram"]
    help: str
    samples: tuple[tuple[str, _Labels, float], ...]


def one(name: str, kind: Literal["gauge", "counter"], text: str, value: float) -> Figure:
    """Return a metric with one sample."""
    return Figure(name, kind, text, (("", (), value),))


def by(name: str, kind: Literal["gauge", "counter"], text: str, label: str, values: Mapping[str, float]) -> Figure:
    """Return a metric with a sample for each value of a label."""
    return Figure(name, kind, text, tuple(("", ((label, key),), value) for key, value in sorted(values.items())))


def exposition(figures: Iterable[Figure]) -> str:
    """Return the metrics in the text format of Prometheus."""
    lines = []
    for figure in figures:
        name = f"smugglers_{figure.name}"
        lines += [f"# HELP {name} {figure.help}", f"# TYPE {name} {figure.kind}"]
        for ending, labels, value in figure.samples:
            shown = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels)
            lines.append(f"{name}{ending}{f'{{{shown}}}' if shown else ''} {_number(value)}")
    return "\n".join(lines) + "\n"


def _number(value: float) -> str:
    return f"{value:.0f}" if value == int(value) else str(round(value, 6))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


class SenseCounts:
    """Counts what the drivers deliver. Each driver calls it on its own thread."""

    def __init__(self) -> None:
        self.pictures = self.samples = 0
        self.failures: Counter[str] = Counter()
        self._refused = self._refused_before = 0

    @property
    def refused(self) -> int:
        """Frames of the scale that were refused, over all of its processes."""
        return self._refused_before + self._refused

    def take(self, fact: object) -> None:
        """Take a raw fact or a picture."""
        if isinstance(fact, Frame):
            self.pictures += 1
        elif isinstance(fact, Sample):
            self.samples += 1
        elif isinstance(fact, ReadFailure):
            self.failures[fact.reason] += 1
        elif isinstance(fact, ReadCounters):
            if fact.refused < self._refused:
                self._refused_before += self._refused
            self._refused = fact.refused


class TapCounts:
    """Counts requests by the class of their status (`2xx`), and the answer times of taps in seconds."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[str] = Counter()
        self._taps = [0] * (len(TAP_BOUNDS_S) + 1)
        self._sum_s = 0.0

    def answered(self, status: int, tap_s: float | None) -> None:
        """Count an answer; `tap_s` None: the request was not a tap."""
        with self._lock:
            self._requests[f"{status // 100}xx"] += 1
            if tap_s is not None:
                self._taps[bisect_left(TAP_BOUNDS_S, tap_s)] += 1
                self._sum_s += tap_s

    def figures(self) -> Iterator[Figure]:
        """Yield the metrics."""
        with self._lock:
            requests, taps, sum_s = dict(self._requests), list(self._taps), self._sum_s
        yield by("requests_total", "counter", "Requests by status.", "status", requests)
        samples: list[tuple[str, _Labels, float]] = []
        for number, bound in enumerate((*(f"{each:g}" for each in TAP_BOUNDS_S), "+Inf")):
            samples.append(("_bucket", (("le", bound),), sum(taps[: number + 1])))
        samples += [("_sum", (), sum_s), ("_count", (), sum(taps))]
        yield Figure("tap_seconds", "histogram", "Seconds until a tap was answered.", tuple(samples))


class Figures:
    """All metrics of a table.

    :param folder: the data folder, whose disk is watched.
    :param root: the folder of `sys`.
    :param clocks: return the wall clock, seconds since 1970, and a monotonic clock.
    """

    def __init__(
        self,
        journal: Journal,
        folder: Path,
        story: Story,
        root: Path = Path("/"),
        clocks: tuple[Callable[[], float], Callable[[], float]] = (time.time, time.monotonic),
    ) -> None:
        self._journal, self._folder, self._story, self._root = journal, folder, story, root
        self._wall, self._clock = clocks
        self._started_s, self._began_s = self._wall(), self._clock()
        self.senses, self.taps = SenseCounts(), TapCounts()

    def text(self, snapshot: Snapshot, streams: Mapping[str, int]) -> str:
        """Return all metrics as text.

        :param streams: number of open streams of live updates, by the kind of their viewer.
        """
        return exposition(self._all(snapshot, streams))

    def _all(self, snapshot: Snapshot, streams: Mapping[str, int]) -> Iterator[Figure]:
        label: _Labels = (("version", version()), ("hardware", snapshot.hardware))
        yield Figure("info", "gauge", "The release and what senses the table.", (("", label, 1),))
        yield one("start_time_seconds", "gauge", "When the table started, seconds since 1970.", self._since())
        yield one("game_open", "gauge", "1 while a game is open.", float(snapshot.game is not None))
        yield by("games_opened_total", "counter", "Games opened since the start.", "game", dict(self._story.opened))
        yield by("games_ended_total", "counter", "Games played to their end.", "game", dict(self._story.ended))
        yield by("streams", "gauge", "Live updates under way.", "kind", streams)
        yield from self.taps.figures()
        yield from self._senses(snapshot)
        yield from self._stored()
        yield from self._machine()

    def _since(self) -> float:
        """Return when the table started, by the clock as it is set now: a board without a battery begins in 1970."""
        started_s = self._wall() - (self._clock() - self._began_s)
        if abs(started_s - self._started_s) > CLOCK_SET_S:
            self._started_s = started_s
        return self._started_s

    def _senses(self, snapshot: Snapshot) -> Iterator[Figure]:
        well: dict[str, float] = {
            device: float(device in snapshot.health and snapshot.health[device].status == "ok") for device in SENSES
        }
        yield by("device_ok", "gauge", "1 while a device works.", "device", well)
        senses = self.senses
        yield one("camera_pictures_total", "counter", "Pictures that the camera delivered.", senses.pictures)
        yield one("scale_samples_total", "counter", "Samples that the scale delivered.", senses.samples)
        yield one("scale_frames_refused_total", "counter", "Frames of the HX711 that were refused.", senses.refused)
        yield by("scale_failures_total", "counter", "Reads without a value.", "reason", dict(senses.failures))

    def _stored(self) -> Iterator[Figure]:
        yield one("journal_entries_total", "counter", "Entries of the journal.", self._journal.last_seq())
        yield one("journal_commits_total", "counter", "Commits since the start.", self._journal.commits)
        sizes = {"file": _size(self._journal.path), "log": _size(Path(f"{self._journal.path}-wal"))}
        yield by("journal_bytes", "gauge", "Size of the journal.", "part", sizes)
        try:
            disk = shutil.disk_usage(self._folder)
        except OSError:
            return
        yield one("disk_free_bytes", "gauge", "Free bytes on the disk of the data folder.", disk.free)
        yield one("disk_bytes", "gauge", "Size of the disk of the data folder.", disk.total)

    def _machine(self) -> Iterator[Figure]:
        if (degrees_c := temperature_c(self._root)) is not None:
            yield one("temperature_celsius", "gauge", "Temperature of the processor.", degrees_c)
        flags, alarms = power_flags(self._root), supply_alarms(self._root)
        if flags is not None or alarms:
            low = bool((flags or 0) & 1) or any(alarms)
            yield one("undervoltage", "gauge", "1 while the supply is too weak.", float(low))
        if flags is not None:
            yield one("undervoltage_seen", "gauge", "1 once the supply was too weak since the start.", flags >> 16 & 1)
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()
        yield one("resident_bytes", "gauge", "Memory in use.", int(pages[1]) * os.sysconf("SC_PAGESIZE"))
        yield one("threads", "gauge", "Threads.", threading.active_count())
        yield one("open_handles", "gauge", "Open files and sockets.", len(list(Path("/proc/self/fd").iterdir())))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
