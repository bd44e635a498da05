"""What is kept beside Python's bytecode: made once, made anew when something changed, never read if it is damaged."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hardware.files.compiled import compiled

MADE = {"hello": "Guten Tag"}


class Making:
    """Counts how often something is made."""

    def __init__(self, made: dict[str, str]) -> None:
        self.made, self.times = made, 0

    def __call__(self) -> dict[str, str]:
        self.times += 1
        return self.made


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "pycache_prefix", None)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return tmp_path / "words.po"


def kept_file(source: Path) -> Path:
    return next((source.parent / "__pycache__").glob("words.po.*"))


def test_it_is_made_once_for_all_processes(source: Path) -> None:
    make = Making(MADE)
    assert compiled(source, b"a", make) == MADE
    assert compiled(source, b"a", make) == MADE
    assert make.times == 1
    assert len(list((source.parent / "__pycache__").iterdir())) == 1, "no draft is left"


def test_files_of_one_stem_are_kept_apart(source: Path) -> None:
    for name in ("words.po", "words.html"):
        assert compiled(source.with_name(name), b"a", Making({"of": name})) == {"of": name}
    assert compiled(source, b"a", Making(MADE)) == {"of": "words.po"}


def test_it_is_made_anew_when_what_it_is_made_from_has_changed(source: Path) -> None:
    compiled(source, b"old", Making({"hello": "old"}))
    assert compiled(source, b"new", Making(MADE)) == MADE
    assert compiled(source, b"new", Making({})) == MADE, "the new one is kept"


def test_a_damaged_copy_is_made_anew(source: Path) -> None:
    compiled(source, b"a", Making({"hello": "x" * 40}))
    whole = kept_file(source).read_bytes()
    damages = [whole[:size] for size in range(len(whole))]
    damages += [whole[:at] + bytes([whole[at] ^ 0x81]) + whole[at + 1 :] for at in range(len(whole))]
    for damaged in [*damages, whole + b"\0", b"\0" * len(whole)]:
        kept_file(source).write_bytes(damaged)
        make = Making(MADE)
        assert compiled(source, b"a", make) == MADE
        assert make.times == 1
        kept_file(source).write_bytes(whole)


def test_where_nothing_can_be_kept_it_is_made_every_time(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (source.parent / "__pycache__").write_text("a file where the folder would be, as no user may write there")
    make = Making(MADE)
    assert compiled(source, b"a", make) == compiled(source, b"a", make) == MADE
    assert make.times == 2


def test_nothing_is_kept_where_python_keeps_no_bytecode(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    compiled(source, b"a", Making(MADE))
    assert not (source.parent / "__pycache__").exists()
