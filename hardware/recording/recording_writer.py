"""Writes recordings: one tar file, written sequentially. A power cut loses the last second at most."""

from __future__ import annotations

import contextlib
import os
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

import cv2
import msgspec

from hardware.beams.beam_monitor import BeamEdge
from hardware.cameras.camera import Frame
from hardware.files.regular_file import kind_of, sync
from hardware.readings import ButtonPressed, DeviceHealth
from hardware.recording.recording_format import (
    MOST_FRAMES_A_CHUNK,
    ButtonLine,
    CountsLine,
    EdgeLine,
    End,
    Ending,
    Fact,
    FrameLine,
    Head,
    HealthLine,
    Line,
    SenseRecordingError,
)
from hardware.scale.load_cell import Sample

LEAST_FREE_BYTES = 200 * 10**6
"""A recording stops when less disk space is free, to leave room for journals."""
FLUSH_S = 1.0
_BLOCK = 512
"""Block size of the tar format, bytes."""
_TAIL_BYTES = 64 * 1024
"""Bytes reserved for the last facts and the end member."""


def check_place(path: Path) -> None:
    """Check that a recording can be written at `path`, before asking people for anything. Create nothing.

    :raises SenseRecordingError: `recording_exists`, `recording_unwritable` or `recording_no_room`.
    """
    if os.path.lexists(path):
        raise _exists(path)
    folder = path.parent
    while not os.path.lexists(folder) and folder != folder.parent:
        folder = folder.parent
    if kind_of(folder) != "folder" or not os.access(folder, os.W_OK | os.X_OK):
        message = f"{path}: cannot be written ({folder} is no folder that you may write to); choose another --out"
        raise SenseRecordingError("recording_unwritable", message, path=str(path))
    if free_bytes(folder) < LEAST_FREE_BYTES:
        megabytes = LEAST_FREE_BYTES // 10**6
        message = f"{folder}: less than {megabytes} MB are free; make room, or choose another --out"
        raise SenseRecordingError("recording_no_room", message, path=str(folder), megabytes=megabytes)


def free_bytes(folder: Path) -> int:
    """Return the free space on the disk of a folder."""
    return shutil.disk_usage(folder).free


def _exists(path: Path) -> SenseRecordingError:
    return SenseRecordingError("recording_exists", f"{path}: exists already; choose another --out", path=str(path))


class RecordingWriter:
    """Writes one recording of at most `most_bytes`. It never overwrites an existing file.

    :param quality: JPEG quality, 1–100.
    :param free_bytes: returns the free disk space of a folder; for tests.
    :raises SenseRecordingError: `recording_exists` or `recording_unwritable`.
    """

    def __init__(
        self,
        path: Path,
        head: Head,
        *,
        most_bytes: int,
        quality: int = 88,
        free_bytes: Callable[[Path], int] = free_bytes,
    ) -> None:
        self.path = path
        self._most_bytes, self._quality, self._free_bytes = most_bytes, quality, free_bytes
        self._lines: list[Line] = []
        self._lines_bytes = self._bytes_written = 0
        self._chunk = self._frames = self._counts = self._edges = self._frames_in_chunk = 0
        self._beams: set[str] = set()
        self._flushed_s: float | None = None
        self.ended: Ending | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: IO[bytes] = path.open("xb")
            sync(path.parent)
        except FileExistsError:
            raise _exists(path) from None
        except OSError as error:
            message = f"{path}: cannot be written ({error.strerror}); choose another --out"
            raise SenseRecordingError("recording_unwritable", message, path=str(path)) from None
        self._member("head.json", msgspec.json.format(msgspec.json.encode(head)))

    @property
    def bytes_written(self) -> int:
        """Present size of the file, bytes."""
        return self._bytes_written

    @property
    def contents(self) -> End:
        """The end member: the number of facts so far, and why the recording ended."""
        return End(ended=self.ended or "stopped", frames=self._frames, counts=self._counts, edges=self._edges)

    @property
    def is_empty(self) -> bool:
        """Whether the file holds nothing that was sensed. The first edge of a beam is only its level at the start."""
        return not (self._frames or self._counts or self._edges > len(self._beams))

    def add(self, fact: Fact) -> bool:
        """Write a fact. Return False when the recording has ended (`ended` says why).

        :raises SenseRecordingError: `recording_unwritable`; all facts written before remain readable.
        """
        if self.ended is not None:
            return False
        if isinstance(fact, Frame):
            _, data = cv2.imencode(".jpg", fact.image, [cv2.IMWRITE_JPEG_QUALITY, self._quality])
            jpeg = data.tobytes()
            if not self._fits(len(jpeg)):
                self.close("size_limit")
                return False
            name = f"frames/{self._frames:06d}.jpg"
            self._member(name, jpeg)
            self._frames += 1
            self._frames_in_chunk += 1
            self._note(FrameLine(fact.t_s, fact.index, name))
        elif not self._fits(0):
            self.close("size_limit")
            return False
        else:
            self._note(_line_of(fact))
            self._counts += isinstance(fact, Sample)
            if isinstance(fact, BeamEdge):
                self._edges += 1
                self._beams.add(fact.beam)
        self._flushed_s = fact.t_s if self._flushed_s is None else self._flushed_s
        if fact.t_s - self._flushed_s >= FLUSH_S or self._frames_in_chunk >= MOST_FRAMES_A_CHUNK:
            self._flushed_s = fact.t_s
            self._flush()
            if self._room_bytes() < LEAST_FREE_BYTES:
                self.close("disk_nearly_full")
        return self.ended is None

    def _room_bytes(self) -> int:
        try:
            return self._free_bytes(self.path.parent)
        except OSError as error:  # the medium was pulled out, or its folder was removed
            raise self._unwritable(error) from None

    def close(self, ended: Ending = "stopped") -> None:
        """End the recording. A second call does nothing.

        :raises SenseRecordingError: `recording_unwritable`.
        """
        if self.ended is not None:
            return
        self._flush()
        self.ended = ended
        self._member("end.json", msgspec.json.encode(self.contents))
        try:
            self._write(b"\0" * 2 * _BLOCK)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise self._unwritable(error) from None
        finally:
            self._file.close()

    def _note(self, line: Line) -> None:
        self._lines.append(line)
        self._lines_bytes += len(msgspec.json.encode(line)) + 1

    def _fits(self, more_bytes: int) -> bool:
        return self._file.tell() + self._lines_bytes + more_bytes + 3 * _BLOCK + _TAIL_BYTES <= self._most_bytes

    def _flush(self) -> None:
        if not self._lines:
            return
        lines = b"".join(msgspec.json.encode(line) + b"\n" for line in self._lines)
        self._member(f"facts/{self._chunk:06d}.jsonl", lines)
        self._chunk += 1
        self._lines, self._lines_bytes, self._frames_in_chunk = [], 0, 0
        try:
            self._file.flush()
            os.fdatasync(self._file.fileno())
        except OSError as error:
            raise self._unwritable(error) from None

    def _member(self, name: str, content: bytes) -> None:
        info = tarfile.TarInfo(name)
        info.size = len(content)
        try:
            self._write(info.tobuf(tarfile.USTAR_FORMAT) + content + b"\0" * (-len(content) % _BLOCK))
        except OSError as error:
            raise self._unwritable(error) from None

    def _write(self, content: bytes) -> None:
        self._file.write(content)
        self._bytes_written += len(content)

    def _unwritable(self, error: OSError) -> SenseRecordingError:
        self.ended = "cut_short"
        with contextlib.suppress(OSError):  # what is buffered cannot be written either
            self._file.close()
        message = f"{self.path}: cannot be written any more ({error.strerror}); what came before can be replayed"
        return SenseRecordingError("recording_unwritable", message, path=str(self.path))


def _line_of(fact: Sample | BeamEdge | DeviceHealth | ButtonPressed) -> Line:
    match fact:
        case Sample(t_s, counts):
            return CountsLine(t_s, counts)
        case BeamEdge(t_s, beam, broken):
            return EdgeLine(t_s, beam, broken)
        case DeviceHealth():
            return HealthLine(fact.t_s, fact.device, fact.status, fact.code)
        case ButtonPressed():
            return ButtonLine(fact.t_s, fact.button)
