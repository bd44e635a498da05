"""The whole appliance as a process: memory, start, help, kill −9: `python -m tests.bench.appliance`."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from tests.bench.page import Aim, Section, Table, show
from tests.table_process import LIBRARIES, TableProcess, compiled

DEMO = ("demo", "--seed", "7")
PLAY_S = 40.0
STARTS = 5
HELPS = 15
ELAPSED = "elapsed time; if the machine was busy, compare the processor time below"
RESIDENT_MB = 180


def measure(effort: float = 1.0) -> Section:
    start_rows, start_cpu_s, back_s = _starts(max(round(STARTS * effort), 1))
    help_rows, help_s = _helps(max(round(HELPS * effort), 2))
    play_s = max(PLAY_S * effort, 2.0)
    memory, cores = _play(play_s)
    return Section(
        title="The whole appliance",
        method="`smugglers demo` as a user starts it, in processes of its own, with the simulated camera, beams and "
        "scale. These figures include the processor time and memory of the simulation. Times are elapsed times, and "
        "are compared with those of Python alone.",
        tables=[
            Table(heads=("start", "minimum", "median", "processor time", "minimum ÷ floor"), rows=start_rows),
            Table(heads=("help", "minimum", "median", "processor time", "minimum ÷ floor"), rows=help_rows),
            Table(
                heads=(f"after {play_s:.0f} s of play, all processes", "together"),
                rows=[
                    ["resident, shared pages counted once", f"{memory['once']:.0f} MB"],
                    ["resident, counted in each process", f"{memory['each']:.0f} MB"],
                    [
                        "processor time, including that of drawing the simulated camera's pictures",
                        f"{100 * cores:.0f} % of a core",
                    ],
                ],
            ),
        ],
        aims=[
            Aim(
                what="whole appliance with camera",
                wanted=f"< {RESIDENT_MB} MB resident",
                measured=f"{memory['once']:.0f} MB; {memory['each']:.0f} MB with shared pages counted in each process",
                met=memory["once"] < RESIDENT_MB,
                why="27 MB of it are the simulated table's drawings; `make pi` measures the unit without them",
            ),
            Aim(
                what="start",
                wanted="serving in 1 s of processor time",
                measured=f"{start_cpu_s:.2f} s at best",
                met=start_cpu_s <= 1,
                why="with compiled bytecode, as in an installation",
            ),
            Aim(what="`smugglers --help`", wanted="0.2 s", measured=f"{help_s:.2f} s at best", met=help_s <= 0.2),
            Aim(
                what="from kill −9 to serving again",
                wanted="within 2 s, no acknowledged action lost",
                measured=f"{back_s:.2f} s at best",
                met=back_s <= 2,
                why=f"{ELAPSED}; `make kills` tests that nothing is lost",
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
                demo = TableProcess(Path(folder), *DEMO)
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
        _row("killed during a game → serving again", again, cpu["again"], floor),
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
        demo = TableProcess(Path(folder), *DEMO)
        ending.callback(demo.kill)
        demo.serving_s()
        before_s, start = demo.cpu_s(), time.monotonic()
        time.sleep(lasting_s)
        return demo.memory_mb(), (demo.cpu_s() - before_s) / (time.monotonic() - start)


if __name__ == "__main__":
    show(measure)
