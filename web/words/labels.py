"""Labels of fields and values in one language: from the word catalogue, or else a readable form of the identifier."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from appliance.words.catalogues import Words

_UNITS = frozenset({"g", "mm", "s"})
"""Unit suffixes of field names."""
_CODE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


class Labels:
    """Returns labels of fields and texts of values.

    :param names: the players' names, by seat.
    """

    def __init__(self, words: Words, names: tuple[str, ...]) -> None:
        self.words = words
        self.names = names

    def label(self, name: str) -> str:
        """Return the label of a field: the words of `field.<name>`, or the name itself in readable form."""
        if f"field.{name}" in self.words:
            return self.words.say(f"field.{name}")
        head, _, unit = name.rpartition("_")
        return f"{readable(head)} ({unit})" if head and unit in _UNITS else readable(name)

    def value(self, name: str, value: Any) -> str:
        """Return the text for the `value` of `name`: by its family, or the words of `<name>.<value>`, or readable."""
        if value is None or (isinstance(value, Collection) and not value):
            return "–"
        if isinstance(value, bool):
            return self.words.say("yes" if value else "no")
        if isinstance(value, list | tuple | set | frozenset):
            return ", ".join(self.value(name, one) for one in value)
        if isinstance(value, Mapping):
            return self._told(value)
        said = self.words.spoken(name, value, self.names)
        if said is not value or not isinstance(value, str):
            return str(said)
        if f"{name}.{value}" in self.words:
            return self.words.say(f"{name}.{value}")
        return value.replace("_", " ") if _CODE.fullmatch(value) else value

    def listed(self, names: Sequence[str]) -> str:
        """Return names separated by commas, in this order also where they are written from right to left."""
        return str(self.words.spoken("name", names))

    def made_readable(self, code: str, values: Mapping[str, Any]) -> str:
        """Return a readable text for a code that has no words, with its values."""
        said = readable(code.partition(".")[2] or code)
        told = self._told(values)
        return f"{said}: {told}" if told else said

    def _told(self, values: Mapping[str, Any]) -> str:
        """Return values as a comma-separated list: a player by name alone, others after their label."""
        told = []
        for key, value in values.items():
            text = self.value(key, value)
            named = text in self.names and not isinstance(value, str)
            told.append(text if named else f"{self.label(key)} {text}")
        return ", ".join(told)


def readable(name: str) -> str:
    """Return an identifier as words: `load_hidden` becomes "Load hidden"."""
    said = re.sub(r"[_.]+", " ", name).strip()
    return said[:1].upper() + said[1:]
