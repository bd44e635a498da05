"""The word catalogue of the frame, extended and overridden by that of a game."""

from __future__ import annotations

from functools import cache

from appliance.games.catalogue import the_game
from appliance.words.catalogues import Words, words_for, words_with


@cache
def words_of(language: str, game: str | None) -> Words:
    """Return the words of the frame. If `game` is not None, its words extend and override them."""
    if game is None:
        return words_for(language)
    found = the_game(game)
    return words_with(found.word_folders, language, found.word_families)
