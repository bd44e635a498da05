"""While a game is open at the table of these settings, its scale answers nobody (SM-26)."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from appliance.guided_calibration.devices import RealBench
from appliance.journal.open_game_check import game_is_open
from appliance.settings import Settings
from hardware.scale.load_cell import LoadCellError
from tests.appliance.conftest import Bench


def test_the_bench_of_a_table_asks_that_tables_own_journal(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path / "elsewhere"))
    samples = RealBench(Settings(data_dir=str(bench.folder))).samples
    bench.open()
    with pytest.raises(click.ClickException, match="a game is open"):
        next(samples())
    bench.table.close_game("closes")
    with pytest.raises(LoadCellError):  # past the guard: here are no pins to read
        next(samples())


def test_a_game_is_open_until_it_is_put_away(bench: Bench) -> None:
    settings = Settings(data_dir=str(bench.folder))
    assert not game_is_open(settings)
    bench.open()
    bench.half_a_round()
    assert game_is_open(settings)
    bench.table.undo("undoes")
    assert game_is_open(settings)
    bench.table.close_game("closes")
    assert not game_is_open(settings)


def test_where_no_table_ever_was_none_is_open(tmp_path: Path) -> None:
    assert not game_is_open(Settings(data_dir=str(tmp_path / "nothing")))
