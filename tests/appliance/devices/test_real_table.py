"""What the real table says of files and wires that it cannot use."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.devices.calibration_files import twin_calibration
from appliance.devices.real_table import RealTable
from appliance.games.protocol import Area
from appliance.settings import Settings
from hardware.clock import MonotonicClock
from hardware.readings import DeviceHealth, Reading


class Told:
    def __init__(self) -> None:
        self.codes: list[str] = []

    def sense(self, reading: Reading) -> None:
        if isinstance(reading, DeviceHealth) and reading.device == "camera":
            self.codes.append(reading.code)

    def attention(self) -> frozenset[Area]:
        return frozenset()


@pytest.mark.parametrize(("damaged", "code"), [("rig.toml", "rig_unreadable"), ("camera.toml", "camera_not_calibrated")])
def test_a_damaged_calibration_is_the_last_word_on_the_camera(damaged: str, code: str, tmp_path: Path) -> None:
    """A camera that saw the table by standard measures would report that it is well, and name wrong lanes."""
    for name, text in twin_calibration()[2].items():
        (tmp_path / name).write_text(text if name != damaged else text[: len(text) // 2])
    told = Told()
    table = RealTable(told, MonotonicClock(), Settings(data_dir=str(tmp_path), camera=f"clip:{tmp_path / 'none'}"))
    table._scale = None  # type: ignore[assignment]
    table.start()
    table.stop()
    assert told.codes == [code]
