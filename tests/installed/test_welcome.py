"""`welcome`, with which the package prints where the owner goes on."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.places import ROOT


@pytest.mark.parametrize(
    ("addresses", "printed"),
    [
        ("192.168.1.7 fd00::5", ["192.168.1.7", "localhost"]),
        ("2001:db8::7 fd00::5", ["[2001:db8::7]", "[fd00::5]", "localhost"]),
        ("", ["localhost"]),
    ],
)
def test_the_first_page_is_printed_at_addresses_that_can_be_opened(
    tmp_path: Path, addresses: str, printed: list[str]
) -> None:
    (tmp_path / "hostname").write_text(f"#!/bin/sh\necho '{addresses} '\n")
    (tmp_path / "hostname").chmod(0o755)
    (tmp_path / "first-start.code").write_text("k7m3\n")
    script = (ROOT / "systemd/deb/welcome").read_text(encoding="utf-8")
    moved = script.replace("/var/lib/smugglers-table", str(tmp_path)).replace("/etc/default", str(tmp_path))
    environ = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", "-c", moved], env=environ, capture_output=True, text=True, check=True)
    found = [line.strip() for line in done.stdout.splitlines() if "://" in line]
    assert found == [f"http://{host}:8080/first/code/k7m3" for host in printed]
