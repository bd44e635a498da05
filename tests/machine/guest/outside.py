"""What is outside the guest's table: pins, the HX711's counts and the camera's pictures, as a twin on the host says.

Two serial ports lead to the host. On `table.wires` the guest tells its second and gets what happens until shortly after
it; the pictures themselves lie in memory that it shares with the host. On `table.taps` the host asks the table's pages,
as the kiosk on its own screen does.

The guest's clock counts instructions, and where nothing is to be done it skips to the next timer. So it stands nearly
still while the guest waits for the host awake, and however busy the host is, what the twin tells comes in time.
"""

from __future__ import annotations

import fcntl
import json
import mmap
import os
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

from appliance.journal.entries import Acted, Undone
from appliance.journal.journal import Journal
from appliance.journal.safekeeping.keys import seal_key
from tests.machine.guest.module import tell
from tests.machine.guest.report import report

TICK_S = 0.06
NOW = struct.Struct("<d")
"""What the guest tells on `table.wires`: its second on CLOCK_MONOTONIC."""
LENGTH = struct.Struct("<I")
"""What the answer begins with: bytes of its JSON object."""
SHARED_MEMORY = ("0x1af4", "0x1110")
"""Vendor and device of QEMU's `ivshmem-plain`, whose third region is the memory."""
AWAKE = Path("/run/kept-awake")
"""The process that keeps the guest from skipping time while it starts and waits for its disk (`init.sh`)."""
STATE = Path("/var/lib/smugglers-table")
UNITS = ("smugglers-table.service", "smugglers-machine.socket", "smugglers-backup.timer")
CGROUP = Path("/sys/fs/cgroup/system.slice/smugglers-table.service/cgroup.procs")
"""The processes of the table's unit."""
RESIDENT_MOST_MB = 180
"""DESIGN §7."""
_OUTPUT, _SET_FORMAT = 2, 0xC0D05605


class Port:
    """One serial port that leads to the host."""

    def __init__(self, name: str) -> None:
        found = next(path for path in Path("/sys/class/virtio-ports").iterdir() if _named(path) == name)
        self._file = os.open(f"/dev/{found.name}", os.O_RDWR)

    def send(self, content: bytes) -> None:
        """Send all of it."""
        while content:
            content = content[os.write(self._file, content) :]

    def receive(self, count: int) -> bytes:
        """Wait for so many bytes."""
        got = bytearray()
        while len(got) < count:
            part = os.read(self._file, count - len(got))
            if not part:  # nobody listens at the other end yet
                time.sleep(0.1)
            got += part
        return bytes(got)

    def awake(self, count: int) -> bytes:
        """Wait for so many bytes without rest, so that the clock does not skip meanwhile."""
        os.set_blocking(self._file, False)
        got = bytearray()
        while len(got) < count:
            with suppress(BlockingIOError):
                got += os.read(self._file, count - len(got))
        os.set_blocking(self._file, True)
        return bytes(got)

    def line(self) -> bytes:
        """Wait for a line."""
        got = bytearray()
        while not got.endswith(b"\n"):
            got += self.receive(1)
        return bytes(got)


def _named(port: Path) -> str:
    return (port / "name").read_text().strip()


class Video:
    """The camera's other end: what is written here, `/dev/video0` gives as its next picture (YUYV)."""

    def __init__(self, size_px: tuple[int, int]) -> None:
        self._file = os.open("/dev/video0", os.O_RDWR)
        width, height = size_px
        pixels = struct.pack("<5I", width, height, int.from_bytes(b"YUYV", "little"), 1, 2 * width)
        asked = struct.pack("<I4x", _OUTPUT) + pixels + struct.pack("<I", 2 * width * height)
        fcntl.ioctl(self._file, _SET_FORMAT, bytearray(asked.ljust(208, b"\0")))

    def show(self, picture: memoryview) -> None:
        """Give one picture."""
        os.write(self._file, picture)


def shared_memory() -> memoryview:
    """Return the memory into which the host lays its pictures."""
    for device in Path("/sys/bus/pci/devices").iterdir():
        if tuple((device / name).read_text().strip() for name in ("vendor", "device")) == SHARED_MEMORY:
            (device / "enable").write_text("1")
            with (device / "resource2").open("r+b") as file:
                return memoryview(mmap.mmap(file.fileno(), os.fstat(file.fileno()).st_size))
    raise FileNotFoundError("QEMU shares no memory with this guest")


def follow(port: Port) -> None:
    """Let happen on the wires what the host tells, until it ends the run."""
    memory = shared_memory()
    video: Video | None = None
    edges: list[tuple[int, int, bool]] = []
    counts, unplugged = None, None
    while True:
        now_s = time.monotonic()
        port.send(NOW.pack(now_s))
        told = json.loads(port.awake(*LENGTH.unpack(port.awake(LENGTH.size))))
        if told["end"]:
            return
        if told["unplugged"] != unplugged:
            tell("data_line", int(unplugged := told["unplugged"]))
        if told["counts"] != counts:
            tell("counts", counts := told["counts"])
        if told["edges"]:
            new = [(round(1e6 * at_s), line, high) for at_s, line, high in told["edges"]]
            edges = [edge for edge in edges if edge[0] > 1e6 * time.monotonic()] + new
            _schedule(edges)
        width, height = told["size_px"]
        for number, shown_s in enumerate(told["pictures_s"]):
            if video is None:
                video = Video((width, height))
            time.sleep(max(shown_s - time.monotonic(), 0))
            video.show(memory[2 * width * height * number : 2 * width * height * (number + 1)])
        time.sleep(max(now_s + TICK_S - time.monotonic(), 0))


def _schedule(edges: list[tuple[int, int, bool]]) -> None:
    base_us = min(edges[0][0], int(1e6 * time.monotonic()))
    words = (f"{at_us - base_us}:{line}:{int(high)}" for at_us, line, high in edges)
    tell("edges", f"@{1000 * base_us} {' '.join(words)}")


def answer_taps(port: Port) -> None:
    """Answer what the host asks, one JSON object a line."""
    while True:
        asked = json.loads(port.line())
        try:
            status, text = (200, json.dumps(history())) if asked["path"] == "history" else request(**asked)
        except (OSError, TimeoutError) as error:
            status, text = 0, str(error)
        port.send(json.dumps({"status": status, "text": text}).encode() + b"\n")


def request(method: str, path: str, body: Any = None) -> tuple[int, str]:
    """Ask the table from its own screen; return the status and the text.

    :raises OSError: it does not answer.
    """
    data = None if body is None else json.dumps(body).encode()
    headers = {"Accept-Language": "en"} | ({} if body is None else {"Content-Type": "application/json"})
    asked = urllib.request.Request(f"http://127.0.0.1:8080{path}", data=data, headers=headers, method=method)
    try:
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def history() -> list[dict[str, Any]]:
    """Return the newest game's actions that stand, each with its second and who made it, from a copy of the journal."""
    ahead_s = time.time() - time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(STATE, Path(folder) / "state")
        journal = Journal(copy / "journal.sqlite3", seal_key(copy)[0])
        game = journal.newest_game()
        entries = [] if game is None else list(journal.read(game))
        journal.close()
    undone = {entry.body.target for entry in entries if isinstance(entry.body, Undone)}
    return [
        {"t_s": entry.wall_s - ahead_s, "by": entry.client_id, "action": entry.body.action}
        for entry in entries
        if isinstance(entry.body, Acted) and entry.seq not in undone
    ]


def installed() -> None:
    """Tell what of the package runs."""
    while True:
        try:
            request("GET", "/wall")
        except OSError:
            time.sleep(0.5)
        else:
            break
    asked = subprocess.run(["systemctl", "is-active", *UNITS], capture_output=True, text=True, check=False)
    states = asked.stdout.split()
    version = ["dpkg-query", "-W", "-f", "${Version}", "smugglers-table"]
    report(
        "installed from its package on Debian 12: systemd starts its units, and the table serves its pages",
        states == ["active"] * len(UNITS),
        version=subprocess.run(version, capture_output=True, text=True, check=False).stdout,
        units="/".join(states),
        after_s=round(time.monotonic(), 1),
    )


def resident() -> None:
    """Tell how much memory the table's unit holds; what its processes and others share is divided among them."""
    kept_mb = 0.0
    processes = CGROUP.read_text().split()
    for process in processes:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        kept_mb += next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
    report(
        f"the table's unit with camera, beams and scale holds less than {RESIDENT_MOST_MB} MB",
        bool(processes) and kept_mb < RESIDENT_MOST_MB,
        resident_mb=round(kept_mb),
        processes=len(processes),
    )


def main() -> None:
    """Follow the host until it ends the run, then switch off."""
    taps = Port("table.taps")

    def answer() -> None:
        installed()
        os.kill(int(AWAKE.read_text()), signal.SIGKILL)
        answer_taps(taps)

    threading.Thread(target=answer, daemon=True).start()
    try:
        follow(Port("table.wires"))
        resident()
    finally:
        os.sync()
        subprocess.run(["systemctl", "poweroff", "-ff"], check=False)


if __name__ == "__main__":
    main()
