"""Whatever could have been done instead has words on its button, in every game and language."""

from __future__ import annotations

from importlib import import_module
from itertools import islice
from random import Random

import pytest

from appliance.games.catalogue import GAMES
from appliance.words import LANGUAGES
from web.asks import asks_of
from web.render import Speech

NAMES = ("Ann", "Ben", "Cem", "Dora", "Eve", "Finn")


def headed(say: Speech, field: str, value: object) -> bool:
    return f"given.{field}" in say.words or f"given.{field}.{value}" in say.words


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_every_alternative_is_said(game: str, language: str) -> None:
    play = import_module(f"tests.games.{game}.play")
    say = Speech(language, game, NAMES)
    unsaid = set()
    buttons = 0
    for options in getattr(play, "VARIANTS", ({},)):
        for state, *_ in islice(play.played(play.a_setup(3, **options), Random(1)), 400):
            for ask in asks_of(play.GAME.expects(state, None)):
                for control in ask.controls:
                    for row in control.rows:
                        unsaid |= {field for field, value in row.given.items() if not headed(say, field, value)}
                        for button in row.buttons:
                            buttons += 1
                            said = say.choice(control.do, button.field, button.value, button.action)
                            unsaid |= {said} if said.startswith("button.") else set()
    assert buttons > 80
    assert unsaid == set()
