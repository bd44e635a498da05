"""The wall of a first evening: the strip that explains takes height, and all else still has room of its own."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

import msgspec
import pytest

from appliance.games.catalogue import GAMES, the_game
from appliance.games.haulers.table_data import our_edition
from appliance.games.smugglers.rules.actions import SmugglersAction
from appliance.words.catalogues import LANGUAGES
from tests.appliance.games.plays import play_of
from tests.end_to_end.at_rest import AT_REST, SHOW, Screens
from tests.end_to_end.served import needs_browser
from tests.moments import Course, Moment, at_random, named, random_setups, recorded
from tests.pages import Pages
from tests.web.rounds import INSPECTIONS, opening, ranking

pytestmark = [*needs_browser, pytest.mark.thorough]

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
        if (one.e.matches("svg, td, th, .log li") && one.e.getBoundingClientRect().bottom > one.box.bottom + 2)
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
    pages.know(newcomers=lambda seating: frozenset(range(6)), plays=lambda seat: by)
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


BELOW_THE_LOG = """() => Array.from(document.querySelectorAll(".region-ask *"))
    .filter(e => e.checkVisibility() && !e.closest("svg"))
    .filter(e => e.getBoundingClientRect().bottom
        > document.querySelector(".region-players").getBoundingClientRect().top + 1)
    .map(e => e.textContent.trim().slice(0, 40))"""


def test_a_check_and_its_lesson_leave_room_for_each_other(browser: Any) -> None:
    """Names of the longest kind, and a bribe on the table."""
    pages, wrong = Pages(), dict[str, str]()
    pages.know(newcomers=lambda seating: frozenset(range(6)))
    screens, checks = Screens(browser, pages), 0
    for name in ("TR-41-caught", "TR-31-bribe"):
        for moment in recorded("haulers", name):
            html = pages.wall(moment, "de")
            if 'class="check' not in html or 'class="lesson"' not in html:
                continue
            checks += 1
            screen = screens.screen("wall", html)
            screen.evaluate(SHOW, html)
            screen.evaluate(AT_REST)
            for fault in (*screen.evaluate(LAPPED), *screen.evaluate(BELOW_THE_LOG)):
                wrong.setdefault(fault, f"{moment.source} step {moment.step}")
    screens.close()
    assert checks > 1
    assert not wrong, wrong


def test_no_line_of_what_happened_is_cut_in_two(browser: Any) -> None:
    """After a red number the newest line has two rows, and a name makes what is asked a row longer."""
    pages, wrong, red = Pages(), set[str](), 0
    setup = random_setups("smugglers")[0]
    players = tuple(msgspec.structs.replace(one, name=f"Friederike {one.name}") for one in setup.players)
    course = Course("smugglers", msgspec.structs.replace(setup, players=players))
    screens = Screens(browser, pages)
    for step, (_, action, *_) in enumerate(islice(play_of("smugglers").played(course.setup, Random(0)), 60)):
        assert course.do(action), action
        moment = course.moment("long names", step)
        if moment.snapshot.log[-1].happening.code == "round_went_blind":
            for language in LANGUAGES:
                html = pages.wall(moment, language)
                screen = screens.screen("wall", html)
                screen.evaluate(SHOW, html)
                screen.evaluate(AT_REST)
                wrong |= set(screen.evaluate(LAPPED))
                red += 1
    screens.close()
    assert red
    assert not wrong


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


STUCK = [{"do": "attempt", "seat": seat, "outcome": "stuck"} for seat in (0, 0, 1, 1, 2, 2, 3, 3)]
DICE = [{"do": "tie_roll", "seat": seat, "value": 5 - seat} for seat in (0, 3)]
TIED = [*opening({}), *ranking({0: 20.0, 2: 30.0, 3: 20.0})]
KNOWN = {
    "nobody through": [*opening({}), *STUCK],
    "equals": TIED,
    "the second of equals": [*TIED, *DICE[:1]],
    "a bomb steals": [
        *TIED,
        *({"do": "tie_roll", "seat": seat, "value": 5 - seat} for seat in (0, 3)),
        *INSPECTIONS[:2],
    ],
}
"""What a step asks with more to be known than its headline says, by what has been done in a game of four."""
# Buttons of the touchscreen that lie below the end of the panel.
PUSHED_OUT = """() => Array.from(document.querySelectorAll(".region-ask .controls .tap"))
    .filter(tap => tap.getBoundingClientRect().bottom > tap.closest(".region").getBoundingClientRect().bottom + 1)
    .map(tap => `${tap.textContent.trim()} is below the panel`)"""


@pytest.mark.parametrize("what", KNOWN)
def test_what_must_be_known_leaves_newcomers_the_players_and_the_buttons(browser: Any, what: str) -> None:
    course = Course("smugglers", named(play_of("smugglers").a_setup(4)))
    assert all(course.do(msgspec.convert(one, SmugglersAction)) for one in KNOWN[what])
    pages, moment = Pages(), course.moment(what, 1)
    pages.know(newcomers=lambda seating: frozenset(range(4)))
    screens = Screens(browser, pages)
    for language in LANGUAGES:
        for kind, html in (("wall", pages.wall(moment, language)), ("kiosk", pages.kiosk(moment, language))):
            screen = screens.screen(kind, html)
            screen.evaluate(SHOW, html)
            screen.evaluate(AT_REST)
            assert screen.locator(".lesson:visible").count() == 1
            assert screen.locator(".known").count() == 1
            assert screen.evaluate(CROWDED_OUT, LEAST_CODE_PX) == [], language
            assert screen.evaluate(PUSHED_OUT) == [], language
    screens.close()
