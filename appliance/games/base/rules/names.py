"""Checks the names of players, for every game."""

from __future__ import annotations

import unicodedata

from appliance.games.base.rules.codes import reject
from appliance.games.protocol import Rejection, Setup

LONGEST_NAME = 24
_JOINERS = "\u200c\u200d"
"""Format characters that emoji and names in some scripts need."""


def wrong_names(setup: Setup, rule: str) -> Rejection | None:
    """Return why the players' names are refused: `bad_name` or `name_twice` by `rule`; None when all are valid."""
    seen: set[str] = set()
    for seat, player in enumerate(setup.players):
        name = unicodedata.normalize("NFC", player.name)
        if not is_name(name):
            return reject("bad_name", rule, {"number": seat + 1, "longest": LONGEST_NAME})
        if name.casefold() in seen:
            return reject("name_twice", rule, {"number": seat + 1})
        seen.add(name.casefold())
    return None


def is_name(name: str) -> bool:
    """Return whether this is a valid name: 1 to 24 visible characters, without spaces around them."""
    name = unicodedata.normalize("NFC", name)
    return bool(name) and name == name.strip() and len(name) <= LONGEST_NAME and all(map(_printable, name))


def _printable(character: str) -> bool:
    if character in _JOINERS:
        return True
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
