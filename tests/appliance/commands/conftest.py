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
