"""The fixtures of the journal's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.appliance.journal.crashed import Crashed


@pytest.fixture
def crashed(tmp_path: Path) -> Crashed:
    return Crashed(tmp_path)
