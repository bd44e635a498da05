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
from appliance.composition import senses
from appliance.journal.safekeeping.backup import back_up
from appliance.sensing.recordings.recorder import Recorder
from hardware.recording.recording_reader import Recording
from hardware.scale.load_cell import Sample
from tests.appliance.commands.scale_files import record
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


def calibration(command: str, folder: Path) -> tuple[str, ...]:
    """Return the words of a command that replaces `made` in a folder."""
    if command == "scale":
        points = [f"{mass:g}={record(folder, mass)}" for mass in (0.0, 50.0, 100.0)]
        return ("scale", *(part for point in points for part in ("--point", point)))
    return tuple(command.split())


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", ["scale", "measures hole.3=36.2", "measures --undo", "scale --undo", "track --undo", "sheets"]
)
def test_a_calibration_is_told_as_left_alone_only_where_it_is(command: str, tmp_path: Path) -> None:
    words = calibration(command, tmp_path)
    name = "made.pdf" if command == "sheets" else "made"
    before = {name: b"%PDF-before"} if command == "sheets" else {name: b"newer", f"{name}.previous": b"older"}

    def deed(step: int) -> Result:
        folder = tmp_path / f"step-{step}"
        folder.mkdir()
        for each, content in before.items():
            (folder / each).write_bytes(content)
        return run(tmp_path / "data", "calibrate", *words, "--out", folder / name)

    ends = set()
    for step, done in each_press(deed):
        folder = tmp_path / f"step-{step}"
        left = {path.name: path.read_bytes() for path in folder.iterdir()}
        aborted = "is as it was" in done.stderr
        assert done.exit_code == aborted, done.output
        assert (left == before) is aborted
        assert (name in done.stdout) is not aborted
        ends.add(aborted)
    assert False in ends
    assert True in ends or "--undo" not in command


@pytest.mark.slow
def test_measures_that_were_the_first_are_told_as_removed_only_where_they_are(tmp_path: Path) -> None:
    first = tmp_path / "first.toml"
    assert run(tmp_path / "data", "calibrate", "measures", "hole.3=36.2", "--out", first).exit_code == 0

    def deed(step: int) -> Result:
        made = tmp_path / f"step-{step}" / "rig.toml"
        made.parent.mkdir()
        made.write_bytes(first.read_bytes())
        return run(tmp_path / "data", "calibrate", "measures", "--undo", "--out", made)

    for step, done in each_press(deed):
        assert "as it was" in done.stderr or done.exit_code == 0, done.output
        assert (tmp_path / f"step-{step}" / "rig.toml").exists() is (done.exit_code != 0)


@pytest.mark.slow
def test_a_recording_is_told_as_made_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C is how people end one. A second press while it is closed does not lose it."""
    made = tmp_path / "made.rec"
    pump, presses = Recorder.pump, [0]

    def pressed_again_and_again(recorder: Recorder) -> None:
        pump(recorder)
        if recorder.tally.counts:
            presses[0] += 1
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Recorder, "pump", pressed_again_and_again)
    done = run(tmp_path, "record", "--twin", "--consent", "--out", made)
    assert presses[0] > 1
    assert (done.exit_code, "made.rec" in done.stdout) == (0, True), done.output
    assert "[stopped]" not in done.stderr
    recording = Recording(made)
    assert len(list(recording.facts())) > 0
    assert recording.ended == "stopped", "it was written to its end"


@pytest.mark.slow
def test_a_recording_that_is_ended_while_its_devices_start_is_told_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Late:
        """A device during whose start Ctrl-C is pressed, after another one sensed something."""

        def __init__(self, recorder: Recorder) -> None:
            self._recorder = recorder

        def start(self) -> None:
            self._recorder.take(Sample(t_s=1.0, counts=4000))
            signal.raise_signal(signal.SIGINT)

        def stop(self) -> None:
            pass

    monkeypatch.setattr(senses, "build_recording", lambda settings, recorder, *, twin: [Late(recorder)])
    done = run(tmp_path, "record", "--twin", "--consent", "--out", tmp_path / "made.rec")
    assert (done.exit_code, (tmp_path / "made.rec").exists()) == (0, True), done.output
    assert "made.rec" in done.stdout
