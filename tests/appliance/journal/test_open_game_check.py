"""While a game is open at the table of these settings, its scale answers nobody (SM-26)."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.guided_calibration.devices import RealDevices
from appliance.journal.open_game_check import GameOpenError, game_is_open
from appliance.settings import Settings
from appliance.words.errors import TableError
from hardware.scale.load_cell import LoadCellError
from tests.appliance.conftest import PortersTable


def test_the_bench_of_a_table_asks_that_tables_own_journal(
    porters: PortersTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path / "elsewhere"))
    samples = RealDevices(Settings(data_dir=str(porters.folder))).samples
    porters.open()
    with pytest.raises(GameOpenError):
        next(samples())
    porters.table.close_game("closes")
    with pytest.raises(LoadCellError):  # past the guard: here are no pins to read
        next(samples())


def test_a_game_is_open_until_it_is_put_away(porters: PortersTable) -> None:
    settings = Settings(data_dir=str(porters.folder))
    assert not game_is_open(settings)
    porters.open()
    porters.half_a_round()
    assert game_is_open(settings)
    porters.table.undo("undoes")
    assert game_is_open(settings)
    porters.table.close_game("closes")
    assert not game_is_open(settings)


def test_where_no_table_ever_was_none_is_open(tmp_path: Path) -> None:
    assert not game_is_open(Settings(data_dir=str(tmp_path / "nothing")))


def test_the_table_and_a_command_beside_it_give_one_answer(porters: PortersTable) -> None:
    settings = Settings(data_dir=str(porters.folder))

    def answers() -> set[bool]:
        shown = porters.table.snapshot().game is not None
        return {shown, porters.journal.newest_game() is not None, game_is_open(settings)}

    assert answers() == {False}
    porters.open()
    assert answers() == {True}
    porters.reopen()
    assert answers() == {True}
    porters.table.close_game("closes")
    assert answers() == {False}


def test_a_journal_that_cannot_be_read_is_no_leave_to_weigh(tmp_path: Path) -> None:
    (tmp_path / "journal.sqlite3").write_bytes(b"no journal" * 100)
    with pytest.raises(TableError) as error:
        game_is_open(Settings(data_dir=str(tmp_path)))
    assert error.value.code == "journal_unreadable"
