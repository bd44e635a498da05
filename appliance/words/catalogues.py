"""The word catalogues: stable codes become sentences for people, in each language.

The frame has one gettext catalogue per language (`appliance/words`). Games add their own
(`appliance/games/game_words.py`): the texts of their rules (`words/`) and of their pages (`pages/words/`).
The msgid is the code (`rejection.prompt_closed`), the msgstr a sentence with `{placeholders}`. A sentence that a
catalogue lacks is taken from the English one. A sentence with plural forms has a code for each form (`ask.go.one`);
its first number selects the form.
"""

from __future__ import annotations

import io
import string
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any

from hardware.files.compiled import compiled
from hardware.files.regular_file import brief

_FRAME = Path(__file__).resolve().parent
LANGUAGES = tuple(sorted((path.stem for path in _FRAME.glob("*.po")), key=lambda tag: (tag != "en", tag)))
"""Tags of the languages that the frame has a catalogue for, such as `de`. English, the default, is the first."""
_FAMILIES = {
    "putty": "putty",
    "other_putty": "putty",
    "device": "device",
    "health": "health",
    "writer": "calibrate.begin",
    "other_writer": "calibrate.begin",
    **dict.fromkeys(("reason", "why"), "system"),
}
"""Families of the frame's own values, by key: colours that the camera is calibrated for, devices and their health,
calibrations that wrote a file, and why the system refused a file or an address (`os.strerror`)."""
PLURALS = frozenset({"zero", "one", "two", "few", "many"})
"""Endings of codes: the plural categories of numbers (Unicode CLDR). The code without an ending is used for "other"."""
OWN_NAME = "language.own"
_SEAT_KEYS = frozenset({"seat", "target", "source", "winner", "owner"})


class _Number:
    """A number in a sentence: `{points:,}` and `{mass_g:.1f}` use the language's thousands and decimal marks.

    Numbers that round to 0 have no minus sign. Numbers from 1 to a million (1100) have no exponent.
    """

    def __init__(self, value: float, language: str) -> None:
        self._value, self._marks = value, _marks(language)

    def __format__(self, form: str) -> str:
        text = format(self._value, form)
        if "e" in text and form.endswith("g") and 1 <= abs(self._value) < 1e6:
            text = format(float(text), f"{form[:1] if form[:1] in '+ ' else ''}.0f")
        if text.startswith("-") and not any(digit in text for digit in "123456789"):
            text = text.replace("-", "+" if form.startswith("+") else "", 1)
        return text.translate(self._marks)

    def __str__(self) -> str:
        return format(self)


@cache
def _marks(language: str) -> dict[int, str]:
    """Return the translation of Python's decimal and thousands marks to those of a language (Unicode CLDR)."""
    from babel.numbers import get_decimal_symbol, get_group_symbol  # slow import: only done when a number is formatted

    return {ord("."): get_decimal_symbol(language), ord(","): get_group_symbol(language)}


def negotiate(wanted: Sequence[str]) -> str:
    """Return the first known language in a list of preferences such as `["de-AT", "en"]`, else English."""
    for tag in wanted:
        language = tag.replace("_", "-").split("-")[0].lower()
        if language in LANGUAGES:
            return language
    return LANGUAGES[0]


class Words:
    """The sentences of one language.

    :param families: for the key of a value, the family of codes whose sentences replace the value.
    :raises KeyError: from `say`, when the catalogue lacks the code (a bug; tests walk all codes).
    """

    def __init__(
        self, language: str, sentences: Mapping[str, str], families: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.language = language
        self._sentences = sentences
        self._families = families
        self._plain = {code: said for code, said in sentences.items() if not {"{", "}"}.intersection(said)}
        self._counted = {code.rpartition(".")[0] for code in sentences if code.rpartition(".")[2] in PLURALS}

    def __contains__(self, code: str) -> bool:
        return code in self._sentences

    def codes(self) -> tuple[str, ...]:
        """Return every code, in the order of the catalogues."""
        return tuple(self._sentences)

    def say(self, code: str, values: Mapping[str, Any] | None = None, names: Sequence[str] = ()) -> str:
        """Return the sentence for `code`. Seat numbers in `values` become `names`, values of a family its words."""
        if code not in self._counted and (plain := self._plain.get(code)) is not None:
            return plain
        values = values or {}
        spoken = {key: self.spoken(key, value, names) for key, value in values.items()}
        form = self._form(code, values) if code in self._counted else code
        return self._sentences[form].format_map(spoken)

    def _form(self, code: str, values: Mapping[str, Any]) -> str:
        """Return the code for the plural category of the first number in the sentence, where the catalogue has it."""
        from babel import Locale

        for _, name, _, _ in string.Formatter().parse(self._sentences.get(code, "")):
            if name not in _SEAT_KEYS and type(number := values.get(name or "")) is int:
                form = f"{code}.{Locale.parse(self.language).plural_form(abs(number))}"
                return form if form in self._sentences else code
        return code

    def number(self, value: float, form: str) -> str:
        """Return a number in a format such as `+.2f`, with the marks of the language."""
        return format(_Number(value, self.language), form)

    def printed(self, text: Mapping[str, str]) -> str:
        """Return what is printed on an owner's card, by language: as it is there, else in the catalogue's words for its
        English (`printed.<English>`), else in English."""
        return text.get(self.language) or self._sentences.get(f"printed.{text['en']}", text["en"])

    def spoken(self, key: str, value: Any, names: Sequence[str] = ()) -> Any:
        """Return what replaces the placeholder `key` in a sentence when its value is `value`."""
        if isinstance(value, Mapping) and "en" in value:
            return _isolated(self.printed(value))
        if isinstance(value, list | tuple):
            return ", ".join(str(self.spoken(key, item, names)) for item in value)
        one = key if key in self._families else key.removesuffix("s")
        if one in _SEAT_KEYS and isinstance(value, int) and 0 <= value < len(names):
            return _isolated(names[value])
        if (family := self._families.get(one)) and f"{family}.{value}" in self._sentences:
            return self._sentences[f"{family}.{value}"]
        if type(value) in (int, float):
            return _Number(value, self.language)
        return _isolated(brief(value)) if isinstance(value, str) else value


def _isolated(text: str) -> str:
    """Return `text` so that what is written from right to left in it moves no number or mark around it (UAX #9)."""
    if text.isascii() or not any(unicodedata.bidirectional(character) in ("R", "AL") for character in text):
        return text
    return f"\N{FIRST STRONG ISOLATE}{text}\N{POP DIRECTIONAL ISOLATE}"


@cache
def words_for(language: str) -> Words:
    """Return the words of the frame in a language (`de`, the settings' `language`); English if it has no such one."""
    return words_with((), negotiate([language]))


def words_with(folders: Iterable[Path], language: str, families: Mapping[str, str] = MappingProxyType({})) -> Words:
    """Return the words of the frame and of the catalogues in `folders`; a later one wins. A folder may lack one."""
    sentences: dict[str, str] = {}
    spoken = {LANGUAGES[0]: None, language: None}
    for folder, one in product((_FRAME, *folders), spoken):
        sentences.update(_read(folder / f"{one}.po", one))
    return Words(language, sentences, {**_FAMILIES, **families})


@cache
def language_names() -> Mapping[str, str]:
    """Return the name of each language in that language, by its tag."""
    return {language: _read(_FRAME / f"{language}.po", language).get(OWN_NAME, language) for language in LANGUAGES}


@cache
def _read(path: Path, language: str) -> Mapping[str, str]:
    """Return code → sentence of one catalogue, empty where there is no file. Cached: all games share the frame's."""
    if not path.exists():
        return {}
    source = path.read_bytes()
    return compiled(path, source, lambda: _parsed(source, language))


def _parsed(source: bytes, language: str) -> dict[str, str]:
    from babel.messages.pofile import read_po

    catalogue = read_po(io.BytesIO(source), locale=language)
    return {str(message.id): str(message.string) for message in catalogue if message.id and message.string}
