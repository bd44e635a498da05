"""A disk that refuses writes, and then gives nothing back: nothing counts that is not on it, and the disk is blamed."""

from __future__ import annotations

import errno
import os
import sqlite3
import struct
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from appliance.games.protocol import Rejection, Timer
from appliance.journal.journal_file import JournalError
from appliance.journal.safekeeping.records import open_records
from appliance.snapshot import Accepted
from appliance.words.errors import TableError
from tests.appliance.games.porters import Cross
from tests.appliance.journal.crashed import JOURNAL, Kept
from tests.refused_writes import refused_writes

LONGEST_BYTES = 1000


class Unmerged(sqlite3.Connection):
    """Raises what SQLite raises where the disk refuses the log's merge into the file."""

    def close(self) -> None:
        super().close()
        refused = sqlite3.OperationalError("disk I/O error")
        refused.sqlite_errorcode = sqlite3.SQLITE_IOERR_WRITE
        raise refused


def in_play(folder: Path) -> Kept:
    table = Kept(folder)
    table.open()
    table.half_a_round()
    table.accepted(table.table.close_game(table.new_id()))
    table.open()
    table.half_a_round()
    table.journal.checkpoint()
    return table


def test_a_tap_that_the_disk_refuses_does_not_count_and_counts_when_it_takes_it(tmp_path: Path) -> None:
    table = in_play(tmp_path)
    before, name = table.table.history(), table.new_id()
    with refused_writes(LONGEST_BYTES):
        assert table.table.undo(name) == Rejection("disk_failing", "")
        table.keeper.copy()
        assert set(table.told()) == {"journal", "copy"}
    assert table.table.history() == before
    assert isinstance(table.table.undo(name), Accepted)
    table.keeper.copy()
    assert table.told() == {}
    assert table.table.history() != before
    table.close()


def test_a_timer_that_the_disk_refuses_is_kept_when_it_takes_it(tmp_path: Path) -> None:
    table = in_play(tmp_path)
    with refused_writes(LONGEST_BYTES):
        now_s = table.clock.now_s()
        table.advise(Timer(name="hourglass", started_s=now_s, ends_s=now_s + 40.0))
        assert table.told()["journal"] == "disk_failing"
        table.wait(5.0)
        assert table.told()["journal"] == "disk_failing"
    table.wait(5.0)
    assert table.told() == {}
    timer = table.reopen().snapshot().timers["hourglass"]
    assert timer.ends_s == pytest.approx(now_s + 40.0), "it goes on where it was"
    table.close()


def test_a_disk_that_refuses_a_timer_is_tried_every_other_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each try may keep the whole table waiting, for as long as a failing card takes to refuse."""
    table = in_play(tmp_path)
    keep, tried_s = table.journal.keep_timers, []

    def watched(*given: Any) -> None:
        tried_s.append(table.clock.now_s())
        keep(*given)

    monkeypatch.setattr(table.journal, "keep_timers", watched)
    with refused_writes(LONGEST_BYTES):
        now_s = table.clock.now_s()
        table.advise(Timer(name="hourglass", started_s=now_s, ends_s=now_s + 40.0))
        for _ in range(100):
            table.wait(0.1)
    assert 4 <= len(tried_s) <= 6
    assert min(later - before for before, later in pairwise(tried_s)) >= 2.0 - 1e-6
    table.close()


def test_a_log_that_cannot_be_merged_is_told_until_it_can(tmp_path: Path) -> None:
    table = in_play(tmp_path)
    assert table.did(Cross(seat=1, outcome="stuck"))
    with refused_writes(LONGEST_BYTES):
        assert not table.keeper.merge()
        table.keeper.copy()
        assert table.told()["merged"] == "disk_failing"
    table.keeper.copy()
    assert table.told() == {"merged": "disk_failing"}
    assert table.keeper.merge()
    assert table.told() == {}
    table.close()


def test_a_disk_that_failed_is_not_told_as_a_damaged_journal(tmp_path: Path) -> None:
    table = in_play(tmp_path)
    whole = (tmp_path / JOURNAL).read_bytes()
    before = table.table.history()
    with refused_writes(LONGEST_BYTES):
        assert table.table.undo(table.new_id()) == Rejection("disk_failing", "")
    (tmp_path / JOURNAL).write_bytes(whole[:4096])
    assert table.table.undo(table.new_id()) == Rejection("disk_failing", "")
    assert table.told()["journal"] == "disk_failing"
    assert table.table.past_games() == Rejection("disk_failing", "")
    assert table.table.history() == before, "the screens go on showing the game"
    (tmp_path / JOURNAL).write_bytes(whole)
    table.close()
    table = Kept(tmp_path)
    assert table.table.history() == before
    assert table.did(Cross(seat=1, outcome="stuck"))
    table.close()


def test_past_games_that_a_failing_disk_does_not_give_back_are_not_called_damaged(tmp_path: Path) -> None:
    table = in_play(tmp_path)
    whole = (tmp_path / JOURNAL).read_bytes()
    with refused_writes(LONGEST_BYTES):
        table.table.undo(table.new_id())
    (tmp_path / JOURNAL).write_bytes(whole[:4096])
    while table.keeper.look_on():
        pass
    assert "past_games" not in table.told()
    (tmp_path / JOURNAL).write_bytes(whole)
    table.close()
    table = Kept(tmp_path)
    assert table.told() == {}, "there was nothing to restore"
    table.close()


def test_damage_is_told_and_copies_are_made_where_nothing_can_be_noted_beside_the_journal(tmp_path: Path) -> None:
    table = in_play(tmp_path)
    table.close()
    raw = (tmp_path / JOURNAL).read_bytes()
    at = raw.rindex(b'"outcome":"stuck"')
    (tmp_path / JOURNAL).write_bytes(raw[: at + 11] + b"STUCK" + raw[at + 16 :])
    (tmp_path / f"{JOURNAL}.suspect").symlink_to(tmp_path / "nowhere" / "suspect")
    table = Kept(tmp_path)
    while table.keeper.look_on():
        pass
    assert table.told() == {"past_games": "past_games_damaged"}
    table.close()


def test_a_start_that_finds_no_room_says_so_and_changes_nothing(tmp_path: Path) -> None:
    table = in_play(tmp_path)
    before = table.table.history()
    table.close()
    with refused_writes(LONGEST_BYTES), pytest.raises(TableError) as caught:
        Kept(tmp_path)
    assert caught.value.code == "disk_full"
    table = Kept(tmp_path)
    assert table.table.history() == before
    assert table.told() == {}
    table.close()


@pytest.mark.parametrize("trouble", [errno.ENOSPC, errno.EDQUOT])
@pytest.mark.parametrize("kept", [(), ("seal.key",), ("seal.key", JOURNAL)], ids=["new", "key", "restored"])
def test_a_first_start_that_finds_no_room_says_so_and_leaves_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: tuple[str, ...], trouble: int
) -> None:
    in_play(tmp_path / "before").close()
    folder = tmp_path / "now"
    folder.mkdir()
    for name in kept:
        (folder / name).write_bytes((tmp_path / "before" / name).read_bytes())

    def no_room(_: int) -> None:
        raise OSError(trouble, os.strerror(trouble))

    monkeypatch.setattr(os, "fsync", no_room)
    with pytest.raises(TableError) as caught:
        open_records(folder)
    assert caught.value.code == "disk_full"
    left = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert left == {*kept, f"{JOURNAL}.lock"}


def test_a_power_cut_in_the_making_of_the_journal_stops_no_start(tmp_path: Path) -> None:
    """SQLite's file format, section 3: a rollback journal beside a file that began empty."""
    tmp_path.joinpath(f"{JOURNAL}-journal").write_bytes(
        (b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + struct.pack(">5I", 0, 0x5AEA6C42, 0, 512, 4096)).ljust(512, b"\0")
    )
    tmp_path.joinpath(JOURNAL).write_bytes(b"SQLite format 3\0\x10\0\x02\x02".ljust(4096, b"\0"))
    table = Kept(tmp_path)
    table.open()
    assert table.told() == {}
    table.close()


def test_a_journal_that_fails_to_close_is_free_for_the_next_program(tmp_path: Path) -> None:
    table = in_play(tmp_path)
    before = table.table.history()
    table.table.stop()
    table.journal._db.close()
    table.journal._db = sqlite3.connect(tmp_path / JOURNAL, factory=Unmerged)
    with pytest.raises(JournalError) as caught:
        table.journal.close()
    assert caught.value.code == "disk_failing"
    table.journal.close()
    again = Kept(tmp_path)
    assert again.table.history() == before
    again.close()
