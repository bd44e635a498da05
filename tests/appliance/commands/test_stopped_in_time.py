"""Ctrl-C at any step of a command that makes or replaces files: it says that it stopped only if nothing was done."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from appliance.cli import main
from appliance.journal.safekeeping.backup import back_up
from tests.appliance.conftest import PortersTable
from tests.appliance.journal.crashed import JOURNAL, Crashed

MOST_STEPS = 100


@pytest.fixture(autouse=True)
def ctrl_c_is_heard() -> Iterator[None]:
    """Tests that run in the background of a shell ignore it."""
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, former)


@pytest.fixture
def crashed(tmp_path: Path) -> Crashed:
    return Crashed(tmp_path)


def each_press(deed: Callable[[int], Result]) -> Iterator[tuple[int, Result]]:
    """Press Ctrl-C right after each step of `deed` in turn: what reaches the disk, a new name, a printed line.

    Yield the number of the step and how `deed` ended, at last without Ctrl-C.
    """
    left = [0]

    def pressed_after(step: Callable[..., Any]) -> Callable[..., Any]:
        def stepped(*arguments: Any, **named: Any) -> Any:
            result = step(*arguments, **named)
            left[0] -= 1
            if left[0] == 0:
                signal.raise_signal(signal.SIGINT)
            return result

        return stepped

    with pytest.MonkeyPatch.context() as patched:
        for place, name in ((os, "fsync"), (os, "rename"), (os, "replace"), (click, "echo")):
            patched.setattr(place, name, pressed_after(getattr(place, name)))
        for step in range(1, MOST_STEPS):
            left[0] = step
            done = deed(step)
            ended, left[0] = left[0] > 0, 0
            yield step, done
            if ended:
                return
    raise AssertionError("it does not end")


def run(folder: Path, *arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(one) for one in arguments], env={"SMUGGLERS_DATA_DIR": str(folder)})


def was_stopped(done: Result) -> bool:
    """Return whether it says that it was stopped before it was done; else it says that all is well."""
    stopped = "[stopped]" in done.stderr
    assert done.exit_code == stopped, done.output
    return stopped


@pytest.mark.slow
@pytest.mark.parametrize("command", ["backup", "support"])
def test_a_file_that_is_there_is_told_as_made(command: str, crashed: Crashed, tmp_path: Path) -> None:
    ends = set()
    for step, done in each_press(lambda step: run(crashed.folder, command, tmp_path / f"out-{step}")):
        stopped = was_stopped(done)
        made = [path.name for path in tmp_path.glob(f"out-{step}*")]
        assert made == ([] if stopped else [f"out-{step}"])
        assert (f"out-{step}" in done.stdout) is not stopped
        ends.add(stopped)
    assert False in ends
    assert ends == {True, False} or command == "support"


@pytest.mark.slow
def test_a_restored_journal_is_told_as_restored(crashed: Crashed, tmp_path: Path) -> None:
    saturday = tmp_path / "saturday"
    (tmp_path / "porters").mkdir()
    porters = PortersTable(tmp_path / "porters")
    porters.open()
    porters.close()
    held = back_up(tmp_path / "porters" / JOURNAL, saturday).entries
    newer = back_up(crashed.folder / JOURNAL, tmp_path / "newer").entries
    assert newer != held

    def restore(step: int) -> Result:
        shutil.copytree(crashed.folder, tmp_path / f"table-{step}")
        return run(tmp_path / f"table-{step}", "restore", saturday)

    ends = set()
    for step, done in each_press(restore):
        stopped = was_stopped(done)
        entries = back_up(tmp_path / f"table-{step}" / JOURNAL, tmp_path / f"now-{step}").entries
        assert entries == (newer if stopped else held), "not even the next start changes that"
        ends.add(stopped)
    assert ends == {True, False}
