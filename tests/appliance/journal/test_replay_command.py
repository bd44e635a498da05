"""`smugglers replay` speaks the language of the settings; line and code stay as they are."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from appliance.cli import main
from tests.appliance.journal.test_transcript import ROLL, SETUP

ENGLISH = re.compile(r"\b(the|is|cannot|can|must|not|each|lacks|this|of)\b", re.IGNORECASE)
PARSER = re.compile(r": .*")
"""What a parser says of a place in a line exists only in English."""


@pytest.mark.parametrize(
    ("content", "line", "code"),
    [
        (b"", 1, "empty_file"),
        (SETUP.encode() + b"\n" + b" " * 70_000, 2, "line_too_long"),
        (SETUP.encode() + b"\n\n", 2, "blank_line"),
        (SETUP.replace('"format":1', '"format":2').encode() + b"\n", 1, "unknown_format"),
        (SETUP.replace("smugglers", "chess").encode() + b"\n", 1, "unknown_game"),
        (SETUP.encode() + b'\n{"do":"fly"}\n', 2, "unknown_action"),
        (b"\xef\xbb\xbf" + SETUP.encode() + b"\n", 1, "byte_order_mark"),
        (b"\xff\n", 1, "not_utf8"),
        (SETUP.encode() + b'\n{"do":', 2, "truncated"),
        (SETUP.encode() + b"\nroll\n", 2, "not_json"),
        (b"[]\n", 1, "not_an_object"),
        (SETUP.encode() + b'\n{"do":"roll","do":"roll"}\n', 2, "repeated_key"),
        (SETUP.encode() + b'\n{"do":"roll","seat":0,"value":4,"luck":1}\n', 2, "unknown_key"),
        (SETUP.encode() + b'\n{"do":"roll"}\n', 2, "missing_key"),
        (SETUP.encode() + b'\n{"do":"roll","seat":"Ann","value":4}\n', 2, "wrong_value"),
        (f"{SETUP}\n{ROLL}\n{ROLL}\n".encode(), 3, "hourglass_running"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_replay_says_what_is_wrong_in_the_language_of_the_settings(
    content: bytes, line: int, code: str, tmp_path: Path
) -> None:
    (tmp_path / "settings.toml").write_text('language = "de"')
    (tmp_path / "game.jsonl").write_bytes(content)
    done = CliRunner().invoke(
        main, ["replay", str(tmp_path / "game.jsonl"), "--settings", str(tmp_path / "settings.toml")]
    )
    assert (done.exit_code, done.stdout) == (2, "")
    told = json.loads(done.stderr)
    assert (told["line"], told["code"]) == (line, code)
    assert not ENGLISH.search(PARSER.sub("", told["message"]))


def test_a_file_that_is_not_there_is_told_in_the_language_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMUGGLERS_LANGUAGE", "de")
    told = json.loads(CliRunner().invoke(main, ["replay", "absent.jsonl"]).stderr)
    assert (told["line"], told["code"]) == (1, "unreadable_file")
    assert told["message"].startswith("Die Datei ist nicht zu lesen: ")
