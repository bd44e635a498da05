"""The table as a process of the guest, on the host's own files."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from random import Random

from tests.power.touchscreen import Touchscreen

PORT = 8080
PATIENCE_S = 300.0


def own_address() -> None:
    """Let the guest reach itself."""
    subprocess.run(["busybox", "ip", "link", "set", "lo", "up"], check=True)


def started(card: Path) -> subprocess.Popen[bytes]:
    """Start the table with its data folder on a mounted card, and wait until it answers."""
    environment = os.environ | {
        "SMUGGLERS_DATA_DIR": str(card / "table"),
        "SMUGGLERS_PORT": str(PORT),
        "SMUGGLERS_CAMERA": "none",
    }
    table = subprocess.Popen([sys.executable, "-m", "appliance.commands.start", "run"], env=environment)
    until_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < until_s and table.poll() is None:
        screen = Touchscreen(PORT, "first", Random(0))
        try:
            screen.ask("GET", "view")
        except OSError:
            time.sleep(0.5)
        else:
            return table
        finally:
            screen.close()
    ended = table.poll()
    table.kill()
    table.wait()
    raise TimeoutError(f"the table does not answer; its process: {ended}")
