"""The names of cities on the map of Haulers, with trucks all around them."""

from __future__ import annotations

from itertools import cycle, islice
from typing import Any

import msgspec
import pytest

from appliance.games.haulers.rules.map.edition import Edition
from appliance.games.haulers.rules.map.edition_reader import read_edition
from appliance.games.haulers.rules.stages import Moving, Turn
from appliance.games.haulers.table_data import our_edition
from tests.appliance.games.haulers.little_land import little_land
from tests.appliance.games.haulers.play import a_setup
from tests.end_to_end.at_rest import SHOW, Screens
from tests.end_to_end.served import needs_browser
from tests.moments import Course, Moment, named
from tests.pages import Pages

pytestmark = needs_browser

# Letters of names that something else lies on, where the map shows them.
COVERED = """() => Array.from(document.querySelectorAll("svg.map .town")).flatMap(name => {
    const map = name.ownerSVGElement.getBoundingClientRect(), onScreen = name.getScreenCTM();
    return Array.from(name.textContent, (letter, at) => {
        const cell = name.getExtentOfChar(at);
        const {x, y} = new DOMPoint(cell.x + cell.width / 2, cell.y + cell.height / 2).matrixTransform(onScreen);
        if (x < map.left || x > map.right || y < map.top || y > map.bottom || y > innerHeight) return "";
        return document.elementFromPoint(x, y) === name ? "" : `${letter} of ${name.textContent}`;
    }).filter(Boolean);
})"""

# Marks of owners that something else lies on, where the map shows them.
HIDDEN = """() => Array.from(document.querySelectorAll("svg.map .whose")).flatMap(mark => {
    const map = mark.ownerSVGElement.getBoundingClientRect(), {left, right, top, bottom} = mark.getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    if (left < map.left || right > map.right || top < map.top || bottom > map.bottom) return [`${mark.outerHTML} cut`];
    const over = document.elementFromPoint(x, y);
    return mark.contains(over) ? [] : [`${mark.id} under ${over.outerHTML.slice(0, 80)}`];
})"""

# Names that the edge of a map cuts, where no finger can move it.
CUT = """() => Array.from(document.querySelectorAll("svg.map .town")).filter(name => {
    const map = name.ownerSVGElement.getBoundingClientRect(), {left, right, top, bottom} = name.getBoundingClientRect();
    const seen = left < map.right && right > map.left && top < map.bottom && bottom > map.top;
    return seen && (left < map.left || right > map.right || top < map.top || bottom > map.bottom);
}).map(name => name.textContent)"""


def edition_of(land: dict[str, Any]) -> Edition:
    edition = read_edition(land)
    assert isinstance(edition, Edition)
    return edition


def crowded(edition: Edition) -> list[Moment]:
    """Return one moment for each city: in it all trucks, and one with them in it and on the squares next to it."""
    moment = Course("haulers", named(a_setup(6, edition=edition))).moment("trucks", 0)
    state: Any = moment.snapshot.state

    def standing(*squares: str) -> Moment:
        trucks = islice(cycle(squares), len(state.players))
        players = tuple(
            msgspec.structs.replace(player, truck=at) for player, at in zip(state.players, trucks, strict=True)
        )
        snapshot = msgspec.structs.replace(moment.snapshot, state=msgspec.structs.replace(state, players=players))
        return moment._replace(snapshot=snapshot)

    board = state.board
    cities = [name for name in board.labels if board.roads.get(name)]
    return [standing(*squares) for city in cities for squares in ((city,), (city, *board.roads[city]))]


def on_the_way(edition: Edition, steps: int | None) -> list[Moment]:
    """Return moments all over the map: the first truck stands there, or moves on by up to `steps`."""
    moment = Course("haulers", named(a_setup(2, edition=edition))).moment("on the way", 0)
    state: Any = moment.snapshot.state

    def standing(square: str) -> Moment:
        first, *others = state.players
        players = (msgspec.structs.replace(first, truck=square), *others)
        agenda = (Turn(seat=0), *(() if steps is None else (Moving(seat=0, left=steps),)))
        moved = msgspec.structs.replace(state, players=players, agenda=agenda, turn=1, first=0)
        return moment._replace(snapshot=msgspec.structs.replace(moment.snapshot, state=moved))

    squares = [square for square in state.board.squares if state.board.roads.get(square)]
    return [standing(square) for nth, square in enumerate(squares) if square in state.board.labels or nth % 5 == 0]


@pytest.mark.parametrize("edition", [our_edition(), edition_of(little_land())], ids=("ours", "an owner's"))
def test_names_of_cities_and_marks_of_trucks_can_be_read(browser: Any, edition: Edition) -> None:
    pages = Pages()
    screens = Screens(browser, pages)
    for number, moment in enumerate(crowded(edition)):
        shown = {"wall": pages.wall(moment, "en")}
        if number < 4:
            shown |= {"kiosk": pages.kiosk(moment, "en"), "seat": pages.phone(moment, 0, "en")}
        for kind, html in shown.items():
            screen = screens.screen(kind, html)
            screen.evaluate(SHOW, html)
            # A phone leaves out names that its part of the map would cut.
            assert kind == "seat" or screen.locator("svg.map .town").count() == len(edition.cities)
            assert screen.evaluate(COVERED) == [], (kind, number)
            assert screen.evaluate(HIDDEN) == [], (kind, number)
    screens.close()


@pytest.mark.parametrize("edition", [our_edition(), edition_of(little_land())], ids=("ours", "an owner's"))
@pytest.mark.parametrize("steps", [None, 1, 6], ids=("still", "one step", "six steps"))
def test_no_edge_cuts_the_name_of_a_city(browser: Any, edition: Edition, steps: int | None) -> None:
    pages = Pages()
    screens = Screens(browser, pages)
    for moment in on_the_way(edition, steps):
        state: Any = moment.snapshot.state
        at = state.players[0].truck
        for kind, html in (("seat", pages.phone(moment, 0, "en")), ("kiosk", pages.kiosk(moment, "en"))):
            screen = screens.screen(kind, html)
            screen.evaluate(SHOW, html)
            assert screen.evaluate(CUT) == [], (kind, at)
            towns = screen.locator("svg.map .town").all_text_contents()
            assert at not in state.board.labels or at in towns, (kind, at)
    screens.close()
