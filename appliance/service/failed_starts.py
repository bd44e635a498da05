"""Counts failed starts across processes, so that the table does not restart for ever."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from hardware.files.regular_file import MOST_TEXT_BYTES, UNDECODABLE, read_ordinary, write_private

MOST = 3
"""Failed starts in a row after which the table serves its safe mode instead of trying again."""


class FailedStart(msgspec.Struct, frozen=True):
    """One failed start: wall-clock seconds, and why, in a sentence; "" when the process ended without a message."""

    wall_s: float
    reason: str = ""


class FailedStarts:
    """The failed starts since the last good one, in a file of the run-time folder that systemd keeps over restarts.

    Without such a folder, in a terminal, nothing is counted: a person reads the error.

    :param environ: `RUNTIME_DIRECTORY` names the folder.
    """

    def __init__(self, environ: Mapping[str, str]) -> None:
        folder = environ.get("RUNTIME_DIRECTORY", "").split(":")[0]
        self._file = Path(folder) / "failed-starts.json" if folder else None

    def all(self) -> tuple[FailedStart, ...]:
        """Return the failed starts, oldest first."""
        try:
            raw = read_ordinary(self._file, MOST_TEXT_BYTES) if self._file else b"[]"
            return msgspec.json.decode(raw, type=tuple[FailedStart, ...])
        except (OSError, *UNDECODABLE):
            return ()

    @property
    def too_many(self) -> bool:
        """Whether at least `MOST` starts failed, so that another one would probably fail too."""
        return len(self.all()) >= MOST

    def begin(self, wall_s: float) -> None:
        """Count a start as failed when it begins, because a crash leaves no time to do so."""
        self._write((*self.all(), FailedStart(wall_s)))

    def explain(self, reason: str) -> None:
        """Store why the newest start failed."""
        if begun := self.all():
            self._write((*begun[:-1], msgspec.structs.replace(begun[-1], reason=reason)))

    def forget(self) -> None:
        """Delete all failed starts: the table has started, or somebody wants it to try again."""
        self._write(())

    def _write(self, starts: tuple[FailedStart, ...]) -> None:
        if self._file is not None:
            with suppress(OSError):
                write_private(self._file, msgspec.json.encode(starts))
