"""Pins that another program holds when the table starts: they are opened once that program has ended."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.appliance.devices.test_table_without_beams import BEAM_PINS, Table


def test_beams_whose_pin_another_program_held_are_opened_after_it_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(tmp_path, monkeypatch)
    table.header.taken.add(BEAM_PINS[1])
    table.table.start()
    table.lasts(60.0)
    assert table.codes == ["beams_no_gpio"], "told once"
    table.header.taken.clear()
    table.lasts(10.0)
    assert table.codes == ["beams_no_gpio", "beams_ok"]
    assert all(len(table.header.listeners(pin)) == 1 for pin in BEAM_PINS)
    table.table.stop()
    assert not any(table.header.listeners(pin) for pin in BEAM_PINS)


def test_a_table_that_was_stopped_opens_no_beams_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(tmp_path, monkeypatch)
    table.header.taken.add(BEAM_PINS[0])
    table.table.start()
    table.table.stop()
    table.header.taken.clear()
    table.lasts(20.0)
    assert table.codes == ["beams_no_gpio"]
    assert not any(table.header.listeners(pin) for pin in BEAM_PINS)
