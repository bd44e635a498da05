"""Numbers in sentences: marked as each language marks them, for languages to come too."""

from __future__ import annotations

from importlib import import_module
from typing import get_args

import pytest

from appliance.words.catalogues import LANGUAGES, Words, negotiate, words_for
from tests.appliance.games.contract.codes import said_in
from tests.places import ROOT


@pytest.mark.parametrize(
    ("language", "form", "value", "written"),
    [
        ("en", ",.2f", 1234567.891, "1,234,567.89"),
        ("de", ",.2f", 1234567.891, "1.234.567,89"),
        ("fr", ",.2f", 1234567.891, "1\u202f234\u202f567,89"),
        ("de", "+.2f", -0.0004, "+0,00"),
        ("de", ".1f", -0.04, "0,0"),
        ("de", ".2g", 1100.0, "1100"),
        ("en", ".3g", 0.0000123, "1.23e-05"),
        ("de", "6.0f", 12.0, "    12"),
    ],
)
def test_a_number_is_marked_as_its_language_does(language: str, form: str, value: float, written: str) -> None:
    speaker = Words(language, {"said": f"{{mass_g:{form}}}"})
    assert speaker.number(value, form) == written
    assert speaker.say("said", {"mass_g": value}) == written


def test_the_languages_are_those_with_a_catalogue_and_english_comes_first() -> None:
    assert set(LANGUAGES) == {path.stem for path in (ROOT / "appliance" / "words").glob("*.po")}
    assert LANGUAGES[0] == negotiate(["tlh"]) == "en"
    assert all(words_for(language).language == language for language in LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("room", ["journal", "table"])
def test_every_code_that_a_room_of_the_frame_lists_has_its_sentence_and_is_said(room: str, language: str) -> None:
    listed = import_module(f"appliance.{room}.codes")
    codes = get_args(getattr(listed, f"{room.capitalize()}Rejection"))
    assert codes
    assert [code for code in codes if f"rejection.{code}" not in words_for(language)] == []
    said = said_in([path for path in (ROOT / "appliance" / room).rglob("*.py") if path.stem != "codes"])
    assert [code for code in codes if not said.fullmatch(code)] == []
