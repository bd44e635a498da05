"""A command spares a small machine before anything heavy is loaded."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROBE = """
import sys
from appliance.cli import main
main.get_command(None, "demo")
import numpy as np
def resident_mb():
    return int(open("/proc/self/statm").read().split()[1]) * 4096 / 2**20
for _ in range(3):
    np.ones((1296, 2304), np.uint8)  # the C library learns how large freed blocks are
before = resident_mb()
pictures, kept = [], []
for _ in range(60):
    pictures.append(np.ones((1296, 2304), np.uint8))
    kept.append(np.ones(1000))
held = resident_mb() - before
del pictures[:]
print(round(held), round(resident_mb() - before))
import threading
np.ones((800, 800)) @ np.ones((800, 800))
print(len(list(__import__("pathlib").Path("/proc/self/task").iterdir())))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_freed_pictures_go_back_and_products_take_one_thread() -> None:
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)
    sizes, threads = done.stdout.splitlines()
    held_mb, left_mb = (int(word) for word in sizes.split())
    assert held_mb > 150
    assert left_mb < 20
    assert int(threads) == 1
