"""Drafts of files that a power cut or a kill left behind: only those are removed, and never one that is written."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from hardware.files.regular_file import prepared, remove_abandoned_drafts, write_private
from tests.patience import GIVEN_UP_S

CUT_OFF = """
import os, sys
from pathlib import Path
from hardware.files.regular_file import prepared
with prepared(Path(sys.argv[1]), b"half") as fresh:
    os._exit(9)
"""
"""A process that ends, as by a power cut, between writing a draft and renaming it."""


def leave_draft(path: Path) -> Path:
    """Leave an abandoned draft of `path`."""
    before = set(path.parent.iterdir())
    command = [sys.executable, "-c", CUT_OFF, str(path)]
    assert subprocess.run(command, check=False, timeout=GIVEN_UP_S).returncode == 9
    (draft,) = set(path.parent.iterdir()) - before
    return draft


def test_a_draft_that_was_cut_off_is_removed_and_the_old_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "host.json"
    write_private(path, b"old")
    draft = leave_draft(path)
    assert remove_abandoned_drafts(tmp_path) == [draft]
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("host.json", b"old")]


def test_a_draft_that_is_being_written_stays_and_becomes_the_file(tmp_path: Path) -> None:
    path = tmp_path / "host.json"
    with prepared(path, b"new") as fresh:
        assert remove_abandoned_drafts(tmp_path) == []
        fresh.replace(path)
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("host.json", b"new")]


def test_a_draft_that_another_process_is_writing_stays(tmp_path: Path) -> None:
    path = tmp_path / "host.json"
    waits = CUT_OFF.replace("os._exit(9)", "print(flush=True); sys.stdin.read(); fresh.replace(Path(sys.argv[1]))")
    with subprocess.Popen(
        [sys.executable, "-c", waits, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout is not None
        writer.stdout.readline()
        assert remove_abandoned_drafts(tmp_path) == []
        writer.communicate(timeout=GIVEN_UP_S)
    assert path.read_bytes() == b"half"


def test_nothing_else_is_touched(tmp_path: Path) -> None:
    for name in (
        ".host.json.original",
        ".host.json.draft",
        "host.json.abcd1234.draft",
        ".host.json.ABCD1234.draft",
        ".host.json.abcd12345.draft",
        ".abcd1234.draft",
        ".host.json.abcd1234.draft~",
    ):
        (tmp_path / name).write_text("somebody's")
    (tmp_path / ".folder.abcd1234.draft").mkdir()
    (tmp_path / ".link.abcd1234.draft").symlink_to(tmp_path / ".host.json.original")
    os.mkfifo(tmp_path / ".pipe.abcd1234.draft")
    before = sorted(tmp_path.iterdir())
    assert remove_abandoned_drafts(tmp_path) == []
    assert sorted(tmp_path.iterdir()) == before


def test_drafts_of_other_files_can_be_left(tmp_path: Path) -> None:
    ours, other = leave_draft(tmp_path / "scale.toml"), leave_draft(tmp_path / "other.toml")
    assert remove_abandoned_drafts(tmp_path, {"scale.toml"}.__contains__) == [ours]
    assert other.exists()


def test_a_folder_that_is_missing_or_may_not_be_read_has_none(tmp_path: Path) -> None:
    assert remove_abandoned_drafts(tmp_path / "nowhere") == []
    (tmp_path / "file").touch()
    assert remove_abandoned_drafts(tmp_path / "file") == []


def test_a_draft_that_is_removed_before_its_writer_holds_it_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, made = tempfile.mkstemp, list[str]()

    def overtaken(**given: Any) -> tuple[int, str]:
        handle, name = make(**given)
        made.append(name)
        if len(made) == 1:
            assert remove_abandoned_drafts(tmp_path) == [Path(name)]
        return handle, name

    monkeypatch.setattr(tempfile, "mkstemp", overtaken)
    write_private(tmp_path / "host.json", b"new")
    assert len(made) == 2
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("host.json", b"new")]
