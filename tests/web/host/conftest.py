from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.host.calibration_screen import CalibrationScreen


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[CalibrationScreen]:
    made = CalibrationScreen(tmp_path)
    yield made
    made.close()
