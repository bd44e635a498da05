"""Every code that the rules can say has a sentence in every language, with values that the rules give."""

from __future__ import annotations

import ast
import string
from pathlib import Path
from random import Random

import pytest
from babel.messages.pofile import read_po

import appliance.games.smugglers as package
from appliance.games.game import Rejection
from appliance.games.smugglers import GAME
from appliance.games.smugglers.set_up import PUTTIES
from appliance.words import LANGUAGES, Words
from tests.games.smugglers.play import a_setup, played
from tests.games.smugglers.test_properties import anything

FOLDER = Path(package.__file__).parent
NAMES = ("Ann", "Ben", "Cem", "Dora")


def own_words(language: str) -> Words:
    with (FOLDER / "words" / f"{language}.po").open("rb") as file:
        catalogue = read_po(file, locale=language, abort_invalid=True)
    return Words(language, {str(message.id): str(message.string) for message in catalogue if message.id})


def codes_in_source() -> set[str]:
    """Return every code and rule id that stands in the source as a refusal or a happening."""
    found: set[str] = set()
    for path in (*FOLDER.glob("*.py"), FOLDER.parent / "names.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args:
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                family = {"Rejection": "rejection", "tell": "happening"}.get(name)
                if family:
                    first = node.args[0]
                    options = [first.body, first.orelse] if isinstance(first, ast.IfExp) else [first]
                    found |= {f"{family}.{o.value}" for o in options if isinstance(o, ast.Constant)}
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                word = node.value
                if word[:3] in ("SM-", "AP-") and word[3:].rstrip("ab").isdigit():
                    found.add(f"rule.{word}")
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_code_has_words(language: str) -> None:
    words = own_words(language)
    assert sorted(code for code in codes_in_source() if code not in words) == []
    assert all(f"colour.{putty}" in words for putty in PUTTIES)


def test_no_words_for_codes_that_nobody_says() -> None:
    said = codes_in_source()
    for code in own_words("en").codes():
        if code.startswith(("happening.", "rejection.")):
            assert code in said


def test_the_languages_say_the_same_with_the_same_values() -> None:
    english, german = own_words("en"), own_words("de")
    assert english.codes() == german.codes()
    for code in english.codes():
        assert _placeholders(english, code) == _placeholders(german, code), code
        assert english.say(code, dict.fromkeys(_placeholders(english, code), 0)).strip()


def _placeholders(words: Words, code: str) -> set[str]:
    template = words._sentences[code]  # the template itself, before values are put in
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_happens_in_play_can_be_said(language: str) -> None:
    words = own_words(language)
    said = set()
    everything = anything(range(-1, 5))
    for seed in range(12):
        rng = Random(seed)
        setup = a_setup(2 + seed % 3, same_mass_check=seed % 2 == 0, goal="short" if seed % 4 == 0 else "full")
        for state, _, _, happened in played(setup, rng, 0.01):
            for happening in happened:
                sentence = words.say(f"happening.{happening.code}", happening.values, NAMES)
                assert "{" not in sentence
                assert happening.to is None
                said.add(happening.code)
            step = GAME.apply(state, rng.choice(everything))
            if isinstance(step, Rejection):
                assert "{" not in words.say(f"rejection.{step.code}", step.values, NAMES)
                assert f"rule.{step.rule}" in words
    assert len(said) > 35
