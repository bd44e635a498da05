"""A start loads what it uses: each module here costs a Raspberry Pi a noticeable part of its first second."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import GIVEN_UP_S
from tests.ports import free_port

pytestmark = pytest.mark.slow

SERVE_A_PAGE = """
import sys, urllib.request
from appliance.commands import demo, run
from appliance.commands.settings_file import read_settings
from appliance.devices.calibration_drift_check import stale_files
from appliance.composition import table
from appliance.settings import Settings

if __name__ == "__main__":
    kind, folder, port = sys.argv[1:]
    appliance = getattr(table, "build_" + kind)(Settings(data_dir=folder, port=int(port), camera="none"))
    appliance.start()
    urllib.request.urlopen(f"http://127.0.0.1:{port}/").read()
    loaded = sorted(sys.modules)
    appliance.stop()
    print(*loaded)
"""
NEVER = {"asyncio", "nats", "sqlalchemy", "appliance.hub", "flask_limiter", "PIL", "matplotlib", "fpdf", "rich"}
"""Reports and sheets are drawn when asked for; nothing here runs on asyncio; this table belongs to no hub."""
CALIBRATING = {"calibration.report", "calibration.save_results", "appliance.guided_calibration.procedures"}
SIMULATED = {"hardware.twin", "appliance.composition.demo", "appliance.devices.simulated_table"}
ON_DEMAND = {"segno", "openskill", "hardware.recording", "appliance.sensing.recordings"}


@pytest.mark.parametrize(
    ("kind", "unloaded"), [("real", NEVER | CALIBRATING | SIMULATED | ON_DEMAND), ("demo", NEVER | CALIBRATING)]
)
def test_a_table_serves_before_it_loads_what_it_may_never_need(kind: str, unloaded: set[str], tmp_path: Path) -> None:
    script = tmp_path / "serve_a_page.py"
    script.write_text(SERVE_A_PAGE)
    port = free_port()
    command = [sys.executable, str(script), kind, str(tmp_path / "data"), str(port)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=GIVEN_UP_S, check=False)
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    assert {"cv2", "flask", "appliance.table.table"} <= loaded
    assert unloaded & loaded == set()
