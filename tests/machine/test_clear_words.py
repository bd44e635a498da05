"""Where a machine cannot run the virtual one, it says in one sentence what is missing and how to get it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.places import ROOT


def asked(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.machine", *arguments],
        cwd=ROOT,
        env=os.environ | {"PATH": str(folder), "XDG_CACHE_HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_qemu_it_says_what_to_install(tmp_path: Path) -> None:
    told = asked(tmp_path, "short")
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr.startswith("The virtual machine cannot run here: qemu-system-x86_64 is missing: apt install")


def test_without_debian_s_archive_it_says_so(tmp_path: Path) -> None:
    for name in ("qemu-system-x86_64", "apt-get", "dpkg-deb", "apt-cache"):
        tool = tmp_path / name
        tool.write_text("#!/bin/sh\n")
        tool.chmod(0o755)
    told = asked(tmp_path, "short")
    assert told.returncode == 2
    assert "apt-get update" in told.stderr
    assert "Traceback" not in told.stderr


def test_a_story_that_there_is_not_is_named_with_those_that_there_are(tmp_path: Path) -> None:
    told = asked(tmp_path, "tall")
    assert told.returncode == 2
    assert "short, load, iio" in told.stderr
