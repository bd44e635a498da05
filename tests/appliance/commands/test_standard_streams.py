"""Standard streams that are closed, full or without some letters: a command says one sentence, or ends quietly."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from appliance.games.table_data_files import games_with_files
from tests.patience import GIVEN_UP_S
from tests.places import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("here")]


def process(*arguments: str, **streams: object) -> tuple[int, str]:
    """Run the command in a process of its own, whose streams are the system's."""
    command = [sys.executable, "-m", "appliance.commands.start", *arguments]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=GIVEN_UP_S, check=False, **streams)  # type: ignore[call-overload]  # streams by name
    return done.returncode, done.stderr


@pytest.mark.parametrize("command", [("--help",), ("files", "example", "haulers"), ("calibrate", "scale", "--coins")])
class TestOutputThatGoesNowhere:
    def test_a_full_disk_is_said(self, command: tuple[str, ...]) -> None:
        with Path("/dev/full").open("w") as full:
            code, said = process(*command, stdout=full)
        assert (code, said) == (2, "smugglers: the output cannot be written (no space is left)\n")

    def test_a_reader_who_went_away_needs_no_word(self, command: tuple[str, ...]) -> None:
        reading, writing = os.pipe()
        os.close(reading)
        try:
            assert process(*command, stdout=writing) == (1, "")
        finally:
            os.close(writing)


def test_a_usage_error_names_the_command_that_people_type() -> None:
    """An installed release starts it with `python3 -m`."""
    assert process("weigh", "--heavy")[1].startswith("Usage: smugglers weigh [OPTIONS]\nTry 'smugglers weigh --help'")


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_a_terminal_that_lacks_letters_gets_their_numbers(tmp_path: Path, encoding: str) -> None:
    own, printed = tmp_path / "h.toml", tmp_path / "printed"
    terminal = os.environ | {"PYTHONIOENCODING": encoding}
    with own.open("wb") as out:
        assert process("files", "example", "haulers", stdout=out, env=terminal) == (0, "")
    assert own.read_bytes() == games_with_files()["haulers"].EXAMPLE.read_bytes()
    with printed.open("wb") as out:
        assert process("files", "check", str(own), stdout=out, env=terminal) == (0, "")
    assert "\\u201c" in printed.read_text("ascii")


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("record --twin --out made.rec", "nothing was recorded"),
        ("calibrate scale --twin --out made.toml", "made.toml is as it was"),
        ("calibrate balls --twin --out made.toml", "made.toml is as it was"),
    ],
)
def test_a_question_to_a_closed_input_is_answered_by_nobody(command: str, says: str, tmp_path: Path) -> None:
    shell = f'cd "{tmp_path}" && PYTHONPATH="{ROOT}" SMUGGLERS_DATA_DIR="{tmp_path}" "{sys.executable}"'
    code, said = subprocess.getstatusoutput(f"{shell} -m appliance.commands.start {command} <&-")
    assert (code, says in said, "Traceback" in said) == (1, True, False)
    assert not list(tmp_path.glob("made.*"))


def test_closed_streams_bring_no_traceback() -> None:
    for closed in (">&-", "<&-", "2>&-"):
        script = f'"{sys.executable}" -m appliance.commands.start replay - {closed}'
        code, said = subprocess.getstatusoutput(f"{script} </dev/null" if closed != "<&-" else script)
        assert code == 2
        assert "Traceback" not in said
