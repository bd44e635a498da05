"""Wall and touchscreen with the longest names: nothing that belongs to the game is pushed out of sight by a name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import pytest

from appliance.games.protocol import Player, Setup
from appliance.words.catalogues import LANGUAGES
from tests.appliance.games.recordings import path_of
from tests.end_to_end.at_rest import AT_REST, SHOW, Screens
from tests.end_to_end.served import needs_browser
from tests.moments import Course, Moment
from tests.pages import Pages

pytestmark = [*needs_browser, pytest.mark.thorough]

LONG = ("Maximiliane von Hohenst.", "Donaudampfschifferin Eva", "Constantinopolis-Wagner!", "Friederike-Charlotte Sch")
OFF_THE_FELT = """() => Array.from(document.querySelectorAll(".felt :is(.card, .who, small)")).filter(one => {
    const felt = one.closest(".felt").getBoundingClientRect(), box = one.getBoundingClientRect();
    return box.left < felt.left || box.right > felt.right || box.top < felt.top || box.bottom > felt.bottom;
}).map(one => one.outerHTML.slice(0, 120))"""
CUT_ROWS = """() => Array.from(document.querySelectorAll(".region-tariff tr")).filter(row => {
    const region = row.closest(".region").getBoundingClientRect();
    return row.checkVisibility({ visibilityProperty: true }) && row.getBoundingClientRect().bottom > region.bottom + 1;
}).map(row => row.textContent.trim())"""


def a_convoy_with_a_bribe() -> list[dict[str, Any]]:
    """Return what is done until four cards of a convoy, two of a bribe and a Major lie on the road."""
    return [
        {"do": "convoy", "seat": 0, "cards": ["illegal", "illegal", "illegal", "legal"]},
        {"do": "declare", "seat": 1, "prohi": None},
        {"do": "declare", "seat": 2, "prohi": "major"},
        {"do": "declare", "seat": 3, "prohi": None},
        {"do": "offer", "seat": 0, "cards": ["captain", "major"]},
    ]


def a_traveller_who_borrows() -> list[dict[str, Any]]:
    """Return what is done until a traveller asks for the money to pay a fine."""
    return [
        {"do": "declare", "seat": 1, "goods": ["wine", "cigars"]},
        {"do": "search", "seat": 0},
        {"do": "ask_loan", "seat": 1, "lender": 2, "amount": 150},
    ]


def dealt_as(game: str, recording: str, lines: int, deeds: Sequence[dict[str, Any]]) -> Iterator[Moment]:
    """Yield the moments of a game that begins like a recording's first lines, with the longest names, then go on."""
    first, *rest = path_of(game, recording).read_bytes().splitlines()
    setup = msgspec.json.decode(first, type=Setup)
    named = tuple(Player(name=name) for name in LONG[: len(setup.players)])
    course = Course(game, msgspec.structs.replace(setup, players=named))
    for step, line in enumerate([*rest[:lines], *map(msgspec.json.encode, deeds)]):
        assert course.do(msgspec.json.decode(line, type=course.rules.action_type)), line
        yield course.moment("long", step)


@pytest.mark.parametrize("shown", ["wall", "kiosk"])
def test_a_convoy_of_prohis_leaves_every_card_on_the_felt(browser: Any, shown: str) -> None:
    assert seen(browser, shown, dealt_as("prohis", "P-10", 2, a_convoy_with_a_bribe()), OFF_THE_FELT) == []


def test_the_tariff_of_customs_stays_whole_while_somebody_cannot_pay(browser: Any) -> None:
    assert seen(browser, "wall", dealt_as("customs", "C-23", 1, a_traveller_who_borrows()), CUT_ROWS) == []


def seen(browser: Any, shown: str, moments: Iterator[Moment], look: str) -> list[str]:
    """Return what `look` finds on that screen, in every moment and language."""
    pages, found = Pages(), []
    screens = Screens(browser, pages)
    for moment in moments:
        for language in LANGUAGES:
            html = (pages.wall if shown == "wall" else pages.kiosk)(moment, language)
            screen = screens.screen(shown, html)
            screen.evaluate(SHOW, html)
            screen.evaluate(AT_REST)
            found += [f"{moment.step} {language}: {one}" for one in screen.evaluate(look)]
    screens.close()
    return found
