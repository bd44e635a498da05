"""`smugglers demo` as a process: killed without warning and started again, asked rude things, ended politely."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.patience import GIVEN_UP_S
from tests.ports import free_port

pytestmark = pytest.mark.slow

MANY_DEEDS = 14


class Running:
    """One `smugglers demo` in a process group of its own."""

    def __init__(self, folder: Path, port: int, *options: str) -> None:
        self.port = port
        environ = os.environ | {"SMUGGLERS_DATA_DIR": str(folder), "SMUGGLERS_PORT": str(port)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "appliance.commands.start", "demo", "--speed", "30", "--seed", "7", *options],
            env=environ,
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines: list[str] = []
        self._ready = threading.Event()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self._ready.wait(GIVEN_UP_S), f"it does not start: {self.lines}"

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            if "Ctrl-C" in line:
                self._ready.set()
        self._ready.set()

    def ask(self, path: str) -> Any:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=GIVEN_UP_S) as answer:
            return json.load(answer)

    def view_when(self, ready: Any) -> Any:
        """Ask again and again until a view satisfies `ready`."""
        ticker = threading.Event()
        for _ in range(int(GIVEN_UP_S / 0.1)):
            view = self.ask("/api/v1/view")
            if ready(view):
                return view
            ticker.wait(0.1)
        raise AssertionError(f"never so: {view}")

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._gone()

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=GIVEN_UP_S)
        self._gone()
        return code

    def _gone(self) -> None:
        self._reader.join(timeout=GIVEN_UP_S)
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def started(tmp_path: Path, port: int) -> Iterator[Running]:
    running = Running(tmp_path, port)
    yield running
    if running.process.poll() is None:
        running.kill()


def entries(folder: Path) -> list[tuple[Any, ...]]:
    """What the journal of the demo holds, read beside the running table."""
    with closing(sqlite3.connect(f"file:{folder}/demo/journal.sqlite3?mode=ro", uri=True)) as db:
        return db.execute("SELECT * FROM entries ORDER BY seq").fetchall()


@pytest.mark.thorough
def test_killed_without_warning_the_same_game_goes_on(tmp_path: Path, port: int, started: Running) -> None:
    seen = started.view_when(lambda view: len(view.get("log", ())) >= MANY_DEEDS)
    acknowledged = entries(tmp_path)
    started.kill()

    again = Running(tmp_path, port)
    try:
        again.view_when(lambda view: view.get("log") and len(entries(tmp_path)) > len(acknowledged) + 2)
        assert entries(tmp_path)[: len(acknowledged)] == acknowledged
        after = again.ask("/api/v1/view")
        assert [player["name"] for player in after["view"]["players"]] == [
            player["name"] for player in seen["view"]["players"]
        ]
    finally:
        again.kill()


@pytest.mark.thorough
def test_a_wiped_folder_is_restored_from_a_backup_and_its_key_and_the_same_game_goes_on(
    tmp_path: Path, port: int
) -> None:
    folder, copy, key = tmp_path / "data", tmp_path / "copy.sqlite3", tmp_path / "seal.key"
    started = Running(folder, port)
    try:
        started.view_when(lambda view: len(view.get("log", ())) >= MANY_DEEDS)
        backup = subprocess.run(
            [sys.executable, "-m", "appliance.commands.start", "backup", "--demo", str(copy)],
            env=os.environ | {"SMUGGLERS_DATA_DIR": str(folder)},
            capture_output=True,
            text=True,
            timeout=GIVEN_UP_S,
            check=True,
        )
        shutil.copy2(folder / "demo" / "seal.key", key)
    finally:
        started.kill()
    shutil.rmtree(folder)

    (folder / "demo").mkdir(parents=True)
    shutil.copy2(copy, folder / "demo" / "journal.sqlite3")
    shutil.copy2(key, folder / "demo" / "seal.key")
    kept = entries(folder)
    assert f"entries {len(kept)}\n" in backup.stdout
    assert len(kept) > 5
    again = Running(folder, port)
    try:
        again.view_when(lambda view: view.get("log") and len(entries(folder)) > len(kept) + 2)
        now = entries(folder)
        assert now[: len(kept)] == kept
        assert now[len(kept)][1] == kept[-1][1], "the next entry belongs to the same game"
        assert not any("Traceback" in line for line in again.lines)
    finally:
        again.kill()


def test_it_says_that_the_table_is_simulated_and_ends_when_asked(started: Running) -> None:
    assert any("SIMULATED TABLE" in line for line in started.lines)
    assert started.end() == 0
    assert not any("Traceback" in line for line in started.lines), "".join(started.lines)


def test_where_its_addresses_cannot_be_printed_it_ends_with_one_sentence(tmp_path: Path, port: int) -> None:
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "appliance.commands.start", "demo"],
            env=os.environ | {"SMUGGLERS_DATA_DIR": str(tmp_path), "SMUGGLERS_PORT": str(port)},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=GIVEN_UP_S,
            check=False,
        )
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1] == "smugglers: the output cannot be written (no space is left)"
    assert "Traceback" not in ended.stderr


def test_a_second_demo_on_the_same_folder_says_what_to_do(tmp_path: Path, started: Running) -> None:
    second = subprocess.run(
        [sys.executable, "-m", "appliance.commands.start", "demo"],
        env=os.environ | {"SMUGGLERS_DATA_DIR": str(tmp_path), "SMUGGLERS_PORT": str(free_port())},
        capture_output=True,
        text=True,
        timeout=GIVEN_UP_S,
        check=False,
    )
    assert second.returncode == 1
    assert re.search(r"in use by another running table", second.stderr)
    assert "Traceback" not in second.stderr
