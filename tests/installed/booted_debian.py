"""A Debian system from debootstrap, booted by systemd-nspawn: real packages and a real systemd on this kernel.

It needs root, debootstrap and systemd-container. The bare systems are made once and stay in `IMAGES`; each proof works
on a copy that it removes. A booted system has no network: what apt needs is fetched before.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import TracebackType

from tests.patience import GIVEN_UP_S

IMAGES = Path("/var/tmp/smugglers-table-images")
WITH = "systemd-sysv,dbus,udev,apt-utils,ca-certificates"


def lacking() -> str:
    """What this machine lacks to boot a Debian; "" when it can."""
    if os.geteuid() != 0:
        return "root is needed: debootstrap and systemd-nspawn make and boot whole systems"
    for tool, package in (("debootstrap", "debootstrap"), ("systemd-nspawn", "systemd-container")):
        if shutil.which(tool) is None:
            return f"{tool} is missing: apt install {package}"
    return ""


def bare(suite: str) -> Path:
    """The folder of a bare system of `suite`, made the first time."""
    tree = IMAGES / suite
    if not tree.exists():
        IMAGES.mkdir(parents=True, exist_ok=True)
        draft = IMAGES / f"{suite}.new"
        shutil.rmtree(draft, ignore_errors=True)
        subprocess.run(["debootstrap", "--variant=minbase", f"--include={WITH}", suite, str(draft)], check=True)
        draft.rename(tree)
    return tree


class BootedDebian:
    """A copy of a bare system; `boot` starts it, `run` runs commands in it as root."""

    def __init__(self, suite: str, name: str) -> None:
        self.tree = IMAGES / f"{suite}-{name}"
        if self.tree.exists():
            shutil.rmtree(self.tree)
        subprocess.run(["cp", "-a", "--reflink=auto", str(bare(suite)), str(self.tree)], check=True)
        self._nspawn: subprocess.Popen[bytes] | None = None
        self._log = Path(f"{self.tree}.log")

    def fetch(self, *packages: str, recommended: bool = False) -> None:
        """Fetch what apt will install, with this machine's network, without installing it."""
        # Debian's own base image may keep no archives.
        (self.tree / "etc/apt/apt.conf.d/99keep").write_text('Binary::apt::APT::Keep-Downloaded-Packages "true";\n')
        chosen = [] if recommended else ["--no-install-recommends"]
        # Unlike a fresh system's owner, this tree has the package lists of the day that it was made.
        for words in (["update"], ["install", "-y", "--download-only", *chosen, *packages]):
            at = ["systemd-nspawn", "-q", "-D", str(self.tree), "--register=no", "--keep-unit", "--pipe"]
            subprocess.run([*at, "apt-get", "-q", *words], check=True, stdout=subprocess.DEVNULL)

    def boot(self) -> None:
        """Boot, and wait until systemd has started all that it starts."""
        environ = {**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"}
        at = ["systemd-nspawn", "-q", "-D", str(self.tree), "--register=no", "--keep-unit", "--private-network", "-b"]
        self._nspawn = subprocess.Popen(
            at, env=environ, stdin=subprocess.DEVNULL, stdout=self._log.open("ab"), stderr=subprocess.STDOUT
        )
        self.until("systemctl is-system-running --wait >/dev/null; systemctl is-active multi-user.target", "active")

    def shut_down(self) -> None:
        """Shut the system down as `poweroff` does."""
        if self._nspawn is not None:
            self.run("systemctl poweroff --no-block", check=False)
            try:
                self._nspawn.wait(timeout=120)
            except subprocess.TimeoutExpired:
                self._nspawn.kill()
                self._nspawn.wait()
            self._nspawn = None

    def pull_the_plug(self) -> None:
        """End the system at once, without a word to its programs."""
        assert self._nspawn is not None
        os.kill(self._leader(), signal.SIGKILL)
        self._nspawn.wait()
        self._nspawn = None

    def run(self, command: str, *, check: bool = True, timeout_s: float = 900) -> str:
        """Run a shell command in the booted system as root; return what it prints, errors included.

        :raises RuntimeError: it fails and `check` is set.
        """
        inside = ["nsenter", "-t", str(self._leader()), "-a", "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"]
        done = subprocess.run(
            [*inside, "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive", "sh", "-c", f"cd / && {{ {command}\n}}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        if check and done.returncode:
            raise RuntimeError(f"{command}: exit status {done.returncode}\n{done.stdout}")
        return done.stdout

    def says(self, command: str) -> str:
        """Return the last line that a command prints, whether it fails or not."""
        return (self.run(command, check=False).strip().splitlines() or [""])[-1]

    def in_its_network(self) -> list[str]:
        """Return the words before a command of this machine that let it run in the booted system's network."""
        return ["nsenter", "-t", str(self._leader()), "-n"]

    def until(self, command: str, wanted: str) -> None:
        """Wait until a command's last line is `wanted`."""
        ends_s = time.monotonic() + GIVEN_UP_S
        said = ""
        while time.monotonic() < ends_s:
            try:
                said = self.says(command)
            except (ProcessLookupError, FileNotFoundError, RuntimeError) as error:
                said = str(error)
            if said == wanted:
                return
            time.sleep(0.5)
        raise TimeoutError(f"{command}: {said!r} instead of {wanted!r}; see {self._log}")

    def _leader(self) -> int:
        assert self._nspawn is not None, "the system is not booted"
        children = Path(f"/proc/{self._nspawn.pid}/task/{self._nspawn.pid}/children").read_text().split()
        if not children:
            raise ProcessLookupError("the system has not started yet")
        return int(children[0])

    def __enter__(self) -> BootedDebian:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._nspawn is not None:
            if kind is None:
                self.shut_down()
            else:
                self.pull_the_plug()
        shutil.rmtree(self.tree, ignore_errors=True)


def tried(proofs: Iterable[Callable[[], str]]) -> Iterator[tuple[str, str]]:
    """Run proofs in order; yield what each says that it proves, and what was seen: "NO: …" where it failed."""
    for proof in proofs:
        name = (proof.__doc__ or "").split("\n", 1)[0].rstrip(".")
        try:
            yield name, proof()
        except (RuntimeError, TimeoutError, AssertionError) as error:
            yield name, "NO: " + " ".join(str(error).split())[-300:]
