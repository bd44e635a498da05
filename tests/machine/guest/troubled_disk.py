"""The table on a disk that is full, closed to writing or gone, and under a clock that jumps: what it says and keeps."""

from __future__ import annotations

import fcntl
import html
import os
import struct
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

from appliance.words.catalogues import words_for
from tests.machine.guest.own_table import PATIENCE_S, PORT, own_address, started
from tests.machine.guest.report import report, run_all
from tests.power.touchscreen import Touchscreen

DISK, MOUNTED = Path("/dev/vda"), Path("/run/card")
SHUT_DOWN = 0x8004587D
"""EXT4_IOC_SHUTDOWN (linux/ext4.h): from now on the file system gives and takes nothing."""
WITHOUT_FLUSH = struct.pack("I", 1)
PLAYED = 12
RESTED_S = 3.0
"""Longer than the table waits before it merges the write-ahead log, which then has room of its own."""
ROOM = 500
"""Taps that may still fit on a full disk: the write-ahead log has room of its own, until it can be merged no more."""
YEAR_1970_S, YEAR_2096_S = 86_400.0, 4_000_000_000.0
PAGES = ("/", "/kiosk", "/kiosk/games", "/kiosk/table", "/seats")
SAY = words_for("en").say


class Troubled:
    """One table on the disk, from a start to a kill."""

    def __init__(self, name: str) -> None:
        self._table = started(MOUNTED)
        self.screen = Touchscreen(PORT, name, Random(len(name)), ("smugglers",))

    def play(self) -> None:
        """Do some things that the table takes."""
        done = 0
        while done < PLAYED:
            done += self.screen.deed() is not None

    def game(self) -> dict[str, Any]:
        """Return what the wall may know of the open game."""
        self.screen.close()  # the table may have closed a connection that was idle
        view = self.screen.ask("GET", "view")[1]
        return {name: view.get(name) for name in ("game", "view", "log")}

    def refused(self, name: str) -> str:
        """Undo with an id, and return the code of the refusal; "" when it was taken."""
        self.screen.close()
        status, answer = self.screen.ask("POST", "undo", {"id": name})
        return "" if status == 200 else str(answer["code"])

    def told(self, code: str) -> bool:
        """Whether wall and touchscreen say the sentence of a remark."""
        return all(SAY(f"remark.{code}") in page(path)[1] for path in ("/", "/kiosk"))

    def no_longer_told(self, code: str) -> bool:
        """Wait until no screen says the sentence of a remark any more; False: it stays."""
        until_s = time.monotonic() + PATIENCE_S
        while (stays := any(SAY(f"remark.{code}") in page(path)[1] for path in ("/", "/kiosk"))) and (
            time.monotonic() < until_s
        ):
            time.sleep(0.5)
        return not stays

    def fill(self) -> int:
        """Play until the disk takes no more. Return how many taps still fitted into what the files already had."""
        for taken in range(ROOM):
            self.screen.close()
            fitted = self.screen.deed() is not None
            if self.refused(f"fill-{taken}") == "disk_full":
                return 2 * taken + fitted
        raise TimeoutError(f"{2 * ROOM} taps fitted on a full disk")

    def kill(self) -> None:
        """End it without warning. A second call does nothing."""
        self.screen.close()
        self._table.kill()
        self._table.wait()


def page(path: str) -> tuple[int, str]:
    """Return status and text of a page, in English."""
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}{path}", headers={"Accept-Language": "en"})
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status, html.unescape(answer.read().decode())
    except urllib.error.HTTPError as error:
        return error.code, html.unescape(error.read().decode())


@contextmanager
def mounted() -> Iterator[Callable[[str], Troubled]]:
    """Mount the disk as Debian mounts its root file system, and yield what starts a table on it."""
    MOUNTED.mkdir(parents=True, exist_ok=True)
    options = "noatime,errors=remount-ro"
    subprocess.run(["busybox", "mount", "-t", "ext4", "-o", options, str(DISK), str(MOUNTED)], check=True)
    tables: list[Troubled] = []

    def start(name: str) -> Troubled:
        tables.append(Troubled(name))
        return tables[-1]

    try:
        yield start
    finally:
        for table in tables:
            table.kill()
        unmount()


def unmount() -> None:
    """Unmount the disk once the killed table's own processes have noticed that it is gone."""
    until_s = time.monotonic() + PATIENCE_S
    while subprocess.run(["busybox", "umount", str(MOUNTED)], check=False).returncode:
        held = holders()
        print(f"{MOUNTED} is held by {held}", flush=True)
        if time.monotonic() > until_s:
            raise TimeoutError(f"{MOUNTED} is still held by {held}")
        time.sleep(0.5)


def holders() -> list[str]:
    """Return which processes hold a file or folder of the disk, each with its command and what it holds."""
    found = []
    for held in (*Path("/proc").glob("[0-9]*/fd/*"), *Path("/proc").glob("[0-9]*/cwd")):
        with suppress(OSError):
            if (to := str(held.readlink())).startswith(str(MOUNTED)):
                command = Path("/proc", held.parts[2], "cmdline").read_bytes().replace(b"\0", b" ").decode()
                found.append(f"{held.parts[2]} ({command.strip()}): {to}")
    return found


def clock_jumps() -> None:
    """Set the clock to other years, and start in 1970, as a board without a clock battery does."""
    truly_s, same = time.time(), []
    with mounted() as start:
        table = start("clock")
        table.play()
        for year_s in (YEAR_1970_S, YEAR_2096_S, YEAR_1970_S):
            before = table.game()
            time.clock_settime(time.CLOCK_REALTIME, year_s)
            same.append(table.game() == before)
            table.play()
        before = table.game()
        table.kill()
        table = start("clock-again")
        same.append(table.game() == before)
        table.play()
        told = SAY("check.clock_not_set", {"year": "1970"}) in page("/host/check")[1]
        table.kill()
    time.clock_settime(time.CLOCK_REALTIME, truly_s)
    report(
        "the clock jumps to 1970 and 2096, and the table starts in 1970: the game goes on, the host's page reports it",
        all(same) and told,
        jumps=3,
        same=same,
        told=told,
    )


def full_disk() -> None:
    """Fill the disk while a game is played, and free it."""
    with mounted() as start:
        table = start("full")
        table.play()
        time.sleep(RESTED_S)
        filler = MOUNTED / "filler"
        with filler.open("wb", buffering=0) as file:
            for size in (2**20, 4096, 1):
                try:
                    while True:
                        file.write(b"\xa5" * size)
                except OSError:
                    continue
        fitted, before = table.fill(), table.game()
        codes = {table.refused(f"undo-{number}") for number in range(5)}
        time.sleep(1.0)
        told, same = table.told("disk_full"), table.game() == before
        filler.unlink()
        taken = table.refused("undo-0") == ""
        table.play()
        gone = table.no_longer_told("disk_full")
        before = table.game()
        table.kill()
        again = start("full-again")
        kept = again.game() == before
        again.kill()
    report(
        "the disk is full: taps are refused and the screens say so; after space is freed, the same tap counts",
        codes == {"disk_full"} and told and same and taken and gone and kept,
        still_fitted=fitted,
        codes=sorted(codes),
        told=told,
        nothing_changed=same,
        then_taken=taken,
        kept=kept,
    )


def read_only_disk() -> None:
    """Let ext4 close the file system to writing, as it does after an error."""
    with mounted() as start:
        table = start("read-only")
        table.play()
        Path(f"/sys/fs/ext4/{DISK.name}/trigger_fs_error").write_text("1")
        _refuses("the file system is read-only", table, start)


def dead_disk() -> None:
    """Let the file system give and take nothing any more."""
    with mounted() as start:
        table = start("dead")
        table.play()
        folder = os.open(MOUNTED, os.O_RDONLY)
        fcntl.ioctl(folder, SHUT_DOWN, WITHOUT_FLUSH)
        os.close(folder)
        _refuses("the disk fails to read and write", table, start)


def _refuses(trouble: str, table: Troubled, start: Callable[[str], Troubled]) -> None:
    """Tell what the table does, and whether the game is there after a kill and a repair."""
    before, acknowledged = table.game(), dict(table.screen.acknowledged)
    codes = {table.refused(f"{trouble[:20]}-{number}") for number in range(5)}
    time.sleep(1.0)
    told, same = table.told("disk_failing"), table.game() == before
    pages = {path: page(path)[0] for path in PAGES}
    table.kill()
    unmount()
    subprocess.run(["e2fsck", "-p", "-f", str(DISK)], check=False, capture_output=True)
    subprocess.run(["busybox", "mount", "-t", "ext4", str(DISK), str(MOUNTED)], check=True)
    again = start(f"{trouble[:16]}-again")
    kept = again.game() == before
    again.play()
    again.kill()
    report(
        f"{trouble}: taps are refused, and the screens say so and stay on; after the repair the same game goes on",
        codes == {"disk_failing"} and told and same and kept and all(status < 500 for status in pages.values()),
        codes=sorted(codes),
        told=told,
        nothing_changed=same,
        pages=pages,
        acknowledged=len(acknowledged),
        kept=kept,
    )


if __name__ == "__main__":
    own_address()
    run_all((clock_jumps, full_disk, read_only_disk, dead_disk))
