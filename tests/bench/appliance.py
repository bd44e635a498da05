"""The whole appliance as a process: memory, start, help, kill −9: `python -m tests.bench.appliance`."""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import ExitStack
from pathlib import Path

from calibration.camera.intrinsics import to_toml
from tests.bench.page import Aim, Section, Table, show
from tests.places import RECORDINGS
from tests.table_process import LIBRARIES, TableProcess, compiled
from tests.vision.staged_passages import CAMERA_MODEL

DEMO = ("demo", "--seed", "7")
CLIP = RECORDINGS / "table/clips/clip_00.mp4"
GAME = {
    "id": "bench",
    "game": "smugglers",
    "players": [{"name": "Ann", "putty": "yellow"}, {"name": "Ben", "putty": "orange"}],
}
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
    watching = _watch(play_s)
    return Section(
        title="The whole appliance",
        method="`smugglers demo` as a user starts it, in processes of its own, with the simulated camera, beams and "
        "scale. These figures include the processor time and memory of the simulation. For the appliance's own memory, "
        f"`smugglers run` watches the recorded roll `{CLIP.name}` over and over as its camera, with a game open. Times "
        "are elapsed times, and are compared with those of Python alone.",
        tables=[
            Table(heads=("start", "minimum", "median", "processor time", "minimum ÷ floor"), rows=start_rows),
            Table(heads=("help", "minimum", "median", "processor time", "minimum ÷ floor"), rows=help_rows),
            Table(
                heads=(f"after {play_s:.0f} s of play, all processes", "together"),
                rows=[
                    *(
                        [f"{what}: resident, shared pages counted {how}", f"{of[key]:.0f} MB"]
                        for what, of in (("demo", memory), ("watching a recorded roll", watching))
                        for how, key in (("once", "once"), ("in each process", "each"))
                    ),
                    [
                        "demo: processor time, including that of drawing the simulated camera's pictures",
                        f"{100 * cores:.0f} % of a core",
                    ],
                ],
            ),
        ],
        aims=[
            Aim(
                what="whole appliance with camera",
                wanted=f"< {RESIDENT_MB} MB resident",
                measured=f"{watching['once']:.0f} MB; counted in each process {watching['each']:.0f} MB",
                met=watching["once"] < RESIDENT_MB,
                why="without libcamera, and without the scale's process; `make pi` measures the unit with a USB camera "
                "and all its sensors",
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


def _watch(lasting_s: float) -> dict[str, float]:
    """Return the memory in MB of a table whose camera sees a recorded roll, after so long with a game open."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as ending:
        (Path(folder) / "camera.toml").write_text(to_toml(CAMERA_MODEL), encoding="utf-8")
        table = TableProcess(Path(folder), "run", camera=f"clip:{CLIP}", beams="none")
        ending.callback(table.kill)
        table.serving_s()
        opening = urllib.request.Request(
            f"http://127.0.0.1:{table.port}/api/v1/games",
            json.dumps(GAME).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(opening) as answer:
            answer.read()
        time.sleep(lasting_s)
        return table.memory_mb()


if __name__ == "__main__":
    show(measure)
