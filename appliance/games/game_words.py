"""What the frame and a game say: the frame's catalogue with the game's on top."""

from __future__ import annotations

from functools import cache

from appliance.games.catalogue import the_game
from appliance.words import Words, words, words_with


@cache
def words_of(language: str, game: str | None) -> Words:
    """Return the words of the frame and, where `game` names one, of that game on top."""
    if game is None:
        return words(language)
    found = the_game(game)
    return words_with(found.word_folders, language, found.word_families)
