"""A table that serves in a process of its own: started, measured, killed."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import suppress
from functools import cache
from pathlib import Path

from tests.patience import GIVEN_UP_S
from tests.ports import free_port

LIBRARIES = "import cv2, numpy, flask, waitress, msgspec, cryptography, sqlite3"
"""What every table imports: the floor below any start of it."""


class EndedError(RuntimeError):
    """A table that was waited for will not serve."""


@cache
def compiled() -> dict[str, str]:
    """Return an environment in which Python finds the bytecode of all that a start loads, as where it is installed.

    Without it a start compiles every module and template anew, which takes longer than all the rest.
    """
    kept = tempfile.mkdtemp(prefix="bytecode-")
    atexit.register(shutil.rmtree, kept, ignore_errors=True)
    here = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    here["PYTHONPYCACHEPREFIX"] = kept
    first = "import appliance.commands.demo, appliance.composition.table, web.app, web.live.serve"
    for command in (
        ["-c", f"{first}, appliance.composition.demo.demo, {LIBRARIES[7:]}"],
        ["-m", "web.pages.compile_all"],
    ):
        subprocess.run([sys.executable, *command], env=here, check=True)
    return here


def cpu_s_of(pid: int) -> float:
    """Return the processor seconds that a process has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class TableProcess:
    """One running table in a process group of its own, on a data folder and a free port.

    :param command: what follows `smugglers`.
    :param settings: settings by name, as `camera="none"`.
    """

    def __init__(self, folder: Path, *command: str, **settings: str) -> None:
        self.port = free_port()
        given = {"data_dir": str(folder), "port": str(self.port), **settings}
        environment = compiled() | {f"SMUGGLERS_{name.upper()}": value for name, value in given.items()}
        self.started_s = time.monotonic()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "appliance.commands.start", *command],
            env=environment,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def serving_s(self) -> float:
        """Wait for the wall's page and return how long that took, in seconds.

        :raises EndedError: the process ended before it served.
        """
        while time.monotonic() - self.started_s < GIVEN_UP_S and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", timeout=GIVEN_UP_S) as answer:
                    answer.read()
                return time.monotonic() - self.started_s
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.01)
        raise EndedError(f"the table does not serve; its process ended with {self.process.poll()}")

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
        return sum(map(cpu_s_of, self.processes()))

    def kill(self) -> None:
        if self.process.poll() is None:
            with suppress(ProcessLookupError):  # another thread killed it
                os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
