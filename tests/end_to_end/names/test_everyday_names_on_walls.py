"""Walls with as many players as a game takes: a name of nine letters is read whole, at its code and on its card."""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import Any

import msgspec
import pytest

from appliance.games.catalogue import GAMES, the_game
from tests.appliance.games.plays import play_of
from tests.end_to_end.at_rest import AT_REST, SHOW, Screens
from tests.end_to_end.names.test_six_long_names import NINE_LETTERS
from tests.end_to_end.served import needs_browser
from tests.moments import Course
from tests.pages import Pages

pytestmark = needs_browser

STEPS = 20
"""How many deeds are followed: with six, until somebody inspects a convoy of Prohis."""
CUT = """() => Array.from(document.querySelectorAll(":is(.joining, article) :is(.who, .label, .name, h2)"))
    .filter(name => name.scrollWidth > name.clientWidth + 1 && getComputedStyle(name).display !== "inline")
    .map(name => `${name.textContent.trim()} ${name.closest(".joining") ? "at a code" : "on a card"}`)
    .concat(Array.from(document.querySelectorAll(".region-players > *"))
        .filter(card => card.getBoundingClientRect().bottom > innerHeight)
        .map(card => `${card.id} is below the screen`))"""


@pytest.mark.parametrize("players", [4, 6])
@pytest.mark.parametrize("game", GAMES)
def test_a_name_of_nine_letters_is_read_whole_on_the_wall(browser: Any, game: str, players: int) -> None:
    seats = min(players, the_game(game).rules.seats[-1])
    play, pages, wrong, asked = play_of(game), Pages(), set[str](), set[Any]()
    setup = play.a_setup(seats)
    sitting = zip(setup.players, NINE_LETTERS, strict=False)
    named = tuple(msgspec.structs.replace(player, name=name) for player, name in sitting)
    course = Course(game, msgspec.structs.replace(setup, players=named))
    screens, codes = Screens(browser, pages), 0
    for step, (_, action, *_) in enumerate(islice(play.played(course.setup, Random(seats)), STEPS)):
        if course.kind()[0] not in asked:
            asked.add(course.kind()[0])
            html = pages.wall(course.moment("nine letters", step), "de")
            screen = screens.screen("wall", html)
            screen.evaluate(SHOW, html)
            screen.evaluate(AT_REST)
            codes += screen.locator(".joining .qr").count()
            wrong |= set(screen.evaluate(CUT))
        assert course.do(action), action
    screens.close()
    assert codes
    assert not wrong
