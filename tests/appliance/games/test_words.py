"""Every code that a game's rules and pages can say has a sentence in every language, with the same values in it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec
import pytest
from babel.messages.pofile import read_po

import appliance.games
from appliance.games.catalogue import GAMES, the_game
from appliance.games.customs.table_data import demo_tariff
from appliance.games.game_words import words_of
from appliance.words.catalogues import LANGUAGES
from tests.appliance.games.contract.codes import codes_of
from tests.appliance.games.customs.play import TARIFF as BOARD_TARIFF
from tests.test_codes import REFEREES, listed
from tests.web.stand import Stand

GAMES_FOLDER = Path(appliance.games.__file__).parent
BASE = sorted((GAMES_FOLDER / "base").rglob("*.py"))
DEMO_TARIFF = msgspec.to_builtins(demo_tariff())


@pytest.fixture
def stand(tmp_path: Path) -> Iterator[Stand]:
    stand = Stand(tmp_path)
    yield stand
    stand.close()


def sources(game: str) -> list[Path]:
    """Return the game's modules and the shared ones that they import."""
    found = sorted((GAMES_FOLDER / game).rglob("*.py"))
    base = {path: ".".join(path.relative_to(GAMES_FOLDER).with_suffix("").parts) for path in BASE}
    while True:
        text = "\n".join(path.read_text(encoding="utf-8") for path in found)
        more = [path for path, name in base.items() if path not in found and f"games.{name} import" in text]
        if not more:
            return found
        found += more


@cache
def said_in_source(game: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the codes that rules and referee of the game list, and the rules that its source names."""
    said = {f"{family}.{code}" for family, codes in codes_of(the_game(game)).items() for code in codes}
    said |= {
        f"{family}.{code}" for one, module, name, family in REFEREES if one == game for code in listed(module, name)
    }
    rule_id = re.compile(rf"({the_game(game).rule_prefix}|AP)-\d+[abv]?")
    rules = {
        node.value
        for path in sources(game)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and rule_id.fullmatch(node.value)
    }
    return frozenset(said), frozenset(rules)


def catalogue(game: str, folder: str, language: str) -> dict[str, str]:
    with (GAMES_FOLDER / game / folder / f"{language}.po").open("rb") as file:
        read = read_po(file, locale=language, abort_invalid=True)
    return {str(message.id): str(message.string) for message in read if message.id}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_every_code_and_every_rule_in_the_source_has_words(game: str, language: str) -> None:
    known = words_of(language, game)
    said, rules = said_in_source(game)
    assert said
    assert [code for code in sorted(said) if code not in known] == []
    assert [rule for rule in sorted(rules) if f"rule.{rule}" not in known] == []


@pytest.mark.parametrize("game", GAMES)
def test_no_words_for_codes_that_nobody_says(game: str) -> None:
    said, _ = said_in_source(game)
    codes = catalogue(game, "words", "en")
    spoken = [code for code in codes if code.startswith(("happening.", "rejection.", "remark."))]
    assert [code for code in spoken if code.removesuffix(".you").removesuffix(".at_you") not in said] == []


@pytest.mark.parametrize("game", [game for game in GAMES if the_game(game).pages])
def test_every_sentence_that_a_template_asks_for_exists(game: str) -> None:
    known = words_of("en", game)
    asked = 0
    for path in (GAMES_FOLDER / game / "pages" / "templates").rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        for code in re.findall(r"\bsay\(\s*'([a-z_.]+[a-z_])'\s*[,)]", text):
            assert code in known, f"{path.name}: {code}"
            asked += 1
        for family in re.findall(r"\bsay\(\s*'([a-z_.]+\.)' ~", text):
            assert any(code.startswith(family) for code in known.codes()), f"{path.name}: {family}"
    assert asked


REFUSED_SET_UPS: dict[str, list[dict[str, object]]] = {
    "customs": [
        {},
        {"tariff": {"wine": {"duty": 20}}},
        {"tariff": 3},
        {"tariff": {"whisky": {}}},
        {"tariff": {"wine": {"price": 3}}},
        {"tariff": {"wine": {"duty": -1}}},
        {"tariff": {"wine": {"demo": "duty"}}},
        {"tariff": {"wine": {"duty": 20, "fine": 10}}},
        {"tariff": DEMO_TARIFF},
        {"tariff": BOARD_TARIFF},
        {"tariff": BOARD_TARIFF, "money": 1},
        {"tariff": BOARD_TARIFF, "money": 100, "smallest_note": 500},
        {"tariff": BOARD_TARIFF, "money": "much"},
        {"goal": "full"},
    ],
    "prohis": [{"goal": "full"}, {"declarations": "loud"}, {"bribe_limit_s": 1}],
}
"""Options that these games refuse, each for a reason of its own."""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", REFUSED_SET_UPS)
def test_a_refused_set_up_is_answered_in_words_while_no_game_is_open(stand: Stand, game: str, language: str) -> None:
    """Nothing is open yet, so nothing but the request says which game's words are meant."""
    kiosk = stand.kiosk()
    kiosk.set_cookie("language", language)
    known, codes = words_of(language, game), set()
    attempts = [({"name": name} for name in "ABC") for _ in REFUSED_SET_UPS[game]]
    asked = [(list(players), options) for players, options in zip(attempts, REFUSED_SET_UPS[game], strict=True)]
    fine = {"tariff": BOARD_TARIFF, "money": 10_000} if game == "customs" else {}
    asked += [([{"name": "A"}], fine), ([{"name": "A"}, {"name": "A"}, {"name": "C"}], fine)]
    asked += [([{"name": ""}, {"name": "B"}, {"name": "C"}], fine)]
    for number, (players, options) in enumerate(asked):
        body = {"id": f"{game}{number}", "game": game, "players": players, "options": options}
        answer = kiosk.post("/api/v1/games", json=body)
        assert answer.status_code == 409, answer.text
        told = answer.get_json()
        codes.add(told["code"])
        assert f"rejection.{told['code']}" in known
        assert not told["message"].startswith("rejection."), told
        assert " " in told["message"]
        assert "{" not in told["message"].replace("{}", "")
    assert len(codes) > 5
