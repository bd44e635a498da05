"""Every code that the rules can say has a sentence in every language, with values that the rules give."""

from __future__ import annotations

import ast
import re
import string
from pathlib import Path
from random import Random

import pytest
from babel.messages.pofile import read_po

import appliance.games.prohis as package
from appliance.games.game import Rejection
from appliance.games.prohis import GAME
from appliance.words import LANGUAGES, Words, words
from tests.games.prohis.play import any_setup, played
from tests.games.prohis.test_properties import anything

FOLDER = Path(package.__file__).parent
NAMES = ("Ann", "Ben", "Cem", "Dora", "Eve", "Finn")
RULE = re.compile(r"(PR|AP)-\d+")


def own_words(language: str, folder: str = "words") -> Words:
    with (FOLDER / folder / f"{language}.po").open("rb") as file:
        catalogue = read_po(file, locale=language, abort_invalid=True)
    return Words(language, {str(message.id): str(message.string) for message in catalogue if message.id})


def codes_in_source() -> set[str]:
    """Return every code and rule id that stands in the source as a refusal, a happening or a remark."""
    found: set[str] = set()
    for path in (*FOLDER.glob("*.py"), FOLDER.parent / "names.py", FOLDER.parent / "card_pan.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                family = {"Rejection": "rejection", "tell": "happening", "Remark": "remark"}.get(name)
                said = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg == "code")]
                for first in said if family else ():
                    options = [first.body, first.orelse] if isinstance(first, ast.IfExp) else [first]
                    found |= {f"{family}.{o.value}" for o in options if isinstance(o, ast.Constant) and o.value}
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and RULE.fullmatch(node.value):
                found.add(f"rule.{node.value}")
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_code_has_words(language: str) -> None:
    known = own_words(language)
    assert sorted(code for code in codes_in_source() if code not in known) == []


def test_no_words_for_codes_that_nobody_says() -> None:
    said = codes_in_source()
    for code in own_words("en").codes():
        if code.startswith(("happening.", "rejection.", "remark.")):
            assert code in said


@pytest.mark.parametrize("folder", ["words", "pages/words"])
def test_the_languages_say_the_same_with_the_same_values(folder: str) -> None:
    english, german = own_words("en", folder), own_words("de", folder)
    assert english.codes() == german.codes()
    for code in english.codes():
        assert _placeholders(english, code) == _placeholders(german, code), code
        assert english.say(code, dict.fromkeys(_placeholders(english, code), 0)).strip()


def _placeholders(known: Words, code: str) -> set[str]:
    template = known._sentences[code]  # the template itself, before values are put in
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_happens_in_play_can_be_said(language: str) -> None:
    known = own_words(language)
    said = set()
    for seed in range(30):
        rng = Random(seed)
        for state, _, _, happened in played(any_setup(rng, physical=seed == 3), rng, 0.01):
            for happening in happened:
                sentence = known.say(f"happening.{happening.code}", happening.values, NAMES)
                assert "{" not in sentence
                assert not re.search(r"\b(illegal|lieutenant|captain|warehouse)\b", sentence) or language == "en"
                said.add(happening.code)
            step = GAME.apply(state, anything(state, rng))
            if isinstance(step, Rejection):
                assert "{" not in known.say(f"rejection.{step.code}", step.values, NAMES)
                assert f"rule.{step.rule}" in known
    at_set_up = {"happening.players_sat_down", "happening.real_cards_used"}
    rare = {"happening.win_shared"}
    every = {code for code in codes_in_source() if code.startswith("happening.")}
    assert {f"happening.{code}" for code in said} | at_set_up | rare == every


def test_every_sentence_that_a_template_asks_for_exists() -> None:
    known = words("en", "prohis")
    for path in (FOLDER / "pages" / "templates").rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        for code in re.findall(r"\b(?:say|t)\('([a-z_.]+)'[,)]", text):
            assert code in known, f"{path.name}: {code}"
        for family in re.findall(r"\b(?:say|t)\('([a-z_.]+\.)' ~", text):
            assert any(code.startswith(family) for code in known.codes()), f"{path.name}: {family}"


def test_thousands_are_parted_as_each_language_does() -> None:
    said = [
        words(lang, "prohis").say("happening.game_won", {"winners": [0], "points": 57000}, ["Ann"])
        for lang in LANGUAGES
    ]
    assert said == ["Ann wins with 57,000.", "Ann gewinnt mit 57.000."]
