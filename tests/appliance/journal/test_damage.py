"""What a failing disk does to the journal and its copies: noticed, restored, told, and the damaged files kept."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from appliance.games.protocol import Rejection
from appliance.journal.journal_file import stored_rows
from appliance.journal.past_games import PastGames
from appliance.journal.safekeeping.copy_file import CopyFile
from tests.appliance.games.porters import Cross, Hide
from tests.appliance.journal.crashed import (
    COPY,
    JOURNAL,
    WAL,
    Crashed,
    Damage,
    Kept,
    changed,
    changed_in_the_open_game,
    deleted,
    deleted_with_its_wal,
    emptied,
    flipped,
    garbled,
    halved,
    no_text_in_its_newest_record,
    no_text_in_its_tables,
    zeroed,
)


@pytest.mark.parametrize("damage", [zeroed, emptied, halved, flipped, deleted])
def test_a_dead_write_ahead_log_loses_nothing(crashed: Crashed, damage: Damage) -> None:
    changed(damage, crashed.folder / WAL)
    table = Kept(crashed.folder)
    assert table.table.history() == crashed.history
    assert table.told()["journal_restored"] == "journal_restored"
    assert table.did(Cross(seat=1, outcome="stuck")) == crashed.last + 1, "the same game goes on"
    table.close()


@pytest.mark.parametrize(
    "damage", [zeroed, emptied, halved, garbled, flipped, no_text_in_its_tables, deleted, deleted_with_its_wal]
)
def test_a_damaged_database_is_put_back_from_its_copy(crashed: Crashed, damage: Damage) -> None:
    changed(damage, crashed.folder / JOURNAL)
    table = Kept(crashed.folder)
    assert table.table.history() == crashed.history
    assert [past.game for past in PastGames(table.journal).newest()] == [1]
    assert not isinstance(table.table.past_history(1), Rejection)
    if damage is not flipped:  # one bit may lie where the write-ahead log replaces it, and is nothing to tell then
        assert table.told() == {"journal_restored": "journal_restored"}
        assert table.table.snapshot().remarks["journal_restored"].values["lost"] == 0
    assert table.did(Cross(seat=1, outcome="stuck")) == crashed.last + 1
    table.close()


@pytest.mark.parametrize("damage", [zeroed, halved, garbled])
def test_what_was_damaged_is_kept_as_it_was(crashed: Crashed, damage: Damage) -> None:
    changed(damage, crashed.folder / JOURNAL)
    was = {name: (crashed.folder / name).read_bytes() for name in (JOURNAL, WAL)}
    table = Kept(crashed.folder)
    kept = Path(str(table.table.snapshot().remarks["journal_restored"].values["kept"]))
    assert {name: (kept / name).read_bytes() for name in was} == was
    assert sorted(path.name for path in kept.iterdir()) == sorted(was)
    table.close()


def test_a_changed_entry_of_the_open_game_is_put_back(crashed: Crashed) -> None:
    table = Kept(crashed.folder)
    table.close()
    changed(changed_in_the_open_game, crashed.folder / JOURNAL)
    table = Kept(crashed.folder)
    assert table.table.history() == crashed.history
    assert table.told() == {"journal_restored": "journal_restored"}
    table.close()


def test_a_changed_entry_of_a_past_game_is_found_told_and_put_back_at_the_next_start(crashed: Crashed) -> None:
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
    table.close()
    table = Kept(crashed.folder)
    assert table.table.past_history(1) == truth
    assert table.told() == {"journal_restored": "journal_restored"}
    table.close()
    table = Kept(crashed.folder)
    assert table.told() == {}, "once"
    table.close()


@pytest.mark.parametrize("damage", [zeroed, emptied, halved, garbled, flipped, no_text_in_its_newest_record, deleted])
def test_a_damaged_copy_is_made_anew_and_serves(crashed: Crashed, damage: Damage) -> None:
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


def test_what_the_copy_had_not_yet_is_taken_from_what_is_left_of_the_journal(tmp_path: Path) -> None:
    crashed = Crashed(tmp_path, copied=False)
    (crashed.folder / f"{JOURNAL}.suspect").touch()
    table = Kept(crashed.folder)
    assert table.table.history() == crashed.history
    assert table.table.snapshot().remarks["journal_restored"].values["lost"] == 0
    table.close()


@pytest.mark.parametrize("damage", [zeroed, deleted_with_its_wal])
def test_what_a_copy_had_behind_a_damaged_record_is_told_by_its_number(crashed: Crashed, damage: Damage) -> None:
    """The database is gone, and one bit of a record in the middle of the copy is flipped."""
    changed(damage, crashed.folder / JOURNAL)
    changed(flipped, crashed.folder / COPY)
    readable = sum(1 for _ in CopyFile(crashed.folder / COPY).rows())
    table = Kept(crashed.folder)
    remark = table.table.snapshot().remarks["journal_restored"]
    assert remark.code == "journal_restored_in_part", "the sentence of `journal_restored` says that nothing is missing"
    assert (remark.values["entries"], remark.values["lost"]) == (readable, crashed.last - readable)
    table.close()


def test_what_no_source_has_is_told_by_its_number(crashed: Crashed) -> None:
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


@pytest.mark.parametrize(("place", "newest"), [(40, False), (-30, True), (-2, True)])
def test_a_lost_log_beside_a_damaged_copy_loses_no_more_than_is_told(
    crashed: Crashed, place: int, newest: bool
) -> None:
    """A bit of the oldest or of the newest record of the copy flips. All that database and copy hold is used."""
    (crashed.folder / WAL).unlink()
    with closing(sqlite3.connect(crashed.folder / JOURNAL)) as db:
        left = sum(1 for _ in stored_rows(db))
    content = bytearray((crashed.folder / COPY).read_bytes())
    content[place] ^= 1
    (crashed.folder / COPY).write_bytes(content)
    table = Kept(crashed.folder)
    remark = table.table.snapshot().remarks["journal_restored"]
    assert table.journal.last_seq() == (crashed.last - 1 if newest else left)
    assert remark.code == "journal_restored_in_part"
    assert remark.values["lost"] == crashed.last - table.journal.last_seq()
    table.keeper.copy()
    table.close()
    again = Kept(crashed.folder)
    assert again.told() == {}
    again.close()


def test_with_nothing_left_the_table_says_so_and_plays_on(crashed: Crashed) -> None:
    changed(zeroed, crashed.folder / JOURNAL)
    changed(zeroed, crashed.folder / COPY)
    (crashed.folder / WAL).unlink()
    table = Kept(crashed.folder)
    assert table.told() == {"journal_restored": "journal_lost"}
    table.open()
    assert table.told() == {}
    table.did(Hide(seat=0, mass_g=9.0))
    table.close()


def test_the_copy_of_another_journal_is_moved_away_not_mixed_in(tmp_path: Path) -> None:
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


def test_a_copy_cut_anywhere_by_a_power_cut_is_completed(crashed: Crashed) -> None:
    whole = CopyFile(crashed.folder / COPY).tip()
    table = Kept(crashed.folder)
    for cut in copies_cut_anywhere(crashed.folder):
        (crashed.folder / COPY).write_bytes(cut)
        table.keeper.copy()
        assert CopyFile(crashed.folder / COPY).tip() == whole
    assert not list((crashed.folder / "copy").glob("damaged-*")), "a cut end is no damage"
    table.close()
