"""The table lets go of its devices for a calibration and takes them again, built from the files as they are then."""

from __future__ import annotations

from typing import Any

import pytest

from appliance.devices.restartable_table import RestartableTable


class Devices:
    def __init__(self, number: int, log: list[str]) -> None:
        self._number, self._log = number, log
        self.panel = None

    def start(self) -> None:
        self._log.append(f"start {self._number}")

    def stop(self) -> None:
        self._log.append(f"stop {self._number}")

    def live_picture(self) -> bytes:
        return bytes([self._number])


@pytest.fixture
def log() -> list[str]:
    return []


@pytest.fixture
def table(log: list[str]) -> RestartableTable:
    built: list[Any] = []

    def build() -> Any:
        built.append(Devices(len(built), log))
        return built[-1]

    return RestartableTable(build)


def test_devices_are_free_within_and_new_afterwards(table: RestartableTable, log: list[str]) -> None:
    table.start()
    with table.released():
        assert log == ["start 0", "stop 0"]
    assert log == ["start 0", "stop 0", "start 1"]
    assert table.live_picture() == b"\x01"


def test_a_calibration_that_fails_gives_the_devices_back(table: RestartableTable, log: list[str]) -> None:
    table.start()
    with pytest.raises(RuntimeError), table.released():
        raise RuntimeError
    assert log[-1] == "start 1"


def test_a_table_that_was_stopped_stays_stopped(table: RestartableTable, log: list[str]) -> None:
    with table.released():
        pass
    table.start()
    table.stop()
    table.stop()
    assert log == ["start 0", "stop 0"]


def test_a_table_that_ends_during_a_loan_opens_nothing_again(table: RestartableTable, log: list[str]) -> None:
    table.start()
    with table.released():
        table.stop()
    assert log == ["start 0", "stop 0"]


def test_a_device_that_does_not_close_costs_the_calibration_and_not_the_table(
    table: RestartableTable, log: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stuck(devices: Devices) -> None:
        raise OSError("stuck")

    table.start()
    with monkeypatch.context() as patched:
        patched.setattr(Devices, "stop", stuck)
        with pytest.raises(OSError, match="stuck"), table.released():
            log.append("calibrated")
    assert log == ["start 0", "start 1"]
