"""What the self-test says of the data folder: good, without room, or not to be written."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from appliance.devices.self_test import LEAST_FREE_MB, Finding, check_ground
from appliance.settings import Settings
from appliance.words.catalogues import words_for


def found(folder: Path) -> Finding:
    findings = check_ground(Settings(data_dir=str(folder)), words_for("en"), serving=True)
    return next(finding for finding in findings if finding.what == "data folder")


@pytest.mark.parametrize(("free_mb", "code"), [(LEAST_FREE_MB, "ok"), (LEAST_FREE_MB - 1, "disk_nearly_full")])
def test_a_folder_that_can_be_written_is_judged_by_its_room_and_stays_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free_mb: int, code: str
) -> None:
    there = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: there._replace(free=free_mb * 1_000_000))
    assert found(tmp_path).code == code
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("number", "code", "word"),
    [(errno.ENOSPC, "disk_nearly_full", "0 MB free"), (errno.EROFS, "folder_unusable", "read-only")],
)
def test_a_folder_that_takes_nothing_is_told_with_its_mend(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, code: str, word: str
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(tempfile, "TemporaryFile", refused)
    finding = found(tmp_path)
    assert (finding.verdict, finding.code) == ("bad", code)
    assert word in finding.sentence
