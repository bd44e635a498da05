"""What ends a command from outside: `kill`, and a terminal that is closed. As a real process in a real terminal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import GIVEN_UP_S

pytestmark = pytest.mark.slow

_HIDES, _SHOWS = b"\x1b[?25l", b"\x1b[?25h"
"""What a terminal is sent to hide its cursor while a status is drawn, and to show it again."""


class Terminal:
    """A command in a terminal of its own, with its keyboard and its screen."""

    def __init__(self, *arguments: str | Path) -> None:
        try:
            self._ours, self._theirs = os.openpty()
        except OSError as error:
            pytest.skip(f"this machine has no pseudo-terminals: {error}")
        self.screen = b""
        former = signal.signal(signal.SIGHUP, signal.default_int_handler)  # a process would go on ignoring it
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "appliance.cli", *map(str, arguments)],
                stdin=self._theirs,
                stdout=self._theirs,
                stderr=self._theirs,
                env=os.environ | {"TERM": "xterm", "SMUGGLERS_LANGUAGE": "en"},
                start_new_session=True,
            )
        finally:
            signal.signal(signal.SIGHUP, former)

    def until(self, shown: bytes) -> None:
        """Read what the screen shows until this is on it."""
        while shown not in self.screen:
            assert self.process.poll() is None, self.screen.decode()
            self.screen += os.read(self._ours, 65536)

    def type(self, keys: bytes) -> None:
        os.write(self._ours, keys)

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


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_check_that_is_ended_says_that_it_did_not_finish(number: signal.Signals) -> None:
    terminal = Terminal("check", "--twin", "--seconds", "120")
    terminal.until(b"120")
    terminal.process.send_signal(number)
    assert terminal.status() == 2
    assert b"stopped before it was done" in terminal.screen
