"""A real PostgreSQL of its own for tests: made anew in a temporary folder, reached by a socket in it alone.

It ends with the process that started it, however that ends.
"""

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
        """Start it, and wait until it takes connections. It ends when the calling thread does."""
        data, options = self.folder / "data", {"listen_addresses": "", "unix_socket_directories": self.folder}
        server: list[str | Path] = [self._programs / "postgres", "-D", data, "-c", "max_connections=40"]
        server += [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("wb") as log:
            # The kernel forgets the signal when the user changes, so that the user comes first.
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig", "QUIT", *server], cwd="/", user=self._user, stdout=log, stderr=log
            )
        while b"ready to accept connections" not in (self.folder / "log").read_bytes():
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(0.02)
                raise AssertionError((self.folder / "log").read_text())

    def stop(self) -> None:
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(GIVEN_UP_S)

    def kill(self) -> None:
        """Let the server die as by a power cut, with all its processes and what they have begun."""
        pid = self._process.pid
        family = [pid, *map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())]
        for one in family:
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, signal.SIGKILL)
        while any(map(_lives, family)):
            os.sched_yield()
        self._process.wait(GIVEN_UP_S)

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
def temporary_folder() -> Iterator[Path]:
    """A folder whose name is short enough for a socket, and that PostgreSQL's user can reach."""
    folder = Path(tempfile.mkdtemp(prefix="hub-pg-", dir="/tmp"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def running(programs: Path) -> Iterator[Postgres]:
    with temporary_folder() as folder:
        server = Postgres(programs, folder)
        server.start()
        try:
            yield server
        finally:
            server.stop()
