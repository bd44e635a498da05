"""The whole appliance as a process: memory, start, help, kill −9: `python -m tests.bench.appliance`."""

from __future__ import annotations

import atexit
import os
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import ExitStack
from functools import cache
from pathlib import Path

from tests.bench.page import Aim, Section, Table, show

PLAY_S = 40.0
STARTS = 5
HELPS = 15
PATIENCE_S = 60.0
ELAPSED = "elapsed; compare the processor time below when the machine was busy"
LIBRARIES = "import cv2, numpy, flask, waitress, msgspec, cryptography, sqlite3"


@cache
def compiled() -> dict[str, str]:
    """Return an environment in which Python finds the bytecode of all that a start loads, as where it is installed.

    Without it a start compiles every module anew, which takes longer than all the rest.
    """
    kept = tempfile.mkdtemp(prefix="bytecode-")
    atexit.register(shutil.rmtree, kept, ignore_errors=True)
    here = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    here["PYTHONPYCACHEPREFIX"] = kept
    first = "import appliance.commands.demo, appliance.service.bootstrap, web.app, web.serve"
    subprocess.run([sys.executable, "-c", f"{first}, appliance.demo.demo, {LIBRARIES[7:]}"], env=here, check=True)
    return here


class Demo:
    """One `smugglers demo` in a process group of its own, on a data folder and a free port."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        environment = compiled() | {"SMUGGLERS_DATA_DIR": str(folder), "SMUGGLERS_PORT": str(self.port)}
        self.started_s = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "appliance.cli", "demo", "--seed", "7"],
            env=environment,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def serving_s(self) -> float:
        """Wait for the wall's page and return how long that took, in seconds."""
        while time.monotonic() - self.started_s < PATIENCE_S:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", timeout=5) as answer:
                    answer.read()
                return time.monotonic() - self.started_s
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.01)
        raise RuntimeError("the demo does not serve")

    def processes(self) -> list[int]:
        found = []
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                state, _, group = stat.read_text().rsplit(")", 1)[1].split()[:3]
                if int(group) == self.process.pid and state != "Z":
                    found.append(int(stat.parent.name))
            except OSError:  # it ended while we looked
                continue
        return found

    def memory_mb(self) -> dict[str, float]:
        """Return resident memory of all processes: `each` counts what they share every time, `once` only once.

        What the largest holds, and what the others hold for themselves alone: the share of a page that other programs
        map too is not taken off, as the kernel's PSS would.
        """
        sizes = []
        for pid in self.processes():
            kb = {"Rss": 0, "Private_Clean": 0, "Private_Dirty": 0}
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                name, _, rest = line.partition(":")
                if name in kb:
                    kb[name] = int(rest.split()[0])
            sizes.append((kb["Rss"], kb["Private_Clean"] + kb["Private_Dirty"]))
        largest = max(sizes)
        once_kb = largest[0] + sum(own for _, own in sizes) - largest[1]
        return {"each": sum(resident for resident, _ in sizes) / 1024, "once": once_kb / 1024}

    def cpu_s(self) -> float:
        ticks = 0
        for pid in self.processes():
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def kill(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def measure(effort: float = 1.0) -> Section:
    start_rows, start_cpu_s, back_s = _starts(max(round(STARTS * effort), 1))
    help_rows, help_s = _helps(max(round(HELPS * effort), 2))
    play_s = max(PLAY_S * effort, 2.0)
    memory, cores = _play(play_s)
    return Section(
        title="The whole appliance",
        method="`smugglers demo` as a user starts it, in processes of its own, with the simulated camera, beams and "
        "scale; the simulation's own work and memory are in these figures. Elapsed times, beside bare Python's.",
        tables=[
            Table(heads=("start", "least", "median", "processor time", "least ÷ floor"), rows=start_rows),
            Table(heads=("help", "least", "median", "processor time", "least ÷ floor"), rows=help_rows),
            Table(
                heads=(f"after {play_s:.0f} s of play, all processes", "together"),
                rows=[
                    ["resident, pages that they share counted once", f"{memory['once']:.0f} MB"],
                    ["resident, counted in each process", f"{memory['each']:.0f} MB"],
                    [
                        "processor time, drawing the simulated camera's pictures included",
                        f"{100 * cores:.0f} % of a core",
                    ],
                ],
            ),
        ],
        aims=[
            Aim(
                what="whole appliance with camera",
                wanted="< 200 MB resident",
                measured=f"{memory['once']:.0f} MB; {memory['each']:.0f} MB with shared pages counted in each process",
                met=memory["once"] < 200,
            ),
            Aim(
                what="start",
                wanted="serving in 1 s of processor time",
                measured=f"{start_cpu_s:.2f} s at best",
                met=start_cpu_s <= 1,
                why="with its bytecode compiled, as an installation has it",
            ),
            Aim(what="`smugglers --help`", wanted="0.2 s", measured=f"{help_s:.2f} s at best", met=help_s <= 0.2),
            Aim(
                what="kill −9, and serving again",
                wanted="in 2 s, nothing acknowledged lost",
                measured=f"{back_s:.2f} s at best",
                met=back_s <= 2,
                why=f"{ELAPSED}; that nothing is lost is for the tests: `pytest tests/appliance/journal/test_kill.py`",
            ),
        ],
    )


def _starts(count: int) -> tuple[list[list[str]], float, float]:
    """Return the rows, the least processor time of a first start, and the least seconds of one after a kill in the
    middle of a game."""
    first: list[float] = []
    again: list[float] = []
    floor: list[float] = []
    cpu: dict[str, list[float]] = {"first": [], "again": [], "floor": []}
    for _ in range(count):
        with tempfile.TemporaryDirectory() as folder:
            for kind, lasted in (("first", first), ("again", again)):
                demo = Demo(Path(folder))
                with ExitStack() as ending:
                    ending.callback(demo.kill)
                    lasted.append(demo.serving_s())
                    cpu[kind].append(demo.cpu_s())
                    if kind == "first":
                        time.sleep(1.0)  # a game is open and goes on
        elapsed_s, cpu_s = _run([sys.executable, "-c", LIBRARIES])
        floor.append(elapsed_s)
        cpu["floor"].append(cpu_s)
    rows = [
        _row("first start → serving", first, cpu["first"], floor),
        _row("killed in the middle of a game → serving again", again, cpu["again"], floor),
        _row(f"floor: `python -c '{LIBRARIES}'`", floor, cpu["floor"], floor),
    ]
    return rows, min(cpu["first"]), min(again)


def _helps(count: int) -> tuple[list[list[str]], float]:
    ours: list[tuple[float, float]] = []
    floor: list[tuple[float, float]] = []
    for _ in range(count):
        ours.append(_run([str(Path(sys.executable).with_name("smugglers")), "--help"]))
        floor.append(_run([sys.executable, "-c", "pass"]))
    bare = [elapsed for elapsed, _ in floor]
    rows = [
        _row(name, [elapsed for elapsed, _ in each], [cpu for _, cpu in each], bare)
        for name, each in (("`smugglers --help`", ours), ("floor: `python -c pass`", floor))
    ]
    return rows, min(elapsed for elapsed, _ in ours)


def _row(what: str, lasted_s: list[float], cpu_s: list[float], floor_s: list[float]) -> list[str]:
    least, middle = min(lasted_s), statistics.median(lasted_s)
    return [what, f"{least:.3f} s", f"{middle:.3f} s", f"{min(cpu_s):.3f} s", f"{least / min(floor_s):.1f}"]


def _run(command: list[str]) -> tuple[float, float]:
    """Run a command and return its elapsed and processor time in seconds."""
    environment = compiled()
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    elapsed_s, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return elapsed_s, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _play(lasting_s: float) -> tuple[dict[str, float], float]:
    """Return the memory in MB after so long of play, and the cores it kept busy meanwhile."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as ending:
        demo = Demo(Path(folder))
        ending.callback(demo.kill)
        demo.serving_s()
        before_s, start = demo.cpu_s(), time.monotonic()
        time.sleep(lasting_s)
        return demo.memory_mb(), (demo.cpu_s() - before_s) / (time.monotonic() - start)


if __name__ == "__main__":
    show(measure)
