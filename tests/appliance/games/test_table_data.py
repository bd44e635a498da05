"""Owners' files as an owner meets them: `smugglers files`, whatever is in the file, and what the set-up page offers."""

from __future__ import annotations

import errno
import json
import os
import re
from pathlib import Path
from typing import Any, NoReturn

import pytest
from click.testing import CliRunner, Result

from appliance.cli import main
from appliance.games import table_data_files
from appliance.games.catalogue import GAMES, the_game
from appliance.games.protocol import Player, Setup, Step
from appliance.games.table_data import MOST_BYTES, MOST_LINE_CHARACTERS, line_of, toml_of
from appliance.games.table_data_files import check_file, games_with_files, own_files
from tests.places import DOCS


def smugglers(*arguments: Any) -> Result:
    return CliRunner().invoke(main, ["files", *(str(one) for one in arguments)])


def example(game: str) -> str:
    result = smugglers("example", game)
    assert result.exit_code == 0
    return result.stdout


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SMUGGLERS_FILES_DIR", str(tmp_path))
    return tmp_path


def written(folder: Path, text: str, name: str = "mine.toml") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


OWN_TARIFF = """
name = "Grandma's box"
money = 8000
""" + "\n".join(
    f"[{good}]\nduty = {10 * place}\nfine = {25 * place}"
    for place, good in enumerate(("wine", "cigars", "brandy", "perfume", "watch", "camera", "necklace", "crown"), 1)
)


def test_the_games_with_files_of_ones_own() -> None:
    assert {"customs", "haulers"} <= set(games_with_files())
    assert not {"smugglers", "prohis"} & set(games_with_files())


def test_a_good_map_is_told_with_what_it_holds(folder: Path) -> None:
    result = smugglers("check", written(folder, example("haulers").replace('"The Two Shores"', '"Our box"')))
    assert result.exit_code == 0
    assert "haulers, “Our box”: the set-up page offers it" in result.stdout
    told = {tuple(line.strip().split(maxsplit=1)) for line in result.stdout.splitlines()}
    assert ("cities", "17, of them ports: 5, overseas: 3") in told
    assert ("supplies", "4 turbo, 5 double, 10 radar, 16 stations, 4 boats") in told
    assert ("deliveries", "50, $500 to $4,000, of them overseas: 9") in told


def test_a_file_with_a_byte_order_mark_is_read(folder: Path) -> None:
    path = folder / "mine.toml"
    path.write_bytes(b"\xef\xbb\xbf" + example("haulers").encode())
    assert smugglers("check", path).exit_code == 0


def test_a_good_tariff_is_told_with_every_value(folder: Path) -> None:
    result = smugglers("check", written(folder, OWN_TARIFF))
    assert result.exit_code == 0
    told = " ".join(result.stdout.split())
    assert "brandy duty £30, fine £75" in told
    assert "money £8,000" in told
    assert "for score yes" in told
    demo = smugglers("check", written(folder, example("customs"))).stdout
    assert "duty £20 (demo), fine £50" in demo
    assert "for score no" in " ".join(demo.split())


def test_a_file_elsewhere_is_good_but_not_offered(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    result = smugglers("check", written(tmp_path_factory.mktemp("elsewhere"), OWN_TARIFF))
    assert result.exit_code == 0
    assert "”: good" in result.stdout


def test_a_mistake_is_told_with_line_field_code_and_sentence(folder: Path) -> None:
    lines = example("haulers").splitlines()
    first = lines.index("[[deliveries]]")
    third = [number for number in range(first, len(lines)) if lines[number] == "[[deliveries]]"][2]
    assert lines[third + 1].startswith("top = ")
    lines[third + 1] = 'top = "Oz"'
    result = smugglers("check", written(folder, "\n".join(lines)))
    assert result.exit_code == 2
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.endswith(
        f"mine.toml: line {third + 2}, deliveries[2].top: "
        "Delivery 3 names “Oz”, which is no city of this map. [edition_unknown_city]"
    )


def test_the_guides_say_what_the_command_says(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    head, mark, tail = example("haulers").partition("[[deliveries]]")
    written(folder, head + mark + tail.replace('top = "Harwick"', 'top = "Harwik"', 1))
    assert smugglers("check", "mine.toml").stderr in (DOCS / "games" / "haulers.md").read_text("utf-8")
    guide = (DOCS / "games" / "customs.md").read_text("utf-8")
    tariff = "".join(line[4:] for line in guide.splitlines(keepends=True) if line.startswith("    "))
    assert check_file(written(folder, tariff)).problems[0].code == "tariff_incomplete"


def test_all_mistakes_of_a_file_are_told_at_once_and_good_files_all_the_same(folder: Path) -> None:
    broken = written(folder, "wine = 3\nmoney = true\n[crown]\nduty = 5\nfine = -1\n[gold]\n", "broken.toml")
    result = smugglers("check", broken, written(folder, OWN_TARIFF))
    assert result.exit_code == 2
    told = [line.partition("broken.toml: ")[2] for line in result.stderr.splitlines()]
    assert [line.split(":")[0] for line in told] == [
        "line 2, money",
        "line 1, wine",
        "line 5, crown.fine",
        "line 6, gold",
    ]
    assert [line.rpartition(" ")[2].strip("[]") for line in told] == [
        "option_range",
        "tariff_no_table",
        "tariff_value",
        "tariff_unknown_good",
    ]
    assert "Grandma's box" in result.stdout


def test_endless_mistakes_are_counted(folder: Path) -> None:
    text = example("haulers")
    result = smugglers("check", written(folder, text.replace('[[cities]]\nname = "', '[[cities]]\nname = "x')))
    assert result.exit_code == 2
    lines = result.stderr.splitlines()
    assert len(lines) == 21
    assert lines[-1].endswith(" more.")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "file_of_no_game"),
        (b"x = 1", "file_of_no_game"),
        (b"[wine", "file_not_toml"),
        (b"\xff\xfe\x00", "file_not_text"),
        (b"cities = " + b"[" * 2400, "file_too_deep"),
        (b"cities = " + b"[\n" * 30_000, "file_too_deep"),
        (b"cities = {a = " * 160, "file_not_toml"),
        (b"wine" + b".a" * 30_000 + b" = 1", "file_line_too_long"),
        (b"money = " + b"9" * (MOST_LINE_CHARACTERS - 8) + b"\nmoney = 2", "file_not_toml"),
        (b"# " + b"x" * MOST_BYTES, "file_too_large"),
        (b"cities = 3", "edition_shape"),
        (b"roads = [{}]", "edition_entry_missing"),
        (b"crown = 2020-01-01", "tariff_no_table"),
        (b"wine" + b".a" * 1000 + b" = 1", "tariff_unknown_key"),
    ],
)
def test_whatever_is_in_a_file_it_is_refused_in_one_clear_sentence(folder: Path, content: bytes, code: str) -> None:
    file = folder / "hostile.toml"
    file.write_bytes(content)
    result = smugglers("check", file)
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)
    line = next(line for line in result.stderr.splitlines() if code in line)
    assert len(line) < 700
    assert len(result.stderr.splitlines()) <= 2


def test_what_is_no_file_is_not_even_opened(folder: Path) -> None:
    pipe = folder / "pipe.toml"
    os.mkfifo(pipe)
    for path in (pipe, folder, Path("/dev/zero")):
        assert [one.code for one in check_file(path).problems] == ["file_not_ordinary"]
    assert [one.code for one in check_file(folder / "absent.toml").problems] == ["file_unreadable"]


def test_a_terminal_obeys_nothing_that_a_file_says(folder: Path) -> None:
    for text in (
        '"\\u001b[2J\\u202e" = 1\ncities = []\n',
        'cities = [{name = "\\u001b[31m"}]',
        '["\\u0007"]\n[wine]\n',
    ):
        shown = smugglers("check", written(folder, text)).stderr
        assert shown
        assert shown.replace("\n", "").isprintable()
    markup = example("haulers").replace('"The Two Shores"', '"[bold red]box[/]"')
    assert "“[bold red]box[/]”" in smugglers("check", written(folder, markup)).stdout


def test_json_says_the_same(folder: Path) -> None:
    good, bad = written(folder, OWN_TARIFF, "a.toml"), written(folder, "[wine]\nduty = 1\n", "b.toml")
    result = smugglers("check", "--json")
    first, second = (json.loads(line) for line in result.stdout.splitlines())
    assert result.exit_code == 2
    assert (first["file"], first["game"], first["good"]) == (str(good), "customs", True)
    assert first["holds"]["crown"] == "duty £80, fine £200"
    assert (second["file"], second["good"], second["problems"][0]["code"]) == (str(bad), False, "tariff_incomplete")


def test_without_a_file_the_folder_is_checked_and_named_when_there_is_none(folder: Path) -> None:
    result = smugglers("check")
    assert result.exit_code == 2
    assert str(folder) in result.stderr
    written(folder, OWN_TARIFF)
    assert smugglers("check").exit_code == 0


@pytest.mark.parametrize("kind", ["file", "loop", "forbidden"])
def test_a_folder_that_cannot_be_read_is_told_as_that(folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    unreadable = folder / "unreadable"
    if kind == "file":
        unreadable.touch()
    elif kind == "loop":
        unreadable.symlink_to(unreadable)
    else:
        unreadable.mkdir()
        for call in ("listdir", "scandir"):  # root, as whom tests may run, is refused no folder
            monkeypatch.setattr(os, call, forbidden)
    monkeypatch.setenv("SMUGGLERS_FILES_DIR", str(unreadable))
    result = smugglers("check")
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"Error: {unreadable}: the folder cannot be read (")
    assert line.endswith("[folder_unreadable]")
    assert smugglers("check", written(folder, OWN_TARIFF)).exit_code == 0
    assert own_files(unreadable, "customs", "en") == ()


def forbidden(folder: object) -> NoReturn:
    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))


@pytest.mark.parametrize("game", ["customs", "haulers"])
def test_what_a_file_gives_can_be_played(folder: Path, game: str) -> None:
    text = OWN_TARIFF if game == "customs" else example("haulers")
    written(folder, text)
    (found,) = own_files(folder, game, "en")
    assert found.good is not None
    players = tuple(Player(name=name) for name in "ABC")
    step = the_game(game).rules.set_up(Setup(format=1, game=game, players=players, options=found.good.options))
    assert isinstance(step, Step), step


def test_each_game_is_offered_its_own_files_and_told_of_faulty_ones(folder: Path) -> None:
    written(folder, OWN_TARIFF, "tariff.toml")
    written(folder, example("haulers"), "map.toml")
    written(folder, "[wine", "slip.toml")
    names = {game: [(one.path.name, one.good is not None) for one in own_files(folder, game, "de")] for game in GAMES}
    assert {game: found for game, found in names.items() if game in ("customs", "haulers") or found} == {
        "customs": [("slip.toml", False), ("tariff.toml", True)],
        "haulers": [("map.toml", True), ("slip.toml", False)],
    }
    assert own_files(folder / "nowhere", "customs", "en") == ()
    assert own_files(None, "customs", "en") == ()


def test_a_tariff_for_score_needs_the_money(folder: Path) -> None:
    for text, codes in ((OWN_TARIFF.replace("money = 8000", ""), ["tariff_money_missing"]), (example("customs"), [])):
        assert [one.code for one in check_file(written(folder, text)).problems] == codes


@pytest.mark.parametrize(
    ("field", "line"),
    [
        ("a", 1),
        ("tables[0].x", 3),
        ("tables[1].x", 6),
        ("tables[1].y", 5),
        ("t.k", 8),
        ("t", 7),
        ("none", None),
        ("", None),
    ],
)
def test_the_line_of_a_field(field: str, line: int | None) -> None:
    text = "a = 1\n[[tables]]\nx = 1\n\n[[tables]]\n x=2\n[t]\nk.z = 3\n"
    assert line_of(text, field) == line


ENGLISH = re.compile(r"\b(line|the|of|them|with|squares|between|none|yes|no|duty|fine|more|ours|cities|is|good)\b")


def test_on_a_german_table_all_is_told_in_german(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SMUGGLERS_LANGUAGE", "de")
    empty = smugglers("check").stderr
    tariff, trial = written(folder, OWN_TARIFF, "a.toml"), written(folder, example("customs"), "b.toml")
    the_map = written(folder, example("haulers").replace('"The Two Shores"', '"Hafen"'), "c.toml")
    good = smugglers("check", tariff, trial, the_map).stdout
    faulty = smugglers(
        "check", written(folder, example("haulers").replace('\nname = "', '\nname = "x'), "d.toml")
    ).stderr
    for told in (empty, good.replace("Grandma's box", ""), faulty):
        spoken = re.sub(r"\[\w+\]|“.*”|„.*“|\S+\.toml", "", told.replace(str(folder), ""))
        assert not ENGLISH.search(spoken), spoken
    assert "no_files" in empty
    assert "Zoll £30, Strafe £75" in good
    assert "17, davon Häfen: 5, in Übersee: 3" in good
    assert "Zeile " in faulty
    assert json.loads(smugglers("check", "--json", tariff).stdout)["holds"]["crown"] == "duty £80, fine £200"


def test_a_file_that_changes_while_it_is_checked_is_judged_as_it_was_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its owner's editor writes it again, in another encoding, between the two looks at it."""
    path = written(folder, OWN_TARIFF.replace("duty", "duties", 1))
    told = check_file(path)
    parse = toml_of

    def then_changed(content: bytes) -> object:
        path.write_bytes(b"\xff\xfe")
        return parse(content)

    monkeypatch.setattr(table_data_files, "toml_of", then_changed)
    assert check_file(path) == told
    assert told.problems
