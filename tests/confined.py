"""Runs the command line as somebody who may not enter or write every folder, also where the tests run as root."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.places import ROOT

_CONFINED = (
    ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search")
    if os.geteuid() == 0
    else ()
)
can_be_confined = pytest.mark.skipif(
    os.geteuid() == 0 and shutil.which("setpriv") is None, reason="root may enter any folder, and there is no setpriv"
)


def run_confined(data_dir: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `smugglers` with these arguments and this data folder. A test that calls it is marked `can_be_confined`."""
    return subprocess.run(
        [*_CONFINED, sys.executable, "-m", "appliance.commands.start", *arguments],
        cwd=ROOT,
        env={**os.environ, "SMUGGLERS_DATA_DIR": str(data_dir), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
