"""Reads recordings, complete or truncated. All content is validated, and nothing is unpacked to disk."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import msgspec
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Pillow

from hardware.beams.beam_monitor import BeamEdge
from hardware.cameras.camera import Frame
from hardware.files.regular_file import UNDECODABLE, brief
from hardware.readings import ButtonPressed, DeviceHealth
from hardware.recording.recording_format import (
    FORMAT,
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

LARGEST_MEMBER_BYTES = 16 * 2**20
LARGEST_SIDE_PX = 4096
"""Limits against oversized members; a camera's still is 2304 px wide and below 4 MB."""


class Recording:
    """A recording on disk. The constructor reads `head`; iterating `facts` reads the rest.

    :raises SenseRecordingError: `recording_unreadable` or `recording_invalid`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ended: Ending | None = None
        """Why the recording ended. It is set once `facts` was read to the end."""
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
        """Yield the facts in the order in which they were recorded.

        For a truncated recording, yield all complete facts; `ended` is then `cut_short`.

        :raises SenseRecordingError: `recording_invalid`: the content is not that of a recording.
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
        match self._decoded(line, Line, where):
            case FrameLine(t_s, index, file):
                if file not in pending:
                    raise self._invalid(f"{where}: there is no frame {file}")
                return Frame(t_s, self._image(pending[file], file), index)
            case CountsLine(t_s, counts):
                return Sample(t_s, counts)
            case EdgeLine(t_s, beam, broken):
                return BeamEdge(t_s, beam, broken)
            case HealthLine() as health:
                return DeviceHealth(t_s=health.t_s, device=health.device, status=health.status, code=health.code)
            case ButtonLine(t_s, button):
                return ButtonPressed(t_s=t_s, button=button)
        raise AssertionError("every kind of line is above")

    def _image(self, jpeg: bytes, name: str) -> NDArray[np.uint8]:
        try:
            with Pillow.open(io.BytesIO(jpeg), formats=["JPEG"]) as header:
                size = header.size  # checked before decoding: a small file may declare a huge picture
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
            message = f"{self.path}: cannot be read ({error.strerror}); check its name and permissions"
            raise SenseRecordingError(
                "recording_unreadable", message, path=str(self.path), reason=error.strerror
            ) from None
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
        except UNDECODABLE as error:
            raise self._invalid(f"{where}: {error}") from None

    def _invalid(self, what: str) -> SenseRecordingError:
        return SenseRecordingError("recording_invalid", f"{self.path}: {brief(what)}", path=str(self.path))
