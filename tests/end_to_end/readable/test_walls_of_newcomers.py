"""The wall of a first evening: the strip that explains takes height, and all else still has room of its own."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

import pytest

from appliance.games.catalogue import GAMES, the_game
from appliance.games.haulers.table_data import our_edition
from appliance.words import LANGUAGES
from tests.appliance.games.plays import play_of
from tests.end_to_end.at_rest import AT_REST, SHOW, Screens
from tests.end_to_end.served import needs_browser
from tests.moments import Course, Moment, at_random, named, random_setups
from tests.pages import Pages

pytestmark = needs_browser

STEPS = 40
"""How many deeds of a game are followed."""

# Words and codes of one region that lie on those of another, or that are cut off by the end of the screen.
LAPPED = """() => {
    const clipped = element => {
        let box = element.getBoundingClientRect();
        let [left, top, right, bottom] = [box.left, box.top, box.right, box.bottom];
        for (let above = element.parentElement; above; above = above.parentElement) {
            if (getComputedStyle(above).overflowY === "visible") continue;
            box = above.getBoundingClientRect();
            [left, top] = [Math.max(left, box.left), Math.max(top, box.top)];
            [right, bottom] = [Math.min(right, box.right), Math.min(bottom, box.bottom)];
        }
        return { left, top, right, bottom };
    };
    const worded = e => Array.from(e.childNodes).some(node => node.nodeType === 3 && node.data.trim());
    const marks = Array.from(document.querySelectorAll("main .region")).flatMap(region =>
        Array.from(region.querySelectorAll("*"))
            .filter(e => e.matches("svg.qr") || (!e.closest("svg") && !e.closest(".sr, [data-moment]") && worded(e)))
            .filter(e => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
            .map(e => ({ e, region: region.id, what: e.matches("svg") ? "code" : e.textContent.trim().slice(0, 40) }))
            .map(mark => ({ ...mark, box: clipped(mark.e) }))
            .filter(({ box }) => box.right - box.left > 2 && box.bottom - box.top > 2));
    const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
    const wrong = [];
    for (const one of marks) {
        if (one.e.matches("svg, td, th") && one.e.getBoundingClientRect().bottom > one.box.bottom + 2)
            wrong.push(`${one.what} is cut off`);
        for (const other of marks)
            if (one.region < other.region && over(one.box, other.box)) wrong.push(`${one.what} on ${other.what}`);
    }
    for (const name of document.querySelectorAll(".joining .who")) {
        const cut = [name, ...name.children].some(e => e.scrollWidth > e.clientWidth + 1);
        if (cut) wrong.push(`${name.textContent} is cut off at the code`);
    }
    return wrong;
}"""


def first_rounds(game: str, players: int, **options: Any) -> Iterator[Moment]:
    """Yield the first moment in which each deed is asked for, at the beginning of a random game of so many."""
    play, asked = play_of(game), set[Any]()
    setup = play.a_setup(players, **options)
    course = Course(game, named(setup))
    for step, (_, action, *_) in enumerate(islice(play.played(course.setup, Random(players)), STEPS)):
        if course.kind()[0] not in asked:
            yield course.moment(f"{players} players", step)
        asked.add(course.kind()[0])
        assert course.do(action), action


@pytest.mark.parametrize("by", ["person", "robot"])
@pytest.mark.parametrize("game", GAMES)
def test_nothing_on_the_wall_lies_on_anything_else(browser: Any, game: str, by: str) -> None:
    pages = Pages()
    pages.web.renderer.newcomers = lambda seating: frozenset(range(6))
    pages.web.renderer.plays = lambda seat: by
    screens, wrong = Screens(browser, pages), dict[str, str]()
    seats = the_game(game).rules.seats
    for moment in (one for players in (seats[0], seats[-1]) for one in first_rounds(game, players)):
        for language in LANGUAGES:
            html = pages.wall(moment, language)
            screen = screens.screen("wall", html)
            screen.evaluate(SHOW, html)
            screen.evaluate(AT_REST)
            for fault in (*screen.evaluate(CROWDED_OUT, LEAST_CODE_PX), *screen.evaluate(LAPPED)):
                wrong.setdefault(fault, f"{moment.source} step {moment.step} {language}")
    screens.close()
    assert not wrong, "\n".join(f"{what} ({where})" for what, where in sorted(wrong.items()))


# Codes to join take what is left: whoever plays is on the wall, whole, and a code is large enough for a phone.
CROWDED_OUT = """least => {
    const wrong = [];
    for (const card of document.querySelectorAll(".region-players > *"))
        if (card.getBoundingClientRect().bottom > innerHeight + 1) wrong.push(`${card.id} is below the screen`);
    for (const code of document.querySelectorAll(".joining .qr")) {
        const box = code.getBoundingClientRect();
        if (Math.min(box.width, box.height) < least) wrong.push(`a code of ${Math.round(box.height)} pixels`);
    }
    return wrong;
}"""
LEAST_CODE_PX = 72
"""With its margin: two pixels for each of its 33 modules."""


@pytest.mark.parametrize("game", GAMES)
def test_players_are_seen_whole_beside_the_codes_to_join(browser: Any, game: str) -> None:
    pages, wrong = Pages(), dict[str, str]()
    screens = Screens(browser, pages)
    many = {"missions": "open", "edition": our_edition()} if game == "haulers" else {}
    games = [first_rounds(game, the_game(game).rules.seats[-1], **many)]
    games += [at_random(game, number, set()) for number in range(len(random_setups(game)))]
    for moments in games:
        for moment in moments:
            html = pages.wall(moment, "de")
            if 'class="joining' not in html:
                break
            screen = screens.screen("wall", html)
            screen.evaluate(SHOW, html)
            screen.evaluate(AT_REST)
            for fault in (*screen.evaluate(CROWDED_OUT, LEAST_CODE_PX), *screen.evaluate(LAPPED)):
                wrong.setdefault(fault, f"{moment.source} step {moment.step}")
    screens.close()
    assert not wrong, "\n".join(f"{what} ({where})" for what, where in sorted(wrong.items()))
