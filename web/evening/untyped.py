"""The names that set-up pages give to players who typed none."""

from __future__ import annotations

from functools import cache
from itertools import product

from msgspec.structs import replace

from appliance.games.catalogue import GAMES, the_game
from appliance.games.game_words import words_of
from appliance.games.league.result import name_key
from appliance.games.protocol import Player
from appliance.words.catalogues import LANGUAGES

_SEATS_MOST = 16


def is_untyped(player: Player) -> bool:
    """Return whether the player's name is one that a set-up page gives for what they bring, in any language.

    On a player who brings something else the same word is a name.
    """
    return name_key(player.name) in _given(replace(player, name=""))


@cache
def _given(player: Player) -> frozenset[str]:
    names = set()
    for game, language in product(GAMES, LANGUAGES):
        words = words_of(language, game)
        for code in ("general.player", "setup.player"):
            if code in words:
                names |= {words.say(code, {"n": n}) for n in range(1, _SEATS_MOST + 1)}
        if (code := the_game(game).untyped_name(player)) in words:
            names.add(words.say(code))
    return frozenset(map(name_key, names))
