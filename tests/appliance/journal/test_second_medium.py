"""The copy on a second medium, which may be missing, pulled out, or hang: told, and nothing else waits for it."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from appliance.journal.media.removable_media import Sticks
from appliance.journal.safekeeping.copy_file import CopyFile
from appliance.journal.safekeeping.evening import EveningCopy
from appliance.journal.safekeeping.keeper import Keeper
from tests.appliance.games.porters import Cross
from tests.appliance.journal.crashed import COPY, JOURNAL, Kept
from tests.appliance.journal.hanging import ANSWERS_S, Hanging, answers_again, hanging_at, waited_out
from tests.patience import GIVEN_UP_S
from tests.refused_threads import refused


def test_a_second_medium_outlives_the_card(tmp_path: Path) -> None:
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


def test_a_medium_that_cannot_be_written_is_told_and_caught_up_with(tmp_path: Path) -> None:
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


def test_a_stick_that_was_pulled_out_is_told_and_the_card_is_not_written_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stick = tmp_path / "media" / "stick"
    mounted: set[Path] = set()
    monkeypatch.setattr(Kept, "second", stick / "table")
    monkeypatch.setattr(Kept, "sticks", Sticks([tmp_path / "media"], mounted.__contains__))
    table = Kept(tmp_path / "card")
    table.open()
    table.keeper.copy()
    assert table.told() == {"copy": "copy_failing"}
    assert not stick.exists(), "a folder there would be taken for the stick"
    mounted.add(stick)
    table.keeper.copy()
    assert table.told() == {}
    mounted.remove(stick)
    shutil.rmtree(stick)
    table.half_a_round()
    table.keeper.copy()
    assert table.told() == {"copy": "copy_failing"}
    assert not stick.exists()
    table.close()


def test_a_bug_while_copying_is_told_and_the_next_copies_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copy on the card, and one on the second medium."""

    def trip(copy: CopyFile, rows: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Kept, "second", tmp_path / "stick")
    table = Kept(tmp_path / "card")
    table.open()
    with monkeypatch.context() as broken:
        broken.setattr(CopyFile, "extend", trip)
        table.keeper.copy()
    assert table.told()["copy"] == "copy_failing"
    table.keeper.copy()
    assert "copy" not in table.told()
    assert all(copy.tip() == table.journal.tip() for copy in table.records.copies)
    table.close()


def test_a_second_medium_for_which_there_is_no_thread_is_told_and_caught_up_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Kept, "second", tmp_path / "stick")
    table = Kept(tmp_path / "card")
    table.open()
    with monkeypatch.context() as full:
        full.setattr(threading.Thread, "start", refused)
        table.keeper.copy()
    assert table.told()["copy"] == "copy_failing"
    table.keeper.copy()
    assert "copy" not in table.told()
    table.close()


class HangingMedium(EveningCopy):
    """A copy whose medium neither answers nor fails until it goes on."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, path)
        self.begun, self.goes_on = threading.Event(), threading.Event()
        self.asked = 0

    def catch_up(self) -> None:
        self.asked += 1
        self.begun.set()
        assert self.goes_on.wait(GIVEN_UP_S)


def test_a_medium_that_hangs_is_told_and_holds_up_no_other_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ANSWERS_S, 0.0)
    table = Kept(tmp_path / "card")
    stick = HangingMedium(tmp_path / "stick" / "evening")
    keeper = Keeper(table.journal, table.records.copies, table.table.tell, [stick])
    table.open()
    keeper.copy()
    assert table.told() == {"copy": "copy_failing"}
    assert stick.begun.wait(GIVEN_UP_S)
    table.half_a_round()
    keeper.copy()
    assert table.records.copies[0].tip() == table.journal.tip()
    assert (table.told(), stick.asked) == ({"copy": "copy_failing"}, 1), "no second thread waits for it"
    waits = next(thread for thread in threading.enumerate() if thread.name == "medium")
    stick.goes_on.set()
    waits.join(GIVEN_UP_S)
    monkeypatch.setattr(ANSWERS_S, GIVEN_UP_S)
    keeper.copy()
    assert table.told() == {}
    table.close()


@pytest.fixture
def hanging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hanging]:
    """What `stick` in the test's folder is: a medium that hangs, with the copy of a table below its mount."""
    stick = tmp_path / "stick"
    stick.mkdir()
    monkeypatch.setattr(Kept, "second", stick)
    monkeypatch.setattr(ANSWERS_S, GIVEN_UP_S)
    table = Kept(tmp_path / "card")
    table.open()
    table.half_a_round()
    table.keeper.copy()
    table.close()
    monkeypatch.setattr(ANSWERS_S, 0.1)
    with hanging_at(stick) as medium:
        yield medium


def test_a_table_starts_beside_a_medium_that_hangs_and_says_so(
    tmp_path: Path, hanging: Hanging, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Kept(tmp_path / "card")
    table.keeper.copy()
    assert table.told() == {"copy": "copy_failing"}
    table.did(Cross(seat=1, outcome="stuck"))
    table.keeper.copy()
    assert CopyFile(tmp_path / "card" / COPY).tip() == table.journal.tip(), "the card's copy goes on"
    answers_again(hanging, monkeypatch)
    table.keeper.copy()
    assert table.told() == {}
    assert CopyFile(tmp_path / "stick" / "smugglers-journal.copy").tip() == table.journal.tip()
    table.close()


def test_a_lost_card_is_restored_from_its_own_copy_while_the_medium_hangs(
    tmp_path: Path, hanging: Hanging, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "card" / JOURNAL).unlink()
    table = Kept(tmp_path / "card")
    assert table.told()["journal_restored"] == "journal_restored"
    answers_again(hanging, monkeypatch)
    table.keeper.copy()
    assert CopyFile(tmp_path / "stick" / "smugglers-journal.copy").tip() == table.journal.tip()
    assert not list((tmp_path / "stick").glob("damaged-*")), "its copy was no worse"
    table.close()


def test_the_check_of_past_games_waits_for_no_medium(
    tmp_path: Path, hanging: Hanging, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Kept(tmp_path / "card")
    assert all(table.keeper.look_on() for _ in range(9)), "the check of its copy is not given up"
    table.did(Cross(seat=1, outcome="stuck"))
    table.keeper.copy()
    assert CopyFile(tmp_path / "card" / COPY).tip() == table.journal.tip()
    answers_again(hanging, monkeypatch)
    while table.keeper.look_on():
        waited_out()
    table.keeper.copy()
    assert table.told() == {}
    table.close()
