"""The word catalogues: stable codes become sentences for people, in each language.

One gettext catalogue per language for the frame (`appliance/words`). Games have their own on top
(`appliance/games/game_words.py`): what their rules say (`words/`) and what their pages say (`pages/words/`).
The msgid is the code (`rejection.prompt_closed`), the msgstr a sentence with `{placeholders}`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from babel.messages.pofile import read_po
from babel.numbers import get_decimal_symbol, get_group_symbol

_FRAME = Path(__file__).resolve().parent / "words"
LANGUAGES = tuple(sorted((path.stem for path in _FRAME.glob("*.po")), key=lambda tag: (tag != "en", tag)))
"""Those that the frame has a catalogue of; English, which is spoken where no wish is known, first."""

_FAMILIES = {"putty": "putty", "other_putty": "putty", "device": "device", "health": "health"}
"""The frame's own: the colours that the camera is calibrated for, and how its devices are."""
_SEAT_KEYS = frozenset({"seat", "target", "source", "winner", "owner"})


class _Number:
    """A number in a sentence: `{points:,}` and `{mass_g:.1f}` mark thousands and decimals as the language does.

    Numbers that round to 0 have no minus sign. Numbers that people can read (1100) have no power of ten.
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
    return {ord("."): get_decimal_symbol(language), ord(","): get_group_symbol(language)}


def negotiate(wanted: Sequence[str]) -> str:
    """Return the first known language of an ordered list of wishes such as `["de-AT", "en"]`, else English."""
    for tag in wanted:
        language = tag.replace("_", "-").split("-")[0].lower()
        if language in LANGUAGES:
            return language
    return LANGUAGES[0]


class Words:
    """The sentences of one language.

    :param families: by the key of a value, the family of codes that say it.
    :raises KeyError: from `say`, when the catalogue lacks the code (a bug; tests walk all codes).
    """

    def __init__(
        self, language: str, sentences: Mapping[str, str], families: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        self.language = language
        self._sentences = sentences
        self._families = families

    def __contains__(self, code: str) -> bool:
        return code in self._sentences

    def codes(self) -> tuple[str, ...]:
        """Return every code, in the order of the catalogues."""
        return tuple(self._sentences)

    def say(self, code: str, values: Mapping[str, Any] | None = None, names: Sequence[str] = ()) -> str:
        """Return the sentence for `code`. Seat numbers in `values` become `names`, words of a family its words."""
        spoken = {key: self.spoken(key, value, names) for key, value in (values or {}).items()}
        return self._sentences[code].format_map(spoken)

    def number(self, value: float, form: str) -> str:
        """Return a number in a format such as `+.2f`, with the marks of the language."""
        return format(_Number(value, self.language), form)

    def spoken(self, key: str, value: Any, names: Sequence[str] = ()) -> Any:
        """Return what stands in a sentence for `value` under `key`."""
        if isinstance(value, list | tuple):
            return ", ".join(str(self.spoken(key, item, names)) for item in value)
        one = key if key in self._families else key.removesuffix("s")
        if one in _SEAT_KEYS and isinstance(value, int) and 0 <= value < len(names):
            return names[value]
        if (family := self._families.get(one)) and f"{family}.{value}" in self._sentences:
            return self._sentences[f"{family}.{value}"]
        return _Number(value, self.language) if type(value) in (int, float) else value


@cache
def words(language: str) -> Words:
    """Return the words of the frame."""
    return words_with((), language)


def words_with(folders: Iterable[Path], language: str, families: Mapping[str, str] = MappingProxyType({})) -> Words:
    """Return the words of the frame and of the catalogues in `folders`, each on top; a folder may lack one."""
    sentences: dict[str, str] = {}
    for folder in (_FRAME, *folders):
        sentences.update(_read(folder / f"{language}.po", language))
    return Words(language, sentences, {**_FAMILIES, **families})


@cache
def _read(path: Path, language: str) -> Mapping[str, str]:
    """Return code → sentence of one catalogue, none where there is no such file; the frame's is shared by all games."""
    if not path.exists():
        return {}
    with path.open("rb") as file:
        catalogue = read_po(file, locale=language)
    return {str(message.id): str(message.string) for message in catalogue if message.id}
