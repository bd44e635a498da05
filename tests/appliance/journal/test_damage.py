"""What a failing disk does to the data folder: noticed, restored, told, and the damaged files kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from appliance.cli import main
from appliance.games.protocol import Rejection, Remark
from appliance.journal.safekeeping.backup import back_up
from appliance.journal.safekeeping.copy_file import CopyFile
from appliance.journal.safekeeping.keeper import Keeper
from appliance.journal.safekeeping.records import open_records
from appliance.table.table import Table
from tests.appliance.conftest import PortersTable
from tests.appliance.games.porters import Cross, Hide
from tests.patience import GIVEN_UP_S

JOURNAL, WAL, COPY = "journal.sqlite3", "journal.sqlite3-wal", "copy/journal.copy"
Damage = Callable[[Path], object]


class Kept(PortersTable):
    """A table on its records as `smugglers run` opens them; its copies are made when a test says so."""

    second: Path | None = None

    def _connect(self) -> None:
        self.records = open_records(self.folder, self.second, lambda: self.wall_s)
        self.journal = self.records.journal
        self.table = Table(journal=self.journal, games=self.games, clock=self.clock, answer_within_s=GIVEN_UP_S)
        for remark in self.records.remarks:
            self.table.tell(remark)
        self.keeper = Keeper(self.journal, self.records.copies, self.table.tell)

    def told(self) -> dict[str, str]:
        return {topic: remark.code for topic, remark in self.table.snapshot().remarks.items()}


class Crashed:
    """The data folder of a table whose plug was pulled: a past game, an open one, the newest entries in the WAL."""

    def __init__(self, folder: Path, *, copied: bool = True) -> None:
        table = Kept(folder / "alive")
        table.open()
        table.half_a_round()
        table.accepted(table.table.close_game(table.new_id()))
        table.journal.checkpoint()
        table.keeper.copy()
        self.in_the_file = table.journal.last_seq()
        table.open()
        table.half_a_round()
        if copied:
            table.keeper.copy()
        self.last = table.journal.last_seq()
        self.history = table.table.history()
        self.folder = folder / "crashed"
        shutil.copytree(folder / "alive", self.folder, ignore=shutil.ignore_patterns("*-shm", "*.lock"))
        table.close()


@pytest.fixture
def crashed(tmp_path: Path) -> Crashed:
    return Crashed(tmp_path)


def zeroed(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def halved(path: Path) -> None:
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) // 2])


def garbled(path: Path) -> None:
    raw = path.read_bytes()
    path.write_bytes(b"\xa5" * 100 + raw[100:])


def flipped(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2 + 7] ^= 0x10
    path.write_bytes(raw)


def changed_in_the_open_game(path: Path) -> None:
    """SQLite fills a page from its end: what comes first in the file was written last."""
    raw = path.read_bytes()
    at = raw.index(b'"outcome":"stuck"')
    path.write_bytes(raw[: at + 11] + b"STUCK" + raw[at + 16 :])


def deleted(path: Path) -> None:
    path.unlink()


def deleted_with_its_wal(path: Path) -> None:
    path.unlink()
    path.with_name(WAL).unlink()


def changed(damage: Damage, path: Path) -> None:
    before = path.read_bytes()
    damage(path)
    assert not path.exists() or path.read_bytes() != before


@pytest.mark.parametrize("damage", [zeroed, emptied, halved, flipped, deleted])
def test_a_dead_write_ahead_log_loses_nothing(crashed: Crashed, damage: Damage):
    changed(damage, crashed.folder / WAL)
    table = Kept(crashed.folder)
    assert table.table.history() == crashed.history
    assert table.told()["journal_restored"] == "journal_restored"
    assert table.did(Cross(seat=1, outcome="stuck")) == crashed.last + 1, "the same game goes on"
    table.close()


@pytest.mark.parametrize("damage", [zeroed, emptied, halved, garbled, flipped, deleted, deleted_with_its_wal])
def test_a_damaged_database_is_put_back_from_its_copy(crashed: Crashed, damage: Damage):
    changed(damage, crashed.folder / JOURNAL)
    table = Kept(crashed.folder)
    assert table.table.history() == crashed.history
    assert [past.game for past in table.journal.past_games()] == [1]
    assert not isinstance(table.table.past_history(1), Rejection)
    if table.told():
        assert table.told() == {"journal_restored": "journal_restored"}
        assert table.table.snapshot().remarks["journal_restored"].values["lost"] == 0
    assert table.did(Cross(seat=1, outcome="stuck")) == crashed.last + 1
    table.close()


@pytest.mark.parametrize("damage", [zeroed, halved, garbled])
def test_what_was_damaged_is_kept_as_it_was(crashed: Crashed, damage: Damage):
    changed(damage, crashed.folder / JOURNAL)
    was = {name: (crashed.folder / name).read_bytes() for name in (JOURNAL, WAL)}
    table = Kept(crashed.folder)
    kept = Path(str(table.table.snapshot().remarks["journal_restored"].values["kept"]))
    assert {name: (kept / name).read_bytes() for name in was} == was
    assert sorted(path.name for path in kept.iterdir()) == sorted(was)
    table.close()


def test_a_changed_entry_of_the_open_game_is_put_back(crashed: Crashed):
    table = Kept(crashed.folder)
    table.close()
    changed(changed_in_the_open_game, crashed.folder / JOURNAL)
    table = Kept(crashed.folder)
    assert table.table.history() == crashed.history
    assert table.told() == {"journal_restored": "journal_restored"}
    table.close()


def test_a_changed_entry_of_a_past_game_is_found_told_and_put_back_at_the_next_start(crashed: Crashed):
    table = Kept(crashed.folder)
    truth = table.table.past_history(1)
    table.close()
    path = crashed.folder / JOURNAL
    raw = path.read_bytes()
    at = raw.rindex(b'"outcome":"stuck"')
    path.write_bytes(raw[: at + 11] + b"STUCK" + raw[at + 16 :])
    table = Kept(crashed.folder)
    assert table.table.history() == crashed.history, "the open game goes on at once"
    while table.keeper.look_on():
        pass
    assert table.told() == {"past_games": "past_games_damaged"}
    table = Kept(crashed.folder) if table.close() is None else table
    assert table.table.past_history(1) == truth
    assert table.told() == {"journal_restored": "journal_restored"}
    table.close()
    table = Kept(crashed.folder)
    assert table.told() == {}, "once"
    table.close()


@pytest.mark.parametrize("damage", [zeroed, emptied, halved, garbled, flipped, deleted])
def test_a_damaged_copy_is_made_anew_and_serves(crashed: Crashed, damage: Damage):
    changed(damage, crashed.folder / COPY)
    table = Kept(crashed.folder)
    assert table.table.history() == crashed.history
    assert table.told() == {}
    table.keeper.copy()
    table.close()
    for name in (JOURNAL, WAL):
        (crashed.folder / name).unlink(missing_ok=True)
    table = Kept(crashed.folder)
    assert table.table.history() == crashed.history
    table.close()


def test_what_the_copy_had_not_yet_is_taken_from_what_is_left_of_the_journal(tmp_path: Path):
    crashed = Crashed(tmp_path, copied=False)
    (crashed.folder / f"{JOURNAL}.suspect").touch()
    table = Kept(crashed.folder)
    assert table.table.history() == crashed.history
    assert table.table.snapshot().remarks["journal_restored"].values["lost"] == 0
    table.close()


def test_what_no_source_has_is_told_by_its_number(crashed: Crashed):
    """The copy lost a record in its middle, and the database is gone: what comes before it is all there is."""
    for name in (JOURNAL, WAL):
        (crashed.folder / name).unlink()
    records = list(CopyFile(crashed.folder / COPY).rows())
    (crashed.folder / COPY).unlink()
    CopyFile(crashed.folder / COPY).extend([*records[:-3], *records[-2:]])
    zeroed_journal = crashed.folder / JOURNAL
    zeroed_journal.write_bytes(bytes(4096))
    table = Kept(crashed.folder)
    remark = table.table.snapshot().remarks["journal_restored"]
    assert (remark.code, remark.values["entries"], remark.values["lost"]) == (
        "journal_restored_in_part", crashed.last - 3, 3,
    )  # fmt: skip
    assert table.table.snapshot().game == "porters", "the open game goes on from there"
    table.close()


def test_with_nothing_left_the_table_says_so_and_plays_on(crashed: Crashed):
    changed(zeroed, crashed.folder / JOURNAL)
    changed(zeroed, crashed.folder / COPY)
    (crashed.folder / WAL).unlink()
    table = Kept(crashed.folder)
    assert table.told() == {"journal_restored": "journal_lost"}
    table.open()
    assert table.told() == {}
    table.did(Hide(seat=0, mass_g=9.0))
    table.close()


def test_a_second_medium_outlives_the_card(tmp_path: Path):
    stick = tmp_path / "stick"
    table = Kept(tmp_path / "card")
    table.close()
    Kept.second = stick
    try:
        table = Kept(tmp_path / "card")
        table.open()
        table.half_a_round()
        table.keeper.copy()
        truth = table.table.history()
        table.close()
        for path in (JOURNAL, COPY):
            (tmp_path / "card" / path).unlink()
        table = Kept(tmp_path / "card")
        assert table.table.history() == truth
        table.close()
    finally:
        Kept.second = None


def test_a_medium_that_cannot_be_written_is_told_and_caught_up_with(tmp_path: Path):
    stick = tmp_path / "stick"
    stick.write_text("no folder")
    Kept.second = stick / "mounted"
    try:
        table = Kept(tmp_path / "card")
        table.open()
        table.keeper.copy()
        assert table.told() == {"copy": "copy_failing"}
        assert table.table.snapshot().remarks["copy"].values["path"].startswith(str(stick))
        table.half_a_round()
        stick.unlink()
        table.keeper.copy()
        assert table.told() == {}
        assert CopyFile(stick / "mounted" / "smugglers-journal.copy").tip() == table.journal.tip()
        table.close()
    finally:
        Kept.second = None


def test_the_copy_of_another_journal_is_moved_away_not_mixed_in(tmp_path: Path):
    for name in ("one", "other"):
        table = Kept(tmp_path / name)
        table.open()
        table.half_a_round()
        table.keeper.copy()
        table.close()
    shutil.copy2(tmp_path / "one" / COPY, tmp_path / "other" / COPY)
    table = Kept(tmp_path / "other")
    truth = table.table.history()
    table.did(Cross(seat=1, outcome="stuck"))
    table.keeper.copy()
    assert CopyFile(tmp_path / "other" / COPY).tip() == table.journal.tip()
    assert truth is not None
    assert len(list((tmp_path / "other" / "copy").glob("damaged-*/journal.copy"))) == 1
    table.close()


def copies_cut_anywhere(folder: Path) -> Iterator[bytes]:
    raw = (folder / COPY).read_bytes()
    yield from (raw[:length] for length in range(0, len(raw), 37))


def test_a_copy_cut_anywhere_by_a_power_cut_is_completed(crashed: Crashed):
    whole = CopyFile(crashed.folder / COPY).tip()
    table = Kept(crashed.folder)
    for cut in copies_cut_anywhere(crashed.folder):
        (crashed.folder / COPY).write_bytes(cut)
        table.keeper.copy()
        assert CopyFile(crashed.folder / COPY).tip() == whole
    assert not list((crashed.folder / "copy").glob("damaged-*")), "a cut end is no damage"
    table.close()


# -- keys --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("damage", [zeroed, emptied, halved, flipped, deleted])
@pytest.mark.parametrize("key", ["seal.key", "web.key"])
def test_a_damaged_key_comes_back_from_its_spare(crashed: Crashed, key: str, damage: Damage):
    was = (crashed.folder / key).read_bytes()
    changed(damage, crashed.folder / key)
    table = Kept(crashed.folder)
    assert table.table.history() == crashed.history
    if damage is not flipped:
        assert table.told() == {key: "key_restored"}
        assert (crashed.folder / key).read_bytes() == was
    table.close()


def test_a_key_that_others_can_read_is_closed_to_them(crashed: Crashed):
    (crashed.folder / "seal.key").chmod(0o644)
    table = Kept(crashed.folder)
    assert table.told() == {"seal.key": "key_was_readable"}
    assert (crashed.folder / "seal.key").stat().st_mode & 0o777 == 0o600
    assert table.table.history() == crashed.history
    table.close()


def test_without_any_key_the_games_before_stay_closed_and_the_next_can_be_played(crashed: Crashed):
    for path in ("seal.key", "copy/seal.key"):
        (crashed.folder / path).write_bytes(b"")
    table = Kept(crashed.folder)
    assert table.told() == {"seal.key": "key_renewed", "resume": "key_missing"}
    table.open()
    table.did(Hide(seat=0, mass_g=9.0))
    table.close()


@pytest.mark.parametrize("damage", [emptied, halved])
def test_an_empty_or_short_key_never_signs(crashed: Crashed, damage: Damage):
    for path in ("web.key", "copy/web.key"):
        changed(damage, crashed.folder / path)
    table = Kept(crashed.folder)
    assert table.told() == {"web.key": "web_key_renewed"}
    assert len(table.records.web_key) == 32
    assert (crashed.folder / "web.key").read_bytes() == table.records.web_key
    table.close()


def test_every_file_is_its_owners_alone(crashed: Crashed):
    table = Kept(crashed.folder)
    table.did(Cross(seat=1, outcome="stuck"))
    table.keeper.copy()
    readable = [path for path in crashed.folder.rglob("*") if path.is_file() and path.stat().st_mode & 0o077]
    assert readable == []
    table.close()


def test_remarks_about_a_start_name_no_secret(crashed: Crashed):
    changed(garbled, crashed.folder / JOURNAL)
    table = Kept(crashed.folder)
    values = [remark for remark in table.table.snapshot().remarks.values() if isinstance(remark, Remark)]
    assert all("22.7" not in str(remark.values) for remark in values)
    table.close()


# -- put back on purpose -----------------------------------------------------------------------------------------


def restored(folder: Path, source: Path) -> Result:
    return CliRunner().invoke(main, ["restore", str(source)], env={"SMUGGLERS_DATA_DIR": str(folder)})


def test_a_backup_becomes_the_journal_and_what_was_there_is_kept(crashed: Crashed, tmp_path: Path):
    back_up(crashed.folder / JOURNAL, tmp_path / "saturday.sqlite3")
    table = Kept(crashed.folder)
    table.did(Cross(seat=1, outcome="stuck"))
    table.keeper.copy()
    later = table.table.history()
    table.close()
    done = restored(crashed.folder, tmp_path / "saturday.sqlite3")
    assert done.exit_code == 0, done.output
    assert f"games 2, entries {crashed.last}" in done.output
    table = Kept(crashed.folder)
    assert table.told() == {}, "what was put back on purpose is not overruled by the copy"
    assert table.table.history() == crashed.history
    table.close()
    assert restored(crashed.folder, crashed.folder / "replaced-1" / "journal.sqlite3").exit_code == 0
    table = Kept(crashed.folder)
    assert table.table.history() == later
    table.close()


def test_a_copy_of_another_card_becomes_the_journal(crashed: Crashed, tmp_path: Path):
    new = tmp_path / "new"
    new.mkdir()
    shutil.copy2(crashed.folder / "seal.key", new / "seal.key")
    assert restored(new, crashed.folder / COPY).exit_code == 0
    table = Kept(new)
    assert table.table.history() == crashed.history
    table.close()


@pytest.mark.parametrize("content", [b"", b"hello", b"SMTGCOPY1\n", b"SQLite format 3\0" + bytes(200)])
def test_what_is_no_journal_is_refused_and_nothing_is_changed(crashed: Crashed, tmp_path: Path, content: bytes):
    (tmp_path / "rubbish").write_bytes(content)
    done = restored(crashed.folder, tmp_path / "rubbish")
    assert done.exit_code == 1
    assert done.output.rstrip().endswith(("[restore_empty]", "[restore_unreadable]"))
    assert len(done.output.splitlines()) == 1
    table = Kept(crashed.folder)
    assert table.table.history() == crashed.history
    table.close()


def test_a_running_table_is_left_alone(crashed: Crashed, tmp_path: Path):
    back_up(crashed.folder / JOURNAL, tmp_path / "saturday.sqlite3")
    table = Kept(crashed.folder)
    done = restored(crashed.folder, tmp_path / "saturday.sqlite3")
    assert done.output.rstrip().endswith("[journal_in_use]")
    table.did(Cross(seat=1, outcome="stuck"))
    table.close()
