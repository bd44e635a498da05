"""The judge of killed tables: two lives lose nothing, and a disk that forgets is found."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.power.lives import Lives

pytestmark = pytest.mark.slow


@pytest.mark.thorough
def test_a_killed_table_keeps_what_it_answered_and_a_disk_that_forgets_is_found(tmp_path: Path) -> None:
    lives = Lives(tmp_path, seed=5)
    lives.live("at an answer")
    shutil.copytree(tmp_path / "data", tmp_path / "before")
    lives.live("at an answer")
    assert lives.acknowledged > 0
    assert (lives.lost, lives.wrong) == ([], [])
    shutil.rmtree(tmp_path / "data")
    (tmp_path / "before").rename(tmp_path / "data")
    lives.live("at an answer")
    assert any("are not what they were" in line for line in lives.wrong)
