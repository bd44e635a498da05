"""Every code that the rules say has its sentence in every language, with the same values."""

from __future__ import annotations

import ast
import re
import string
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from babel.messages.pofile import read_po

import appliance.games.haulers as package
from appliance.words import LANGUAGES, Words
from tests.games.haulers.play import VARIANTS, a_setup, played

FOLDER = Path(package.__file__).parent
NAMES = ("Ann", "Ben", "Cem", "Dora", "Eve", "Finn")


def catalogue(language: str, folder: str = "words") -> dict[str, str]:
    with (FOLDER / folder / f"{language}.po").open("rb") as file:
        read = read_po(file, locale=language, abort_invalid=True)
    return {str(message.id): str(message.string) for message in read if message.id}


def in_source() -> set[str]:
    """Return every refusal and rule id that stands in the source."""
    found: set[str] = set()
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                if name in ("Rejection", "_wrong"):
                    found.add(f"rejection.{node.args[0].value}")
                elif name == "tell":
                    found.add(f"happening.{node.args[0].value}")
            if isinstance(node, ast.Constant) and re.fullmatch(r"(TR|AP)-\d+v?", str(node.value)):
                found.add(f"rule.{node.value}")
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_code_in_the_source_has_words(language: str) -> None:
    assert sorted(in_source() - set(catalogue(language))) == []


@pytest.mark.parametrize("folder", ["words", "pages/words"])
def test_the_languages_say_the_same_with_the_same_values(folder: str) -> None:
    english, german = catalogue("en", folder), catalogue("de", folder)
    assert list(english) == list(german)
    for code in english:
        assert _placeholders(english[code]) == _placeholders(german[code]), code
        assert english[code].strip()
        assert german[code].strip()


def _placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_happens_in_play_can_be_said(language: str) -> None:
    words = Words(language, catalogue(language))
    said = set()
    for seed, options in enumerate(VARIANTS):
        for _, _, _, happened in islice(played(a_setup(3, **options), Random(seed)), 2500):
            for happening in happened:
                sentence = words.say(f"happening.{happening.code}", happening.values, NAMES)
                assert "{" not in sentence
                assert happening.to is None
                assert f"rule.{happening.rule}" in words
                said.add(happening.code)
    assert len(said) > 60
