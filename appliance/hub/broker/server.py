"""Runs nats-server, the binary that pip installed next to this Python, and restarts it whenever it ends."""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from appliance.hub.broker.configuration import CERTIFICATE, KEY, LOG, configuration
from appliance.hub.broker.members import MembersFile
from appliance.words.errors import TableError, unwritable
from hardware.files.regular_file import MOST_TEXT_BYTES, open_ordinary, read_ordinary, write_private

CONFIGURATION, PID, LOCK = "broker.conf", "broker.pid", "broker.lock"
READY_S = 30.0
READY = b"Server is ready"
RELOADED = b"server configuration"
"""Part of its log message after a reload of the configuration, successful or not."""
_LOGGED_BEFORE = re.compile(r"\[\d+\] \S+ \S+ \[\w+\] ")
"""What stands in its log before a message: process, day, time, level."""
STOP_S = 10.0
KILLED_S = 10.0
"""How long a process that was killed may take to be gone: one that waits for a disk goes only after that."""
AGAIN_S = (0.5, 1.0, 2.0, 5.0, 15.0)
"""Pauses before restarts after it ended by itself. The last one repeats."""
_log = logging.getLogger(__name__)


def binary() -> Path:
    """Return the path at which pip installed the broker.

    :raises TableError: `broker_missing`.
    """
    found = Path(sys.executable).with_name("nats-server")
    if not found.exists():
        raise TableError("broker_missing")
    return found


def configure(folder: Path, listen: str) -> None:
    """Write the files that the broker reads at its start and on a reload.

    :raises TableError: `hub_missing`, `folder_unusable`, `file_unusable`, `disk_full`.
    """
    # The lock is held while writing. Without it, a key revoked by another command meanwhile would be written again.
    with MembersFile(folder).held() as members:
        try:
            write_private(folder / CERTIFICATE, members.certificate)
            write_private(folder / KEY, members.private_key)
            write_private(folder / CONFIGURATION, configuration(members, folder, listen).encode())
        except OSError as error:
            raise unwritable(Path(error.filename or folder / CONFIGURATION), error) from None


def reload(folder: Path) -> bool:
    """Make a running broker load the current members. Revoked tables lose their connection.

    :returns: whether a broker runs.
    :raises TableError: `hub_missing`, `folder_unusable`, `file_unusable`, `disk_full`.
    """
    configure(folder, listens_on(folder))
    pid = running(folder)
    if pid is None:
        return False
    # nats-server connects a new account to the hub's only when it reads the configuration for the second time.
    for _ in range(2):
        _let_read(pid, folder / LOG)
    return True


def _let_read(pid: int, log: Path) -> None:
    """Make the broker read its configuration, and wait until its log says so, at most `READY_S`."""
    with suppress(FileNotFoundError):
        before = log.stat()
        os.kill(pid, signal.SIGHUP)
        by = time.monotonic() + READY_S
        while time.monotonic() < by and Path(f"/proc/{pid}").exists():
            if RELOADED in _end_of(log, before):
                return
            time.sleep(0.02)


def _end_of(log: Path, before: os.stat_result | None = None) -> bytes:
    """Return the end of a log, at most `MOST_TEXT_BYTES`; nothing that it had `before`, unless another log began."""
    with open_ordinary(log) as lines:
        now = os.fstat(lines.fileno())
        read = before.st_size if before is not None and before.st_ino == now.st_ino else 0
        lines.seek(max(read, now.st_size - MOST_TEXT_BYTES))
        return lines.read(MOST_TEXT_BYTES)


def running(folder: Path) -> int | None:
    """Return the id of the broker process of this folder, whoever started it; None if there is none."""
    with suppress(OSError, ValueError):
        pid = int(read_ordinary(folder / PID, MOST_TEXT_BYTES))
        if str(folder / CONFIGURATION).encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0"):
            return pid
    return None


def listens_on(folder: Path) -> str:
    """Return the address on which the broker of this folder last listened, or the default."""
    with suppress(OSError, UnicodeDecodeError), open_ordinary(folder / CONFIGURATION) as file:
        for line in file.read(MOST_TEXT_BYTES).splitlines():
            if line.startswith(b"host: "):
                return line.decode().strip().removeprefix("host: ").strip('"')
    return "0.0.0.0"  # noqa: S104  # tables on the same network must reach it


def _try_port(listen: str, port: int) -> None:
    """Listen on a port for a moment.

    :raises OSError: that is impossible. `socket.gaierror`: no address has that name.
    """
    found = socket.getaddrinfo(listen or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, kind, protocol, _, address = found[0]
    with socket.socket(family, kind, protocol) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        tried.bind(address)
        tried.listen()


class BrokerServer:
    """The broker process. A folder has at most one at a time.

    :param listen: the address that it listens on.
    """

    def __init__(self, folder: Path, listen: str) -> None:
        self._folder, self._listen = folder, listen
        self._stopping = threading.Event()
        self._turn = threading.Lock()
        """Held while it is started again: `stop` waits for that, and none is started afterwards."""
        self._process: subprocess.Popen[bytes] | None = None
        self._lock: int | None = None
        self._thread = threading.Thread(target=self._watch, name="broker", daemon=True)

    @property
    def pid(self) -> int | None:
        """The process id while it runs, else None."""
        process = self._process
        return None if process is None or process.poll() is not None else process.pid

    @property
    def near(self) -> str:
        """The address at which this machine itself reaches it."""
        return "127.0.0.1" if self._listen in ("0.0.0.0", "::", "") else self._listen  # noqa: S104  # compared with

    def start(self) -> None:
        """Start it, and wait until it listens. Hold the folder first if that was not done before.

        :raises TableError: `broker_missing`, `broker_fails`, `broker_port_taken`, `hub_host_unknown`, `hub_in_use`,
            `hub_missing`, `folder_unusable`, `file_unusable`, `disk_full`.
        """
        if self._lock is None:
            self.hold()
        configure(self._folder, self._listen)
        self._end_left_over()
        try:
            self._spawn()
        except OSError as error:
            raise unwritable(Path(error.filename or self._folder / PID), error) from None
        if not self._is_ready():
            self.stop()
            raise self._failure()
        self._thread.start()

    def _failure(self) -> TableError:
        """Return why it did not start. Its port is tried anew; for anything else its log has the reason."""
        port = MembersFile(self._folder).there().port
        try:
            _try_port(self._listen, port)
        except OSError as error:
            if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
                return TableError("hub_host_unknown", host=self._listen)
            return TableError("broker_port_taken", port=str(port), reason=error.strerror)
        lines = _end_of(self._folder / LOG).decode(errors="replace").splitlines()
        reason = _LOGGED_BEFORE.sub("", lines[-1]) if lines else ""
        return TableError("broker_fails", reason=reason, path=str(self._folder / LOG))

    def stop(self) -> None:
        """End it."""
        with self._turn:
            self._stopping.set()
        self._end()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _end(self) -> None:
        process = self._process
        if process is not None:
            _end(process.terminate, process.kill, lambda: process.poll() is not None)

    def hold(self) -> None:
        """Lock the folder against other hubs, which would end this broker. The kernel unlocks it if this one dies.

        :raises TableError: `hub_in_use`, `folder_unusable`, `file_unusable`, `disk_full`.
        """
        lock = self._folder / LOCK
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._lock = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.stop()
            raise TableError("hub_in_use", path=str(self._folder)) from None
        except OSError as error:
            raise unwritable(lock, error, in_place=True) from None

    def _spawn(self) -> None:
        # The broker writes its log itself, except what it says before it has read its configuration.
        with (self._folder / LOG).open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603  # our own binary
                [binary(), "--config", self._folder / CONFIGURATION],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            write_private(self._folder / PID, str(self._process.pid).encode())
        except OSError:
            # Commands would not find it: a table whose key is revoked would stay connected.
            self._end()
            raise

    def _is_ready(self) -> bool:
        """Wait until its log says that it is ready. Return False if it ended (its port may be taken) or timed out."""
        by = time.monotonic() + READY_S
        while time.monotonic() < by and self.pid is not None:
            if READY in _end_of(self._folder / LOG):
                return True
            self._stopping.wait(0.02)
        return False

    def _end_left_over(self) -> None:
        """End a broker whose hub was killed, because it still uses the port and the store."""
        pid = running(self._folder)
        if pid is not None:
            _end(
                lambda: os.kill(pid, signal.SIGTERM),
                lambda: os.kill(pid, signal.SIGKILL),
                lambda: running(self._folder) != pid,
            )

    def _watch(self) -> None:
        ended = 0
        while not self._stopping.is_set():
            process = self._process
            assert process is not None, "started before"
            began = time.monotonic()
            process.wait()
            if self._stopping.is_set():
                return
            ended = 0 if time.monotonic() - began > 60 else ended + 1
            _log.error("the broker ended with status %s; it is started again", process.returncode)
            self._stopping.wait(AGAIN_S[min(ended, len(AGAIN_S) - 1)])
            with self._turn:
                if self._stopping.is_set():
                    return
                try:
                    self._spawn()
                except OSError as error:
                    _log.error("the broker cannot be started: %s", error.strerror)


def _end(ask: Callable[[], None], force: Callable[[], None], ended: Callable[[], bool]) -> None:
    """Ask a process to end, and kill it if it does not within `STOP_S`. Return when it is gone."""
    with suppress(ProcessLookupError):
        for end, patience_s in ((ask, STOP_S), (force, KILLED_S)):
            end()
            by = time.monotonic() + patience_s
            while not ended():
                if time.monotonic() > by:
                    break
                time.sleep(0.02)
            else:
                return
