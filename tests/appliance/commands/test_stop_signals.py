"""What ends a command from outside: `kill`, and a terminal that is closed. As a real process in a real terminal."""

from __future__ import annotations

import fcntl
import os
import select
import shlex
import shutil
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from appliance.commands.screen.live_screen import LiveScreen
from tests.patience import GIVEN_UP_S

_HIDES, _SHOWS = b"\x1b[?25l", b"\x1b[?25h"
"""What a terminal is sent to hide its cursor while a status is drawn, and to show it again."""


@pytest.fixture(autouse=True)
def signals_are_heard() -> Iterator[None]:
    """Tests that run in the background of a shell or under `nohup` ignore these signals, and so do their processes."""
    former = {number: signal.signal(number, signal.default_int_handler) for number in (signal.SIGINT, signal.SIGHUP)}
    yield
    for number, handler in former.items():
        signal.signal(number, handler)


SMUGGLERS = (sys.executable, "-m", "appliance.commands.start")


class Terminal:
    """A program in a terminal of its own, with its keyboard and its screen."""

    def __init__(self, *arguments: str | Path, program: tuple[str, ...] = SMUGGLERS, language: str = "en") -> None:
        try:
            self._ours, self._theirs = os.openpty()
        except OSError as error:
            pytest.skip(f"this machine has no pseudo-terminals: {error}")
        self.screen = b""
        self.process = subprocess.Popen(
            [*program, *map(str, arguments)],
            stdin=self._theirs,
            stdout=self._theirs,
            stderr=self._theirs,
            env=os.environ | {"TERM": "xterm", "LC_ALL": "C.UTF-8", "SMUGGLERS_LANGUAGE": language},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )

    def until(self, shown: bytes, since: int = 0) -> None:
        """Read what the screen shows until this is on it, after its first `since` bytes."""
        while shown not in self.screen[since:]:
            assert self.process.poll() is None, self.screen.decode()
            assert select.select([self._ours], [], [], GIVEN_UP_S)[0], self.screen.decode()
            self.screen += os.read(self._ours, 65536)

    def type(self, keys: bytes) -> None:
        os.write(self._ours, keys)

    def close(self) -> int:
        """Close the terminal as whoever closes its window does. Return the exit status."""
        os.close(self._theirs)
        os.close(self._ours)
        return self.process.wait(GIVEN_UP_S)

    def status(self) -> int:
        """Return the exit status, and read the screen to its end."""
        os.close(self._theirs)
        try:
            while some := os.read(self._ours, 65536):
                self.screen += some
        except OSError:  # nobody writes to it any more
            pass
        os.close(self._ours)
        return self.process.wait(GIVEN_UP_S)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_guided_calibration_that_is_ended_gives_the_terminal_back(tmp_path: Path, number: signal.Signals) -> None:
    out = tmp_path / "scale.toml"
    terminal = Terminal("calibrate", "scale", "--twin", "--out", out)
    terminal.until(b"Enter")
    terminal.type(b"\n")
    terminal.until(b"Progress")
    assert _HIDES in terminal.screen
    terminal.process.send_signal(number)
    assert terminal.status() == 1
    assert b"aborted" in terminal.screen
    assert terminal.screen.rfind(_SHOWS) > terminal.screen.rfind(_HIDES), "the cursor is back"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="no shell with jobs is installed")
def test_a_guided_calibration_has_its_cursor_while_ctrl_z_suspends_it_and_goes_on(tmp_path: Path) -> None:
    terminal = Terminal("--norc", "--noprofile", "-i", program=("bash",))
    command = shlex.join([*SMUGGLERS, "calibrate", "scale", "--twin", "--out", str(tmp_path / "scale.toml")])
    terminal.type(f"{command}\n".encode())
    terminal.until(b"Enter")
    terminal.type(b"\n")
    terminal.until(b"Progress")
    terminal.type(b"\x1a")
    terminal.until(b"Stopped")
    assert terminal.screen.rfind(_SHOWS) > terminal.screen.rfind(_HIDES), "the shell has a cursor"
    seen = len(terminal.screen)
    terminal.type(b"fg\n")
    terminal.until(_HIDES, seen)
    terminal.until(b"Progress", seen)
    terminal.type(b"\x03")
    terminal.until(b"aborted", seen)
    assert terminal.screen.rfind(_SHOWS) > terminal.screen.rfind(_HIDES)
    terminal.type(b"exit\n")
    terminal.status()
    assert b"Traceback" not in terminal.screen


class CutOffConsole(Console):
    """A terminal in which Ctrl-C is pressed at the moment when its cursor is hidden or shown."""

    def __init__(self, when_shown: bool) -> None:
        super().__init__(file=StringIO(), force_terminal=True)
        self.when_shown = when_shown

    def show_cursor(self, show: bool = True) -> bool:
        if show == self.when_shown:
            signal.raise_signal(signal.SIGINT)
        return super().show_cursor(show)


def begin_and_end(live: LiveScreen) -> None:
    try:
        live.start()
    finally:
        live.stop()


@pytest.mark.parametrize("when_shown", [False, True])
def test_ctrl_c_while_a_screen_begins_or_ends_is_heeded_and_the_cursor_comes_back(when_shown: bool) -> None:
    console = CutOffConsole(when_shown)
    live = LiveScreen("weighing", console=console, auto_refresh=False, transient=True)
    with pytest.raises(KeyboardInterrupt):
        begin_and_end(live)
    assert isinstance(console.file, StringIO)
    shown = console.file.getvalue().encode()
    assert shown.rfind(_SHOWS) > shown.rfind(_HIDES) >= 0


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_check_that_is_ended_says_that_it_did_not_finish(number: signal.Signals) -> None:
    terminal = Terminal("check", "--twin", "--seconds", "120")
    terminal.until(b"120")
    terminal.process.send_signal(number)
    assert terminal.status() == 2
    assert b"stopped before it was done" in terminal.screen


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "calibrate"])
def test_a_command_whose_terminal_is_closed_ends_without_an_answer(command: str, tmp_path: Path) -> None:
    if command == "check":
        terminal = Terminal("check", "--twin", "--seconds", "120")
        terminal.until(b"120")
    else:
        terminal = Terminal("calibrate", "scale", "--twin", "--out", tmp_path / "scale.toml")
        terminal.until(b"Enter")
        terminal.type(b"\n")
        terminal.until(b"Progress")
    assert terminal.close() == 2
    assert list(tmp_path.iterdir()) == []


PRESSED_IN_AN_IMPORT = """
import signal, sys

module = sys.argv.pop(1)

class Pressed:
    def find_spec(self, name, path=None, target=None):
        if name == module:
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Pressed())
from appliance.commands.start import main
main()
"""
PRESSED_AT_THE_END = """
import atexit, signal
atexit.register(signal.raise_signal, signal.SIGINT)
from appliance.commands.start import main
main()
"""


def started(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=GIVEN_UP_S, check=False)


@pytest.mark.parametrize("module", ["appliance.cli", "click", "appliance.words.errors"])
def test_ctrl_c_while_the_command_is_loaded_ends_it_without_a_word(module: str) -> None:
    ended = started(PRESSED_IN_AN_IMPORT, module, "--help")
    assert (ended.returncode, ended.stdout, ended.stderr) == (-signal.SIGINT, "", "")


def test_ctrl_c_once_the_command_has_ended_adds_no_word() -> None:
    ended = started(PRESSED_AT_THE_END, "--version")
    assert ended.stdout.startswith("smugglers")
    assert ended.stderr == ""


def test_a_command_in_the_background_of_a_script_is_not_ended_by_ctrl_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    ended = started(PRESSED_IN_AN_IMPORT, "click", "--help")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "Commands:" in ended.stdout
