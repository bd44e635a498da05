"""USB sticks: what lies on them, and saving to one that is full, read-only, gone or never there."""

from __future__ import annotations

import errno
import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from appliance.games.protocol import Rejection
from appliance.journal.media.removable_media import Sticks
from tests.appliance.journal.hanging import ANSWERS_S, Hanging, answers_again, hanging_at
from tests.appliance.journal.test_restore_cut_off import cut_off_at
from tests.hardware.files.test_abandoned_drafts import leave_draft
from tests.patience import GIVEN_UP_S


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    """A medium as desktop systems mount it: two folders deep."""
    folder = tmp_path / "media" / "host" / "BLUE"
    folder.mkdir(parents=True)
    return folder


def sticks(stick: Path) -> Sticks:
    return Sticks((stick.parents[1],), lambda folder: folder == stick)


def code(answer: object) -> str:
    assert isinstance(answer, Rejection), answer
    return answer.code


def test_a_folder_that_nothing_is_mounted_at_is_no_stick(stick: Path) -> None:
    none = Sticks((stick.parents[1], Path("/no/such/root")))
    assert none.problem() == "no_stick"
    assert none.files() == ()
    assert code(none.save("a.jsonl", b"x")) == "no_stick"
    assert code(none.read("0/a.jsonl", 10)) == "no_stick"
    assert list(stick.iterdir()) == []


def test_what_was_saved_is_listed_and_read_again_and_nothing_is_overwritten(stick: Path) -> None:
    here = sticks(stick)
    assert here.save("prohis-7.jsonl", b"one\n") == "prohis-7.jsonl"
    assert here.save("prohis-7.jsonl", b"one\n") == "prohis-7.jsonl"
    assert here.save("prohis-7.jsonl", b"other\n") == "prohis-7-2.jsonl"
    (stick / "holiday.jpg").write_bytes(b"")
    assert [(file.stick, file.name) for file in here.files()] == [
        ("BLUE", "prohis-7-2.jsonl"),
        ("BLUE", "prohis-7.jsonl"),
    ]
    assert [here.read(file.key, 100) for file in here.files()] == [b"other\n", b"one\n"]
    assert code(here.read(here.files()[0].key, 3)) == "too_large"
    assert sorted(path.name for path in stick.iterdir()) == ["holiday.jpg", "prohis-7-2.jsonl", "prohis-7.jsonl"]


@pytest.mark.parametrize("key", ["", "0/../secret.jsonl", "9/a.jsonl", "x/a.jsonl", "0/gone.jsonl"])
def test_only_what_is_listed_is_read(stick: Path, key: str) -> None:
    (stick.parent / "secret.jsonl").write_bytes(b"secret")
    (stick / "a.jsonl").write_bytes(b"game")
    assert code(sticks(stick).read(key, 100)) == "no_such_file"


def test_names_that_are_no_text_are_shown_with_a_mark_and_each_file_is_read(tmp_path: Path) -> None:
    stick = tmp_path / "media" / os.fsdecode(b"B\xfccher")
    stick.mkdir(parents=True)
    (stick / os.fsdecode(b"caf\xe9.jsonl")).write_bytes(b"one")
    (stick / os.fsdecode(b"caf\xe8.jsonl")).write_bytes(b"other")
    (stick / "100%41.jsonl").write_bytes(b"percent")
    here = Sticks((tmp_path / "media",), lambda folder: folder == stick)
    told = [(file.stick, file.name, here.read(json.loads(json.dumps(file.key)), 10)) for file in here.files()]
    assert sorted(told) == [
        ("B\ufffdcher", "100%41.jsonl", b"percent"),
        ("B\ufffdcher", "caf\ufffd.jsonl", b"one"),
        ("B\ufffdcher", "caf\ufffd.jsonl", b"other"),
    ]


def test_a_link_on_a_stick_leads_nowhere(stick: Path) -> None:
    (stick.parent / "secret.jsonl").write_bytes(b"secret")
    (stick / "a.jsonl").symlink_to(stick.parent / "secret.jsonl")
    assert code(sticks(stick).read("0/a.jsonl", 100)) == "stick_gone"


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_ordinary_file_on_a_stick_holds_nobody_up(stick: Path, make: Callable[[Path], None]) -> None:
    make(stick / "a.jsonl")
    assert code(sticks(stick).read("0/a.jsonl", 100)) == "stick_gone"
    assert sticks(stick).save("a.jsonl", b"game") == "a-2.jsonl"
    assert (stick / "a-2.jsonl").read_bytes() == b"game"
    assert sorted(path.name for path in stick.iterdir()) == ["a-2.jsonl", "a.jsonl"]


def test_a_save_that_was_cut_off_leaves_nothing_beside_the_next_one(stick: Path) -> None:
    left = [leave_draft(stick / "prohis-7.jsonl"), leave_draft(stick / "prohis-12-2.jsonl")]
    foreign = [leave_draft(stick / "holidays-7.txt"), leave_draft(stick / "letters-7.jsonl")]
    assert sticks(stick).save("prohis-8.jsonl", b"game") == "prohis-8.jsonl"
    assert not any(draft.exists() for draft in left)
    assert all(draft.exists() for draft in foreign)


def test_a_save_that_is_killed_is_tidied_away_by_the_next_one(stick: Path) -> None:
    assert cut_off_at(1, lambda: sticks(stick).save("prohis-7.jsonl", b"game"))
    assert len(list(stick.iterdir())) == 1, "the draft"
    assert sticks(stick).save("prohis-7.jsonl", b"game") == "prohis-7.jsonl"
    assert [path.name for path in stick.iterdir()] == ["prohis-7.jsonl"]
    assert (stick / "prohis-7.jsonl").stat().st_mode & 0o777 == 0o644, "other computers may read it"


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.ENOSPC, "stick_full"),
        (errno.EROFS, "stick_read_only"),
        (errno.EACCES, "stick_read_only"),
        (errno.EIO, "stick_gone"),
        (errno.ENODEV, "stick_gone"),
        (errno.ENOENT, "stick_gone"),
    ],
)
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_what_goes_wrong_while_saving_is_said_and_leaves_no_half_file(
    stick: Path, monkeypatch: pytest.MonkeyPatch, number: int, said: str, step: str
) -> None:
    def fails(*_: Any) -> None:
        raise OSError(number, os.strerror(number))

    target: tuple[Any, str] = (os, "fsync") if step == "fsync" else (Path, "replace")
    broken: Callable[..., None] = fails
    monkeypatch.setattr(*target, broken)
    assert code(sticks(stick).save("a.jsonl", b"game")) == said
    assert list(stick.iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write into any folder")
def test_a_folder_that_may_not_be_written_is_read_only(stick: Path) -> None:
    stick.chmod(0o500)
    assert code(sticks(stick).save("a.jsonl", b"game")) == "stick_read_only"


def test_a_file_that_goes_while_it_is_read_is_gone(stick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (stick / "a.jsonl").write_bytes(b"game")

    def gone(*_: Any) -> int:
        raise OSError(errno.EIO, "input/output error")

    monkeypatch.setattr(os, "open", gone)
    assert code(sticks(stick).read("0/a.jsonl", 100)) == "stick_gone"


@pytest.fixture
def hanging(stick: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hanging]:
    """What the stick becomes: a medium that neither answers nor fails."""
    monkeypatch.setattr(ANSWERS_S, 0.1)
    (stick / "a.jsonl").write_bytes(b"game")
    with hanging_at(stick) as medium:
        yield medium


def test_a_stick_that_hangs_refuses_everybody_and_keeps_nobody(
    stick: Path, hanging: Hanging, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = Sticks((stick.parents[1],), lambda folder: folder == stick and folder.is_dir())
    assert code(here.save("b.jsonl", b"x")) == "stick_silent"
    asked = (here.problem(), here.files(), here.named("*.jsonl"))
    assert asked == ("stick_silent", (), ())
    assert code(here.read("0/a.jsonl", 10)) == "stick_silent"
    assert [thread.name for thread in threading.enumerate()].count("medium") == 1
    answers_again(hanging, monkeypatch)
    assert here.problem() is None
    assert here.read("0/a.jsonl", 10) == b"game"
    assert [file.name for file in here.files()] == ["a.jsonl"], "nothing is half written"


def test_who_asks_at_once_takes_turns_and_nobody_is_refused(stick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ANSWERS_S, GIVEN_UP_S)
    (stick / "a.jsonl").write_bytes(b"game")
    here = sticks(stick)
    told: list[object] = []
    asking = [threading.Thread(target=lambda: told.append(here.read("0/a.jsonl", 10))) for _ in range(8)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join(GIVEN_UP_S)
    assert told == [b"game"] * 8
