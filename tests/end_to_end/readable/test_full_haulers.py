"""The wall of Haulers with four and six players who own all that there is, on the longest ways of our own map."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import pytest

from appliance.games.haulers.rules.map.edition import Edition
from appliance.games.haulers.rules.stages import Over
from appliance.games.haulers.rules.state import Bonus, Chips, Hauler, Load
from appliance.games.haulers.table_data import our_edition
from appliance.games.protocol import Player
from appliance.words.catalogues import LANGUAGES
from tests.appliance.games.haulers.play import a_setup
from tests.end_to_end.at_rest import AT_REST, SHOW, Screens
from tests.end_to_end.served import needs_browser
from tests.moments import Course, Moment, named
from tests.pages import Pages

pytestmark = [*needs_browser, pytest.mark.thorough]

ON_THE_TRUCK = 2
"""With a trailer (TR-21); one more may be on a boat (TR-45)."""

# What lies outside its card by more than a pixel, and ways whose end is left out.
OUTSIDE = """() => Array.from(document.querySelectorAll(".hauler")).flatMap(card => {
    const least = card.getBoundingClientRect();
    const strip = parseFloat(getComputedStyle(card).borderBottomWidth);
    const rows = Array.from(card.querySelectorAll("header, .purse, .load, .mission, .kit .ic"));
    const boxes = rows.map(row => [row, row.getBoundingClientRect()]);
    const outside = boxes.filter(([, box]) =>
        box.bottom > least.bottom - strip + 1 || box.right > least.right + 1 || box.left < least.left - 1);
    const ended = Array.from(card.querySelectorAll(".load > span")).filter(e => e.scrollWidth > e.clientWidth);
    return [...outside.map(([row]) => row), ...ended].map(row => `${card.id} ${row.tagName} ${row.textContent.trim()}`);
})"""

CUT_NAMES = """() => Array.from(document.querySelectorAll(".final .who"))
    .filter(name => name.scrollWidth > name.clientWidth).map(name => name.textContent.trim())"""
BELOW_ITS_REGION = """() => {
    const list = document.querySelector(".final");
    return list.getBoundingClientRect().bottom - list.closest(".region").getBoundingClientRect().bottom;
}"""
ABOVE_ITS_REGION = """() => {
    const headline = document.querySelector(".victory h1"), region = headline.closest(".region");
    return region.getBoundingClientRect().top - headline.getBoundingClientRect().top - region.scrollTop;
}"""
LONG = tuple(f"{'W' * 23}{seat}" for seat in range(6))
EVERYDAY = ("Annabelle", "Friedrich", "Anna Maria", "Constanze", "Maximilian", "Bo")


def longest_ways(edition: Edition) -> list[int]:
    """Return the cards whose names take most room."""
    ways = [(len(card.top) + len(card.bottom), number) for number, card in enumerate(edition.deliveries)]
    return [number for _, number in sorted(ways, reverse=True)]


def rich(players: int, loads: int, missions: str) -> Moment:
    edition = our_edition()
    setup = a_setup(players, edition=edition, missions=missions, transit=True)
    moment = Course("haulers", named(setup)).moment("all there is", 0)
    cards: Iterator[int] = iter(longest_ways(edition))

    def own(seat: int, player: Hauler) -> Hauler:
        boats = [None if number < ON_THE_TRUCK else seat for number in range(loads)]
        carried = tuple(Load(card=next(cards), kind="legal", boat=boat) for boat in boats)
        kit: dict[str, Any] = {"turbo": True, "double": True, "radars": 1, "papers": (0,)}
        mission = None if missions == "none" else seat
        return msgspec.structs.replace(player, cash=12_345, loads=carried, mission=mission, **kit)

    state: Any = moment.snapshot.state
    players_now = tuple(own(seat, player) for seat, player in enumerate(state.players))
    state = msgspec.structs.replace(state, players=players_now)
    return moment._replace(snapshot=msgspec.structs.replace(moment.snapshot, state=state))


@pytest.mark.parametrize(("players", "loads", "missions"), [(6, 2, "open"), (6, 3, "none"), (4, 3, "open")])
def test_all_that_a_player_owns_is_seen_on_their_card(browser: Any, players: int, loads: int, missions: str) -> None:
    pages, full = Pages(), rich(players, loads, missions)
    screens = Screens(browser, pages)
    for language in LANGUAGES:
        html = pages.wall(full, language)
        screen = screens.screen("wall", html)
        screen.evaluate(SHOW, html)
        screen.evaluate(AT_REST)
        assert screen.locator(".hauler .load").count() == players * loads
        assert screen.locator(".hauler .mission").count() == (0 if missions == "none" else players)
        assert screen.evaluate(OUTSIDE) == [], language
    screens.close()


def ended(names: Sequence[str]) -> Moment:
    """Return the end of a game in which two players have the bonuses."""
    setup = a_setup(len(names), edition=our_edition())
    players = tuple(Player(name=name) for name in names)
    moment = Course("haulers", msgspec.structs.replace(setup, players=players)).moment("the end", 0)
    state: Any = moment.snapshot.state
    chips = Chips(white=4, black=3, red=2, blue=1)
    rich = tuple(msgspec.structs.replace(player, cash=12_345, chips=chips) for player in state.players)
    bonuses = Bonus(0, "white", 2_000), Bonus(1, "black", 2_000), Bonus(1, "red", 2_000), Bonus(0, "blue", 2_000)
    over = (Over(winners=(0,), reason="most_money"),)
    state = msgspec.structs.replace(state, players=rich, bonuses=bonuses, agenda=over)
    return moment._replace(snapshot=msgspec.structs.replace(moment.snapshot, state=state))


def results(screens: Screens, kind: str, html: str) -> Any:
    screen = screens.screen(kind, html)
    screen.evaluate(SHOW, html)
    screen.evaluate(AT_REST)
    return screen


@pytest.mark.parametrize("players", [2, 6])
def test_everyday_names_are_read_whole_in_the_results(browser: Any, players: int) -> None:
    pages, end = Pages(), ended(EVERYDAY[:players])
    screens = Screens(browser, pages)
    for language in LANGUAGES:
        shown = {"wall": pages.wall(end, language), "kiosk": pages.kiosk(end, language)}
        for kind, html in (shown | {"seat": pages.phone(end, 0, language)}).items():
            screen = results(screens, kind, html)
            assert screen.locator(".final .who").count() == players
            assert screen.evaluate(CUT_NAMES) == [], (kind, language)
    screens.close()


@pytest.mark.parametrize(
    ("kind", "beyond_px"),
    [
        pytest.param("wall", BELOW_ITS_REGION, id="the players stay in sight"),
        pytest.param("kiosk", ABOVE_ITS_REGION, id="the winner's name can be scrolled to"),
    ],
)
def test_the_results_of_six_long_names_keep_to_their_region(browser: Any, kind: str, beyond_px: str) -> None:
    pages, end = Pages(), ended(LONG)
    screens = Screens(browser, pages)
    for language in LANGUAGES:
        screen = results(screens, kind, getattr(pages, kind)(end, language))
        assert screen.evaluate(beyond_px) <= 0, language
    screens.close()
