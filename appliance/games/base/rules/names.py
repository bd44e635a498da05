"""Checks the names of players, for every game."""

from __future__ import annotations

import unicodedata

import msgspec

from appliance.games.base.rules.codes import reject
from appliance.games.protocol import Rejection, Setup

LONGEST_NAME = 24
_JOINERS = "\u200c\u200d"
"""Format characters that emoji and names in some scripts need."""
_BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800\u2065") | frozenset(map(chr, range(0xFFF0, 0xFFF9)))
"""Letters, symbols and reserved characters that show nothing: the Hangul fillers, the empty Braille cell and others."""
_TAGS = range(0xE0000, 0xE1000)
"""The block of tags and variation selectors: none of its characters shows by itself."""


def wrong_names(setup: Setup, rule: str) -> Rejection | None:
    """Return why the players' names are refused: `bad_name` or `name_twice` by `rule`; None when all are valid.

    Names that show nothing are valid here, because games with such names were recorded: see `without_blank_names`.
    """
    seen: set[str] = set()
    for seat, player in enumerate(setup.players):
        name = unicodedata.normalize("NFC", player.name)
        if not _is_recordable(name):
            return reject("bad_name", rule, {"number": seat + 1, "longest": LONGEST_NAME})
        if name.casefold() in seen:
            return reject("name_twice", rule, {"number": seat + 1})
        seen.add(name.casefold())
    return None


def without_blank_names(setup: Setup) -> Setup:
    """Return the set-up of a new game with an empty name for each that is none (`is_name`): its rules refuse that."""
    players = (player if is_name(player.name) else msgspec.structs.replace(player, name="") for player in setup.players)
    return msgspec.structs.replace(setup, players=tuple(players))


def is_name(name: str) -> bool:
    """Return whether this is a valid name: 1 to 24 visible characters, without spaces around them.

    Format characters are refused, with them all that turn the direction of a text. Joiners and combining characters are
    valid beside a character that shows by itself.
    """
    name = unicodedata.normalize("NFC", name)
    return _is_recordable(name) and _BLANK.isdisjoint(name) and any(map(_shows_by_itself, name))


def _is_recordable(name: str) -> bool:
    return bool(name) and name == name.strip() and len(name) <= LONGEST_NAME and all(map(_printable, name))


def _printable(character: str) -> bool:
    if character in _JOINERS:
        return True
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _shows_by_itself(character: str) -> bool:
    if character in _JOINERS or ord(character) in _TAGS:
        return False
    return unicodedata.category(character) not in ("Mn", "Mc", "Me", "Zs")
