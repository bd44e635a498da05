"""A language is added by files alone: beside a copy of the code that is not changed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.places import ROOT
from tests.test_structure import LAYERS

pytestmark = [pytest.mark.slow, pytest.mark.thorough]


def test_a_language_is_added_by_files_alone_and_is_spoken_on_every_page(tmp_path: Path) -> None:
    for layer in LAYERS:
        shutil.copytree(ROOT / layer, tmp_path / layer, ignore=shutil.ignore_patterns("__pycache__"))
    folder = tmp_path / "stand"
    folder.mkdir()

    def run(*command: str) -> str:
        ran = subprocess.run(
            [sys.executable, "-m", "tests.third_language", *command],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (tmp_path, ROOT)))},
            capture_output=True,
            encoding="utf-8",
        )
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    assert int(run("add", str(tmp_path / "appliance"))) == 9
    found = json.loads(run("look", str(folder)))
    assert int(found.pop("pages")[0]) > 400
    assert found == {}
