"""Finds and checks newer releases of the package on USB sticks and in apt's sources, and prepares the installation."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from appliance.journal.media.removable_media import Sticks
from appliance.service.machine.asks import Install, Problem, Update, UpdateNote
from appliance.service.machine.machine import Machine
from hardware.files.file_names import percent_decoded, percent_encoded
from hardware.files.regular_file import open_ordinary, write_private

PACKAGE = "smugglers-table"
UNIT = "smugglers-update@{what}.service"
READY, WISH = "update.deb", "update-wish"
FILES_MOST, FILE_MOST_BYTES = 20, 400 * 2**20
CONTROL_MOST_BYTES = 2**20
"""Most bytes that are read of a package's control archive; ours has some KiB."""
_VERSION = re.compile(r"[0-9][A-Za-z0-9.+~:-]{0,59}")
"""Debian policy, 5.6.12. Text that is not a version is never passed to a command."""
_CHUNK_BYTES = 2**20
_ANSWERS_WITHIN_S = 60


class Releases:
    """The releases that may be installed on this machine.

    :param folder: where the release to install is prepared; only root writes there.
    :param sticks: the USB sticks.
    """

    def __init__(self, folder: Path, sticks: Sticks) -> None:
        self._folder, self._sticks = folder, sticks

    def installed(self) -> str:
        """Return the installed version; "" where none is installed."""
        return self._says("dpkg-query", "--show", "--showformat=${Version}", PACKAGE).strip()

    def found(self) -> tuple[Update, ...]:
        """Return the releases that are newer than the installed one, the newest first."""
        now = self.installed()
        all_found = [*self._of_apt(), *self._on_sticks()]
        newer = [one for one in all_found if now and self._newer(one.version, now)]
        return tuple(sorted(newer, key=lambda one: _order(one.version), reverse=True))

    def lay_ready(self, ask: Install) -> Problem:
        """Prepare the installation of what `ask` names. Return "" or the code of what prevents it.

        A file is copied first and then compared: the file on the stick may change, the copy does not.
        """
        chosen = next((one for one in self.found() if (one.source, one.version) == (ask.source, ask.version)), None)
        if chosen is None or (ask.source == "stick" and chosen.sha256 != ask.sha256):
            return "update_gone"
        try:
            if ask.source == "stick" and self._copy(percent_decoded(chosen.file)) != ask.sha256:
                (self._folder / READY).unlink(missing_ok=True)
                return "update_gone"
            write_private(self._folder / WISH, f"{ask.source} {ask.version}\n".encode())
        except OSError:
            # Half a copy would keep the card full, and the table could store nothing.
            with contextlib.suppress(OSError):
                (self._folder / READY).unlink(missing_ok=True)
            return "update_refused"
        return ""

    def note(self) -> UpdateNote | None:
        """Return the result of the last update. If its note says "running" but its unit does not run, it has failed."""
        note = Machine(self._folder).last_update()
        if note is None or note.result != "running":
            return note
        state = self._says("systemctl", "show", "--property=ActiveState", "--value", UNIT.format(what="install"))
        return note if state.strip() in ("active", "activating") else msgspec.structs.replace(note, result="failed")

    def _of_apt(self) -> Iterator[Update]:
        caches = ("-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache=")
        told = re.search(r"^ +Candidate: (\S+)$", self._says("apt-cache", *caches, "policy", PACKAGE), re.MULTILINE)
        if told is not None and _VERSION.fullmatch(told[1]):
            yield Update(source="apt", version=told[1])

    def _on_sticks(self) -> Iterator[Update]:
        here = self._says("dpkg", "--print-architecture").strip()
        for path in self._sticks.named(f"{PACKAGE}_*.deb")[:FILES_MOST]:
            try:
                if path.stat().st_size > FILE_MOST_BYTES:
                    continue
                fields = self._fields(path)
                if fields[:1] == [PACKAGE] and fields[2] in (here, "all") and _VERSION.fullmatch(fields[1]):
                    file, digest = percent_encoded(path), _digest(path)
                    yield Update(source="stick", version=fields[1], sha256=digest, file=file)
            except OSError:
                continue  # the stick was pulled out

    def _fields(self, path: Path) -> list[str]:
        """Return package, version and architecture of a package file; [] where it is not one.

        The tar is read here: `dpkg-deb` alone would run tar, which sets owners, and the helper may not do that.
        """
        told = _begin_of(CONTROL_MOST_BYTES, "dpkg-deb", "--ctrl-tarfile", str(path))
        try:
            with tarfile.open(fileobj=io.BytesIO(told), mode="r:") as tar:
                control = next(one for one in tar if one.name in ("./control", "control") and one.isfile())
                file = tar.extractfile(control)
                text = file.read(CONTROL_MOST_BYTES).decode("utf-8", "replace") if file is not None else ""
        except (tarfile.TarError, OSError, StopIteration):
            return []
        found = dict(re.findall(r"^(Package|Version|Architecture): *(\S+) *$", text, re.MULTILINE))
        return [found[name] for name in ("Package", "Version", "Architecture")] if len(found) == 3 else []

    def _copy(self, path: Path) -> str:
        """Copy a file to the folder that only root writes, and return the digest of the copy."""
        ready = self._folder / READY
        ready.unlink(missing_ok=True)
        with open_ordinary(path, links=False) as file:
            target = os.open(ready, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            with os.fdopen(target, "wb") as copy:
                written = 0
                while (chunk := file.read(_CHUNK_BYTES)) and written <= FILE_MOST_BYTES:
                    written += copy.write(chunk)
                copy.flush()
                os.fsync(copy.fileno())
        return _digest(ready)

    def _newer(self, version: str, than: str) -> bool:
        return _run("dpkg", "--compare-versions", version, "gt", than) is not None

    def _says(self, *command: str) -> str:
        return _run(*command) or ""


def _digest(path: Path) -> str:
    with open_ordinary(path, links=False) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _order(version: str) -> list[int]:
    """Return a rough sort key for display only; `dpkg` decides what is newer."""
    return [int(number) for number in re.findall(r"\d+", version)]


def _begin_of(most_bytes: int, *command: str) -> bytes:
    """Return the first `most_bytes` that a command prints, without waiting for the rest."""
    try:
        with subprocess.Popen(  # noqa: S603  # what came from elsewhere is a file's name after an option
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as running:
            assert running.stdout is not None
            try:
                return running.stdout.read(most_bytes)
            finally:
                running.kill()
    except OSError:
        return b""


def _run(*command: str) -> str | None:
    """Return what a command prints, or None when it fails, hangs or is not installed."""
    try:
        done = subprocess.run(  # noqa: S603  # what came from elsewhere was checked before
            command,
            env={"PATH": os.environ.get("PATH", "/usr/bin"), "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_ANSWERS_WITHIN_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
