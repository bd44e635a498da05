"""Transcripts: what is read, what is refused and with which words, and that nothing comes out as a traceback."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from appliance.commands.replay import command as replay
from appliance.games.smugglers.rules.rules import RULES
from appliance.journal.transcript import (
    LONGEST_FILE,
    LONGEST_LINE,
    Transcript,
    TranscriptError,
    read_transcript,
    write_transcript,
)
from tests.appliance.games.smugglers.play import a_setup, played
from tests.places import RECORDINGS

SETUP = (
    '{"format":1,"game":"smugglers","players":[{"name":"Ann","putty":"yellow"},{"name":"Ben","putty":"pink"}],'
    '"oldest":0,"options":{"goal":"full","boss_lane":4}}'
)
ROLL = '{"do":"roll","seat":0,"value":4}'


def read(*lines: str, end: str = "\n", last: str | None = None) -> Transcript | TranscriptError:
    text = end.join(lines) + (end if last is None else last)
    return read_transcript(io.BytesIO(text.encode()))


def error(*lines: str, **how: str) -> tuple[int, str]:
    found = read(*lines, **how)
    assert isinstance(found, TranscriptError), found
    assert found.message[0].isupper()
    assert found.message[-1] in ".)"
    assert "Traceback" not in found.message
    return found.line, found.code


def test_a_good_transcript_folds() -> None:
    transcript = read(SETUP, ROLL, '{"do":"time_up"}')
    assert isinstance(transcript, Transcript)
    assert len(transcript.actions) == 2
    assert RULES.view(transcript.state, None).phase == "test"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [None, ""])
def test_lines_end_with_lf_or_crlf_and_the_last_need_not(end: str, last: str | None) -> None:
    assert isinstance(read(SETUP, ROLL, end=end, last=last), Transcript)


BAD_SETUPS = {
    "": "blank_line",
    "   ": "blank_line",
    "[]": "not_an_object",
    "null": "not_an_object",
    "1": "not_an_object",
    "{": "not_json",
    "hello": "not_json",
    SETUP.replace('"format":1', '"format":2'): "unknown_format",
    SETUP.replace('"format":1', '"format":true'): "wrong_value",
    SETUP.replace('"format":1', '"format":"1"'): "unknown_format",
    SETUP.replace('"format":1,', ""): "missing_key",
    SETUP.replace('"game":"smugglers"', '"game":"chess"'): "unknown_game",
    SETUP.replace('"game":"smugglers"', '"game":7'): "wrong_value",
    SETUP.replace('"game":"smugglers",', ""): "missing_key",
    SETUP.replace('"oldest":0', '"oldest":false'): "wrong_value",
    SETUP.replace('"oldest":0', '"oldest":0.5'): "wrong_value",
    SETUP.replace('"oldest":0', '"oldest":0,"oldest":1'): "repeated_key",
    SETUP.replace('"boss_lane":4', '"boss_lane":4,"boss_lane":4'): "repeated_key",
    SETUP.replace('"oldest":0', '"eldest":0'): "unknown_key",
    SETUP.replace('"putty":"pink"', '"putty":"pink","age":9'): "wrong_value",
    SETUP.replace('"Ben"', "7"): "wrong_value",
    SETUP.replace('"Ben"', '"\\ud800"'): "not_json",
    SETUP.replace('"boss_lane":4', '"boss_lane":NaN'): "not_json",
    SETUP.replace('"boss_lane":4', '"boss_lane":Infinity'): "not_json",
    SETUP.replace('"boss_lane":4', '"tie_band_g":1e999'): "not_json",
    SETUP.replace('"boss_lane":4', '"boss_lane":true'): "option_type",
    SETUP.replace('"boss_lane":4', '"boss_line":4'): "unknown_option",
    SETUP.replace('"boss_lane":4', '"boss_lane":9'): "option_range",
    SETUP.replace('"boss_lane":4', '"lanes":' + "[" * 900 + "]" * 900): "option_type",
    SETUP.replace('"boss_lane":4', '"lanes":' + "[" * 20000 + "]" * 20000): "not_json",
    SETUP.replace("pink", "yellow"): "putty_twice",
}


@pytest.mark.parametrize(("line", "code"), BAD_SETUPS.items(), ids=range(len(BAD_SETUPS)))
def test_a_bad_set_up_is_line_1(line: str, code: str) -> None:
    assert error(line, ROLL) == (1, code)


BAD_ACTIONS = {
    "": "blank_line",
    "{}": "unknown_action",
    '{"do":"dance","seat":0}': "unknown_action",
    '{"do":["roll"],"seat":0,"value":4}': "unknown_action",
    '{"seat":0,"value":4}': "unknown_action",
    '{"do":"roll","seat":0}': "missing_key",
    '{"do":"roll","seat":0,"value":4,"speed":1}': "unknown_key",
    '{"do":"roll","seat":0,"value":4,"value":4}': "repeated_key",
    '{"do":"roll","seat":0,"value":true}': "wrong_value",
    '{"do":"roll","seat":false,"value":4}': "wrong_value",
    '{"do":"roll","seat":0,"value":"4"}': "wrong_value",
    '{"do":"roll","seat":0,"value":null}': "wrong_value",
    '{"do":"roll","seat":0,"value":4.5}': "wrong_value",
    '{"do":"roll","seat":0,"value":NaN}': "not_json",
    '{"do":"weigh","seat":0,"mass_g":Infinity}': "not_json",
    '{"do":"weigh","seat":0,"mass_g":-Infinity}': "not_json",
    '{"do":"weigh","seat":0,"mass_g":true}': "wrong_value",
    '{"do":"weigh","seat":0,"mass_g":0}': "no_such_mass",
    '{"do":"weigh","seat":0,"mass_g":-1}': "no_such_mass",
    '{"do":"weigh","seat":0,"mass_g":1e30}': "no_such_mass",
    '{"do":"weigh","seat":0,"mass_g":1e999}': "not_json",
    '{"do":"attempt","seat":0,"outcome":"lucky"}': "wrong_value",
    '{"do":"open","seat":0,"found":"bomb"}': "wrong_value",
    '{"do":"open","seat":0,"found":["gold"]}': "wrong_value",
    '{"do":"order","seat":0,"first":1}': "wrong_value",
    '{"do":"time_up","seat":0}': "unknown_key",
    '{"do":"roll","seat":0,"value":7}': "no_such_die_value",
    '{"do":"roll","seat":1,"value":4}': "roll_due",
    '{"do":"roll","seat":2,"value":4}': "no_such_seat",
    '{"do":"roll","seat":-1,"value":4}': "no_such_seat",
    '{"do":"roll","seat":' + "9" * 5000 + ',"value":4}': "not_json",
    ROLL + ROLL: "not_json",
    "\x00\x01\x02": "not_json",
    "'do'": "not_json",
}


@pytest.mark.parametrize(("line", "code"), BAD_ACTIONS.items(), ids=range(len(BAD_ACTIONS)))
def test_a_bad_action_is_named_by_its_line(line: str, code: str) -> None:
    assert error(SETUP, line, ROLL) == (2, code)
    assert error(SETUP, '{"do":"commit","seat":9,"seal":""}', line) == (2, "no_such_seat"), "the first bad line counts"


def test_refusals_by_the_rules_name_the_rule() -> None:
    found = read(SETUP, '{"do":"roll","seat":0,"value":5}', ROLL)
    assert isinstance(found, TranscriptError)
    assert (found.line, found.code) == (3, "hourglass_running")
    assert found.message.endswith("(SM-19)")


def test_an_empty_file() -> None:
    found = read_transcript(io.BytesIO(b""))
    assert isinstance(found, TranscriptError)
    assert (found.line, found.code) == (1, "empty_file")


def test_a_truncated_last_line() -> None:
    assert error(SETUP, ROLL[:-4], last="") == (2, "truncated")
    assert error(SETUP, ROLL[:-4], ROLL) == (2, "not_json")


@pytest.mark.slow
def test_every_cut_of_a_file_reads_or_is_an_error_in_its_last_line() -> None:
    whole = (RECORDINGS / "smugglers" / "S-38.jsonl").read_bytes()
    for end in range(len(whole)):
        found = read_transcript(io.BytesIO(whole[:end]))
        if isinstance(found, TranscriptError):
            assert found.code in ("truncated", "empty_file")
            assert found.line == whole[:end].count(b"\n") + 1


def test_a_byte_order_mark_and_other_encodings() -> None:
    def code(data: bytes) -> tuple[int, str]:
        found = read_transcript(io.BytesIO(data))
        assert isinstance(found, TranscriptError)
        return found.line, found.code

    assert code(b"\xef\xbb\xbf" + SETUP.encode()) == (1, "byte_order_mark")
    assert code(SETUP.encode("utf-16")) == (1, "not_utf8")
    assert code(b"\x89PNG\r\n\x1a\n\x00\x00") == (1, "not_utf8")
    assert code(SETUP.encode() + b"\n\xff\xfe\n") == (2, "not_utf8")


class Endless(io.RawIOBase):
    """A stream that never ends, and remembers how much was asked of it."""

    def __init__(self, pattern: bytes) -> None:
        self.pattern = pattern
        self.given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        chunk = (self.pattern * (len(buffer) // len(self.pattern) + 1))[: len(buffer)]
        buffer[:] = chunk
        self.given += len(chunk)
        return len(chunk)


def test_an_endless_line_is_given_up_early() -> None:
    endless = Endless(b"x")
    found = read_transcript(io.BufferedReader(endless))
    assert isinstance(found, TranscriptError)
    assert (found.line, found.code) == (1, "line_too_long")
    assert endless.given < 4 * LONGEST_LINE


def test_an_endless_file_of_good_lines_is_given_up() -> None:
    padded = '{"do":"commit","seat":0,"seal":"' + "0" * 64 + '"' + " " * 60000 + "}\n"
    lines = [SETUP, '{"do":"roll","seat":0,"value":1}']
    stream = io.BytesIO("\n".join(lines).encode() + b"\n" + padded.encode() * (LONGEST_FILE // len(padded) + 2))
    found = read_transcript(stream)
    assert isinstance(found, TranscriptError)
    assert found.code == "file_too_large"


@settings(max_examples=150)
@given(st.binary(max_size=300))
def test_any_bytes_are_an_error_and_never_an_exception(data: bytes) -> None:
    assert isinstance(read_transcript(io.BytesIO(data)), TranscriptError)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
KEYS = ["seat", "value", "outcome", "target", "guess", "found", "token", "source", "mass_g", "first", "seal", "salt"]
DO = ["roll", "commit", "time_up", "weigh", "attempt", "decline", "tie_roll", "inspect", "open", "unseal", "take"]


@pytest.mark.slow
@settings(max_examples=300)
@given(st.fixed_dictionaries({"do": st.sampled_from(DO)}, optional=dict.fromkeys(KEYS, JSON)))
def test_any_json_is_taken_or_refused_in_line_2(line: dict[str, Any]) -> None:
    found = read(SETUP, json.dumps(line))
    assert isinstance(found, Transcript) or found.line == 2


@settings(max_examples=150)
@given(st.sampled_from(["players", "oldest", "options", "rules", "stand_in_masses", "format", "game"]), JSON)
def test_any_json_in_the_set_up_is_taken_or_refused_in_line_1(key: str, value: Any) -> None:
    found = read(json.dumps({**json.loads(SETUP), key: value}))
    assert isinstance(found, Transcript) or found.line == 1


def test_a_whole_game_comes_back_as_it_was_written() -> None:
    setup = a_setup(4, goal="short")
    actions = tuple(action for _, action, _, _ in played(setup, Random(2), 0.005))
    text = write_transcript(setup, actions)
    transcript = read_transcript(io.BytesIO(text.encode()))
    assert isinstance(transcript, Transcript)
    assert transcript.actions == actions
    assert write_transcript(transcript.setup, transcript.actions) == text


# The command


@pytest.mark.parametrize("recording", sorted((RECORDINGS / "smugglers").glob("*.jsonl")), ids=lambda path: path.stem)
def test_replay_prints_the_public_view_or_one_error(recording: Path) -> None:
    result = CliRunner().invoke(replay, [str(recording)])
    told = recording.with_suffix(".txt").read_text(encoding="utf-8").splitlines()[1]
    if told.startswith("line "):
        assert result.exit_code == 2
        assert result.stdout == ""
        problem = json.loads(result.stderr.splitlines()[-1])
        assert list(problem) == ["line", "code", "message"]
        assert f"line {problem['line']}: {problem['code']}" == told
    else:
        assert result.exit_code == 0
        assert result.stderr == ""
        view = json.loads(result.stdout)
        assert told.startswith(f"round {view['round']} {view['phase']}")
        assert "you" not in view


VIEW_KEYS = "phase round start boss_lane lane blind expects supply players winner reason box"
PLAYER_KEYS = "name putty sweet sour usable_bombs spent_bombs room place attempts"


def test_the_public_view_has_every_key_of_the_format() -> None:
    result = CliRunner().invoke(replay, ["-"], input=SETUP + "\n")
    view = json.loads(result.stdout)
    assert set(VIEW_KEYS.split()) <= set(view)
    assert set(PLAYER_KEYS.split()) <= set(view["players"][0])
    assert view["supply"] == {"sweet": 27, "sour": 27}
    assert view["box"] == {"sweet": 0, "sour": 0}
    assert [view[key] for key in ("phase", "round", "start", "boss_lane", "lane", "blind")] == [
        "roll", 1, 0, 4, None, False,
    ]  # fmt: skip
    assert view["winner"] is view["reason"] is None
    asked = view["expects"][0]
    assert (asked["seat"], asked["do"], asked["optional"]) == (0, "roll", False)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.jsonl", tmp_path):
        result = CliRunner().invoke(replay, [str(path)])
        assert result.exit_code == 2
        assert json.loads(result.stderr.splitlines()[-1])["code"] == "unreadable_file"
        assert result.stdout == ""


def test_the_installed_command_never_shows_a_traceback(tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_bytes(SETUP.encode() + b'\n{"do":"roll","seat":0,"value":NaN}\n')
    call = [sys.executable, "-c", "from appliance.commands.start import main; main()", "replay", str(file)]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert json.loads(done.stderr.splitlines()[-1])["line"] == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("control", ["\x7f", "\x9b"])
def test_what_a_bad_file_names_sends_no_control_character_to_the_terminal(control: str, tmp_path: Path) -> None:
    """Found by `make fuzz`: JSON escapes those up to 1F only. Here a map's field is misspelt with one."""
    [good] = [path for path in sorted(RECORDINGS.rglob("haulers/*.jsonl")) if b'"bottom"' in path.read_bytes()][:1]
    file = tmp_path / "bad.jsonl"
    file.write_text(good.read_text(encoding="utf-8").replace('"bottom"', f'"bott{control}m"', 1), encoding="utf-8")
    result = CliRunner().invoke(replay, [str(file)])
    assert result.exit_code == 2
    assert control not in result.stderr
    assert f"bott{control}m" in json.loads(result.stderr)["message"]
