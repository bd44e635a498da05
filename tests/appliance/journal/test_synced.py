"""What is told as done survives a power cut: its bytes, and then its name, were flushed to the disk before."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from appliance.journal.rows import Row
from appliance.journal.safekeeping.backup import back_up
from appliance.journal.safekeeping.copy_file import CopyFile
from appliance.journal.safekeeping.staging import commit, drafted
from calibration import store
from hardware.files.regular_file import write_private
from hardware.recording.recording_format import Head
from hardware.recording.recording_reader import Recording
from hardware.recording.recording_writer import RecordingWriter
from hardware.scale.load_cell import Sample
from tests.appliance.journal.crashed import JOURNAL, Crashed


class Disk:
    """Notes every flush and every renaming, in order, by the path of the file or folder."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done: list[tuple[str, Path]] = []
        for name in ("fsync", "fdatasync"):
            monkeypatch.setattr(os, name, self._noting_flush(getattr(os, name)))
        for name in ("replace", "rename"):
            monkeypatch.setattr(Path, name, self._noting_name(getattr(Path, name)))

    def _noting_flush(self, flush: Callable[[int], None]) -> Callable[[int], None]:
        def noting(handle: int) -> None:
            self.done.append(("flushed", Path(f"/proc/self/fd/{handle}").readlink()))
            flush(handle)

        return noting

    def _noting_name(self, rename: Callable[[Path, Path], Path]) -> Callable[[Path, Path], Path]:
        def noting(path: Path, target: Path) -> Path:
            self.done += [("renamed", path), ("named", target)]
            return rename(path, target)

        return noting

    def keeps(self, path: Path) -> bool:
        """Return whether the file's bytes were flushed before it got its name, and its folder after that."""
        named = max((at for at, step in enumerate(self.done) if step == ("named", path)), default=None)
        if named is None:
            return ("flushed", path) in self.done
        fresh = self.done[named - 1][1]
        return ("flushed", fresh) in self.done[:named] and ("flushed", path.parent) in self.done[named:]


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


def test_a_private_file(disk: Disk, tmp_path: Path) -> None:
    write_private(tmp_path / "web.key", b"key")
    assert disk.keeps(tmp_path / "web.key")


def test_a_calibration_and_the_one_before_it(disk: Disk, tmp_path: Path) -> None:
    for text in ("one", "two"):
        store.write(tmp_path / "rig.toml", text)
    assert disk.keeps(tmp_path / "rig.toml")
    assert disk.keeps(tmp_path / "rig.toml.previous")


def test_a_report_and_the_sheets(disk: Disk, tmp_path: Path) -> None:
    store.put(tmp_path / "sheets.pdf", b"%PDF-")
    assert disk.keeps(tmp_path / "sheets.pdf")


def test_an_entry_of_a_copy(disk: Disk, tmp_path: Path) -> None:
    CopyFile(tmp_path / "journal.copy").extend([Row(1, 1, "a", 0.0, b"{}", None, b"digest")])
    assert disk.keeps(tmp_path / "journal.copy")
    assert disk.done[-1] == ("flushed", tmp_path), "a new file's name is in its folder's list"


def test_a_backup(disk: Disk, crashed: Crashed, tmp_path: Path) -> None:
    back_up(crashed.folder / JOURNAL, tmp_path / "saturday.sqlite3")
    assert disk.keeps(tmp_path / "saturday.sqlite3")


def test_files_that_replace_others_together(disk: Disk, tmp_path: Path) -> None:
    with drafted(tmp_path) as draft:
        (draft / "evening.json").write_text("{}")
        commit(tmp_path, (), "replaced")
    committed = disk.done.index(("named", tmp_path / "restoring"))
    assert disk.done[committed + 1] == ("flushed", tmp_path), "before any file is moved"


def begun(path: Path) -> RecordingWriter:
    head = Head(made_utc="2026-07-01T20:00:00+00:00", hardware="twin", picture="track", consent="yes", calibration={})
    return RecordingWriter(path, head, most_bytes=10**6)


def test_a_recording_up_to_its_last_second(disk: Disk, tmp_path: Path) -> None:
    writer = begun(tmp_path / "a.rec")
    for t_s in (0.0, 0.5, 1.0):
        writer.add(Sample(t_s, 4_000))
    flushed = [path for did, path in disk.done if did == "flushed"]
    assert flushed == [tmp_path, tmp_path / "a.rec"]
    assert len(list(Recording(tmp_path / "a.rec").facts())) == 3
    writer.close()


def test_a_recording_that_has_ended(disk: Disk, tmp_path: Path) -> None:
    begun(tmp_path / "a.rec").close()
    assert disk.keeps(tmp_path / "a.rec")
    assert ("flushed", tmp_path) in disk.done, "a new file's name is in its folder's list"
