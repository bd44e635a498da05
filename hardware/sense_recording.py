"""Recordings of raw senses: one tar file with a head, JPEG frames and stamped facts as JSON Lines (docs/recordings.md).

A tar is written from front to back: whatever cut it short, all but the last second can be read.
"""

from __future__ import annotations

import io
import os
import shutil
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, Literal

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow

from hardware.beam_watch import BeamEdge
from hardware.camera import Frame
from hardware.load_cell import Sample
from hardware.readings import ButtonPressed, DeviceHealth

FORMAT = "smugglers-recording-1"
SUFFIX = ".rec"
FLUSH_S = 1.0
MOST_FRAMES_A_CHUNK = 256
LARGEST_MEMBER_BYTES = 16 * 2**20
LARGEST_SIDE_PX = 4096
LEAST_FREE_BYTES = 200 * 10**6
_BLOCK = 512
_TAIL_BYTES = 64 * 1024

Fact = Frame | Sample | BeamEdge | DeviceHealth | ButtonPressed
Ending = Literal["stopped", "size_limit", "disk_nearly_full", "game_opened", "cut_short"]


class SenseRecordingError(ValueError):
    """The recording cannot be written or read: `code` is stable, the message says why and what to do.

    Codes: `recording_exists`, `recording_unwritable`, `recording_unreadable`, `recording_invalid`,
    `recording_calibration`.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Head(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a recording begins with.

    `picture` says what the frames show: the track and the markers alone, or all. `consent` is the sentence that was
    agreed to. `calibration` holds the files in use, by name: `camera.toml`, `rig.toml`, `scale.toml`.
    """

    format: str = FORMAT
    made_utc: str
    hardware: Literal["pi", "twin"]
    picture: Literal["track", "whole"]
    consent: str
    calibration: dict[str, str]


class _Frame(msgspec.Struct, frozen=True, tag_field="fact", tag="frame"):
    t_s: float
    index: int
    file: str


class _Counts(msgspec.Struct, frozen=True, tag_field="fact", tag="counts"):
    t_s: float
    counts: int


class _Edge(msgspec.Struct, frozen=True, tag_field="fact", tag="edge"):
    t_s: float
    beam: str
    broken: bool


class _Health(msgspec.Struct, frozen=True, tag_field="fact", tag="health"):
    t_s: float
    device: Literal["scale", "camera", "beams", "panel"]
    status: Literal["ok", "starting", "absent", "faulty"]
    code: str


class _Button(msgspec.Struct, frozen=True, tag_field="fact", tag="button"):
    t_s: float
    button: Literal["hourglass"]


_Line = _Frame | _Counts | _Edge | _Health | _Button


class End(msgspec.Struct, frozen=True, kw_only=True):
    """What a recording ends with: why, and how much is in it."""

    ended: Ending
    frames: int
    counts: int
    edges: int


class RecordingWriter:
    """Writes one recording, never larger than `most_bytes`, never over another file.

    :param quality: of the JPEGs, 1–100.
    :param free_bytes: how much room the disk has; for tests.
    :raises SenseRecordingError: `recording_exists` or `recording_unwritable`.
    """

    def __init__(
        self,
        path: Path,
        head: Head,
        *,
        most_bytes: int,
        quality: int = 88,
        free_bytes: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free,
    ) -> None:
        self.path = path
        self._most_bytes, self._quality, self._free_bytes = most_bytes, quality, free_bytes
        self._lines: list[_Line] = []
        self._lines_bytes = 0
        self._chunk = self._frames = self._counts = self._edges = self._frames_in_chunk = 0
        self._flushed_s: float | None = None
        self.ended: Ending | None = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: IO[bytes] = path.open("xb")
        except FileExistsError:
            raise SenseRecordingError("recording_exists", f"{path}: exists already; choose another --out") from None
        except OSError as error:
            message = f"{path}: cannot be written ({error.strerror}); choose another --out"
            raise SenseRecordingError("recording_unwritable", message) from None
        self._member("head.json", msgspec.json.format(msgspec.json.encode(head)))

    @property
    def bytes_written(self) -> int:
        """How large the file is by now."""
        return self._file.tell() if not self._file.closed else self.path.stat().st_size

    @property
    def contents(self) -> End:
        """How much is in it by now."""
        return End(ended=self.ended or "stopped", frames=self._frames, counts=self._counts, edges=self._edges)

    def add(self, fact: Fact) -> bool:
        """Write a fact, or refuse it because the recording has ended (`ended` says why).

        :raises SenseRecordingError: `recording_unwritable`; what was written before can be read.
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
            self._note(_Frame(fact.t_s, fact.index, name))
        elif not self._fits(0):
            self.close("size_limit")
            return False
        else:
            self._note(_line_of(fact))
            self._counts += isinstance(fact, Sample)
            self._edges += isinstance(fact, BeamEdge)
        self._flushed_s = fact.t_s if self._flushed_s is None else self._flushed_s
        if fact.t_s - self._flushed_s >= FLUSH_S or self._frames_in_chunk >= MOST_FRAMES_A_CHUNK:
            self._flushed_s = fact.t_s
            self._flush()
            if self._free_bytes(self.path.parent) < LEAST_FREE_BYTES:
                self.close("disk_nearly_full")
        return self.ended is None

    def close(self, ended: Ending = "stopped") -> None:
        """End the recording; a second call does nothing.

        :raises SenseRecordingError: `recording_unwritable`.
        """
        if self.ended is not None:
            return
        self._flush()
        self.ended = ended
        self._member("end.json", msgspec.json.encode(self.contents))
        try:
            self._file.write(b"\0" * 2 * _BLOCK)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise self._unwritable(error) from None
        finally:
            self._file.close()

    def _note(self, line: _Line) -> None:
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
        except OSError as error:
            raise self._unwritable(error) from None

    def _member(self, name: str, content: bytes) -> None:
        info = tarfile.TarInfo(name)
        info.size = len(content)
        try:
            self._file.write(info.tobuf(tarfile.USTAR_FORMAT) + content + b"\0" * (-len(content) % _BLOCK))
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> SenseRecordingError:
        self.ended = "cut_short"
        message = f"{self.path}: cannot be written any more ({error.strerror}); what came before can be replayed"
        return SenseRecordingError("recording_unwritable", message)


class Recording:
    """A recording on disk. `head` is read at once; `facts` reads the rest as it is asked for.

    :raises SenseRecordingError: `recording_unreadable` or `recording_invalid`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ended: Ending | None = None
        """Why it ended, once `facts` was read to the end."""
        with self._tar() as tar:
            first = self._next(tar)
            if first is None or first.name != "head.json":
                raise self._invalid("it does not begin with head.json; give a file of `smugglers record`")
            try:
                content = self._content(tar, first)
            except tarfile.ReadError:
                raise self._invalid("it was cut short before anything was recorded") from None
            self.head: Head = self._decoded(content, Head, "head.json")
        if self.head.format != FORMAT:
            raise self._invalid(f"its format is {self.head.format!r}, and this release reads {FORMAT!r}")

    def facts(self) -> Iterator[Fact]:
        """Yield the facts in the order in which they became known.

        A recording that was cut short yields what is whole; `ended` is then `cut_short`.

        :raises SenseRecordingError: `recording_invalid`: what is there is not a recording's.
        """
        self.ended = "cut_short"
        pending: dict[str, bytes] = {}
        with self._tar() as tar:
            while (member := self._next(tar)) is not None:
                try:
                    content = self._content(tar, member)
                except tarfile.ReadError:
                    return
                if member.name.startswith("frames/"):
                    pending[member.name] = content
                    if len(pending) > MOST_FRAMES_A_CHUNK:
                        raise self._invalid("it has frames without facts")
                elif member.name.startswith("facts/"):
                    for number, line in enumerate(content.splitlines(), start=1):
                        yield self._fact(line, pending, f"{member.name}, line {number}")
                    pending.clear()
                elif member.name == "end.json":
                    end: End = self._decoded(content, End, member.name)
                    self.ended = end.ended
                    return

    def _fact(self, line: bytes, pending: dict[str, bytes], where: str) -> Fact:
        match self._decoded(line, _Line, where):
            case _Frame(t_s, index, file):
                if file not in pending:
                    raise self._invalid(f"{where}: there is no frame {file}")
                return Frame(t_s, self._image(pending[file], file), index)
            case _Counts(t_s, counts):
                return Sample(t_s, counts)
            case _Edge(t_s, beam, broken):
                return BeamEdge(t_s, beam, broken)
            case _Health() as health:
                return DeviceHealth(t_s=health.t_s, device=health.device, status=health.status, code=health.code)
            case _Button(t_s, button):
                return ButtonPressed(t_s=t_s, button=button)
        raise AssertionError("every kind of line is above")

    def _image(self, jpeg: bytes, name: str) -> NDArray[np.uint8]:
        try:
            with Pillow.open(io.BytesIO(jpeg), formats=["JPEG"]) as header:
                size = header.size  # read before decoding: a small file may claim to be huge
        except (OSError, SyntaxError, Pillow.DecompressionBombError):
            size = (0, 0)
        if not 16 <= min(size) <= max(size) <= LARGEST_SIDE_PX:
            raise self._invalid(f"{name} is not a picture of a camera")
        image = cv2.imdecode(np.frombuffer(jpeg, dtype=np.uint8), cv2.IMREAD_COLOR)
        if image is None:
            raise self._invalid(f"{name} is not a picture of a camera")
        return np.asarray(image, dtype=np.uint8)

    def _tar(self) -> tarfile.TarFile:
        try:
            return tarfile.open(self.path, "r:")
        except OSError as error:
            message = f"{self.path}: cannot be read ({error.strerror}); check its name and rights"
            raise SenseRecordingError("recording_unreadable", message) from None
        except tarfile.TarError:
            raise self._invalid("it is not a tar file; give a file of `smugglers record`") from None

    def _next(self, tar: tarfile.TarFile) -> tarfile.TarInfo | None:
        try:
            member = tar.next()
        except tarfile.TarError:
            return None
        if member is not None and (not member.isreg() or member.size > LARGEST_MEMBER_BYTES):
            raise self._invalid(f"{member.name!r} does not belong into a recording")
        return member

    def _content(self, tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
        file = tar.extractfile(member)
        assert file is not None, "regular members have a content"
        return file.read()

    def _decoded(self, content: bytes, kind: Any, where: str) -> Any:
        try:
            return msgspec.json.decode(content, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._invalid(f"{where}: {error}") from None

    def _invalid(self, what: str) -> SenseRecordingError:
        return SenseRecordingError("recording_invalid", f"{self.path}: {what}")


def _line_of(fact: Sample | BeamEdge | DeviceHealth | ButtonPressed) -> _Line:
    match fact:
        case Sample(t_s, counts):
            return _Counts(t_s, counts)
        case BeamEdge(t_s, beam, broken):
            return _Edge(t_s, beam, broken)
        case DeviceHealth():
            return _Health(fact.t_s, fact.device, fact.status, fact.code)
        case ButtonPressed():
            return _Button(fact.t_s, fact.button)
