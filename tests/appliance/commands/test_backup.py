"""`smugglers backup`: whole copies beside a running table, nothing overwritten, and no secret without the key."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from appliance.cli import main
from appliance.journal.journal import Journal
from appliance.journal.journal_file import JournalError
from appliance.journal.safekeeping.backup import BackUp, back_up
from appliance.journal.safekeeping.keys import seal_key
from appliance.words.errors import TableError
from tests.appliance.conftest import PortersTable
from tests.appliance.games.porters import Hide
from tests.appliance.journal.test_restore_cut_off import cut_off_at

MASS_G = 22.7182


@pytest.fixture
def porters(tmp_path: Path) -> PortersTable:
    (tmp_path / "table").mkdir()
    porters = PortersTable(tmp_path / "table")
    porters.open()
    porters.did(Hide(seat=0, mass_g=MASS_G))
    return porters


@contextmanager
def open_folder(folder: Path) -> Iterator[int]:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield handle
    finally:
        os.close(handle)


def run(porters: PortersTable, out: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["backup", str(out), *options], env={"SMUGGLERS_DATA_DIR": str(porters.folder)})


def test_it_copies_beside_a_running_table_and_says_what(porters: PortersTable, tmp_path: Path) -> None:
    done = run(porters, tmp_path / "copy.sqlite3")
    assert done.exit_code == 0, done.output
    assert "games 1, entries 2" in done.output
    assert str(porters.folder / "seal.key") in done.output
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["copy.sqlite3"], "one file"
    assert (tmp_path / "copy.sqlite3").stat().st_mode & 0o077 == 0
    porters.did(Hide(seat=1, mass_g=19.3))
    assert "games 1, entries 3" in run(porters, tmp_path / "later.sqlite3").output
    porters.close()


def test_the_demo_has_a_journal_of_its_own(porters: PortersTable, tmp_path: Path) -> None:
    done = run(porters, tmp_path / "b", "--demo")
    assert done.exit_code == 1
    assert f"{porters.folder / 'demo' / 'journal.sqlite3'} is not there" in done.output
    porters.close()


def test_a_copy_alone_shows_no_secret_and_says_that_the_key_is_missing(porters: PortersTable, tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    run(porters, alone / "journal.sqlite3")
    porters.close()
    raw = (alone / "journal.sqlite3").read_bytes()
    assert str(MASS_G).encode() not in raw
    key = (porters.folder / "seal.key").read_text().strip()
    assert key.encode() not in raw
    assert bytes.fromhex(key) not in raw
    journal = Journal(alone / "journal.sqlite3", seal_key(alone)[0])
    with pytest.raises(JournalError) as caught:
        list(journal.read(1))
    assert caught.value.code == "key_missing"
    journal.close()


def test_nothing_is_ever_overwritten(porters: PortersTable, tmp_path: Path) -> None:
    out = tmp_path / "precious"
    out.write_text("mine")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    for name in ("precious", "dangling", "table"):
        done = run(porters, tmp_path / name)
        assert done.exit_code == 1
        assert "nothing is overwritten" in done.output
    assert out.read_text() == "mine"
    assert not (tmp_path / "nowhere").exists()
    porters.close()


def test_it_speaks_the_language_of_the_settings(
    porters: PortersTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SMUGGLERS_LANGUAGE", "de")
    out = tmp_path / "copy.sqlite3"
    assert run(porters, out).stdout.splitlines() == [
        f"{out}: 1 Spiele, 2 Einträge",
        f"Der Schlüssel ist nicht dabei: Eine Kopie von {porters.folder / 'seal.key'} woanders aufbewahren.",
    ]
    again = run(porters, out)
    assert again.exit_code == 1
    assert "einen anderen Namen wählen" in again.stderr
    porters.close()


def broken(folder: Path, how: str) -> Path:
    folder.mkdir()
    path = folder / "journal.sqlite3"
    match how:
        case "journal_foreign":
            with closing(sqlite3.connect(path)) as db:
                db.execute("CREATE TABLE recipes (name TEXT)")
        case "journal_damaged":
            path.write_bytes(b"a letter to my aunt, by no means a journal" * 100)
        case _:
            assert how == "journal_missing"
    return path


@pytest.mark.parametrize("code", ["journal_missing", "journal_foreign", "journal_damaged"])
def test_what_is_no_journal_is_not_copied(tmp_path: Path, code: str) -> None:
    journal = broken(tmp_path / "table", code)
    with pytest.raises(TableError) as caught:
        back_up(journal, tmp_path / "copy")
    assert caught.value.code == code
    assert [path.name for path in tmp_path.iterdir()] == ["table"], "no half copy is left behind"
    assert journal.exists() == (code != "journal_missing"), "and none is made"


def test_a_journal_with_a_rotten_page_is_said_and_not_copied(porters: PortersTable, tmp_path: Path) -> None:
    porters.close()
    journal = porters.folder / "journal.sqlite3"
    raw = bytearray(journal.read_bytes())
    with closing(sqlite3.connect(journal)) as db:
        page = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'entries_of_game'").fetchone()[0]
        size = db.execute("PRAGMA page_size").fetchone()[0]
    raw[(page - 1) * size : page * size] = b"\xaa" * size
    journal.write_bytes(raw)
    done = run(porters, tmp_path / "copy")
    assert done.exit_code == 1
    assert "is damaged" in done.output
    assert not (tmp_path / "copy").exists()


def test_a_folder_that_is_not_there_is_said(porters: PortersTable, tmp_path: Path) -> None:
    done = run(porters, tmp_path / "no" / "copy")
    assert done.exit_code == 1
    assert re.search(r"copy: there is no such file or folder; choose a folder", done.output)
    porters.close()


@pytest.mark.slow
def test_a_medium_that_takes_the_copy_and_does_not_keep_it_is_said(
    porters: PortersTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pulled(handle: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    stick = tmp_path / "stick"
    stick.mkdir()
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", pulled)
        done = run(porters, stick / "saturday.sqlite3")
    assert (done.exit_code, done.output.rstrip().endswith("[copy_unwritable]")) == (1, True), done.output
    assert str(stick / "saturday.sqlite3") in done.output
    assert list(stick.iterdir()) == []
    porters.close()


def test_copies_made_while_a_game_is_written_are_whole(tmp_path: Path) -> None:
    from tests.web.stand import Stand

    stand = Stand(tmp_path)
    stand.open(2)
    over = threading.Event()

    def corrections() -> None:
        for number in range(150):
            stand.do(do="roll", seat=0, value=1 + number % 4)
            stand.table.undo(f"undo-{number}")
        over.set()

    writer = threading.Thread(target=corrections)
    writer.start()
    held: list[tuple[Path, BackUp]] = []
    while not over.is_set() or not held:
        copy = tmp_path / f"copy-{len(held)}"
        held.append((copy, back_up(tmp_path / "journal.sqlite3", copy)))
    writer.join()
    entries = [each.entries for _, each in held]
    assert entries == sorted(entries)
    for copy, each in held[:: max(1, len(held) // 5)]:
        journal = Journal(copy, seal_key(tmp_path)[0])
        assert [entry.seq for entry in journal.read(1)] == list(range(1, each.entries + 1)), "no entry torn or missing"
        journal.close()


def test_a_backup_that_was_killed_leaves_nothing_beside_the_next_one(porters: PortersTable, tmp_path: Path) -> None:
    out = tmp_path / "copy.sqlite3"
    assert cut_off_at(1, lambda: back_up(porters.folder / "journal.sqlite3", out))
    (left,) = tmp_path.glob("copy.sqlite3.*.new")
    left.with_name(f"{left.name}-journal").write_bytes(b"SQLite's")
    private = tmp_path / "copy.sqlite3.yesterday.new"
    private.write_text("somebody's")
    assert run(porters, out).exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == [out.name, private.name]
    porters.close()


def test_a_backup_leaves_the_draft_of_another_that_is_under_way(porters: PortersTable, tmp_path: Path) -> None:
    out = tmp_path / "copy.sqlite3"
    draft = tmp_path / "copy.sqlite3.1.new"
    draft.touch()
    with open_folder(porters.folder) as folder:
        fcntl.flock(folder, fcntl.LOCK_SH)
        back_up(porters.folder / "journal.sqlite3", out)
    assert draft.exists()
    porters.close()
