"""The nightly copy: which copies stay, whatever the clock said when they were made."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.appliance.journal.crashed import Crashed
from tests.places import ROOT

KEPT = 14


class Nights:
    """The package's folder with the script, a table's journal, and a clock that says what a test wants."""

    def __init__(self, folder: Path) -> None:
        self.home, self.backups = folder / "home", folder / "backups"
        self._data = Crashed(folder / "data").folder
        self._command("home/current/bin/smugglers", f'exec {sys.executable} -m appliance.commands.start "$@"', folder)
        shutil.copy2(ROOT / "systemd/deb/nightly", self.home)

    def _command(self, name: str, does: str, folder: Path) -> None:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{does}\n")
        file.chmod(0o755)

    def night(self, at: str) -> list[str]:
        """Make the copy of a night, and return the names of all that are there."""
        self._command("bin/date", f"echo {at}", self.home.parent)
        path = f"{self.home.parent / 'bin'}:{os.environ['PATH']}"
        env = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT), "SMUGGLERS_DATA_DIR": str(self._data)}
        subprocess.run([self.home / "nightly", self.backups], env=env, check=True, capture_output=True)
        return self.there()

    def there(self) -> list[str]:
        return sorted(path.name for path in self.backups.iterdir())

    def lay(self, *dates: str) -> None:
        self.backups.mkdir()
        for date in dates:
            (self.backups / f"{date}T043000.sqlite3").touch()


@pytest.fixture
def nights(tmp_path: Path) -> Nights:
    return Nights(tmp_path)


def test_the_newest_fourteen_stay(nights: Nights) -> None:
    assert nights.night("2026-07-01T043000") == ["2026-07-01T043000.sqlite3"]
    shutil.rmtree(nights.backups)
    nights.lay(*(f"2026-06-{day:02d}" for day in range(1, KEPT + 1)))
    there = nights.night("2026-07-01T043000")
    assert (len(there), there[0], there[-1]) == (KEPT, "2026-06-02T043000.sqlite3", "2026-07-01T043000.sqlite3")


def test_copies_of_a_clock_that_was_ahead_do_not_displace_new_ones(nights: Nights) -> None:
    nights.lay(*(f"2038-01-{day:02d}" for day in range(1, KEPT + 1)))
    nights.night("2026-07-01T043000")
    there = nights.night("2026-07-02T043000")
    assert there[:2] == ["2026-07-01T043000.sqlite3", "2026-07-02T043000.sqlite3"]
    assert (len(there), there[2]) == (KEPT, "2038-01-03T043000.sqlite3")


def test_the_copy_of_a_clock_that_is_behind_stays(nights: Nights) -> None:
    nights.lay(*(f"2026-06-{day:02d}" for day in range(1, KEPT + 1)))
    there = nights.night("1970-01-01T043000")
    assert (len(there), there[0], there[1]) == (KEPT, "1970-01-01T043000.sqlite3", "2026-06-02T043000.sqlite3")


def test_what_a_power_cut_left_of_a_copy_is_removed(nights: Nights) -> None:
    nights.lay()
    (nights.backups / "2026-06-30T043000.sqlite3.812.new").touch()
    (nights.backups / "2026-06-30T043000.sqlite3.812.new-journal").touch()
    assert nights.night("2026-07-01T043000") == ["2026-07-01T043000.sqlite3"]
