"""Stored results are whole, keep the version before, and come back."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from appliance.words.catalogues import words_for
from calibration import save_results, store
from calibration.balls.fit import BallSeen, KnownBall
from calibration.save_results import Places, keep_balls
from calibration.store import StoreError
from hardware.rig import Rig


def test_what_was_there_is_kept_and_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "scale.toml"
    store.write(path, "first")
    assert not store.previous(path).exists()
    store.write(path, "second")
    store.write(path, "third")
    store.undo(path)
    assert path.read_text() == "second"
    store.undo(path)
    assert path.read_text() == "third"


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_write_that_fails_changes_nothing_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    path = tmp_path / "scale.toml"
    store.write(path, "first")

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    if failing == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    else:
        monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(store.StoreError) as refused:
        store.write(path, "second")
    assert refused.value.code == "store_unwritable"
    assert "No space left" in str(refused.value)
    assert "es ist kein Platz mehr da" in words_for("de").say("calibrate.why.store_unwritable", refused.value.values)
    assert [file.name for file in tmp_path.iterdir()] == ["scale.toml"]
    assert path.read_text() == "first"


@pytest.mark.parametrize(
    ("change", "flushed"),
    [(store.undo, 0), (lambda path: store.write(path, "third"), 0), (lambda path: store.write(path, "third"), 1)],
    ids=["undo", "write", "write_previous"],
)
def test_a_disk_that_fills_up_costs_neither_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], None], flushed: int
) -> None:
    path = tmp_path / "scale.toml"
    store.write(path, "first")
    store.write(path, "second")
    room = [None] * flushed

    def full(_: int) -> None:
        if not room:
            raise OSError(28, "No space left on device")
        room.pop()

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(store.StoreError):
        change(path)
    assert (path.read_text(), store.previous(path).read_text()) == ("second", "first")
    assert len(list(tmp_path.iterdir())) == 2


def test_after_a_plug_pulled_in_a_write_an_undo_does_not_say_that_it_restored_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "scale.toml"
    store.write(path, "first")
    store.write(path, "second")
    replace = Path.replace

    def cut(self: Path, target: Path) -> Path:
        if target == path:
            raise KeyboardInterrupt
        return replace(self, target)

    with monkeypatch.context() as pulled:
        pulled.setattr(Path, "replace", cut)
        with pytest.raises(KeyboardInterrupt):
            store.write(path, "third")
    assert path.read_text() == store.previous(path).read_text() == "second"
    assert not store.can_undo(path)
    with pytest.raises(StoreError) as refused:
        store.undo(path)
    assert refused.value.code == "store_nothing_to_undo"
    store.write(path, "third")
    store.undo(path)
    assert path.read_text() == "second"


def test_the_same_text_again_keeps_the_version_before(tmp_path: Path) -> None:
    path = tmp_path / "rig.toml"
    for text in ("first", "second", "second"):
        store.write(path, text)
    store.undo(path)
    assert path.read_text() == "first"


@pytest.mark.parametrize("cut_before", [1, 2, 3])
def test_a_plug_pulled_in_an_undo_does_not_cost_what_is_wanted_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut_before: int
) -> None:
    path = tmp_path / "scale.toml"
    store.write(path, "first")
    store.write(path, "second")
    replace, renames = Path.replace, count(1)

    def cut(self: Path, target: Path) -> Path:
        if next(renames) == cut_before:
            raise KeyboardInterrupt  # which ends it as a kill does; drafts go at the next start
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", cut)
    with suppress(KeyboardInterrupt):
        store.undo(path)
    found = {file.name: file.read_text() for file in tmp_path.iterdir()}
    assert found in (
        {"scale.toml": "second", "scale.toml.previous": "first"},
        {"scale.toml": "first"},
        {"scale.toml": "first", "scale.toml.previous": "second"},
    )


@pytest.mark.parametrize(
    ("flags", "said"), [(os.ST_RDONLY, "Read-only file system"), (0, "Permission denied")], ids=["read-only", "foreign"]
)
def test_a_card_that_is_read_only_is_told_from_a_folder_of_somebody_else(
    flags: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=flags))
    with pytest.raises(StoreError, match=said) as refused:
        store.check_places(tmp_path / "rig.toml", None)
    assert refused.value.values["reason"] == said


def test_a_damaged_file_is_no_dead_end_and_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "scale.toml"
    path.write_bytes(b"\xff\xfe\x00")
    store.write(path, "second")
    assert path.read_text() == "second"
    store.undo(path)
    assert path.read_bytes() == b"\xff\xfe\x00"
    assert store.previous(path).read_text() == "second"


def test_nothing_to_undo(tmp_path: Path) -> None:
    with pytest.raises(store.StoreError) as refused:
        store.undo(tmp_path / "scale.toml")
    assert refused.value.code == "store_nothing_to_undo"


def test_age_is_counted_from_the_stamp() -> None:
    now = datetime(2026, 5, 11, tzinfo=UTC)
    assert store.age_days("2026-05-01T00:00:00+00:00", now) == 10.0
    assert store.age_days("2026-05-01T00:00:00", now) == 10.0
    assert store.age_days("", now) is None
    assert store.age_days("yesterday", now) is None


def test_a_report_that_cannot_be_written_changes_no_calibration(tmp_path: Path) -> None:
    out, blocked = tmp_path / "rig.toml", tmp_path / "blocked"
    out.write_text("before")
    blocked.write_text("a file")
    seen = [BallSeen(KnownBall("30", None, 30.0), 30.1, 0.02, (1.4, -0.95))]
    for report, code in ((blocked / "report.html", "store_unwritable"), (tmp_path / "rig.toml", "store_same_place")):
        with pytest.raises(StoreError) as refused:
            keep_balls(seen, Rig(), Places(out, report, words_for("en")))
        assert refused.value.code == code
        assert out.read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["blocked", "rig.toml"]


def test_a_disk_that_is_full_at_the_report_changes_no_calibration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(report: Path, page: object) -> None:
        raise StoreError("store_unwritable", "No space left on device", path=str(report))

    out = tmp_path / "rig.toml"
    out.write_text("before")
    seen = [BallSeen(KnownBall("30", None, 30.0), 30.1, 0.02, (1.4, -0.95))]
    monkeypatch.setattr(save_results, "write_report", full)
    with pytest.raises(StoreError, match="No space"):
        keep_balls(seen, Rig(), Places(out, tmp_path / "report.html", words_for("en")))
    assert out.read_text() == "before"


def test_a_calibration_can_be_read_by_the_tables_own_user(tmp_path: Path) -> None:
    for text in ("one", "two"):
        store.write(tmp_path / "rig.toml", text)
    for path in (tmp_path / "rig.toml", store.previous(tmp_path / "rig.toml")):
        assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_a_medium_that_lets_nobody_set_permissions_takes_a_calibration_and_sheets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    for name in ("chmod", "fchmod"):
        monkeypatch.setattr(os, name, refused)
    store.write(tmp_path / "rig.toml", "one")
    store.put(tmp_path / "sheets.pdf", b"%PDF-")
    assert {file.name for file in tmp_path.iterdir()} == {"rig.toml", "sheets.pdf"}


def test_a_report_reached_by_a_link_does_not_take_the_place_of_the_calibration(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(StoreError) as refused:
        store.check_places(tmp_path / "real" / "lens.html", tmp_path / "link" / "lens.html")
    assert refused.value.code == "store_same_place"


def test_sheets_replace_a_pdf_and_nothing_that_only_speaks_of_one(tmp_path: Path) -> None:
    sheets = tmp_path / "SHEETS.PDF"
    store.must_replace_pdf_alone(sheets)
    sheets.write_bytes(b"%PDF-1.7 former sheets")
    store.must_replace_pdf_alone(sheets)
    sheets.write_bytes(b"A letter begins with %PDF-, they say.")
    with pytest.raises(StoreError) as refused:
        store.must_replace_pdf_alone(sheets)
    assert refused.value.code == "store_no_pdf"


@pytest.mark.parametrize("name", ["rig.toml", "rig.toml.previous"])
def test_a_pipe_in_the_place_of_a_version_is_told_and_not_waited_for(tmp_path: Path, name: str) -> None:
    path = tmp_path / "rig.toml"
    store.write(path, "first")
    store.write(path, "second")
    (tmp_path / name).unlink()
    os.mkfifo(tmp_path / name)
    assert store.can_undo(path)
    with pytest.raises(StoreError) as refused:
        store.undo(path)
    assert refused.value.code == "store_unwritable"
