"""`smugglers restore`: a journal put back on purpose, and what was there before kept."""

from __future__ import annotations

import errno
import os
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from appliance.cli import main
from appliance.journal.safekeeping.backup import back_up
from appliance.journal.safekeeping.evening import Kept as Evening
from appliance.journal.safekeeping.evening import write_kept
from tests.appliance.games.porters import Cross
from tests.appliance.journal.crashed import (
    COPY,
    JOURNAL,
    Crashed,
    Kept,
    changed,
    zeroed,
)
from tests.confined import can_be_confined, run_confined


def restored(folder: Path, source: Path) -> Result:
    return CliRunner().invoke(main, ["restore", str(source)], env={"SMUGGLERS_DATA_DIR": str(folder)})


@pytest.mark.parametrize(
    ("trouble", "code"), [(errno.ENOSPC, "disk_full"), (errno.EDQUOT, "disk_full"), (errno.EACCES, "key_unreadable")]
)
def test_a_key_that_cannot_be_written_is_told(
    crashed: Crashed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: int, code: str
) -> None:
    def fails(_: int) -> None:
        raise OSError(trouble, os.strerror(trouble))

    monkeypatch.setattr(os, "fsync", fails)
    done = restored(tmp_path / "new", crashed.folder / JOURNAL)
    assert (done.exit_code, f"[{code}]" in done.output) == (1, True)


def test_what_is_no_journal_is_told_in_words_of_people(tmp_path: Path) -> None:
    done = restored(tmp_path / "new", tmp_path)
    assert f"{tmp_path} cannot be read (it is a folder)" in done.output
    assert "Errno" not in done.output


def test_its_sentences_are_in_the_language_of_the_settings(
    crashed: Crashed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SMUGGLERS_LANGUAGE", "de")
    write_kept(crashed.folder / "evening.json", Evening(erased={"erika": 1}))
    back_up(crashed.folder / JOURNAL, tmp_path / "saturday.sqlite3")
    table = Kept(crashed.folder)
    table.did(Cross(seat=1, outcome="stuck"))
    table.close()
    assert restored(crashed.folder, tmp_path / "saturday.sqlite3").output.splitlines()[1:] == [
        "Liga-Abend, Hausregeln und gelöschte Namen jenes Tisches gelten nun auch hier.",
        "Einträge, die hier waren und aufgegeben sind: 1",
        f"Was vorher hier war, liegt in {crashed.folder / 'replaced-1'}",
    ]


def test_a_backup_becomes_the_journal_and_what_was_there_is_kept(crashed: Crashed, tmp_path: Path) -> None:
    back_up(crashed.folder / JOURNAL, tmp_path / "saturday.sqlite3")
    table = Kept(crashed.folder)
    table.did(Cross(seat=1, outcome="stuck"))
    table.keeper.copy()
    later = table.table.history()
    table.close()
    done = restored(crashed.folder, tmp_path / "saturday.sqlite3")
    assert done.exit_code == 0, done.output
    assert f"games 2, entries {crashed.last}" in done.output
    assert "given up: 1\n" in done.output
    table = Kept(crashed.folder)
    assert table.told() == {}, "what was put back on purpose is not overruled by the copy"
    assert table.table.history() == crashed.history
    table.close()
    assert restored(crashed.folder, crashed.folder / "replaced-1" / "journal.sqlite3").exit_code == 0
    table = Kept(crashed.folder)
    assert table.table.history() == later
    table.close()


def test_a_copy_of_another_card_becomes_the_journal(crashed: Crashed, tmp_path: Path) -> None:
    new = tmp_path / "new"
    new.mkdir()
    shutil.copy2(crashed.folder / "seal.key", new / "seal.key")
    assert restored(new, crashed.folder / COPY).exit_code == 0
    table = Kept(new)
    assert table.table.history() == crashed.history
    table.close()


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "Games whose secrets do not open with the key here: 2. Put the seal.key of their table back as {}, "),
        ("de", "Spiele, deren Geheimnisse sich mit dem Schlüssel hier nicht öffnen lassen: 2. Den seal.key ihres "),
    ],
)
def test_a_backup_whose_key_is_not_here_says_at_once_which_file_to_put_back(
    crashed: Crashed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str, sentence: str
) -> None:
    monkeypatch.setenv("SMUGGLERS_LANGUAGE", language)
    new = tmp_path / "new"
    done = restored(new, crashed.folder / COPY)
    assert done.exit_code == 0
    assert done.stderr.startswith(f"smugglers restore: {sentence.format(new / 'seal.key')}")
    assert done.stderr.endswith(" [key_missing]\n")
    shutil.copy2(crashed.folder / "seal.key", new / "seal.key")
    table = Kept(new)
    assert table.table.history() == crashed.history
    table.close()


@pytest.mark.parametrize("name", ["seal.key", "copy/seal.key"])
def test_a_backup_whose_key_or_its_spare_is_here_needs_no_warning(crashed: Crashed, tmp_path: Path, name: str) -> None:
    new = tmp_path / "new"
    (new / name).parent.mkdir(parents=True)
    shutil.copy2(crashed.folder / "seal.key", new / name)
    assert restored(new, crashed.folder / COPY).stderr == ""


@pytest.mark.parametrize("content", [b"", b"hello", b"SMTGCOPY1\n", b"SQLite format 3\0" + bytes(200)])
def test_what_is_no_journal_is_refused_and_nothing_is_changed(crashed: Crashed, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "rubbish").write_bytes(content)
    done = restored(crashed.folder, tmp_path / "rubbish")
    assert done.exit_code == 1
    assert done.output.rstrip().endswith(("[restore_empty]", "[restore_no_journal]"))
    assert len(done.output.splitlines()) == 1
    assert not {"database", "table:"} & set(done.output.split()), "SQLite's own English"
    table = Kept(crashed.folder)
    assert table.table.history() == crashed.history
    table.close()


@pytest.mark.parametrize("bytes_there", [b"BE\xc6ORE", b"BE\x1fORE"])
def test_a_damaged_backup_is_refused_in_words_that_can_be_read(
    crashed: Crashed, tmp_path: Path, bytes_there: bytes
) -> None:
    backup = tmp_path / "saturday.sqlite3"
    back_up(crashed.folder / JOURNAL, backup)
    changed(lambda path: path.write_bytes(path.read_bytes().replace(b"BEFORE", bytes_there)), backup)
    done = restored(crashed.folder, backup)
    assert done.exit_code == 1
    assert done.output.rstrip().endswith("[restore_no_journal]")
    assert done.output.rstrip().isprintable()


def altered_in_the_middle(path: Path) -> None:
    """Alter one entry of the past game: everything before and after it can be read."""
    raw = path.read_bytes()
    at = raw.index(b'"do":"cross"')
    path.write_bytes(raw[:at] + b'"do":"CROSS"' + raw[at + len(b'"do":"cross"') :])


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", ["saturday.sqlite3", "saturday.copy"])
def test_of_a_damaged_backup_it_says_how_much_was_not_restored(
    crashed: Crashed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, language: str
) -> None:
    monkeypatch.setenv("SMUGGLERS_LANGUAGE", language)
    backup = tmp_path / name
    if name.endswith(".copy"):
        shutil.copy2(crashed.folder / COPY, backup)
    else:
        back_up(crashed.folder / JOURNAL, backup)
    changed(altered_in_the_middle, backup)
    done = restored(crashed.folder, backup)
    assert done.exit_code == 0, done.output
    came = max(map(int, re.findall(r"\d+", done.stdout.splitlines()[0].rpartition(":")[2])))
    assert 0 < came < crashed.last
    assert str(crashed.last - came) in done.stderr
    assert str(backup) in done.stderr
    assert done.stderr.endswith(" [backup_damaged]\n")


@pytest.mark.parametrize(
    ("altered", "code"),
    [
        (("PRAGMA user_version = 2",), "journal_newer"),
        (("ALTER TABLE entries ADD COLUMN seat INTEGER", "PRAGMA user_version = 2"), "journal_newer"),
        (("PRAGMA application_id = 77",), "restore_foreign"),
    ],
)
def test_a_backup_in_a_format_that_this_release_does_not_know_is_refused(
    crashed: Crashed, tmp_path: Path, altered: tuple[str, ...], code: str
) -> None:
    backup = tmp_path / "saturday.sqlite3"
    back_up(crashed.folder / JOURNAL, backup)
    with closing(sqlite3.connect(backup)) as db:
        for statement in altered:
            db.execute(statement)
    done = restored(crashed.folder, backup)
    assert (done.exit_code, done.output.rstrip().endswith(f"[{code}]")) == (1, True), done.output
    assert str(backup) in done.output
    table = Kept(crashed.folder)
    assert table.table.history() == crashed.history
    table.close()


def test_a_running_table_is_left_alone(crashed: Crashed, tmp_path: Path) -> None:
    back_up(crashed.folder / JOURNAL, tmp_path / "saturday.sqlite3")
    table = Kept(crashed.folder)
    done = restored(crashed.folder, tmp_path / "saturday.sqlite3")
    assert done.output.rstrip().endswith("[journal_in_use]")
    table.did(Cross(seat=1, outcome="stuck"))
    table.close()


def test_a_second_medium_does_not_overrule_what_was_put_back(
    crashed: Crashed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Kept, "second", tmp_path / "stick")
    back_up(crashed.folder / JOURNAL, tmp_path / "saturday.sqlite3")
    table = Kept(crashed.folder)
    table.did(Cross(seat=1, outcome="stuck"))
    table.keeper.copy()
    later = table.table.history()
    table.close()
    assert restored(crashed.folder, tmp_path / "saturday.sqlite3").exit_code == 0
    table = Kept(crashed.folder)
    assert table.table.history() == crashed.history
    table.keeper.copy()
    table.close()
    (given_up,) = (tmp_path / "stick").glob("damaged-*/smugglers-journal.copy")
    assert restored(crashed.folder, given_up).exit_code == 0, (
        "what was given up is kept, and comes back when it is asked for"
    )
    table = Kept(crashed.folder)
    assert table.table.history() == later
    table.close()


def test_what_the_table_lost_since_the_backup_is_counted_where_only_its_copy_has_it(
    crashed: Crashed, tmp_path: Path
) -> None:
    back_up(crashed.folder / JOURNAL, tmp_path / "saturday.sqlite3")
    table = Kept(crashed.folder)
    table.did(Cross(seat=1, outcome="stuck"))
    table.accepted(table.table.close_game(table.new_id()))
    table.keeper.copy()
    table.close()
    changed(zeroed, crashed.folder / JOURNAL)
    assert "given up: 2\n" in restored(crashed.folder, tmp_path / "saturday.sqlite3").output


@can_be_confined
def test_the_journal_of_another_card_is_restored_from_a_medium_that_cannot_be_written(
    crashed: Crashed, tmp_path: Path
) -> None:
    """It was closed, so no write-ahead log is beside it."""
    Kept(crashed.folder).close()
    card, new = tmp_path / "card", tmp_path / "new"
    card.mkdir()
    new.mkdir()
    shutil.copy2(crashed.folder / "journal.sqlite3", card)
    shutil.copy2(crashed.folder / "seal.key", new)
    card.chmod(0o500)
    done = run_confined(new, "restore", str(card / "journal.sqlite3"))
    card.chmod(0o700)
    assert (done.returncode, done.stderr) == (0, "")
    table = Kept(new)
    assert table.table.history() == crashed.history
    table.close()


def test_a_pipe_is_no_backup_and_is_not_waited_for(crashed: Crashed, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = restored(crashed.folder, tmp_path / "pipe")
    assert done.output.rstrip().endswith("[restore_unreadable]")


def test_a_pipe_on_the_second_medium_holds_nobody_up(
    crashed: Crashed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Kept, "second", tmp_path / "stick")
    (tmp_path / "stick").mkdir()
    for name in ("smugglers-journal.copy", "smugglers-evening.json"):
        os.mkfifo(tmp_path / "stick" / name)
    table = Kept(crashed.folder)
    write_kept(crashed.folder / "evening.json", Evening())
    table.keeper.copy()
    assert table.told() == {}
    assert (tmp_path / "stick" / "smugglers-journal.copy").is_file()
    assert (tmp_path / "stick" / "smugglers-evening.json").is_file()
    table.close()
