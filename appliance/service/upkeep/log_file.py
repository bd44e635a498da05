"""The log: one line per event that matters, on standard error and in a bounded file of the data folder.

Under systemd a line begins with its priority in angle brackets, which systemd's journal reads (sd-daemon(3)).
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import sys
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import IO, Any

from hardware.files.regular_file import open_ordinary

NAME = "table.log"
FILE_MOST_BYTES = 256 * 1024
"""At this size the file becomes `table.log.1`, in place of the one before it."""
REPEATS_S = 60.0
"""The same line is written at most once in this time. Lines that differ only in digits count as the same."""
KNOWN_MOST = 200
"""Most different lines that are remembered at once."""
STORY = "story"
"""The logger of what happens at the table. Its lines are never held back: a player may roll the same twice."""
_OURS = ("appliance", "calibration", "hardware", "vision", "web", STORY)
_PRIORITIES = {"DEBUG": 7, "INFO": 6, "WARNING": 4, "ERROR": 3, "CRITICAL": 2}
_DIGITS = re.compile(r"\d+")


class Repeats:
    """Decides which lines are written, and counts how often one was held back.

    :param now_s: a monotonic clock, in seconds.
    """

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._told: dict[tuple[str, str], tuple[float, int]] = {}

    def held_back(self, name: str, text: str) -> int | None:
        """Return how often this line was held back since it was written last; None: hold it back now."""
        key, now_s = (name, _DIGITS.sub("#", text)), self._now_s()
        since_s, count = self._told.get(key, (-REPEATS_S, 0))
        if now_s - since_s < REPEATS_S:
            self._told[key] = since_s, count + 1
            return None
        self._told.pop(key, None)
        if len(self._told) >= KNOWN_MOST:
            del self._told[next(iter(self._told))]
        self._told[key] = now_s, 0
        return count


class PrivateFile(RotatingFileHandler):
    """A log file that only its owner may read. If the disk is full or gone, lines are lost and nothing else fails."""

    def _open(self) -> Any:
        def private(path: str, flags: int) -> int:
            # A pipe in its place must not be waited for, which a damaged file system can make of a file.
            return os.open(path, flags | os.O_NONBLOCK, 0o600)

        return open(self.baseFilename, self.mode, encoding="utf-8", opener=private)  # as its parent does

    def handleError(self, record: logging.LogRecord) -> None:  # named by logging
        """Leave the line out."""


class Log(logging.Handler):
    """Writes each line to a stream and into a file, unless the same line was written within `REPEATS_S`.

    :param prioritised: lines of the stream begin with systemd's priorities.
    :param streams_from: the least level of a line that the stream gets; the file gets all.
    """

    def __init__(
        self,
        stream: IO[str],
        folder: Path | None,
        *,
        prioritised: bool,
        streams_from: int = logging.INFO,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self._stream, self._prioritised, self._streams_from = stream, prioritised, streams_from
        self._repeats = Repeats(now_s)
        self._file: PrivateFile | None = None
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
                self._file = PrivateFile(folder / NAME, maxBytes=FILE_MOST_BYTES, backupCount=1, encoding="utf-8")
            except OSError:
                self._file = None
            else:
                self._file.setFormatter(_Dated())

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line."""
        text = record.getMessage()
        times = 0 if record.name == STORY else self._repeats.held_back(record.name, text)
        if times is None:
            return
        told = logging.makeLogRecord(record.__dict__)
        told.msg, told.args = (f"{text} (held back {times} times since)" if times else text), ()
        if record.levelno >= self._streams_from:
            self._write(told)
        if self._file is not None:
            self._file.handle(told)

    def _write(self, told: logging.LogRecord) -> None:
        first = f"<{_PRIORITIES.get(told.levelname, 6)}>" if self._prioritised else f"{told.levelname.lower()}: "
        # The stream may be unusable: a terminal that was closed, a full disk.
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(first + self.format(told).replace("\n", "\n" + first) + "\n")
            self._stream.flush()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
        super().close()


class _Dated(logging.Formatter):
    """Adds the time in UTC to lines: the table's own time zone would reveal where it stands."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC)
        return f"{at:%Y-%m-%dT%H:%M:%SZ} {record.levelname.lower()}: {super().format(record)}"


def begin_log(folder: Path | None, *, streams_from: int = logging.INFO, environ: Mapping[str, str] = os.environ) -> Log:
    """Start to log: our own modules from "info" on, others from "warning" on. A second call replaces the first.

    :param folder: the folder of the log file; None: no file is written.
    """
    root = logging.getLogger()
    for handler in list(root.handlers):
        if isinstance(handler, Log):
            root.removeHandler(handler)
            handler.close()
    log = Log(sys.stderr, folder, prioritised="JOURNAL_STREAM" in environ, streams_from=streams_from)
    root.addHandler(log)
    root.setLevel(logging.WARNING)
    for name in _OURS:
        logging.getLogger(name).setLevel(logging.INFO)
    return log


def last_lines(folder: Path, most_bytes: int) -> str:
    """Return the newest complete lines of the log; "" where there are none or they cannot be read."""
    text = b""
    for name in (f"{NAME}.1", NAME):
        try:
            with open_ordinary(folder / name) as file:
                text += file.read(2 * FILE_MOST_BYTES)
        except OSError:
            continue
    kept = text[-most_bytes:]
    return (kept if len(kept) == len(text) else kept[kept.find(b"\n") + 1 :]).decode("utf-8", "replace")
