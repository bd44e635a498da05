"""The league night, house rules and erased names through a damaged disk, a backup, and a new card."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from appliance.cli import main
from appliance.words.catalogues import words_for
from tests.appliance.journal.crashed import COPY, JOURNAL, Kept

FILE, SPARE, SECOND = "evening.json", "copy/evening.json", "smugglers-evening.json"
EVENING = {
    "erased": {"ann": 2},
    "night": {"game": "smugglers", "size": 2, "options": {}, "started_s": 5.0, "events": []},
    "house_rules": {"smugglers": {"ours": {"rounds": 3}}},
    "newcomers": ["4", [1]],
    "deeds_before": [2, {"1": [["roll", 1, 3], ["time_up", None, 1]]}],
}
LATER = EVENING | {"erased": {"ben": 4}, "night": None}
TOO_LATE = json.dumps({"night": {"game": "smugglers", "size": 2, "started_s": 1e308}}).encode()
DAMAGED = (
    TOO_LATE,
    b"",
    b"\x00" * 40,
    b'{"erased": {"\xff": 1}}',
    b'{"erased": 3}',
    b'{"night": {"game": 1}}',
    b"[" * 9999,
)


class Table(Kept):
    """A table whose screens have stored something of the evening, as `EveningStore` writes it."""

    def store(self, evening: dict[str, object]) -> None:
        for name in (FILE, SPARE):
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_text(json.dumps(evening), encoding="utf-8")

    def start_anew(self) -> dict[str, str]:
        self.close()
        self._connect()
        return self.told()


def kept_in(folder: Path) -> dict[str, object]:
    return json.loads((folder / FILE).read_bytes())  # type: ignore[no-any-return]


def ran(folder: Path, *words: object) -> Result:
    done = CliRunner().invoke(main, [str(word) for word in words], env={"SMUGGLERS_DATA_DIR": str(folder)})
    assert done.exit_code == 0, done.output
    return done


@pytest.fixture
def table(tmp_path: Path) -> Table:
    table = Table(tmp_path / "table")
    table.open()
    table.half_a_round()
    table.store(EVENING)
    return table


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_file_is_kept_aside_its_spare_taken_and_people_are_told(table: Table, content: bytes) -> None:
    (table.folder / FILE).write_bytes(content)
    assert table.start_anew() == {FILE: "evening_restored"}
    assert kept_in(table.folder) == EVENING
    assert (table.folder / "evening.json.damaged").read_bytes() == content
    assert table.start_anew() == {}
    table.close()


@pytest.mark.parametrize("content", DAMAGED)
def test_with_no_copy_left_people_are_told_what_is_gone(table: Table, content: bytes) -> None:
    for name in (FILE, SPARE):
        (table.folder / name).write_bytes(content)
    assert table.start_anew() == {FILE: "evening_lost"}
    assert (table.folder / "evening.json.damaged").read_bytes() == content
    assert table.start_anew() == {}
    table.close()


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("code", ["evening_restored", "evening_lost"])
def test_they_are_told_which_file_in_their_language(code: str, language: str) -> None:
    assert words_for(language).say(f"remark.{code}", {"file": FILE}).startswith(FILE)


def test_a_deleted_file_comes_back_and_a_table_that_never_had_one_tells_nothing(table: Table, tmp_path: Path) -> None:
    (table.folder / FILE).unlink()
    assert table.start_anew() == {FILE: "evening_restored"}
    assert kept_in(table.folder) == EVENING
    table.close()
    fresh = Table(tmp_path / "fresh")
    assert fresh.told() == {}
    assert not (fresh.folder / FILE).exists()
    fresh.close()


def test_the_second_medium_has_it_and_a_new_card_takes_it_from_there(table: Table, tmp_path: Path) -> None:
    second = tmp_path / "stick"
    second.mkdir()
    table.second = second
    table.start_anew()
    table.keeper.copy()
    assert json.loads((second / SECOND).read_bytes()) == EVENING
    table.store(LATER)
    table.keeper.copy()
    assert json.loads((second / SECOND).read_bytes()) == LATER
    at = (second / SECOND).stat()
    table.keeper.copy()
    assert (second / SECOND).stat() == at, "what did not change is not written again"
    table.close()
    for name in (FILE, SPARE):
        (table.folder / name).unlink()
    assert table.start_anew() == {FILE: "evening_restored"}
    assert kept_in(table.folder) == LATER
    table.close()


def test_a_second_medium_that_is_gone_is_told_once_and_caught_up(table: Table, tmp_path: Path) -> None:
    table.second = tmp_path / "stick"
    table.start_anew()
    table.second.write_bytes(b"no folder")
    table.keeper.copy()
    assert table.told() == {"copy": "copy_failing"}
    table.second.unlink()
    table.keeper.copy()
    assert table.told() == {}
    assert json.loads((table.second / SECOND).read_bytes()) == EVENING
    table.close()


def test_a_backup_has_it_and_restored_onto_a_new_card_the_night_goes_on(table: Table, tmp_path: Path) -> None:
    ran(table.folder, "backup", tmp_path / "saturday.sqlite3")
    table.close()
    new = tmp_path / "new"
    new.mkdir()
    shutil.copy2(table.folder / "seal.key", new / "seal.key")
    assert "league night, house rules and erased names" in ran(new, "restore", tmp_path / "saturday.sqlite3").output
    again = Table(new)
    assert again.told() == {}
    assert kept_in(new) == EVENING
    assert (new / FILE).stat().st_mode & 0o077 == 0
    assert again.table.history() == table.table.history()
    again.close()


def test_who_was_erased_since_the_backup_stays_erased_and_what_was_there_is_kept(table: Table, tmp_path: Path) -> None:
    ran(table.folder, "backup", tmp_path / "saturday.sqlite3")
    table.store(LATER)
    table.close()
    ran(table.folder, "restore", tmp_path / "saturday.sqlite3")
    assert kept_in(table.folder) == EVENING | {"erased": {"ann": 2, "ben": 4}}
    assert kept_in(table.folder / "replaced-1") == LATER


@pytest.mark.parametrize("beside", [True, False])
def test_who_was_erased_here_is_erased_from_all_games_of_another_cards_journal(
    table: Table, tmp_path: Path, beside: bool
) -> None:
    other = Table(tmp_path / "other")
    for _ in range(2):
        other.open()
        other.half_a_round()
        other.accepted(other.table.close_game(other.new_id()))
    other.store({"erased": {"cleo": 3}})
    newest = other.journal.last_seq()
    ran(other.folder, "backup", tmp_path / "other.sqlite3")
    other.close()
    if not beside:
        without(tmp_path / "other.sqlite3")
    assert newest > table.journal.last_seq() > 2
    table.close()
    ran(table.folder, "restore", tmp_path / "other.sqlite3")
    came = {"cleo": 3} if beside else {}
    assert kept_in(table.folder)["erased"] == came | {"ann": newest}
    assert (kept_in(table.folder).get("night") is None) == beside, "only what came with it replaces what was here"


def test_with_no_journal_left_here_nobody_who_was_erased_shows_again(table: Table, tmp_path: Path) -> None:
    ran(table.folder, "backup", tmp_path / "saturday.sqlite3")
    newest = table.journal.last_seq()
    table.close()
    (table.folder / JOURNAL).unlink()
    ran(table.folder, "restore", tmp_path / "saturday.sqlite3")
    assert kept_in(table.folder)["erased"] == {"ann": newest}


@pytest.mark.parametrize("name", [JOURNAL, COPY])
def test_the_files_of_another_card_bring_it_along(table: Table, name: str, tmp_path: Path) -> None:
    table.keeper.copy()
    table.close()
    new = tmp_path / "new"
    ran(new, "restore", table.folder / name)
    assert kept_in(new) == EVENING


def without(backup: Path) -> None:
    with closing(sqlite3.connect(backup)) as db:
        db.execute("DROP TABLE beside")


def garbled(backup: Path) -> None:
    with closing(sqlite3.connect(backup)) as db:
        db.execute("UPDATE beside SET content = x'7b00'")
        db.commit()


@pytest.mark.parametrize("damage", [without, garbled])
def test_a_backup_that_has_none_leaves_what_is_here(
    table: Table, damage: Callable[[Path], None], tmp_path: Path
) -> None:
    backup = tmp_path / "saturday.sqlite3"
    ran(table.folder, "backup", backup)
    damage(backup)
    (tmp_path / FILE).write_text("{}", encoding="utf-8")
    table.store(LATER)
    table.close()
    assert "league night" not in ran(table.folder, "restore", backup).output
    assert kept_in(table.folder) == LATER


def test_a_backup_beside_a_damaged_file_takes_its_spare(table: Table, tmp_path: Path) -> None:
    (table.folder / FILE).write_bytes(b"\x00")
    ran(table.folder, "backup", tmp_path / "saturday.sqlite3")
    table.close()
    new = tmp_path / "new"
    ran(new, "restore", tmp_path / "saturday.sqlite3")
    assert kept_in(new) == EVENING
