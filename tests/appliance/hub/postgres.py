"""A real PostgreSQL of its own for tests: made anew in a temporary folder, reached by a socket in it alone."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.patience import GIVEN_UP_S


def programs() -> Path | None:
    """The folder of the newest PostgreSQL that is installed here."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    here = shutil.which("initdb")
    return found[-1].parent if found else Path(here).resolve().parent if here else None


def _user() -> str | None:
    """PostgreSQL does not run as root."""
    if os.getuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    return "nobody"


def _lives(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


class Postgres:
    """A server that can be killed and started again."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs, self.folder, self._user = programs, folder, _user()
        if self._user:
            shutil.chown(folder, self._user)
        self._run("initdb", "-D", str(folder / "data"), "-U", "hub", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")
        self._made = 0

    def start(self) -> None:
        options = f"-c listen_addresses='' -c unix_socket_directories='{self.folder}' -c max_connections=40"
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-t", "60", "-l", log, "-o", options, "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "stop")

    def kill(self) -> None:
        """Let the server die as by a power cut, with all its processes and what they have begun."""
        pid = int((self.folder / "data" / "postmaster.pid").read_text().splitlines()[0])
        family = [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]
        for one in family:
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        while any(map(_lives, family)):
            os.sched_yield()
        # Where nobody reaps the dead, their numbers look alive to the next start.
        for lock in (self.folder / "data" / "postmaster.pid", *self.folder.glob(".s.PGSQL.*.lock")):
            lock.unlink()

    def url(self) -> str:
        """A fresh database."""
        self._made += 1
        self._run("createdb", "-h", str(self.folder), "-U", "hub", f"hub{self._made}")
        return f"postgresql://hub@/hub{self._made}?host={self.folder}"

    def _run(self, program: str, *words: str) -> None:
        subprocess.run(
            [str(self._programs / program), *words],
            cwd="/",
            user=self._user,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=GIVEN_UP_S,
        )


@contextlib.contextmanager
def running(programs: Path) -> Iterator[Postgres]:
    folder = Path(tempfile.mkdtemp(prefix="hub-pg-", dir="/tmp"))
    try:
        server = Postgres(programs, folder)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
