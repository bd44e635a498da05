"""Every code that the rules can say has a sentence in every language, with values that the rules give."""

from __future__ import annotations

import ast
import re
import string
from pathlib import Path
from random import Random

import pytest
from babel.messages.pofile import read_po

import appliance.games.customs as package
from appliance.games.customs import GAME
from appliance.games.customs.cards import CARDS
from appliance.games.game import Rejection
from appliance.words import LANGUAGES, Words, words
from tests.games.customs.play import a_setup, played
from tests.games.customs.test_properties import anything, setup_of

FOLDER = Path(package.__file__).parent
NAMES = ("Ann", "Ben", "Cem", "Dora", "Eli", "Fay")
RULE = re.compile(r"(CU|AP)-\d+")


def own_words(language: str) -> Words:
    with (FOLDER / "words" / f"{language}.po").open("rb") as file:
        catalogue = read_po(file, locale=language, abort_invalid=True)
    return Words(language, {str(message.id): str(message.string) for message in catalogue if message.id})


def codes_in_source() -> set[str]:
    """Return every code and rule id that stands in the source as a refusal or a happening."""
    found: set[str] = set()
    for path in (*FOLDER.glob("*.py"), FOLDER.parent / "card_pan.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args:
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                family = {"Rejection": "rejection", "tell": "happening"}.get(name)
                if family:
                    first = node.args[0]
                    options = [first.body, first.orelse] if isinstance(first, ast.IfExp) else [first]
                    found |= {f"{family}.{o.value}" for o in options if isinstance(o, ast.Constant)}
            for given in node.keywords if isinstance(node, ast.Call) else ():
                if given.arg == "code" and getattr(node.func, "id", "") == "Remark":
                    branches = (
                        [given.value.body, given.value.orelse] if isinstance(given.value, ast.IfExp) else [given.value]
                    )
                    found |= {f"remark.{one.value}" for one in branches if isinstance(one, ast.Constant) and one.value}
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and RULE.fullmatch(node.value):
                found.add(f"rule.{node.value}")
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_code_has_words(language: str) -> None:
    known = words(language, "customs")
    assert sorted(code for code in codes_in_source() if code not in known) == []
    assert all(f"card.{card}" in known and f"card.short.{card}" in known for card in CARDS)


def test_no_words_for_codes_that_nobody_says() -> None:
    said = codes_in_source() | {"rejection.bad_name", "rejection.name_twice"}
    for code in own_words("en").codes():
        if code.startswith(("happening.", "rejection.", "remark.")):
            assert code in said


def test_the_languages_say_the_same_with_the_same_values() -> None:
    english, german = (words(language, "customs") for language in LANGUAGES)
    assert english.codes() == german.codes()
    for code in english.codes():
        assert _placeholders(english, code) == _placeholders(german, code), code
        assert english.say(code, dict.fromkeys(_placeholders(english, code), 0)).strip()


def _placeholders(known: Words, code: str) -> set[str]:
    template = known._sentences[code]  # the template itself, before values are put in
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def test_every_code_in_templates_has_words() -> None:
    known = words("en", "customs")
    used = {
        (code, path.name)
        for path in (FOLDER / "pages" / "templates").rglob("*.html")
        for code in re.findall(r"\b(?:say|t)\(\s*'([a-z_.]+[a-z_])'\s*[,)]", path.read_text())
    }
    assert len(used) > 50
    assert not {(code, name) for code, name in used if code not in known}


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_happens_in_play_can_be_said(language: str) -> None:
    known = words(language, "customs")
    said = set()
    everything = anything(range(-1, 6))
    for seed in range(40):
        rng = Random(seed)
        for state, _, _, happened in played(setup_of(seed), rng, 0.005):
            for happening in happened:
                sentence = known.say(f"happening.{happening.code}", happening.values, NAMES)
                assert "{" not in sentence
                said.add(happening.code)
            step = GAME.apply(state, rng.choice(everything))
            if isinstance(step, Rejection):
                assert "{" not in known.say(f"rejection.{step.code}", step.values, NAMES)
                assert f"rule.{step.rule}" in known
    assert len(said) > 28


def test_a_hand_is_told_in_words() -> None:
    english = words("en", "customs")
    told = english.say("happening.hand_opened", {"seat": 1, "cards": ["wine", "crown"]}, NAMES)
    assert told == "In the suitcase of Ben: wine, the Crown."
    assert a_setup(3).players[0].name == "A"


def test_thousands_of_pounds_are_parted_as_each_language_does() -> None:
    paid = {"seat": 0, "target": 1, "amount": 4130}
    said = [words(language, "customs").say("happening.paid", paid, NAMES) for language in LANGUAGES]
    assert said == ["Ann pays Ben £4,130.", "Ann zahlt Ben £4.130."]
