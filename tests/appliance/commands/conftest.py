from __future__ import annotations

from pathlib import Path

import pytest

from tests.appliance.commands.scale_files import record, run


@pytest.fixture
def calibrated(tmp_path: Path) -> Path:
    out = tmp_path / "scale.toml"
    points = [f"{mass:g}={record(tmp_path, mass)}" for mass in (0.0, 50.0, 100.0)]
    result = run("calibrate", "scale", *[part for point in points for part in ("--point", point)], "--out", out)
    assert result.exit_code == 0, result.stderr
    return out


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run commands in a folder of their own, at a table without a camera that stores its data there."""
    (tmp_path / "data").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SMUGGLERS_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("SMUGGLERS_CAMERA", "none")
