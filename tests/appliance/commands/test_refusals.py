"""What a table cannot do is one sentence on stderr, in the language of its settings."""

from __future__ import annotations

import ast
import string
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from appliance.cli import main
from appliance.journal.journal import Journal
from appliance.journal.safekeeping.keys import seal_key
from appliance.words.catalogues import LANGUAGES, words_for
from hardware.twin.faults import FAULTS
from tests.places import ROOT


def run(folder: Path, language: str, *arguments: str) -> Result:
    environment = {"SMUGGLERS_DATA_DIR": str(folder), "SMUGGLERS_LANGUAGE": language}
    return CliRunner().invoke(main, arguments, env=environment)


@pytest.mark.parametrize(
    ("language", "sentence"),
    [("en", "a game is open at this table"), ("de", "an diesem Tisch ist ein Spiel offen"), ("auto", "a game is open")],
)
def test_an_open_game_is_told_in_the_language_of_the_table(
    language: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("appliance.journal.open_game_check.game_is_open", lambda settings: True)
    result = run(tmp_path, language, "check")
    assert result.exit_code == 2
    assert sentence in result.stderr


@pytest.mark.parametrize(
    ("language", "says"),
    [
        ("en", {"beam dead": "The front beam never breaks", "marker hidden": "A coaster lies on marker 1."}),
        ("de", {"beam dead": "Die vordere Lichtschranke", "marker hidden": "Auf Marke 1 liegt ein Untersetzer."}),
    ],
)
def test_the_faults_of_the_demo_are_told_in_the_language_of_the_table(
    language: str, says: dict[str, str], tmp_path: Path
) -> None:
    result = run(tmp_path, language, "demo", "--fault", "list")
    told = {line[:19].strip(): line[19:] for line in result.stdout.splitlines()}
    assert set(told) == set(FAULTS)
    for fault, sentence in says.items():
        assert told[fault].startswith(sentence)
    assert (result.exit_code, list(tmp_path.iterdir())) == (0, []), "it begins no demo"


@pytest.mark.parametrize(("language", "says"), [("en", "--fault: give one of"), ("de", "--fault: gib eines davon an")])
@pytest.mark.parametrize("command", ["demo", "check"])
def test_a_fault_that_does_not_exist_is_refused_before_anything_is_opened(
    command: str, language: str, says: str, tmp_path: Path
) -> None:
    twin = ["--twin"] if command == "check" else []
    result = run(tmp_path, language, command, *twin, "--fault", "nonsense")
    assert result.exit_code == 2
    assert says in " ".join(result.stderr.split())
    assert "beam dead" in result.stderr, "it says which there are"
    assert list(tmp_path.iterdir()) == [], "no journal, no key, no log"


@pytest.mark.parametrize("command", [["check", "--twin"], ["record", "--out", "a.rec"], ["draws"], ["files", "check"]])
def test_where_the_status_is_an_answer_wrong_settings_are_none(command: list[str], tmp_path: Path) -> None:
    wrong = tmp_path / "settings.toml"
    wrong.write_text("colour = 'red'")
    result = run(tmp_path, "en", *command, "--settings", str(wrong))
    assert result.exit_code == 2
    assert result.stderr.rstrip().endswith("[unknown_setting]")


def test_a_journal_in_use_ends_a_second_table_with_one_sentence(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite3", seal_key(tmp_path)[0])
    try:
        english, german = (run(tmp_path, language, "run") for language in ("en", "de"))
    finally:
        journal.close()
    assert (english.exit_code, german.exit_code) == (1, 1)
    assert "is in use by another running table" in english.stderr
    assert "wird schon von einem laufenden Tisch benutzt" in german.stderr


@pytest.mark.parametrize(
    ("language", "says"), [("en", "prohis is for 3 to 6 players"), ("de", "prohis ist für 3 bis 6 Personen")]
)
def test_a_demo_with_too_few_robots_says_how_many_a_game_needs(tmp_path: Path, language: str, says: str) -> None:
    refused = run(tmp_path, language, "demo", "--game", "prohis", "--players", "2")
    assert (refused.exit_code, says in refused.stderr, "--players" in refused.stderr) == (1, True, True)


def raised_codes() -> set[str]:
    """Every code that a `TableError` can carry, of itself or of the journal's and the key's own errors."""
    codes = set()
    for path in (ROOT / "appliance").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Constant):
                continue
            name = getattr(node.func, "id", "")
            if name in ("TableError", "JournalError", "SealError"):
                codes.add(str(node.args[0].value))
    return codes - {"key_missing", "seal_broken"}  # met while a game is read, not while a journal is opened


def test_every_code_has_a_sentence_in_every_language() -> None:
    codes = raised_codes() | {"game_open", "journal_damaged", "disk_full", "disk_failing"}
    assert len(codes) > 10
    for code in codes:
        named = []
        for language in LANGUAGES:
            sentence = words_for(language)._sentences[f"error.{code}"]
            named.append({field for _, field, _, _ in string.Formatter().parse(sentence) if field})
        assert named[0] == named[1], code
