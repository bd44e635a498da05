"""Wrong arguments and unwritable output are told in the language of the settings, wherever these are."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from appliance.cli import main
from tests.patience import GIVEN_UP_S

WRONG = {
    "calibrat": ("gibt es nicht; ist calibrate gemeint", "there is no command calibrat; did you mean calibrate"),
    "calibrate sheet": ("ist sheets gemeint", "did you mean sheets"),
    "weigh --jsn": ("--jsn gibt es nicht; ist --json gemeint", "no option --jsn; did you mean --json"),
    "weigh --zzz": ("die Option --zzz gibt es nicht", "there is no option --zzz"),
    "weigh --from": ("--from braucht einen Wert", "--from needs a value"),
    "weigh --json=3": ("--json nimmt keinen Wert", "--json takes no value"),
    "weigh one two": ("mehr Angaben", "more arguments"),
    "record": ("--out fehlt", "--out is missing"),
    "backup": ("OUT fehlt", "OUT is missing"),
    "calibrate sheets --paper a3": ("--paper: gib eines davon an: a4, letter", "--paper: give one of a4, letter"),
    "check --seconds 1": ("eine Zahl von 3 bis 120", "a number from 3 to 120"),
    "record --out a.rec --seconds nan": ("eine Zahl ab 1", "a number of 1 or more"),
    "record --out a.rec --most-mb 0": ("ganze Zahl von 1 bis 20000", "whole number from 1 to 20000"),
    "demo --seed -1": ("ganze Zahl ab 0", "whole number of 0 or more"),
    "fleet --seed many": ("--seed: gib eine ganze Zahl an", "--seed: give a whole number"),
    "record --out made": ("muss auf .rec enden", "must end in .rec"),
    "check --fault stuck": ("gib auch --twin an", "add --twin"),
    "check --twin --fault rain": ("stuck bit, noisy supply", "give one of scale unplugged, stuck bit"),
    "demo --fault rain": ("gib eines davon an: scale unplugged", "give one of scale unplugged"),
    "calibrate scale --twin": ("--twin braucht --out", "--twin needs --out"),
    "calibrate scale --undo --point 0=a": ("gib sonst nichts mit an", "give nothing else with it"),
    "calibrate scale --undo --inverted": ("gib sonst nichts mit an", "give nothing else with it"),
    "calibrate scale --undo --not-inverted": ("gib sonst nichts mit an", "give nothing else with it"),
    "calibrate track --undo --hole 3=30": ("gib sonst nichts mit an", "give nothing else with it"),
    "calibrate camera --undo --report c.html": ("gib sonst nichts mit an", "give nothing else with it"),
    "calibrate balls --undo orange": ("gib sonst nichts mit an", "give nothing else with it"),
    "calibrate track --hole 3": ("schreib die Bahn und ihr Loch", "write the lane and its hole"),
    "calibrate track --hole 3=30 --hole 3=31": ("zweimal", "given twice"),
    "calibrate track --twin --out r.toml --hole 9=30": ("Bahn 9 gibt es nicht", "no lane 9"),
    "calibrate track --twin --out r.toml --hole 3=99": ("von 16 bis 40 mm", "of 16 to 40 mm"),
}
ENGLISH = ("Usage:", "Try ", "Error:", "Invalid", "such", "Missing", "requires", "argument", " is not ")


def run(folder: Path, *arguments: str) -> Result:
    environment = {"SMUGGLERS_DATA_DIR": str(folder), "SMUGGLERS_LANGUAGE": None}
    return CliRunner().invoke(main, arguments, env=environment, prog_name="smugglers")


@pytest.fixture
def german(tmp_path: Path) -> str:
    """A file of settings."""
    (tmp_path / "settings.toml").write_text('language = "de"\n')
    return str(tmp_path / "settings.toml")


@pytest.mark.parametrize("command", sorted(WRONG))
def test_wrong_arguments_are_told_in_the_language_of_the_environment(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for language, says in zip(("de", "en"), WRONG[command], strict=True):
        environment = {"SMUGGLERS_DATA_DIR": str(tmp_path / language), "SMUGGLERS_LANGUAGE": language}
        refused = CliRunner().invoke(main, command.split(), env=environment)
        assert refused.exit_code == 2
        assert says in refused.stderr, language
        assert refused.stdout == ""
        if language == "de":
            assert not [word for word in ENGLISH if word in refused.stderr]


@pytest.mark.parametrize("command", ["weigh --heavy", "record", "calibrate sheets --paper a3", "hub run --port x"])
@pytest.mark.parametrize("joined", [False, True])
def test_they_are_told_in_the_language_of_the_file_of_settings(
    command: str, joined: bool, german: str, tmp_path: Path
) -> None:
    settings = [f"--settings={german}"] if joined else ["--settings", german]
    refused = run(tmp_path, *command.split(), *settings)
    assert refused.exit_code == 2
    assert refused.stderr.startswith(f"Aufruf: smugglers {command.split(' -')[0]} [OPTIONS]")
    assert "Fehler: " in refused.stderr
    assert "Usage:" in run(tmp_path, *command.split()).stderr


def test_a_sentence_about_wrong_arguments_follows_the_usage_of_the_command(german: str, tmp_path: Path) -> None:
    refused = run(tmp_path, "weigh", "--heavy", "--settings", german)
    assert refused.stderr.splitlines() == [
        "Aufruf: smugglers weigh [OPTIONS]",
        "Hilfe gibt „smugglers weigh --help“.",
        "",
        "Fehler: die Option --heavy gibt es nicht; ist --help gemeint?",
    ]


def test_what_is_wrong_at_the_table_is_told_with_the_word_of_its_language(german: str, tmp_path: Path) -> None:
    assert run(tmp_path, "backup", "copy", "--settings", german).stderr.startswith("Fehler: ")
    assert run(tmp_path, "draws", "--settings", german).stderr.startswith("Fehler: ")
    assert run(tmp_path, "backup", "copy").stderr.startswith("Error: ")


def test_a_group_without_a_command_shows_its_help(tmp_path: Path) -> None:
    shown = run(tmp_path, "calibrate")
    assert "Commands:" in shown.output
    assert "sheets" in shown.output


@pytest.mark.parametrize(
    "broken",
    [
        'language = "de"\nport 8080\n',
        "port = [\nlanguage='de' # Sprache\n",
        '  language="de"\r\nport = 8080\nport = 8081\n',
        "port = 80 80\n\nlanguage = 'de'",
    ],
)
def test_a_broken_file_of_settings_is_told_in_its_own_language(broken: str, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_bytes(broken.encode())
    refused = run(tmp_path, "backup", "copy", "--settings", str(tmp_path / "settings.toml"))
    assert refused.exit_code == 1
    assert "kein TOML" in refused.stderr
    assert refused.stderr.startswith("Fehler: ")


def test_a_file_that_is_no_text_is_told_in_its_own_language(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_bytes('language = "de"\n# Tür\n'.encode("latin-1"))
    refused = run(tmp_path, "backup", "copy", "--settings", str(tmp_path / "settings.toml"))
    assert "Zeile 2 ist kein Text" in refused.stderr


def test_the_environment_wins_over_a_broken_file_of_settings(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('language = "de"\nport 8080\n')
    environment = {"SMUGGLERS_LANGUAGE": "en"}
    refused = CliRunner().invoke(main, ["draws", "--settings", str(tmp_path / "settings.toml")], env=environment)
    assert refused.stderr.startswith("Error: ")
    assert "not TOML" in refused.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "says"),
    [
        ("de", "smugglers: die Ausgabe lässt sich nicht schreiben (es ist kein Platz mehr da)\n"),
        ("en", "smugglers: the output cannot be written (no space is left)\n"),
    ],
)
def test_output_that_cannot_be_written_is_told_in_the_language_of_the_settings(
    language: str, says: str, tmp_path: Path
) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text(f'language = "{language}"')
    command = [sys.executable, "-m", "appliance.commands.start", "calibrate", "measures", "--settings", str(settings)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SMUGGLERS_")}
    environment |= {"SMUGGLERS_DATA_DIR": str(tmp_path), "PYTHONIOENCODING": "utf-8"}
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, text=True, env=environment, timeout=GIVEN_UP_S, check=False
        )
    assert (done.returncode, done.stderr) == (2, says)
