from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.web.host.calibration_screen import CalibrationScreen
from tests.web.host.first_start import Told
from tests.web.stand import Stand


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[CalibrationScreen]:
    made = CalibrationScreen(tmp_path)
    yield made
    made.close()


@pytest.fixture
def machine(tmp_path: Path) -> Told:
    return Told(tmp_path)


@pytest.fixture
def fresh(tmp_path: Path, machine: Told) -> Iterator[Callable[[], Stand]]:
    """Make stands on one folder; each is the table after another start."""
    made: list[Stand] = []

    def make(**site: Any) -> Stand:
        while made:
            made.pop().close()
        usual: dict[str, Any] = {"pin": "", "owner_file": tmp_path / "owner.json", "machine": machine}
        made.append(Stand(tmp_path, **(usual | site)))
        return made[0]

    yield make
    while made:
        made.pop().close()
