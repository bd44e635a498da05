"""Missions of Haulers: whoever keeps or swaps one has it before their eyes, and open ones are read by all."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from appliance.games.haulers.table_data import our_edition
from appliance.words.catalogues import LANGUAGES
from tests.appliance.games.plays import demo_options
from tests.end_to_end.at_rest import AT_REST, SHOW, Screens
from tests.end_to_end.names.test_six_long_names import sit_down
from tests.end_to_end.party import held
from tests.end_to_end.readable.test_full_haulers import rich
from tests.end_to_end.served import PHONE, Served, needs_browser, ready
from tests.end_to_end.usable import moments_to_see
from tests.pages import Pages

pytestmark = needs_browser

NAMES = ("Katharina", "Alexander", "Sebastian", "Christine")
# Whether all lines of a mission lie on its card, and all that its player owns beside them.
ON_CARD = """mission => {
    const text = document.createRange(), card = mission.closest("article").getBoundingClientRect();
    text.selectNodeContents(mission);
    return [...text.getClientRects(), ...Array.from(mission.parentElement.querySelectorAll(".ic"), one =>
        one.getBoundingClientRect())].every(box => box.bottom <= card.bottom && box.right <= card.right);
}"""

# How far the question and what can be bought reach over the players' cards, in pixels.
OVER_THE_CARDS = """() => {
    const cards = document.querySelector(".region-players").getBoundingClientRect();
    return Math.max(...Array.from(document.querySelectorAll(".region-ask *"), one =>
        one.getBoundingClientRect().bottom - cards.top));
}"""


@pytest.mark.parametrize("missions", ["open", "secret"])
def test_a_mission_is_read_where_it_is_kept_or_swapped(served: Served, missions: str) -> None:
    options = demo_options("haulers")
    sit_down(served, "haulers", NAMES, **options, missions=missions)
    phone = served.join(0)
    phone.locator("[data-send*=swap_mission]").first.wait_for()
    ready(phone)
    told = phone.locator(".mission b")
    assert told.is_visible() == (missions == "open")
    with held(phone, "main .own [data-look]"):
        assert told.is_visible()
        box = told.bounding_box()
        assert box["y"] + box["height"] <= PHONE[1], "without scrolling"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("seats", "loads"), [(4, 1), (4, 2), (4, 3), (6, 1), (6, 2), (6, 3)])
def test_the_longest_open_mission_is_read_whole_on_the_wall(
    browser: Any, seats: int, loads: int, language: str
) -> None:
    missions = our_edition().missions
    longest = max(range(len(missions)), key=lambda number: len(getattr(missions[number].title, language)))
    moment, pages = rich(seats, loads, "open"), Pages()
    players = tuple(msgspec.structs.replace(one, mission=longest) for one in moment.snapshot.state.players)
    state = msgspec.structs.replace(moment.snapshot.state, players=players)
    html = pages.wall(moment._replace(snapshot=msgspec.structs.replace(moment.snapshot, state=state)), language)
    screens = Screens(browser, pages)
    screen = screens.screen("wall", html)
    screen.evaluate(SHOW, html)
    screen.evaluate(AT_REST)
    shown = screen.locator(".hauler .mission").all()
    assert len(shown) == len(players)
    for mission in shown:
        assert mission.evaluate(ON_CARD)
    screens.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_question_about_a_mission_reaches_over_the_players_cards(browser: Any, language: str) -> None:
    pages, judged = Pages(), 0
    screens = Screens(browser, pages)
    for moment in moments_to_see("haulers"):
        html = pages.wall(moment, language)
        if "cardtext" in html:
            screen = screens.screen("wall", html)
            screen.evaluate(SHOW, html)
            screen.evaluate(AT_REST)
            assert screen.evaluate(OVER_THE_CARDS) <= 0
            judged += 1
    screens.close()
    assert judged
